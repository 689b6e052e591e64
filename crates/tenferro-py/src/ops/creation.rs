//! Tensors out of nothing: constants of the default runtime (or a session's), untracked unless asked for.

use crate::call::{Call, Operand, enter, python_number};
use crate::defaults::default_runtime;
use crate::dtype::{DTypeInput, read_dtype};
use crate::eager::PyEagerTensor;
use crate::errors::{Failure, Outcome};
use crate::interop::{tensor_as, tensor_from_any};
use crate::runtime::PyEagerRuntime;
use crate::tensor::ShapeInput;
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
    dtype: Option<DTypeInput<'_>>,
    requires_grad: bool,
    runtime: Option<&Bound<'_, PyEagerRuntime>>,
) -> PyResult<PyEagerTensor> {
    enter(py, "tensor", None, |_| {
        let value = tensor_from_any(py, data, read_dtype(dtype, "tensor")?, "tensor")?;
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
    dtype: Option<DTypeInput<'py>>,
    copy: Option<bool>,
    runtime: Option<&Bound<'py, PyEagerRuntime>>,
) -> PyResult<Bound<'py, PyEagerTensor>> {
    enter(py, "asarray", None, |_| {
        let dtype = read_dtype(dtype, "asarray")?;
        if let Ok(own) = data.cast::<PyEagerTensor>()
            && copy != Some(true)
        {
            let inner = own.get().live()?;
            let same = dtype.is_none_or(|d| d == inner.value().dtype());
            if same && runtime.is_none_or(|r| r.get().inner().id() == inner.runtime().id()) {
                return Ok(own.clone());
            }
            if same && copy == Some(false) {
                return Err(
                    Error::argument("asarray", "runtime", "expected the tensor's own runtime with copy=False").into()
                );
            }
            if !same && copy != Some(false) && runtime.is_none() {
                let dtype = dtype.unwrap_or(inner.value().dtype());
                let mut call = tenferro_ad::Eager::current();
                let var = inner.operand(&call).clone();
                let var = tenferro_ad::ops::compose::Build::convert(&mut call, &var, dtype)?;
                return Ok(Bound::new(py, PyEagerTensor::new(EagerTensor::from_var(var, inner.runtime().clone())))?);
            }
        }
        let value = tensor_as(py, data, dtype, copy, "asarray")?;
        Ok(Bound::new(py, leaf(value, false, runtime_of(runtime)))?)
    })
}

/// The tensor that `make` makes; its errors name the op that was called.
fn made(call: &Call<'_>, make: impl FnOnce(&'static str) -> Outcome<Tensor>) -> Outcome<Tensor> {
    make(call.op).map_err(|failure| match failure {
        Failure::Core(error) => error.in_op(call.op).into(),
        other => other,
    })
}

