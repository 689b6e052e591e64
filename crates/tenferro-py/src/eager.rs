//! The Python class `EagerTensor`: handles and ownership. Gradients are in `differentiation`, ops in `ops`, operators in `operators`.

use crate::at::PyAt;
use crate::dtype::{DTypeArg, DTypeValue};
use crate::errors::{Failure, Outcome, to_py_with};
use crate::guards::{PyTensorRead, PyValueGuard};
use crate::interop::{self, NumPyArray};
use crate::runtime::PyEagerRuntime;
use crate::slice_builder::PySliceBuilder;
use crate::tensor::{PyTensor, ShapeArg, ShapeTuple, StrideTuple};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tenferro_ad::EagerTensor;
use tenferro_cpu::duplicate;
use tenferro_tensor::{Error, Variant};

/// A tensor with reverse-mode automatic differentiation: ops compute at once, and are recorded when an input is tracked.
///
/// Made by `tf.tensor`, by `EagerTensor.from_tensor_in` and its sisters, and by every op. An immutable value; its layout is
/// column-major, batch axes trail. ``x.backward()`` of a scalar accumulates into ``leaf.grad`` of the tracked leaves.
///
/// >>> import tenferro as tf
/// >>> x = tf.tensor([1.0, 2.0, 3.0], requires_grad=True)
/// >>> loss = (x * x).sum()
/// >>> grads = loss.backward()
/// >>> x.grad.numpy()
/// array([2., 4., 6.])
#[pyclass(frozen, weakref, name = "EagerTensor", module = "tenferro")]
pub struct PyEagerTensor {
    inner: EagerTensor,
    consumed: AtomicBool,
}

impl Drop for PyEagerTensor {
    fn drop(&mut self) {
        if *self.consumed.get_mut() {
            self.inner.unretire();
        }
    }
}

impl PyEagerTensor {
    /// A handle.
    #[inline]
    pub fn new(inner: EagerTensor) -> PyEagerTensor {
        PyEagerTensor { inner, consumed: AtomicBool::new(false) }
    }

    /// The tensor, unless the handle has given its value away.
    #[inline]
    pub fn live(&self) -> Outcome<&EagerTensor> {
        if self.consumed.load(Relaxed) {
            return Err(consumed().into());
        }
        Ok(&self.inner)
    }
}

#[cold]
fn consumed() -> Error {
    Error::new(Variant::RuntimeState, "EagerTensor", "the handle was consumed by into_value()")
}

#[pymethods]
impl PyEagerTensor {
    /// Makes NumPy's subclasses prefer this class's reflected operators.
    #[classattr]
    fn __array_priority__() -> f64 {
        1000.0
    }

    /// An untracked leaf in `runtime` that shares the value of `tensor`.
    ///
    /// >>> import tenferro as tf
    /// >>> ctx = tf.EagerRuntime()
    /// >>> t = tf.Tensor.from_vec_col_major((2,), [1.0, 2.0])
    /// >>> tf.EagerTensor.from_tensor_in(t, ctx).value().as_slice().tolist()
    /// [1.0, 2.0]
    #[staticmethod]
    fn from_tensor_in(tensor: &Bound<'_, PyTensor>, runtime: &Bound<'_, PyEagerRuntime>) -> PyEagerTensor {
        PyEagerTensor::new(EagerTensor::constant(tensor.get().0.clone(), runtime.get().inner().clone()))
    }

    /// An untracked leaf in `runtime` with flat data in column-major order (leftmost axis fastest).
    ///
    /// Raises `ShapeMismatchError` if the count of elements is not the shape's, `IntegerOverflowError` if the shape has
    /// more elements than memory can address.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.EagerTensor.from_vec_col_major_in((2, 2), [1.0, 2.0, 3.0, 4.0], tf.EagerRuntime())[0].tolist()
    /// [1.0, 3.0]
    #[staticmethod]
    #[pyo3(signature = (shape, data: "Iterable[complex] | TensorLike", runtime, dtype = None))]
    fn from_vec_col_major_in(
        py: Python<'_>,
        shape: ShapeArg,
        data: &Bound<'_, PyAny>,
        runtime: &Bound<'_, PyEagerRuntime>,
        dtype: Option<DTypeArg>,
    ) -> Outcome<PyEagerTensor> {
        let tensor = crate::tensor::col_major(py, &shape.0, data, dtype, "from_vec_col_major_in")?;
        Ok(PyEagerTensor::new(EagerTensor::constant(tensor, runtime.get().inner().clone())))
    }

    /// A tracked leaf in `runtime` that shares the value of `tensor`; its gradient is `None` until a backward pass
    /// reaches it.
    ///
    /// >>> import tenferro as tf
    /// >>> t = tf.Tensor.from_vec_col_major((2,), [1.0, 2.0])
    /// >>> tf.EagerTensor.requires_grad_in(t, tf.EagerRuntime()).tracks_grad
    /// True
    #[staticmethod]
    fn requires_grad_in(tensor: &Bound<'_, PyTensor>, runtime: &Bound<'_, PyEagerRuntime>) -> PyEagerTensor {
        PyEagerTensor::new(EagerTensor::variable(tensor.get().0.clone(), runtime.get().inner().clone()))
    }

