//! `EagerTensor` as Python and NumPy see it: numbers, sequences, arrays, pickles, `repr`, indexing.

use crate::call::{Operand, enter};
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use crate::index::Index;
use crate::interop::{self, NumPyArray};
use crate::tensor::{immutable, length};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyString, PyTuple};
use tenferro_ad::EagerTensor;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::numeric;
use tenferro_tensor::{DType, Dims, Error, show_shape};

fn property(
    slf: &Bound<'_, PyEagerTensor>,
    op: &'static str,
    body: fn(&mut tenferro_ad::Eager, &tenferro_ad::Var) -> tenferro_tensor::Result<tenferro_ad::Var>,
) -> PyResult<PyEagerTensor> {
    enter(slf.py(), op, None, |call| {
        let x = call.one(&Operand(slf.clone().into_any()))?;
        call.run(x.value.size(), move |cx| body(cx, &x))
    })
}

fn matrix_transpose(cx: &mut tenferro_ad::Eager, x: &tenferro_ad::Var) -> tenferro_tensor::Result<tenferro_ad::Var> {
    let rank = x.value.rank();
    if rank < 2 {
        return Err(Error::rank("mT", "the tensor", 2, rank));
    }
    let mut perm: Dims = (0..rank).collect();
    perm.swap(0, 1);
    cx.transpose(x, &perm)
}

#[pymethods]
impl PyEagerTensor {
    /// All axes reversed. A view.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ones((2, 3)).T.shape
    /// (3, 2)
    #[getter(T)]
    fn reversed_axes(slf: &Bound<'_, Self>) -> PyResult<PyEagerTensor> {
        property(slf, "transpose", |cx, x| {
            let perm: Dims = (0..x.value.rank()).rev().collect();
            cx.transpose(x, &perm)
        })
    }

    /// The matrices (first two axes) transposed; batch axes stay. A view. `RankMismatchError` below rank 2.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ones((2, 3, 10)).mT.shape
    /// (3, 2, 10)
    #[getter(mT)]
    fn matrix_transposed(slf: &Bound<'_, Self>) -> PyResult<PyEagerTensor> {
        property(slf, "mT", matrix_transpose)
    }

    /// The adjoint matrices: transposed (first two axes) and conjugated; batch axes stay.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([[1j, 2.0]]).H.tolist()
    /// [[-1j], [(2-0j)]]
    #[getter(H)]
    fn adjoint(slf: &Bound<'_, Self>) -> PyResult<PyEagerTensor> {
        property(slf, "H", |cx, x| {
            let turned = matrix_transpose(cx, x)?;
            cx.conj(&turned)
        })
    }

    /// Real part; recorded.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([1 + 2j]).real.tolist()
    /// [1.0]
    #[getter]
    fn real(slf: &Bound<'_, Self>) -> PyResult<PyEagerTensor> {
        property(slf, "real", |cx, x| cx.real(x))
    }

    /// Imaginary part, zero for real tensors; recorded.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([1 + 2j]).imag.tolist()
    /// [2.0]
    #[getter]
    fn imag(slf: &Bound<'_, Self>) -> PyResult<PyEagerTensor> {
        property(slf, "imag", numeric::imag)
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, index: Bound<'py, PyAny>) -> PyResult<PyEagerTensor> {
        enter(slf.py(), "getitem", None, |call| {
            let x = call.one(&Operand(slf.clone().into_any()))?;
            let index = Index::new(&index, x.value.shape(), &call.runtime()?)?;
            call.run(x.value.size(), move |cx| index.apply(cx, &x))
        })
    }

    fn __setitem__(&self, index: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = (index, value);
        Err(immutable("EagerTensor"))
    }

