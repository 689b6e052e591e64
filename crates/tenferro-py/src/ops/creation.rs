//! Tensors out of nothing: constants of the default runtime (or a session's), untracked unless asked for.

use crate::call::{Operand, enter, python_number};
use crate::dtype::DTypeArg;
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use crate::interop::{tensor_as, tensor_from_any};
use crate::runtime::{PyEagerRuntime, default_runtime};
use crate::tensor::ShapeArg;
use pyo3::prelude::*;
use std::sync::Arc;
use tenferro_ad::{EagerRuntime, EagerTensor, Var};
use tenferro_cpu::Number;
use tenferro_tensor::{DType, Error, Tensor};

fn runtime_of(runtime: Option<&Bound<'_, PyEagerRuntime>>) -> Arc<EagerRuntime> {
    runtime.map_or_else(default_runtime, |r| r.get().inner().clone())
}

fn leaf(value: Tensor, tracked: bool, runtime: Arc<EagerRuntime>) -> PyEagerTensor {
    PyEagerTensor::new(match tracked {
        true => EagerTensor::variable(value, runtime),
        false => EagerTensor::constant(value, runtime),
    })
}

/// A new leaf with a copy of `data`: numbers, nested lists, arrays, tensors, anything with ``__dlpack__`` or ``__array__``.
///
/// Indices are kept: ``tf.tensor(a)[i, j] == a[i, j]``. Python floats become float64, complex numbers complex128, ints int64.
/// ``requires_grad=True`` makes it a tracked leaf. Raises `UnsupportedDTypeError` for dtypes that tensors do not have,
/// `IntegerOverflowError` for ints beyond int64, `ShapeMismatchError` for ragged lists.
///
/// >>> import tenferro as tf
/// >>> tf.tensor([[1.0, 2.0], [3.0, 4.0]])
/// EagerTensor(shape=(2, 2), dtype=float64,
///             [[1., 2.],
///              [3., 4.]])
#[pyfunction]
#[pyo3(signature = (data: "TensorLike", dtype=None, requires_grad=false, runtime=None))]
pub fn tensor(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    dtype: Option<DTypeArg>,
    requires_grad: bool,
    runtime: Option<&Bound<'_, PyEagerRuntime>>,
) -> PyResult<PyEagerTensor> {
    enter(py, "tensor", None, |_| {
        let value = tensor_from_any(py, data, dtype.map(|d| d.0), "tensor")?;
        Ok(leaf(value, requires_grad, runtime_of(runtime)))
    })
}

/// `data` as an `EagerTensor`: one is returned unchanged, record included; anything else becomes an untracked leaf.
///
/// ``copy=None`` copies writable memory, ``copy=True`` always copies (to a new leaf), ``copy=False`` shares read-only memory
/// (the caller promises that nobody writes to it) and raises `InvalidArgumentError` where it cannot.
///
/// >>> import tenferro as tf
/// >>> x = tf.tensor([1.0], requires_grad=True)
/// >>> tf.asarray(x) is x
/// True
#[pyfunction]
#[pyo3(signature = (data: "TensorLike", dtype=None, copy=None, runtime=None) -> "EagerTensor")]
pub fn asarray<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    dtype: Option<DTypeArg>,
    copy: Option<bool>,
    runtime: Option<&Bound<'py, PyEagerRuntime>>,
) -> PyResult<Bound<'py, PyEagerTensor>> {
    enter(py, "asarray", None, |_| {
        if let Ok(own) = data.cast::<PyEagerTensor>()
            && copy != Some(true)
        {
            let inner = own.get().live()?;
            let same = dtype.is_none_or(|d| d.0 == inner.value().dtype());
            if same && runtime.is_none_or(|r| r.get().inner().id() == inner.runtime().id()) {
                return Ok(own.clone());
            }
            if same && copy == Some(false) {
                return Err(Error::argument("asarray", "runtime", "expected the tensor's own runtime with copy=False").into());
            }
            if !same && copy != Some(false) && runtime.is_none() {
                let dtype = dtype.map_or(inner.value().dtype(), |d| d.0);
                let mut call = tenferro_ad::Eager::current();
                let var = inner.operand(&call).clone();
                let var = tenferro_ad::ops::compose::Build::convert(&mut call, &var, dtype)?;
                return Ok(Bound::new(py, PyEagerTensor::new(EagerTensor::from_var(var, inner.runtime().clone())))?);
            }
        }
        let value = tensor_as(py, data, dtype.map(|d| d.0), copy, "asarray")?;
        Ok(Bound::new(py, leaf(value, false, runtime_of(runtime)))?)
    })
}