    /// The same value as an untracked leaf: what is computed from it does not contribute to this tensor's gradients.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([1.0], requires_grad=True).detach().tracks_grad
    /// False
    fn detach(&self) -> Outcome<PyEagerTensor> {
        Ok(PyEagerTensor::new(self.live()?.detach()))
    }

    /// A copy of the value as an untracked leaf of another runtime.
    ///
    /// >>> import tenferro as tf
    /// >>> other = tf.EagerRuntime()
    /// >>> tf.tensor([1.0]).detach_into(other).ctx_id == other.id
    /// True
    fn detach_into(&self, runtime: &Bound<'_, PyEagerRuntime>) -> Outcome<PyEagerTensor> {
        let copy = duplicate(self.live()?.concrete("detach_into")?)?;
        Ok(PyEagerTensor::new(EagerTensor::constant(copy, runtime.get().inner().clone())))
    }

    /// A leaf that shares the value: tracked (the step of an optimiser makes its next variable so), or not.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([1.0], requires_grad=True)
    /// >>> y = (x * 2.0).as_leaf()
    /// >>> y.tracks_grad, y.is_leaf
    /// (True, True)
    #[pyo3(signature = (requires_grad = true))]
    fn as_leaf(&self, requires_grad: bool) -> Outcome<PyEagerTensor> {
        let inner = self.live()?;
        let (value, runtime) = (inner.concrete("as_leaf")?.clone(), inner.runtime().clone());
        Ok(PyEagerTensor::new(match requires_grad {
            true => EagerTensor::variable(value, runtime),
            false => EagerTensor::constant(value, runtime),
        }))
    }

    /// A borrowed view of the value, without a copy; a context manager.
    ///
    /// >>> import tenferro as tf
    /// >>> with tf.tensor([1.0, 2.0]).value() as v:
    /// ...     print(v.as_slice())
    /// [1. 2.]
    fn value(&self) -> Outcome<PyValueGuard> {
        Ok(PyValueGuard::new(self.live()?.concrete("value")?.clone()))
    }

    /// A borrowed, possibly strided view of the value, without a copy; a context manager.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([[1.0, 2.0]]).T.tensor_read().strides
    /// (1, 1)
    fn tensor_read(&self) -> Outcome<PyTensorRead> {
        Ok(PyTensorRead::new(self.live()?.concrete("tensor_read")?.clone()))
    }

    /// The value in compact memory of its own.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([1.0, 2.0]).duplicate_value().tolist()
    /// [1.0, 2.0]
    fn duplicate_value(&self, py: Python<'_>) -> Outcome<PyTensor> {
        self.to_tensor(py)
    }

    /// The value as a plain `Tensor` in compact memory of its own.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([[1.0, 2.0]]).T.to_tensor().strides
    /// (1, 2)
    fn to_tensor(&self, py: Python<'_>) -> Outcome<PyTensor> {
        let inner = self.live()?;
        let value = inner.concrete("to_tensor")?.clone();
        let copy = crate::call::detached(py, inner.runtime(), value.size(), move || duplicate(&value))?;
        Ok(PyTensor(copy))
    }

    /// Moves the value out without a copy and consumes the handle: any later use of it raises `RuntimeStateError`.
    ///
    /// Raises `NotUniqueError` while another handle, a NumPy view or a recorded op holds the value, `ExtractError` if the
    /// value is a view; both carry the untouched handle as ``.handle``.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([3.0])
    /// >>> x.into_value().tolist()
    /// [3.0]
    fn into_value(slf: &Bound<'_, Self>) -> Outcome<PyTensor> {
        let this = slf.get();
        let inner = this.live()?;
        let refuse = |error: Error, more: Vec<(&'static str, Py<PyAny>)>| {
            let mut objects = more;
            objects.push(("handle", slf.clone().into_any().unbind()));
            Failure::Python(to_py_with(slf.py(), error, &objects))
        };
        inner.concrete("into_value")?;
        if inner.value().is_view() {
            let why =
                Error::new(Variant::NonContiguous, "into_value", "the value is a view into another tensor's memory");
            let cause = crate::errors::to_py(slf.py(), why.clone()).into_value(slf.py()).into_any();
            let error =
                Error::new(Variant::Extract, "into_value", format!("{}; use to_tensor() for a copy", why.message()));
            return Err(refuse(error, vec![("error", cause)]));
        }
        if !inner.is_sole_owner() {
            let message = "another handle, a NumPy view or a recorded op holds the value; use to_tensor() for a copy";
            return Err(refuse(Error::new(Variant::NotUnique, "into_value", message), Vec::new()));
        }
        if this.consumed.swap(true, Relaxed) {
            return Err(consumed().into());
        }
        let value = inner.value().clone();
        inner.retire();
        Ok(PyTensor(value))
    }