    fn __delitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = index;
        Err(immutable("EagerTensor"))
    }

    fn __len__(&self) -> Outcome<usize> {
        length(self.live()?.value(), "EagerTensor")
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let count = match slf.get().live() {
            Ok(inner) if inner.value().rank() > 0 => inner.value().shape()[0],
            Ok(_) => {
                return Err(PyTypeError::new_err("iter: a tensor without axes cannot be iterated over"));
            }
            Err(failure) => return Err(failure.into()),
        };
        let items = (0..count).map(|i| slf.get_item(i)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(slf.py(), items)?.try_iter()?.into_any())
    }

    fn __contains__(slf: &Bound<'_, Self>, value: Bound<'_, PyAny>) -> PyResult<bool> {
        let equal = slf.as_any().rich_compare(value, pyo3::basic::CompareOp::Eq)?;
        equal.call_method0(intern!(slf.py(), "any"))?.is_truthy()
    }

    fn __hash__(&self) -> Outcome<u64> {
        Ok(self.live()?.key())
    }

    /// The one element as a Python number. `InvalidArgumentError` unless the size is 1.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([[3.5]]).item()
    /// 3.5
    #[pyo3(signature = () -> "Any")]
    fn item<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        item(py, self.live()?.concrete("item")?)
    }

    /// The elements as nested lists of Python numbers, indexed as the tensor; the number itself for rank 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([[1, 2], [3, 4]]).T.tolist(), tf.tensor(2.5).tolist()
    /// ([[1, 3], [2, 4]], 2.5)
    #[pyo3(signature = () -> "Any")]
    fn tolist<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        Ok(interop::to_numpy(py, self.live()?.concrete("tolist")?)?.call_method0(intern!(py, "tolist"))?)
    }

    fn __float__<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyFloat>> {
        let item = self.item(py)?;
        if item.is_instance_of::<PyComplex>() {
            return Err(PyTypeError::new_err("float: expected a real tensor, got a complex one; use x.real").into());
        }
        Ok(py.get_type::<PyFloat>().call1((item,))?.cast_into::<PyFloat>().map_err(PyErr::from)?)
    }

    fn __int__<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyInt>> {
        let item = self.item(py)?;
        if item.is_instance_of::<PyComplex>() {
            return Err(PyTypeError::new_err("int: expected a real tensor, got a complex one; use x.real").into());
        }
        Ok(py.get_type::<PyInt>().call1((item,))?.cast_into::<PyInt>().map_err(PyErr::from)?)
    }

    fn __index__<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyInt>> {
        let value = self.live()?.value();
        if !matches!(value.dtype(), DType::I32 | DType::I64) || value.rank() > 0 {
            let what = format!("{} of shape {}", value.dtype(), show_shape(value.shape()));
            return Err(PyTypeError::new_err(format!("index: expected an integer tensor of rank 0, got {what}")).into());
        }
        Ok(self.item(py)?.cast_into::<PyInt>().map_err(PyErr::from)?)
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyComplex>> {
        Ok(py.get_type::<PyComplex>().call1((self.item(py)?,))?.cast_into::<PyComplex>().map_err(PyErr::from)?)
    }

    fn __bool__(&self, py: Python<'_>) -> Outcome<bool> {
        let value = self.live()?.value();
        if value.size() != 1 {
            let message = format!(
                "the truth value of {} elements is ambiguous, expected one; use x.any() or x.all()",
                value.size()
            );
            return Err(Error::argument("bool", "x", message).into());
        }
        Ok(self.item(py)?.is_truthy()?)
    }

    fn __repr__(&self, py: Python<'_>) -> Outcome<String> {
        let Ok(inner) = self.live() else {
            return Ok("EagerTensor(consumed by into_value())".to_owned());
        };
        let value = inner.value();
        if inner.is_example() {
            let (shape, dtype) = (show_shape(value.shape()), value.dtype());
            return Ok(format!("EagerTensor(shape={shape}, dtype={dtype}, an item of a batch inside vmap)"));
        }
        let indent = "EagerTensor(".len();
        let values = interop::show_values(py, value, indent)?;
        let tracks = match (inner.tracks_grad(), inner.is_leaf()) {
            (false, _) => "",
            (true, true) => ", requires_grad=True",
            (true, false) => ", tracks_grad=True",
        };
        let line = match values.contains('\n') || value.rank() > 1 {
            true => format!("\n{}", " ".repeat(indent)),
            false => " ".to_owned(),
        };
        Ok(format!("EagerTensor(shape={}, dtype={}{tracks},{line}{values})", show_shape(value.shape()), value.dtype()))
    }

    fn __format__<'py>(slf: &Bound<'py, Self>, spec: &str) -> PyResult<Bound<'py, PyString>> {
        let py = slf.py();
        if spec.is_empty() {
            return slf.str();
        }
        Ok(slf.get().item(py)?.call_method1(intern!(py, "__format__"), (spec,))?.cast_into()?)
    }

    /// NumPy's conversion protocol: a read-only view, or a copy in another dtype or on request.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> Outcome<NumPyArray<'py>> {
        Ok(NumPyArray(interop::array_protocol(py, self.live()?.concrete("__array__")?, dtype, copy)?))
    }

    /// DLPack's export protocol, as that of `Tensor`; the record stays behind.
    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> Outcome<Bound<'py, PyAny>> {
        interop::to_dlpack(py, self.live()?.concrete("__dlpack__")?, stream, max_version, dl_device, copy)
    }

    /// The device of DLPack: the CPU.
    fn __dlpack_device__(&self) -> (i32, i32) {
        interop::dlpack_device()
    }

    #[pyo3(signature = (protocol) -> "tuple[Any, ...]")]
    fn __reduce_ex__<'py>(&self, py: Python<'py>, protocol: i32) -> Outcome<Bound<'py, PyTuple>> {
        static RESTORE: pyo3::sync::PyOnceLock<Py<PyAny>> = pyo3::sync::PyOnceLock::new();
        let restore = RESTORE.import(py, "tenferro._tenferro", "_restore_eager")?;
        let inner = self.live()?;
        let (dtype, shape, data) = interop::reduce_parts(py, inner.concrete("pickle")?, protocol)?;
        Ok((restore, (dtype, shape, data, inner.tracks_grad())).into_pyobject(py)?)
    }
}