/// A number argument and its dtype: that of its kind for Python numbers, its own for all others.
fn number(op: &'static str, what: &str, object: &Operand<'_>) -> Outcome<(Number, DType)> {
    if let Some(number) = python_number(&object.0, op)? {
        return Ok((number, number.dtype()));
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
    single().map(|number| (number, value.dtype())).ok_or_else(|| {
        let message = format!("expected a number, got shape {}", tenferro_tensor::show_shape(value.shape()));
        Error::argument(op, what, message).into()
    })
}

list_op! { [zeros, empty] {
    /// Zeros of a shape (an int, or a sequence of ints) and dtype (float64), under both names: no tensor has arbitrary elements.
    /// `OutOfMemoryError` where memory does not suffice.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.zeros((2, 2)).tolist()
    /// [[0.0, 0.0], [0.0, 0.0]]
    () (shape, dtype=None) (shape: ShapeInput<'py>, dtype: Option<DTypeInput<'py>>)
} |call| {
    let value = made(call, |op| tenferro_cpu::full(&shape.read(op)?, read_dtype(dtype, op)?.unwrap_or(DType::F64), Number::Bool(false)).map_err(Failure::from))?;
    call.wrap(Var::constant(value))
} }

list_op! { [ones] {
    /// Ones of a shape and dtype (float64).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ones(3).tolist()
    /// [1.0, 1.0, 1.0]
    () (shape, dtype=None) (shape: ShapeInput<'py>, dtype: Option<DTypeInput<'py>>)
} |call| {
    let value = made(call, |op| tenferro_cpu::full(&shape.read(op)?, read_dtype(dtype, op)?.unwrap_or(DType::F64), Number::Bool(true)).map_err(Failure::from))?;
    call.wrap(Var::constant(value))
} }

list_op! { [full] {
    /// `value` everywhere, in a shape and dtype (the value's own).
    ///
    /// >>> import tenferro as tf
    /// >>> tf.full(2, 1.5).tolist()
    /// [1.5, 1.5]
    () (shape, value: "NumberLike", dtype=None) (shape: ShapeInput<'py>, value: Operand<'py>, dtype: Option<DTypeInput<'py>>)
} |call| {
    let (value, own) = number(call.op, "value", &value)?;
    let shape = shape.read(call.op)?;
    let dtype = read_dtype(dtype, call.op)?.unwrap_or(own);
    let value = made(call, |_| Ok(tenferro_cpu::full(&shape, dtype, value)?))?;
    call.wrap(Var::constant(value))
} }

list_op! { [eye] {
    /// Ones on the `k`-th diagonal of an `n` × `m` matrix (square without `m`), zeros elsewhere; float64.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.eye(2).tolist()
    /// [[1.0, 0.0], [0.0, 1.0]]
    () (n: "SupportsIndex", m: "SupportsIndex | None" = None, *, k=0, dtype=None) (n: ShapeInput<'py>, m: Option<ShapeInput<'py>>, k: i64, dtype: Option<DTypeInput<'py>>)
} |call| {
    let op = call.op;
    let one = |what: &str, arg: &ShapeInput<'py>| -> Outcome<usize> {
        match arg.read(op)?[..] {
            [n] => Ok(n),
            _ => Err(Error::argument(op, what, "expected one extent").into()),
        }
    };
    let rows = one("n", &n)?;
    let cols = m.as_ref().map_or(Ok(rows), |m| one("m", m))?;
    let dtype = read_dtype(dtype, op)?.unwrap_or(DType::F64);
    let value = made(call, |_| Ok(tenferro_cpu::eye(rows, cols, k, dtype)?))?;
    call.wrap(Var::constant(value))
} }

list_op! { [arange] {
    /// ``start, start + step, … < stop``, as NumPy's: one argument is the stop. int64 for ints, float64 with floats.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.arange(3).tolist(), tf.arange(1.0, 2.0, 0.5).tolist()
    /// ([0, 1, 2], [1.0, 1.5])
    () (start: "NumberLike", stop: "NumberLike | None" = None, step: "NumberLike | None" = None, dtype=None)
    (start: Operand<'py>, stop: Option<Operand<'py>>, step: Option<Operand<'py>>, dtype: Option<DTypeInput<'py>>)
} |call| {
    let first = number(call.op, "start", &start)?;
    let (from, to) = match &stop {
        Some(stop) => (first, number(call.op, "stop", stop)?),
        None => ((Number::Int(0), first.1), first),
    };
    let by = step.as_ref().map_or(Ok((Number::Int(1), from.1)), |s| number(call.op, "step", s))?;
    let natural = [from.1, to.1, by.1].into_iter().reduce(DType::promote).unwrap_or(DType::I64);
    let natural = if natural == DType::Bool { DType::I64 } else { natural };
    let dtype = read_dtype(dtype, call.op)?.unwrap_or(natural);
    let value = made(call, |_| Ok(tenferro_cpu::arange(from.0, to.0, by.0, dtype)?))?;
    call.wrap(Var::constant(value))
} }

list_op! { [linspace] {
    /// `num` numbers at equal distances from `start` to `stop`, which is the last one unless ``endpoint=False``.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.linspace(0.0, 1.0, 3).tolist()
    /// [0.0, 0.5, 1.0]
    () (start: "NumberLike", stop: "NumberLike", num=50, *, endpoint=true, dtype=None)
    (start: Operand<'py>, stop: Operand<'py>, num: i64, endpoint: bool, dtype: Option<DTypeInput<'py>>)
} |call| {
    let (from, to) = (number(call.op, "start", &start)?, number(call.op, "stop", &stop)?);
    let common = from.1.promote(to.1);
    let natural = if common.is_inexact() { common } else { DType::F64 };
    let dtype = read_dtype(dtype, call.op)?.unwrap_or(natural);
    let num = crate::args::count(call.op, "num", num)?;
    let value = made(call, |_| Ok(tenferro_cpu::linspace(from.0, to.0, num, endpoint, dtype)?))?;
    call.wrap(Var::constant(value))
} }

raw_op! { [zeros_like, empty_like] {
    /// Zeros of `x`'s shape, and its dtype unless another one is given; under both names.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.zeros_like([1.0, 2.0]).tolist()
    /// [0.0, 0.0]
    (x) (dtype=None) (dtype: Option<DTypeInput<'py>>)
} |call| {
    let x = call.one(&x)?.value;
    let dtype = read_dtype(dtype, call.op)?.unwrap_or(x.dtype());
    let value = made(call, |_| Ok(tenferro_cpu::full(x.shape(), dtype, Number::Bool(false))?))?;
    call.wrap(Var::constant(value))
} }

raw_op! { [ones_like] {
    /// Ones of `x`'s shape, and its dtype unless another one is given.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.ones_like([1.0, 2.0]).tolist()
    /// [1.0, 1.0]
    (x) (dtype=None) (dtype: Option<DTypeInput<'py>>)
} |call| {
    let x = call.one(&x)?.value;
    let dtype = read_dtype(dtype, call.op)?.unwrap_or(x.dtype());
    let value = made(call, |_| Ok(tenferro_cpu::full(x.shape(), dtype, Number::Bool(true))?))?;
    call.wrap(Var::constant(value))
} }

raw_op! { [full_like] {
    /// `value` everywhere, in `x`'s shape, and its dtype unless another one is given.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.full_like([1.0, 2.0], 7).tolist()
    /// [7.0, 7.0]
    (x) (value: "NumberLike", dtype=None) (value: Operand<'py>, dtype: Option<DTypeInput<'py>>)
} |call| {
    let x = call.one(&x)?.value;
    let value = number(call.op, "value", &value)?.0;
    let dtype = read_dtype(dtype, call.op)?.unwrap_or(x.dtype());
    let value = made(call, |_| Ok(tenferro_cpu::full(x.shape(), dtype, value)?))?;
    call.wrap(Var::constant(value))
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
    enter(py, "from_dlpack", None, |_| {
        Ok(leaf(crate::interop::from_dlpack(py, x, copy, "from_dlpack")?, false, runtime_of(runtime)))
    })
}