    /// The dtype of the elements.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([1.0]).dtype
    /// tenferro.float64
    #[getter]
    fn dtype(&self) -> Outcome<DTypeValue> {
        Ok(DTypeValue(self.live()?.value().dtype()))
    }

    /// The extents of the axes.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.zeros((2, 3)).shape
    /// (2, 3)
    #[getter]
    fn shape(&self) -> Outcome<ShapeTuple> {
        Ok(ShapeTuple(self.live()?.value().dims()))
    }

    /// The number of axes.
    #[getter]
    fn ndim(&self) -> Outcome<usize> {
        Ok(self.live()?.value().rank())
    }

    /// The number of elements.
    #[getter]
    fn size(&self) -> Outcome<usize> {
        Ok(self.live()?.value().size())
    }

    /// The steps between neighbours along each axis, in elements.
    #[getter]
    fn strides(&self) -> Outcome<StrideTuple> {
        Ok(StrideTuple(self.live()?.value().strides().into()))
    }

    /// Whether this tensor takes part in gradient tracking: a tracked leaf, or computed from one outside `no_grad`.
    #[getter]
    fn tracks_grad(&self) -> Outcome<bool> {
        Ok(self.live()?.tracks_grad())
    }

    /// Whether this tensor is a leaf: not computed from tracked values.
    #[getter]
    fn is_leaf(&self) -> Outcome<bool> {
        Ok(self.live()?.is_leaf())
    }

    /// The number of the runtime that this tensor belongs to.
    #[getter]
    fn ctx_id(&self) -> Outcome<u64> {
        Ok(self.live()?.runtime().id())
    }

    /// The runtime that this tensor belongs to.
    #[getter]
    fn runtime(&self, py: Python<'_>) -> Outcome<Py<PyEagerRuntime>> {
        PyEagerRuntime::of(py, self.live()?.runtime())
    }

    /// Whether two tensors belong to one runtime.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor(1.0).same_context(tf.tensor(2.0))
    /// True
    fn same_context(&self, other: &Bound<'_, PyEagerTensor>) -> Outcome<bool> {
        Ok(self.live()?.runtime().id() == other.get().live()?.runtime().id())
    }

    /// Starts a selection of ranges and positions, axis by axis, that keeps the rank.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([1.0, 2.0, 3.0]).slice_builder().axis(0, range(0, 2)).apply().shape
    /// (2,)
    fn slice_builder(slf: &Bound<'_, Self>) -> Outcome<PySliceBuilder> {
        slf.get().live()?;
        Ok(PySliceBuilder::new(slf.clone().unbind()))
    }

    /// Functional updates: ``x.at[index].set(v)`` and ``x.at[index].add(v)`` return changed copies.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.zeros(3).at[1].set(5.0).tolist()
    /// [0.0, 5.0, 0.0]
    #[getter]
    fn at(slf: &Bound<'_, Self>) -> Outcome<PyAt> {
        slf.get().live()?;
        Ok(PyAt::new(slf.clone().unbind()))
    }

    /// Another handle of the same value, place in the record and gradient slot.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor(2.0, requires_grad=True)
    /// >>> _ = (x * x).backward()
    /// >>> x.clone().grad.tolist()
    /// 4.0
    fn clone(&self) -> Outcome<PyEagerTensor> {
        Ok(PyEagerTensor::new(self.live()?.clone()))
    }

    fn __copy__(&self) -> Outcome<PyEagerTensor> {
        self.clone()
    }

    /// A fresh leaf in the default runtime with a copy of the value, tracked if this tensor is, without the record.
    #[pyo3(signature = (memo: "dict[int, Any]"))]
    fn __deepcopy__(&self, memo: &Bound<'_, PyDict>) -> Outcome<PyEagerTensor> {
        let _ = memo;
        let inner = self.live()?;
        let value = duplicate(inner.concrete("__deepcopy__")?)?;
        let runtime = crate::defaults::default_runtime();
        Ok(PyEagerTensor::new(match inner.tracks_grad() {
            true => EagerTensor::variable(value, runtime),
            false => EagerTensor::constant(value, runtime),
        }))
    }

    /// A read-only NumPy view with the tensor's strides, which keeps the storage alive, also of tracked tensors;
    /// ``copy=True`` gives a writable array of the caller's own.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.tensor([1.0, 2.0], requires_grad=True).numpy()
    /// array([1., 2.])
    #[pyo3(signature = (copy = false))]
    fn numpy<'py>(&self, py: Python<'py>, copy: bool) -> Outcome<NumPyArray<'py>> {
        let value = self.live()?.concrete("numpy")?;
        Ok(NumPyArray(if copy { interop::to_numpy_copy(py, value)? } else { interop::to_numpy(py, value)? }))
    }
}