/// A number argument, with its natural dtype.
fn number(op: &'static str, what: &str, object: &Operand<'_>) -> Outcome<Number> {
    if let Some(number) = python_number(&object.0, op)? {
        return Ok(number);
    }
    let value = tensor_from_any(object.0.py(), &object.0, None, op)?;
    let single = || -> Option<Number> {
        Some(match value.dtype() {
            DType::F32 => Number::Float(value.item::<f32>()?.into()),
            DType::F64 => Number::Float(value.item::<f64>()?),
            DType::C64 => {
                let z = value.item::<tenferro_tensor::C64>()?;
                Number::Complex(tenferro_tensor::C128::new(z.re.into(), z.im.into()))
            }
            DType::C128 => Number::Complex(value.item()?),
            DType::I32 => Number::Int(value.item::<i32>()?.into()),
            DType::I64 => Number::Int(value.item()?),
            DType::Bool => Number::Bool(value.item()?),
        })
    };
    single().ok_or_else(|| {
        let message = format!("expected a number, got shape {}", tenferro_tensor::show_shape(value.shape()));
        Error::argument(op, what, message).into()
    })
}

list_op! { [zeros] {
    /// Zeros of a shape (an int, or a sequence of ints) and dtype (float64). `OutOfMemoryError` where memory does not suffice.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.zeros((2, 2)).tolist()
    /// [[0.0, 0.0], [0.0, 0.0]]
    () (shape, dtype=None) (shape: ShapeArg, dtype: Option<DTypeArg>)
} |call| {
    let value = tenferro_cpu::full(&shape.0, dtype.map_or(DType::F64, |d| d.0), Number::Bool(false))?;
    call.wrap(Var::constant(value))
} }

list_op! { [ones] {
    /// Ones of a shape and dtype (float64).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ones(3).tolist()
    /// [1.0, 1.0, 1.0]
    () (shape, dtype=None) (shape: ShapeArg, dtype: Option<DTypeArg>)
} |call| {
    let value = tenferro_cpu::full(&shape.0, dtype.map_or(DType::F64, |d| d.0), Number::Bool(true))?;
    call.wrap(Var::constant(value))
} }

