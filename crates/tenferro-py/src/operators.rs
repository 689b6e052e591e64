//! The operators of `EagerTensor` and `GradientValue`. Tensors of one runtime take a path without conversions; everything
//! else is resolved as an operand first.

use crate::call::{Operand, detached, enter};
use crate::eager::PyEagerTensor;
use crate::errors::guarded;
use crate::gradient::PyGradientValue;
use crate::tensor::PyTensor;
use numpy::PyUntypedArray;
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyTuple};
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::numeric;
use tenferro_ad::{Eager, EagerTensor, Var, same_runtime};
use tenferro_cpu::{BinaryOp, CompareOp, UnaryOp};
use tenferro_tensor::Result;

/// The other operand of an operator. What is neither numbers nor an array is not extracted, and Python then asks the other
/// operand's class, or raises `TypeError`.
#[derive(Clone)]
pub enum Partner<'py> {
    /// A tensor.
    Eager(Bound<'py, PyEagerTensor>),
    /// Anything that can become a constant.
    Other(Operand<'py>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Partner<'py> {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("tenferro._typing", "TensorLike");

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Partner<'py>> {
        if let Ok(tensor) = object.cast::<PyEagerTensor>() {
            return Ok(Partner::Eager(tensor.to_owned()));
        }
        let py = object.py();
        let numeric = object.is_instance_of::<PyFloat>()
            || object.is_instance_of::<PyInt>()
            || object.is_instance_of::<PyComplex>()
            || object.is_instance_of::<PyBool>()
            || object.is_instance_of::<PyList>()
            || object.is_instance_of::<PyTuple>()
            || object.cast::<PyTensor>().is_ok()
            || object.cast::<PyGradientValue>().is_ok()
            || object.cast::<PyUntypedArray>().is_ok()
            || object.hasattr(intern!(py, "__array__"))?
            || object.hasattr(intern!(py, "__dlpack__"))?;
        if numeric {
            Ok(Partner::Other(Operand(object.to_owned())))
        } else {
            Err(PyTypeError::new_err("not an operand"))
        }
    }
}

type Body = fn(&mut Eager, &Var, &Var) -> Result<Var>;

fn apply<'py>(
    left: &Bound<'py, PyAny>,
    right: Partner<'py>,
    op: &'static str,
    swapped: bool,
    body: Body,
) -> PyResult<PyEagerTensor> {
    if let (Ok(a), Partner::Eager(b)) = (left.cast::<PyEagerTensor>(), &right) {
        let done = guarded(op, || {
            let (a, b) = (a.get().live()?, b.get().live()?);
            same_runtime(a.runtime(), b.runtime(), op)?;
            let mut cx = Eager::current();
            let (x, y) = if swapped { (b.operand(&cx), a.operand(&cx)) } else { (a.operand(&cx), b.operand(&cx)) };
            let elements = x.value.size() + y.value.size();
            let var = detached(left.py(), a.runtime(), elements, || body(&mut cx, x, y))?;
            Ok(PyEagerTensor::new(EagerTensor::from_var(var, a.runtime().clone())))
        });
        return done.map_err(PyErr::from);
    }
    enter(left.py(), op, None, |call| {
        let left = Operand(left.clone());
        let right = match right {
            Partner::Eager(tensor) => Operand(tensor.into_any()),
            Partner::Other(operand) => operand,
        };
        let [a, b] = call.group([&left, &right])?;
        let elements = a.value.size() + b.value.size();
        call.run(elements, move |cx| if swapped { body(cx, &b, &a) } else { body(cx, &a, &b) })
    })
}

macro_rules! arithmetic {
    ($class:ty; $($slot:ident $reflected:ident $op:literal $body:expr;)*) => {
        #[pymethods]
        impl $class {
            $(
                fn $slot<'py>(slf: &Bound<'py, Self>, other: Partner<'py>) -> PyResult<PyEagerTensor> {
                    apply(slf.as_any(), other, $op, false, $body)
                }

                fn $reflected<'py>(slf: &Bound<'py, Self>, other: Partner<'py>) -> PyResult<PyEagerTensor> {
                    apply(slf.as_any(), other, $op, true, $body)
                }
            )*
        }
    };
}

macro_rules! comparisons {
    ($class:ty; $($slot:ident $op:literal $relation:ident;)*) => {
        #[pymethods]
        impl $class {
            $(
                fn $slot<'py>(slf: &Bound<'py, Self>, other: Partner<'py>) -> PyResult<PyEagerTensor> {
                    apply(slf.as_any(), other, $op, false, |cx, a, b| numeric::compare(cx, CompareOp::$relation, a, b))
                }
            )*
        }
    };
}

