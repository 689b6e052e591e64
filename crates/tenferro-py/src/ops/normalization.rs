//! Softmax and normalisation along an axis.

use crate::args::normalize;
use crate::call::{Call, Operand};
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use tenferro_ad::ops::compose::Build;
use tenferro_ad::ops::{Interp, Softmax, numeric};
use tenferro_ad::{Eager, Var};
use tenferro_cpu::{BinaryOp, Number, UnaryOp, full};
use tenferro_tensor::{DType, Dims, Error, Result, broadcast_shapes};

fn along(cx: &mut Eager, x: &Var, axis: i64, log: bool, op: &'static str) -> Result<Var> {
    let x = numeric::inexact(cx, x)?;
    let axis = normalize(op, axis, x.value.rank())?;
    cx.bind(Softmax { axis, log }.into(), &[&x])
}

tensor_op! { [softmax] {
    /// exp(xᵢ)/Σⱼ exp(xⱼ) along `axis`. Real dtypes; integers and bool become float64.
    ///
    /// Where all elements are −∞ the result is 0; NaN or +∞ makes its own slice NaN. Derivative: y·(dx − Σ y·dx).
    /// Raises `AxisOutOfBoundsError`, `UnsupportedDTypeError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.softmax([0.0, 0.0]).tolist()
    /// [0.5, 0.5]
    (x) (axis=-1) (axis: i64)
} |cx, op| along(cx, &x, axis, false, op) }

tensor_op! { [log_softmax] {
    /// xᵢ − log Σⱼ exp(xⱼ) along `axis`. Real dtypes; integers and bool become float64.
    ///
    /// Where all elements are −∞ so is the result; NaN or +∞ makes its own slice NaN. Derivative: dx − Σ exp(y)·dx.
    /// Raises `AxisOutOfBoundsError`, `UnsupportedDTypeError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.log_softmax([0.0, 0.0]).exp().tolist()
    /// [0.5, 0.5]
    (x) (axis=-1) (axis: i64)
} |cx, op| along(cx, &x, axis, true, op) }

fn masked<'py>(
    call: &mut Call<'py>,
    x: &Operand<'py>,
    mask: &Operand<'py>,
    axis: i64,
    log: bool,
) -> Outcome<PyEagerTensor> {
    let op = call.op;
    let (x, mask) = (call.one(x)?, call.one(mask)?);
    if mask.value.dtype() != DType::Bool {
        return Err(Error::dtype(op, "argument 'mask'", DType::Bool, mask.value.dtype()).into());
    }
    broadcast_shapes(op, x.value.shape(), mask.value.shape())?;
    call.run(x.value.size() + mask.value.size(), move |cx| {
        let x = numeric::inexact(cx, &x)?;
        if x.value.dtype().is_complex() {
            let advice = "float32 or float64 (complex numbers have no order)";
            return Err(Error::unsupported_dtype(op, x.value.dtype(), advice));
        }
        let never = cx.constant(full(&[], x.value.dtype(), Number::Float(f64::NEG_INFINITY))?);
        let seen = cx.select(&mask, &x, &never)?;
        let y = along(cx, &seen, axis, log, op)?;
        // The logarithm at a masked element is a constant: its cotangent goes nowhere.
        if log { cx.select(&mask, &y, &never) } else { Ok(y) }
    })
}

raw_op! { [masked_softmax] {
    /// Softmax along `axis` over the elements where the bool `mask` holds; 0 elsewhere, and where it holds nowhere. `x` and `mask`
    /// broadcast.
    ///
    /// What is masked, NaN too, changes nothing and gets a zero gradient. Raises `DTypeMismatchError` unless the mask is bool,
    /// `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.masked_softmax([0.0, 0.0, 9.0], [True, True, False]).tolist()
    /// [0.5, 0.5, 0.0]
    (x, mask) (axis=-1) (axis: i64)
} |call| masked(call, &x, &mask, axis, false) }

raw_op! { [masked_log_softmax] {
    /// The logarithm of `masked_softmax`: −∞ where the bool `mask` does not hold.
    ///
    /// What is masked, NaN too, changes nothing and gets a zero gradient. Raises `DTypeMismatchError` unless the mask is bool,
    /// `ShapeMismatchError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.masked_log_softmax([1.0, 9.0], [True, False]).tolist()
    /// [0.0, -inf]
    (x, mask) (axis=-1) (axis: i64)
} |call| masked(call, &x, &mask, axis, true) }

