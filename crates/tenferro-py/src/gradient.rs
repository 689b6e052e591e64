//! The Python class `GradientValue`: an independent snapshot of a gradient.

use crate::dtype::{DTypeArg, DTypeInput, DTypeValue, read_dtype};
use crate::errors::Outcome;
use crate::guards::{PyTensorRead, PyValueGuard};
use crate::interop::{self, NumPyArray, Reduced};
use crate::tensor::{PyTensor, ShapeArg, ShapeTuple, StrideTuple, immutable, length, show};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat};
use std::sync::Arc;
use tenferro_ad::EagerRuntime;
use tenferro_cpu::duplicate;
use tenferro_tensor::Tensor;

/// A gradient as it was when it was read: later backward passes, `clear_grad` and the end of its tensor do not change it.
///
/// Read-only, and without a graph: in arithmetic it is a constant.
///
/// >>> import tenferro as tf
/// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
/// >>> grads = (x * x).sum().backward()
/// >>> grads[x]
/// GradientValue(shape=(2,), dtype=float64, [2., 4.])
#[pyclass(frozen, weakref, name = "GradientValue", module = "tenferro")]
pub struct PyGradientValue(
    /// The gradient.
    pub Tensor,
    /// The runtime of its leaf, in which arithmetic with it takes place; a pickled gradient has none.
    pub Option<Arc<EagerRuntime>>,
);

#[pymethods]
impl PyGradientValue {
    /// The dtype of the elements.
    #[getter]
    fn dtype(&self) -> DTypeValue {
        DTypeValue(self.0.dtype())
    }

    /// The extents of the axes.
    #[getter]
    fn shape(&self) -> ShapeTuple {
        ShapeTuple(self.0.dims())
    }

    /// The number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.0.rank()
    }

    /// The number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    /// The steps between neighbours along each axis, in elements.
    #[getter]
    fn strides(&self) -> StrideTuple {
        StrideTuple(self.0.strides().into())
    }

    /// The gradient, borrowed.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor(3.0, requires_grad=True)
    /// >>> grads = (x * x).backward()
    /// >>> grads[x].value().numpy()
    /// array(6.)
    fn value(&self) -> PyValueGuard {
        PyValueGuard::new(self.0.clone())
    }

    /// The gradient, borrowed for reading.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor(3.0, requires_grad=True)
    /// >>> grads = (x * x).backward()
    /// >>> grads[x].tensor_read().shape
    /// ()
    fn tensor_read(&self) -> PyTensorRead {
        PyTensorRead::new(self.0.clone())
    }

    /// The elements as a flat read-only NumPy view in column-major order, without a copy.
    ///
    /// Raises `DTypeMismatchError` if the dtype is not the one stated.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
    /// >>> grads = (x * x).sum().backward()
    /// >>> grads[x].as_slice(tf.float64)
    /// array([2., 4.])
    #[pyo3(signature = (dtype = None))]
    fn as_slice<'py>(&self, py: Python<'py>, dtype: Option<DTypeInput<'py>>) -> Outcome<NumPyArray<'py>> {
        Ok(NumPyArray(interop::flat_view(py, &self.0, read_dtype(dtype, "as_slice")?)?))
    }

    /// A `Tensor` with a copy of the gradient.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
    /// >>> grads = (x * x).sum().backward()
    /// >>> grads[x].to_tensor()
    /// Tensor(shape=(2,), dtype=float64, [2., 4.])
    fn to_tensor(&self) -> Outcome<PyTensor> {
        Ok(PyTensor(duplicate(&self.0)?))
    }

    /// A read-only NumPy view that keeps the storage alive; ``copy=True`` gives a writable array of the caller's own.
    ///
    /// Raises `RankMismatchError` for more axes than NumPy has (64).
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
    /// >>> grads = (x * x).sum().backward()
    /// >>> grads[x].numpy()
    /// array([2., 4.])
    #[pyo3(signature = (copy = false))]
    fn numpy<'py>(&self, py: Python<'py>, copy: bool) -> Outcome<NumPyArray<'py>> {
        let array = if copy { interop::to_numpy_copy(py, &self.0) } else { interop::to_numpy(py, &self.0) };
        Ok(NumPyArray(array?))
    }

    /// The elements as nested lists of Python numbers, indexed as the gradient; the number itself for rank 0.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
    /// >>> grads = (x * x).sum().backward()
    /// >>> grads[x].tolist()
    /// [2.0, 4.0]
    fn tolist<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        Ok(interop::to_numpy(py, &self.0)?.call_method0(intern!(py, "tolist"))?)
    }

    /// NumPy's conversion protocol: a read-only view, or a copy in another dtype or on request.
    ///
    /// Raises `InvalidArgumentError` for ``copy=False`` with a dtype that needs a copy.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> Outcome<NumPyArray<'py>> {
        Ok(NumPyArray(interop::array_protocol(py, &self.0, dtype, copy)?))
    }

    /// DLPack's export protocol, as that of `Tensor`.
    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> Outcome<Bound<'py, PyAny>> {
        interop::to_dlpack(py, &self.0, stream, max_version, dl_device, copy)
    }

    /// The device of DLPack: the CPU.
    fn __dlpack_device__(&self) -> (i32, i32) {
        interop::dlpack_device()
    }

    /// The one element as a Python number. `InvalidArgumentError` unless the size is 1.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor(3.0, requires_grad=True)
    /// >>> _ = (x * x).backward()
    /// >>> x.grad.item(), float(x.grad)
    /// (6.0, 6.0)
    #[pyo3(signature = () -> "Any")]
    fn item<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        crate::protocols::item(py, &self.0)
    }

    fn __float__<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        Ok(py.get_type::<PyFloat>().call1((self.item(py)?,))?)
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        Ok(py.get_type::<PyComplex>().call1((self.item(py)?,))?)
    }

    fn __len__(&self) -> Outcome<usize> {
        length(&self.0, "GradientValue")
    }

    fn __setitem__(&self, _index: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(immutable("GradientValue"))
    }

    fn __repr__(&self, py: Python<'_>) -> Outcome<String> {
        show(py, "GradientValue", &self.0)
    }

    fn __copy__(&self) -> PyGradientValue {
        PyGradientValue(self.0.clone(), self.1.clone())
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> Outcome<PyGradientValue> {
        let _ = memo;
        Ok(PyGradientValue(duplicate(&self.0)?, self.1.clone()))
    }

    fn __reduce_ex__<'py>(&self, py: Python<'py>, protocol: i32) -> Outcome<Reduced<'py>> {
        interop::reduced(py, "_restore_gradient", &self.0, protocol)
    }
}

/// Rebuilds a pickled `GradientValue` from its dtype, shape and column-major bytes; raises `FileFormatError` if they
/// disagree.
#[pyfunction]
#[pyo3(name = "_restore_gradient")]
pub fn restore_gradient(
    py: Python<'_>,
    dtype: DTypeArg,
    shape: ShapeArg,
    data: &Bound<'_, PyAny>,
) -> Outcome<PyGradientValue> {
    Ok(PyGradientValue(interop::restore(py, dtype.0, shape.0, data, "_restore_gradient")?, None))
}
