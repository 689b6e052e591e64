//! Activations of neural networks: composites over ops, for real numbers. They have their limits at ±∞ where these exist.

use crate::Interp;
use crate::compose::Build;
use crate::cpu::{CompareOp, UnaryOp};
use crate::functions::floating;
use crate::numeric;
use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};
use tenferro_tensor::Result;

/// The scale and α with which the mean 0 and the variance 1 are a fixed point (Klambauer et al., 2017).
const SELU: (f64, f64) = (1.050_700_987_355_480_5, 1.673_263_242_354_377_2);
/// Beyond ± this number the gate of `gelu_tanh` is 0 or 1 in every dtype.
const SATURATED: f64 = 30.0;

/// From here on every gate is 1 in every dtype.
const OPEN: f64 = 100.0;

fn positive<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let zero = cx.number(cx.meta(x).dtype, 0.0)?;
    cx.compare(CompareOp::Gt, x, &zero)
}

/// x·gate(x), and the limit 0 at −∞. Where the gate is 1 it is a constant: x times its slope would be ∞·0.
fn gated<I: Interp>(cx: &mut I, x: &I::V, gate: impl Fn(&mut I, &I::V) -> Result<I::V>) -> Result<I::V> {
    let dtype = cx.meta(x).dtype;
    let (end, zero) = (cx.number(dtype, f64::NEG_INFINITY)?, cx.number(dtype, 0.0)?);
    let at_end = cx.compare(CompareOp::Eq, x, &end)?;
    let x = cx.select(&at_end, &zero, x)?;
    let open = cx.number(dtype, OPEN)?;
    let beyond = cx.compare(CompareOp::Gt, &x, &open)?;
    let inside = cx.select(&beyond, &open, &x)?;
    let gate = gate(cx, &inside)?;
    cx.mul(&x, &gate)
}

/// log(1 + e^{βx})/β.
pub fn softplus<I: Interp>(cx: &mut I, x: &I::V, beta: f64) -> Result<I::V> {
    let x = floating(cx, "softplus", x)?;
    if beta == 1.0 {
        return cx.unary(UnaryOp::Softplus, &x);
    }
    let scaled = cx.times(&x, beta)?;
    let value = cx.unary(UnaryOp::Softplus, &scaled)?;
    let beta = cx.number(cx.meta(&x).dtype, beta)?;
    cx.div(&value, &beta)
}

/// −log(1 + e⁻ˣ).
pub fn log_sigmoid<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let x = floating(cx, "log_sigmoid", x)?;
    let mirrored = cx.neg(&x)?;
    let value = cx.unary(UnaryOp::Softplus, &mirrored)?;
    cx.neg(&value)
}

/// x·σ(x).
pub fn silu<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let x = floating(cx, "silu", x)?;
    gated(cx, &x, |cx, x| cx.unary(UnaryOp::Sigmoid, x))
}

/// x·Φ(x).
pub fn gelu<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let x = floating(cx, "gelu", x)?;
    gated(cx, &x, |cx, x| cx.unary(UnaryOp::Ndtr, x))
}

/// x·½(1 + tanh u) = x·σ(2u) with u = √(2/π)·(x + 0.044715·x³).
pub fn gelu_tanh<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let x = floating(cx, "gelu_tanh", x)?;
    gated(cx, &x, |cx, x| {
        let dtype = cx.meta(x).dtype;
        let (low, high) = (cx.number(dtype, -SATURATED)?, cx.number(dtype, SATURATED)?);
        let x = numeric::clamp(cx, x, Some(&low), Some(&high))?;
        let square = cx.unary(UnaryOp::Square, &x)?;
        let (one, bent) = (cx.number(dtype, 1.0)?, cx.times(&square, 0.044_715)?);
        let factor = cx.add(&one, &bent)?;
        let twice = cx.mul(&x, &factor)?;
        let twice = cx.times(&twice, SQRT_2 * FRAC_2_SQRT_PI)?;
        cx.unary(UnaryOp::Sigmoid, &twice)
    })
}