macro_rules! operators {
    ($($class:ty),*) => {
        $(
            arithmetic! { $class;
                __add__ __radd__ "add" |cx, a, b| numeric::binary(cx, BinaryOp::Add, a, b);
                __sub__ __rsub__ "sub" |cx, a, b| numeric::binary(cx, BinaryOp::Sub, a, b);
                __mul__ __rmul__ "mul" |cx, a, b| numeric::binary(cx, BinaryOp::Mul, a, b);
                __truediv__ __rtruediv__ "divide" |cx, a, b| numeric::true_divide(cx, a, b);
                __floordiv__ __rfloordiv__ "floor_divide" |cx, a, b| numeric::binary(cx, BinaryOp::FloorDivide, a, b);
                __mod__ __rmod__ "remainder" |cx, a, b| numeric::binary(cx, BinaryOp::Remainder, a, b);
                __matmul__ __rmatmul__ "matmul" |cx, a, b| numeric::matmul(cx, a, b);
                __and__ __rand__ "bit_and" |cx, a, b| numeric::binary(cx, BinaryOp::BitAnd, a, b);
                __or__ __ror__ "bit_or" |cx, a, b| numeric::binary(cx, BinaryOp::BitOr, a, b);
                __xor__ __rxor__ "bit_xor" |cx, a, b| numeric::binary(cx, BinaryOp::BitXor, a, b);
                __lshift__ __rlshift__ "left_shift" |cx, a, b| numeric::binary(cx, BinaryOp::ShiftLeft, a, b);
                __rshift__ __rrshift__ "right_shift" |cx, a, b| numeric::binary(cx, BinaryOp::ShiftRight, a, b);
            }

            comparisons! { $class;
                __eq__ "equal" Eq;
                __ne__ "not_equal" Ne;
                __lt__ "less" Lt;
                __le__ "less_equal" Le;
                __gt__ "greater" Gt;
                __ge__ "greater_equal" Ge;
            }

            #[pymethods]
            impl $class {
                fn __pow__<'py>(slf: &Bound<'py, Self>, other: Partner<'py>, modulo: Option<&Bound<'py, PyAny>>) -> PyResult<PyEagerTensor> {
                    no_modulo(modulo)?;
                    apply(slf.as_any(), other, "pow", false, |cx, a, b| numeric::binary(cx, BinaryOp::Pow, a, b))
                }

                fn __rpow__<'py>(slf: &Bound<'py, Self>, other: Partner<'py>, modulo: Option<&Bound<'py, PyAny>>) -> PyResult<PyEagerTensor> {
                    no_modulo(modulo)?;
                    apply(slf.as_any(), other, "pow", true, |cx, a, b| numeric::binary(cx, BinaryOp::Pow, a, b))
                }

                fn __divmod__<'py>(slf: &Bound<'py, Self>, other: Partner<'py>) -> PyResult<(PyEagerTensor, PyEagerTensor)> {
                    divmod(slf.as_any(), other, false)
                }

                fn __rdivmod__<'py>(slf: &Bound<'py, Self>, other: Partner<'py>) -> PyResult<(PyEagerTensor, PyEagerTensor)> {
                    divmod(slf.as_any(), other, true)
                }

                fn __neg__(slf: &Bound<'_, Self>) -> PyResult<PyEagerTensor> {
                    one(slf.as_any(), "neg", |cx, x| cx.neg(x))
                }

                fn __pos__(slf: &Bound<'_, Self>) -> PyResult<PyEagerTensor> {
                    one(slf.as_any(), "positive", |_, x| Ok(x.clone()))
                }

                fn __abs__(slf: &Bound<'_, Self>) -> PyResult<PyEagerTensor> {
                    one(slf.as_any(), "abs", |cx, x| cx.unary(UnaryOp::Abs, x))
                }

                fn __invert__(slf: &Bound<'_, Self>) -> PyResult<PyEagerTensor> {
                    one(slf.as_any(), "logical_not", |cx, x| cx.unary(UnaryOp::Not, x))
                }

                // NumPy's universal functions refuse tensors instead of dropping the gradient; operators reach this class.
                #[classattr]
                fn __array_ufunc__() -> Option<bool> {
                    None
                }
            }
        )*
    };
}

operators!(PyEagerTensor, PyGradientValue);

fn one(x: &Bound<'_, PyAny>, op: &'static str, body: fn(&mut Eager, &Var) -> Result<Var>) -> PyResult<PyEagerTensor> {
    enter(x.py(), op, None, |call| {
        let x = call.one(&Operand(x.clone()))?;
        call.run(x.value.size(), move |cx| body(cx, &x))
    })
}

fn divmod<'py>(
    left: &Bound<'py, PyAny>,
    right: Partner<'py>,
    swapped: bool,
) -> PyResult<(PyEagerTensor, PyEagerTensor)> {
    let part = |right, op, code: Body| apply(left, right, op, swapped, code);
    let quotient = part(right.clone(), "floor_divide", |cx, a, b| numeric::binary(cx, BinaryOp::FloorDivide, a, b))?;
    let rest = part(right, "remainder", |cx, a, b| numeric::binary(cx, BinaryOp::Remainder, a, b))?;
    Ok((quotient, rest))
}

fn no_modulo(modulo: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match modulo {
        Some(m) if !m.is_none() => {
            Err(PyTypeError::new_err("pow: expected two arguments, got a modulus; use (x ** y) % m"))
        }
        _ => Ok(()),
    }
}