list_op! { [full] {
    /// `value` everywhere, in a shape and dtype (the value's own).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.full(2, 1.5).tolist()
    /// [1.5, 1.5]
    () (shape, value: "NumberLike", dtype=None) (shape: ShapeArg, value: Operand<'py>, dtype: Option<DTypeArg>)
} |call| {
    let value = number(call.op, "value", &value)?;
    let made = tenferro_cpu::full(&shape.0, dtype.map_or(value.dtype(), |d| d.0), value)?;
    call.wrap(Var::constant(made))
} }

list_op! { [eye] {
    /// Ones on the `k`-th diagonal of an `n` × `m` matrix (square without `m`), zeros elsewhere; float64.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.eye(2).tolist()
    /// [[1.0, 0.0], [0.0, 1.0]]
    () (n: "SupportsIndex", m: "SupportsIndex | None" = None, *, k=0, dtype=None) (n: ShapeArg, m: Option<ShapeArg>, k: i64, dtype: Option<DTypeArg>)
} |call| {
    let one = |what: &str, arg: &ShapeArg| match arg.0[..] {
        [n] => Ok(n),
        _ => Err(Error::argument(call.op, what, "expected one extent")),
    };
    let rows = one("n", &n)?;
    let cols = m.as_ref().map_or(Ok(rows), |m| one("m", m))?;
    let value = tenferro_cpu::eye(rows, cols, k, dtype.map_or(DType::F64, |d| d.0))?;
    call.wrap(Var::constant(value))
} }

list_op! { [arange] {
    /// ``start, start + step, … < stop``, as NumPy's: one argument is the stop. int64 for ints, float64 with floats.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.arange(3).tolist(), tf.arange(1.0, 2.0, 0.5).tolist()
    /// ([0, 1, 2], [1.0, 1.5])
    () (start: "NumberLike", stop: "NumberLike | None" = None, step: "NumberLike | None" = None, dtype=None)
    (start: Operand<'py>, stop: Option<Operand<'py>>, step: Option<Operand<'py>>, dtype: Option<DTypeArg>)
} |call| {
    let first = number(call.op, "start", &start)?;
    let (from, to) = match &stop {
        Some(stop) => (first, number(call.op, "stop", stop)?),
        None => (Number::Int(0), first),
    };
    let by = step.as_ref().map_or(Ok(Number::Int(1)), |s| number(call.op, "step", s))?;
    let natural = [from, to, by].map(Number::dtype).into_iter().fold(DType::I64, DType::promote);
    let value = tenferro_cpu::arange(from, to, by, dtype.map_or(natural, |d| d.0))?;
    call.wrap(Var::constant(value))
} }

list_op! { [linspace] {
    /// `num` numbers at equal distances from `start` to `stop`, which is the last one unless ``endpoint=False``.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.linspace(0.0, 1.0, 3).tolist()
    /// [0.0, 0.5, 1.0]
    () (start: "NumberLike", stop: "NumberLike", num=50, *, endpoint=true, dtype=None)
    (start: Operand<'py>, stop: Operand<'py>, num: usize, endpoint: bool, dtype: Option<DTypeArg>)
} |call| {
    let (from, to) = (number(call.op, "start", &start)?, number(call.op, "stop", &stop)?);
    let natural = DType::F64.promote(from.dtype()).promote(to.dtype());
    let value = tenferro_cpu::linspace(from, to, num, endpoint, dtype.map_or(natural, |d| d.0))?;
    call.wrap(Var::constant(value))
} }

raw_op! { [zeros_like] {
    /// Zeros of `x`'s shape, and its dtype unless another one is given.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.zeros_like([1.0, 2.0]).tolist()
    /// [0.0, 0.0]
    (x) (dtype=None) (dtype: Option<DTypeArg>)
} |call| {
    let x = call.one(&x)?.value;
    let value = tenferro_cpu::full(x.shape(), dtype.map_or(x.dtype(), |d| d.0), Number::Bool(false))?;
    call.wrap(Var::constant(value))
} }

raw_op! { [ones_like] {
    /// Ones of `x`'s shape, and its dtype unless another one is given.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ones_like([1.0, 2.0]).tolist()
    /// [1.0, 1.0]
    (x) (dtype=None) (dtype: Option<DTypeArg>)
} |call| {
    let x = call.one(&x)?.value;
    let value = tenferro_cpu::full(x.shape(), dtype.map_or(x.dtype(), |d| d.0), Number::Bool(true))?;
    call.wrap(Var::constant(value))
} }

raw_op! { [full_like] {
    /// `value` everywhere, in `x`'s shape, and its dtype unless another one is given.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.full_like([1.0, 2.0], 7).tolist()
    /// [7.0, 7.0]
    (x) (value: "NumberLike", dtype=None) (value: Operand<'py>, dtype: Option<DTypeArg>)
} |call| {
    let x = call.one(&x)?.value;
    let value = number(call.op, "value", &value)?;
    let made = tenferro_cpu::full(x.shape(), dtype.map_or(x.dtype(), |d| d.0), value)?;
    call.wrap(Var::constant(made))
} }

/// A tensor from DLPack: anything with ``__dlpack__``. ``copy=None`` copies unless the memory is read-only.
///
/// Raises `BufferError` for other devices and layouts, `UnsupportedDTypeError` for dtypes that tensors do not have.
///
/// >>> import numpy as np
/// >>> import tenferro as tf
/// >>> tf.from_dlpack(np.arange(3.0)).tolist()
/// [0.0, 1.0, 2.0]
#[pyfunction]
#[pyo3(signature = (x: "SupportsDLPack", *, copy=None, runtime=None))]
pub fn from_dlpack(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    copy: Option<bool>,
    runtime: Option<&Bound<'_, PyEagerRuntime>>,
) -> PyResult<PyEagerTensor> {
    enter(py, "from_dlpack", None, |_| Ok(leaf(crate::interop::from_dlpack(py, x, copy, "from_dlpack")?, false, runtime_of(runtime))))
}
