//! The Python class `Tensor`: the plain value, without ops.

use crate::dtype::{DTypeArg, DTypeInput, DTypeValue, read_dtype};
use crate::errors::Outcome;
use crate::interop::{self, NumPyArray, Reduced};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyList;
use tenferro_cpu::duplicate;
use tenferro_tensor::{Error, Tensor, checked_size, show_shape};

mod shape;

pub use shape::{ShapeArg, ShapeInput, ShapeTuple, StrideTuple};

/// A dense tensor of numbers: dtype, shape and immutable column-major storage, without a runtime and without ops.
///
/// Made by `from_vec_col_major`, `from_numpy` or the ``to_tensor`` methods; `tf.tensor` makes an `EagerTensor`, which
/// computes. NumPy reads it without a copy (``np.asarray(t)``), and so do consumers of DLPack and of Python buffers.
///
/// >>> import tenferro as tf
/// >>> tf.Tensor.from_vec_col_major((2, 3), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
/// Tensor(shape=(2, 3), dtype=float64,
///        [[1., 3., 5.],
///         [2., 4., 6.]])
#[pyclass(frozen, weakref, name = "Tensor", module = "tenferro")]
pub struct PyTensor(pub Tensor);

#[pymethods]
impl PyTensor {
    /// A tensor from flat data in column-major order: the leftmost axis runs fastest.
    ///
    /// ``data`` is a flat sequence, array or iterable of as many numbers as ``shape`` has elements; it is copied. Raises
    /// `ShapeMismatchError` if the count is another one, `RankMismatchError` if ``data`` is not flat.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.Tensor.from_vec_col_major((2, 2), [1, 2, 3, 4]).tolist()
    /// [[1, 3], [2, 4]]
    #[staticmethod]
    #[pyo3(signature = (shape, data: "Iterable[complex] | TensorLike", dtype = None))]
    fn from_vec_col_major(
        py: Python<'_>,
        shape: ShapeInput<'_>,
        data: &Bound<'_, PyAny>,
        dtype: Option<DTypeInput<'_>>,
    ) -> Outcome<PyTensor> {
        let op = "from_vec_col_major";
        Ok(PyTensor(col_major(py, &shape.read(op)?, data, read_dtype(dtype, op)?.map(DTypeArg), op)?))
    }

    /// A tensor with a copy of a NumPy array (or of anything that `tf.tensor` takes), whose indices it keeps:
    /// ``Tensor.from_numpy(a).numpy()[i, j] == a[i, j]`` for any strides, byte order or alignment.
    ///
    /// Raises `UnsupportedDTypeError` for dtypes that tensors do not have.
    ///
    /// >>> import numpy as np
    /// >>> import tenferro as tf
    /// >>> tf.Tensor.from_numpy(np.eye(2)).strides
    /// (1, 2)
    #[staticmethod]
    #[pyo3(signature = (data: "TensorLike", dtype = None))]
    fn from_numpy(py: Python<'_>, data: &Bound<'_, PyAny>, dtype: Option<DTypeInput<'_>>) -> Outcome<PyTensor> {
        let op = "from_numpy";
        Ok(PyTensor(interop::tensor_from_any(py, data, read_dtype(dtype, op)?, op)?))
    }

    /// The dtype of the elements.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.Tensor.from_numpy([1, 2]).dtype
    /// tenferro.int64
    #[getter]
    fn dtype(&self) -> DTypeValue {
        DTypeValue(self.0.dtype())
    }

    /// The extents of the axes.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.Tensor.from_numpy([[1, 2, 3]]).shape
    /// (1, 3)
    #[getter]
    fn shape(&self) -> ShapeTuple {
        ShapeTuple(self.0.dims())
    }

    /// The number of axes.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.Tensor.from_numpy([[1, 2, 3]]).ndim
    /// 2
    #[getter]
    fn ndim(&self) -> usize {
        self.0.rank()
    }

    /// The number of elements.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.Tensor.from_numpy([[1, 2, 3]]).size
    /// 3
    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    /// The steps between neighbours along each axis, in elements (NumPy counts bytes).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.Tensor.from_numpy([[1, 2, 3], [4, 5, 6]]).strides
    /// (1, 2)
    #[getter]
    fn strides(&self) -> StrideTuple {
        StrideTuple(self.0.strides().into())
    }

    /// The elements as a flat read-only NumPy view in column-major order, without a copy.
    ///
    /// ``dtype`` states the dtype that the caller expects; raises `DTypeMismatchError` if it is another one, and
    /// `NonContiguousError` if the value is a view whose elements are not compact.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.Tensor.from_numpy([[1.0, 2.0], [3.0, 4.0]]).as_slice(tf.float64)
    /// array([1., 3., 2., 4.])
    #[pyo3(signature = (dtype = None))]
    fn as_slice<'py>(&self, py: Python<'py>, dtype: Option<DTypeInput<'py>>) -> Outcome<NumPyArray<'py>> {
        Ok(NumPyArray(interop::flat_view(py, &self.0, read_dtype(dtype, "as_slice")?)?))
    }