/// x, weight and bias in their common floating-point dtype; the last two, vectors, laid along the axis.
fn prepared<'py>(
    call: &mut Call<'py>,
    x: &Operand<'py>,
    axis: i64,
    weight: Option<&Operand<'py>>,
    bias: Option<&Operand<'py>>,
    eps: f64,
) -> Outcome<(Vec<Var>, usize)> {
    let op = call.op;
    if !(eps.is_finite() && eps >= 0.0) {
        return Err(Error::argument(op, "eps", format!("expected a finite number of at least 0, got {eps}")).into());
    }
    let operands: Vec<&Operand<'py>> = std::iter::once(x).chain(weight).chain(bias).collect();
    let vars = call.list(&operands)?.into_vec();
    let axis = normalize(op, axis, vars[0].value.rank())?;
    let extent = vars[0].value.shape()[axis];
    let names = [weight.map(|_| "weight"), bias.map(|_| "bias")];
    for (var, name) in vars[1..].iter().zip(names.into_iter().flatten()) {
        if var.value.shape() != [extent] {
            return Err(Error::shape(op, &format!("argument '{name}'"), &[extent], var.value.shape()).into());
        }
    }
    let dtype = vars.iter().map(|v| v.value.dtype()).fold(DType::Bool, DType::promote);
    if dtype.is_complex() {
        return Err(Error::unsupported_dtype(op, dtype, "float32 or float64").into());
    }
    Ok((vars, axis))
}

fn converted(cx: &mut Eager, vars: &[Var], axis: usize) -> Result<Vec<Var>> {
    let dtype = vars.iter().map(|v| v.value.dtype()).fold(DType::Bool, DType::promote);
    let dtype = if dtype.is_inexact() { dtype } else { DType::F64 };
    let mut shape = Dims::from_elem(1, vars[0].value.rank());
    shape[axis] = vars[0].value.shape()[axis];
    let mut all = Vec::with_capacity(vars.len());
    for (i, var) in vars.iter().enumerate() {
        let var = cx.convert(var, dtype)?;
        all.push(if i == 0 { var } else { cx.reshape(&var, &shape)? });
    }
    Ok(all)
}

/// x/√(mean(x²) + eps).
fn unit_scale(cx: &mut Eager, x: &Var, axis: usize, eps: f64) -> Result<Var> {
    let square = cx.mul(x, x)?;
    let power = numeric::mean(cx, &square, &[axis], true)?;
    let eps = cx.number(x.value.dtype(), eps)?;
    let raised = cx.binary(BinaryOp::Add, &power, &eps)?;
    let factor = cx.unary(UnaryOp::Rsqrt, &raised)?;
    cx.mul(x, &factor)
}

/// x, centred if asked for, over its root mean square, times `weight` plus `bias` as far as they are there.
fn normalized<'py>(
    call: &mut Call<'py>,
    x: &Operand<'py>,
    axis: i64,
    weight: Option<&Operand<'py>>,
    bias: Option<&Operand<'py>>,
    eps: f64,
    centred: bool,
) -> Outcome<PyEagerTensor> {
    let (vars, axis) = prepared(call, x, axis, weight, bias, eps)?;
    let (has_weight, has_bias) = (weight.is_some(), bias.is_some());
    call.run(vars[0].value.size(), move |cx| {
        let vars = converted(cx, &vars, axis)?;
        let mut y = vars[0].clone();
        if centred {
            let mean = numeric::mean(cx, &y, &[axis], true)?;
            y = cx.sub(&y, &mean)?;
        }
        y = unit_scale(cx, &y, axis, eps)?;
        if has_weight {
            y = cx.mul(&y, &vars[1])?;
        }
        if has_bias {
            y = cx.add(&y, &vars[vars.len() - 1])?;
        }
        Ok(y)
    })
}

raw_op! { [layer_norm] {
    /// (x − mean)/√(var + eps)·weight + bias along `axis`, with the variance of the population; `weight` and `bias` are vectors
    /// along the axis. Real dtypes, promoted; integers and bool become float64.
    ///
    /// Raises `InvalidArgumentError` unless `eps` is finite and not negative, `ShapeMismatchError`, `AxisOutOfBoundsError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.layer_norm([1.0, 3.0], eps=0.0).tolist()
    /// [-1.0, 1.0]
    (x) (axis=-1, weight=None, bias=None, eps=1e-5)
    (axis: i64, weight: Option<Operand<'py>>, bias: Option<Operand<'py>>, eps: f64)
} |call| normalized(call, &x, axis, weight.as_ref(), bias.as_ref(), eps, true) }

raw_op! { [rms_norm] {
    /// x/√(mean(x²) + eps)·weight + bias along `axis`; `weight` and `bias` are vectors along the axis. Real dtypes, promoted;
    /// integers and bool become float64.
    ///
    /// Raises `InvalidArgumentError` unless `eps` is finite and not negative, `ShapeMismatchError`, `AxisOutOfBoundsError`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.rms_norm([2.0, 2.0], eps=0.0).tolist()
    /// [1.0, 1.0]
    (x) (axis=-1, weight=None, bias=None, eps=1e-5)
    (axis: i64, weight: Option<Operand<'py>>, bias: Option<Operand<'py>>, eps: f64)
} |call| normalized(call, &x, axis, weight.as_ref(), bias.as_ref(), eps, false) }
