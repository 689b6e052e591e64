//! Slopes of special functions of one and two real numbers.

use crate::compose::Build;
use crate::cpu::{BinaryOp, CompareOp, OrderedFn, UnaryOp};
use crate::ops::Ordered;
use crate::{At, Interp};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, LN_2, PI};
use tenferro_tensor::Result;

/// factor·exp(±x²/spread): the densities, and their reciprocals.
pub(super) fn gaussian<I: Interp>(cx: &mut I, x: &I::V, factor: f64, exponent: f64) -> Result<I::V> {
    let square = cx.unary(UnaryOp::Square, x)?;
    let scaled = cx.times(&square, exponent)?;
    let exp = cx.unary(UnaryOp::Exp, &scaled)?;
    cx.times(&exp, factor)
}

/// 1/√(2π)
pub(super) const NORMAL: f64 = 0.5 * FRAC_1_SQRT_2 * FRAC_2_SQRT_PI;

/// φ(x)/Φ(x); below 0 it is √(2/π)/erfcx(−x/√2), where both vanish.
pub(super) fn log_ndtr<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let zero = cx.number(cx.meta(x).dtype, 0.0)?;
    let upper = cx.compare(CompareOp::Gt, x, &zero)?;
    let (above, below) = (cx.select(&upper, x, &zero)?, cx.select(&upper, &zero, x)?);
    let density = gaussian(cx, &above, NORMAL, -0.5)?;
    let mass = cx.unary(UnaryOp::Ndtr, &above)?;
    let right = cx.div(&density, &mass)?;
    let scaled = cx.times(&below, -FRAC_1_SQRT_2)?;
    let tail = cx.bind(Ordered { function: OrderedFn::ScaledErfc, order: 0 }.into(), &[&scaled])?;
    let factor = cx.number(cx.meta(x).dtype, FRAC_1_SQRT_2 * FRAC_2_SQRT_PI)?;
    let left = cx.div(&factor, &tail)?;
    cx.select(&upper, &right, &left)
}

/// ψ(x)
pub(super) fn digamma<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    cx.bind(Ordered { function: OrderedFn::Polygamma, order: 0 }.into(), &[x])
}

/// σ(x)·σ(−x), without cancellation on either side.
pub(super) fn sigmoid<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let mirrored = cx.neg(x)?;
    let (up, down) = (cx.unary(UnaryOp::Sigmoid, x)?, cx.unary(UnaryOp::Sigmoid, &mirrored)?);
    cx.mul(&up, &down)
}

/// 1/(x·(1 − x))
pub(super) fn logit<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let one = cx.number(cx.meta(x).dtype, 1.0)?;
    let rest = cx.sub(&one, x)?;
    let product = cx.mul(x, &rest)?;
    cx.unary(UnaryOp::Reciprocal, &product)
}

/// −1 − log x
pub(super) fn entropy<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let log = cx.unary(UnaryOp::Log, x)?;
    let minus_one = cx.number(cx.meta(x).dtype, -1.0)?;
    cx.sub(&minus_one, &log)
}

/// Slopes of functions of two real numbers.
pub(super) fn pair<I: Interp>(cx: &mut I, op: BinaryOp, i: usize, at: &At<I::V>) -> Result<I::V> {
    match op {
        BinaryOp::Atan2 => {
            let slope = over_square(cx, at.x(1 - i)?, at.x(0)?, at.x(1)?)?;
            if i == 0 { Ok(slope) } else { cx.neg(&slope) }
        }
        BinaryOp::Hypot => direction(cx, at.x(i)?, at.y()?),
        BinaryOp::Copysign => {
            let (from, to) = (cx.unary(UnaryOp::Sign, at.x(0)?)?, cx.unary(UnaryOp::Sign, at.y()?)?);
            cx.mul(&from, &to)
        }
        _ => {
            let base = if op == BinaryOp::LogAddExp { 1.0 } else { LN_2 };
            let lead = difference(cx, at.x(i)?, at.x(1 - i)?)?;
            let lead = if base == 1.0 { lead } else { cx.times(&lead, base)? };
            cx.unary(UnaryOp::Sigmoid, &lead)
        }
    }
}

/// a − b, and 0 where both are the same infinity.
pub(crate) fn difference<I: Interp>(cx: &mut I, a: &I::V, b: &I::V) -> Result<I::V> {
    let same = cx.compare(CompareOp::Eq, a, b)?;
    let endless = cx.unary(UnaryOp::Isinf, a)?;
    let both = cx.binary(BinaryOp::BitAnd, &same, &endless)?;
    let zero = cx.number(cx.meta(a).dtype, 0.0)?;
    let (a, b) = (cx.select(&both, &zero, a)?, cx.select(&both, &zero, b)?);
    cx.sub(&a, &b)
}

/// part/(a² + b²), and 0 at the origin and at infinity.
fn over_square<I: Interp>(cx: &mut I, part: &I::V, a: &I::V, b: &I::V) -> Result<I::V> {
    let dtype = cx.meta(a).dtype;
    let (zero, one) = (cx.number(dtype, 0.0)?, cx.number(dtype, 1.0)?);
    let size = cx.binary(BinaryOp::Hypot, a, b)?;
    let none = cx.compare(CompareOp::Eq, &size, &zero)?;
    let endless = cx.unary(UnaryOp::Isinf, &size)?;
    let odd = cx.binary(BinaryOp::BitOr, &none, &endless)?;
    let size = cx.select(&odd, &one, &size)?;
    let part = cx.select(&odd, &zero, part)?;
    let once = cx.div(&part, &size)?;
    cx.div(&once, &size)
}

/// part/size, and 0 where both are 0.
fn direction<I: Interp>(cx: &mut I, part: &I::V, size: &I::V) -> Result<I::V> {
    let dtype = cx.meta(part).dtype;
    let (zero, one) = (cx.number(dtype, 0.0)?, cx.number(dtype, 1.0)?);
    let none = cx.compare(CompareOp::Eq, size, &zero)?;
    let size = cx.select(&none, &one, size)?;
    let slope = cx.div(part, &size)?;
    // The slope has no slope there either.
    cx.select(&none, &zero, &slope)
}

/// √π/2
pub(super) const HALF_SQRT_PI: f64 = 1.0 / FRAC_2_SQRT_PI;
/// √(2π)
pub(super) const SQRT_2_PI: f64 = PI * FRAC_2_SQRT_PI * FRAC_1_SQRT_2;
/// 2/√π
pub(super) const TWO_OVER_SQRT_PI: f64 = FRAC_2_SQRT_PI;