/// x·tanh(log(1 + eˣ)).
pub fn mish<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let x = floating(cx, "mish", x)?;
    gated(cx, &x, |cx, x| {
        let rising = cx.unary(UnaryOp::Softplus, x)?;
        cx.unary(UnaryOp::Tanh, &rising)
    })
}

/// max(x, 0), with slope 0 at 0; keeps integer dtypes.
pub fn relu<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let x = if cx.meta(x).dtype.is_complex() { floating(cx, "relu", x)? } else { x.clone() };
    let zero = cx.number(cx.meta(&x).dtype, 0.0)?;
    let off = cx.compare(CompareOp::Le, &x, &zero)?;
    cx.select(&off, &zero, &x)
}

/// x above 0, slope·x elsewhere.
pub fn leaky_relu<I: Interp>(cx: &mut I, x: &I::V, slope: f64) -> Result<I::V> {
    let x = floating(cx, "leaky_relu", x)?;
    if slope == 0.0 {
        return relu(cx, &x);
    }
    let (on, leak) = (positive(cx, &x)?, cx.times(&x, slope)?);
    cx.select(&on, &x, &leak)
}

/// scale·(x above 0, α·(e^{x/width} − 1) elsewhere).
fn exponential<I: Interp>(cx: &mut I, x: &I::V, scale: f64, alpha: f64, width: f64) -> Result<I::V> {
    let dtype = cx.meta(x).dtype;
    let (on, zero) = (positive(cx, x)?, cx.number(dtype, 0.0)?);
    let low = cx.select(&on, &zero, x)?;
    let width = cx.number(dtype, width)?;
    let low = cx.div(&low, &width)?;
    let low = cx.unary(UnaryOp::Expm1, &low)?;
    let low = cx.times(&low, alpha)?;
    let value = cx.select(&on, x, &low)?;
    if scale == 1.0 { Ok(value) } else { cx.times(&value, scale) }
}

/// x above 0, α·(eˣ − 1) elsewhere.
pub fn elu<I: Interp>(cx: &mut I, x: &I::V, alpha: f64) -> Result<I::V> {
    let x = floating(cx, "elu", x)?;
    exponential(cx, &x, 1.0, alpha, 1.0)
}

/// The self-normalising multiple of `elu`.
pub fn selu<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let x = floating(cx, "selu", x)?;
    exponential(cx, &x, SELU.0, SELU.1, 1.0)
}

/// x above 0, α·(e^{x/α} − 1) elsewhere.
pub fn celu<I: Interp>(cx: &mut I, x: &I::V, alpha: f64) -> Result<I::V> {
    let x = floating(cx, "celu", x)?;
    exponential(cx, &x, 1.0, alpha, alpha)
}

/// x/(1 + |x|), ±1 at ±∞.
pub fn softsign<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let x = floating(cx, "softsign", x)?;
    let dtype = cx.meta(&x).dtype;
    let (zero, one) = (cx.number(dtype, 0.0)?, cx.number(dtype, 1.0)?);
    let (endless, sign) = (cx.unary(UnaryOp::Isinf, &x)?, cx.unary(UnaryOp::Sign, &x)?);
    let inside = cx.select(&endless, &zero, &x)?;
    let size = cx.unary(UnaryOp::Abs, &inside)?;
    let size = cx.add(&size, &one)?;
    let value = cx.div(&inside, &size)?;
    cx.select(&endless, &sign, &value)
}

/// x clamped to an interval.
pub fn hardtanh<I: Interp>(cx: &mut I, x: &I::V, low: f64, high: f64) -> Result<I::V> {
    let x = floating(cx, "hardtanh", x)?;
    let dtype = cx.meta(&x).dtype;
    let (low, high) = (cx.number(dtype, low)?, cx.number(dtype, high)?);
    numeric::clamp(cx, &x, Some(&low), Some(&high))
}