/// Rebuilds a pickled `EagerTensor` as a leaf of the default runtime.
#[pyfunction]
#[pyo3(name = "_restore_eager")]
pub fn restore_eager(
    py: Python<'_>,
    dtype: crate::dtype::DTypeArg,
    shape: crate::tensor::ShapeArg,
    data: &Bound<'_, PyAny>,
    tracked: bool,
) -> Outcome<PyEagerTensor> {
    let value = interop::restore(py, dtype.0, shape.0, data, "_restore_eager")?;
    let runtime = crate::defaults::default_runtime();
    Ok(PyEagerTensor::new(match tracked {
        true => EagerTensor::variable(value, runtime),
        false => EagerTensor::constant(value, runtime),
    }))
}

/// The one element of a value as a Python number.
pub fn item<'py>(py: Python<'py>, value: &tenferro_tensor::Tensor) -> Outcome<Bound<'py, PyAny>> {
    Ok(match value.dtype() {
        DType::F32 => value.item::<f32>().map(|x| PyFloat::new(py, x.into()).into_any()),
        DType::F64 => value.item::<f64>().map(|x| PyFloat::new(py, x).into_any()),
        DType::I32 => value.item::<i32>().map(|x| PyInt::new(py, x).into_any()),
        DType::I64 => value.item::<i64>().map(|x| PyInt::new(py, x).into_any()),
        DType::Bool => value.item::<bool>().map(|x| PyBool::new(py, x).to_owned().into_any()),
        DType::C64 => value
            .item::<tenferro_tensor::C64>()
            .map(|z| PyComplex::from_doubles(py, z.re.into(), z.im.into()).into_any()),
        DType::C128 => {
            value.item::<tenferro_tensor::C128>().map(|z| PyComplex::from_doubles(py, z.re, z.im).into_any())
        }
    }
    .ok_or_else(|| {
        let message = format!("expected one element, got shape {}", show_shape(value.shape()));
        Error::argument("item", "x", message)
    })?)
}