    /// A read-only NumPy view with the tensor's strides, which keeps the storage alive; ``copy=True`` gives a writable
    /// array of the caller's own in Fortran order.
    ///
    /// Raises `RankMismatchError` for more axes than NumPy has (64).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.Tensor.from_numpy([1.0, 2.0]).numpy()
    /// array([1., 2.])
    #[pyo3(signature = (copy = false))]
    fn numpy<'py>(&self, py: Python<'py>, copy: bool) -> Outcome<NumPyArray<'py>> {
        let array = if copy { interop::to_numpy_copy(py, &self.0) } else { interop::to_numpy(py, &self.0) };
        Ok(NumPyArray(array?))
    }

    /// The same values in compact memory of their own.
    ///
    /// >>> import tenferro as tf
    /// >>> t = tf.Tensor.from_numpy([1.0, 2.0])
    /// >>> t.duplicate().tolist() == t.tolist()
    /// True
    fn duplicate(&self) -> Outcome<PyTensor> {
        Ok(PyTensor(duplicate(&self.0)?))
    }

    /// The elements as nested lists of Python numbers, indexed as the tensor; the number itself for rank 0.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.Tensor.from_vec_col_major((2, 2), [1, 2, 3, 4]).tolist()
    /// [[1, 3], [2, 4]]
    fn tolist<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        Ok(interop::to_numpy(py, &self.0)?.call_method0(intern!(py, "tolist"))?)
    }

    /// NumPy's conversion protocol: a read-only view, or a copy in another dtype or on request.
    ///
    /// Raises `InvalidArgumentError` for ``copy=False`` with a dtype that needs a copy.
    ///
    /// >>> import numpy as np
    /// >>> import tenferro as tf
    /// >>> np.asarray(tf.Tensor.from_numpy([1.0, 2.0]), dtype=np.float32)
    /// array([1., 2.], dtype=float32)
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> Outcome<NumPyArray<'py>> {
        Ok(NumPyArray(interop::array_protocol(py, &self.0, dtype, copy)?))
    }

    /// DLPack's export protocol: a capsule over the storage, read-only, for consumers that ask for ``max_version`` (1, 0)
    /// or later, and over a copy for the others.
    ///
    /// Raises `BufferError` for other devices, streams, and ``copy=False`` where a copy is needed.
    ///
    /// >>> import numpy as np
    /// >>> import tenferro as tf
    /// >>> np.from_dlpack(tf.Tensor.from_numpy([1.0, 2.0]))
    /// array([1., 2.])
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
    ///
    /// >>> import tenferro as tf
    /// >>> tf.Tensor.from_numpy([1.0]).__dlpack_device__()
    /// (1, 0)
    fn __dlpack_device__(&self) -> (i32, i32) {
        interop::dlpack_device()
    }

    fn __len__(&self) -> Outcome<usize> {
        length(&self.0, "Tensor")
    }

    fn __setitem__(&self, _index: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(immutable("Tensor"))
    }

    fn __repr__(&self, py: Python<'_>) -> Outcome<String> {
        show(py, "Tensor", &self.0)
    }

    fn __copy__(&self) -> PyTensor {
        PyTensor(self.0.clone())
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> Outcome<PyTensor> {
        let _ = memo;
        self.duplicate()
    }

    fn __reduce_ex__<'py>(&self, py: Python<'py>, protocol: i32) -> Outcome<Reduced<'py>> {
        interop::reduced(py, "_restore_tensor", &self.0, protocol)
    }
}

/// A tensor of `shape` from flat data in column-major order.
pub fn col_major(
    py: Python<'_>,
    shape: &[usize],
    data: &Bound<'_, PyAny>,
    dtype: Option<DTypeArg>,
    op: &'static str,
) -> Outcome<Tensor> {
    let has_length = data.hasattr(intern!(py, "__len__"))? || data.hasattr(intern!(py, "__array__"))?;
    let listed = match has_length {
        false if data.hasattr(intern!(py, "__iter__"))? => Some(py.get_type::<PyList>().call1((data,))?),
        _ => None,
    };
    let flat = interop::tensor_from_any(py, listed.as_ref().unwrap_or(data), dtype.map(|d| d.0), op)?;
    if flat.rank() != 1 {
        return Err(Error::rank(op, "argument 'data' must be flat", 1, flat.rank()).into());
    }
    let count = checked_size(op, shape, flat.dtype().itemsize())?;
    if count != flat.size() {
        let what = format!("argument 'data' for shape {}", show_shape(shape));
        return Err(Error::shape(op, &what, &[count], flat.shape()).into());
    }
    Ok(flat.into_compact_shape(shape))
}

/// `len(x)`: the extent of the first axis.
pub fn length(x: &Tensor, class: &str) -> Outcome<usize> {
    let none = || PyTypeError::new_err(format!("len: a {class} without axes has no length"));
    Ok(*x.shape().first().ok_or_else(none)?)
}

/// The refusal of `x[...] = v`.
pub fn immutable(class: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "a {class} is immutable, so x[...] = v is not possible; use x.at[...].set(v) or x.at[...].add(v) on an EagerTensor"
    ))
}

/// The `repr` of a plain value.
pub fn show(py: Python<'_>, class: &str, x: &Tensor) -> Outcome<String> {
    let indent = class.len() + 1;
    let values = interop::show_values(py, x, indent)?;
    let line = if values.contains('\n') || x.rank() > 1 { format!("\n{}", " ".repeat(indent)) } else { " ".to_owned() };
    Ok(format!("{class}(shape={}, dtype={},{line}{values})", show_shape(x.shape()), x.dtype()))
}
