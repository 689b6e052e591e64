//! Special functions and elementwise functions of two operands as users call them: composites over ops, for real numbers
//! unless they say otherwise. Integers and truth values become float64 first.

use crate::Interp;
use crate::compose::Build;
use crate::cpu::{BinaryOp, CompareOp, OrderedFn, UnaryOp};
use crate::numeric::{self, inexact, promoted};
use crate::ops::Ordered;
use std::f64::consts::PI;
use tenferro_tensor::{DType, Error, Result};

/// A real floating-point value; complex numbers are refused.
pub(crate) fn floating<I: Interp>(cx: &mut I, op: &'static str, x: &I::V) -> Result<I::V> {
    let dtype = cx.meta(x).dtype;
    if dtype.is_complex() { Err(Error::unsupported_dtype(op, dtype, "a real dtype")) } else { inexact(cx, x) }
}

/// A function with an integer order.
pub fn ordered<I: Interp>(cx: &mut I, function: OrderedFn, order: u32, x: &I::V) -> Result<I::V> {
    let x = inexact(cx, x)?;
    cx.bind(Ordered { function, order }.into(), &[&x])
}

/// A function of two floating-point operands, promoted and broadcast.
pub fn analytic_pair<I: Interp>(cx: &mut I, op: BinaryOp, a: &I::V, b: &I::V) -> Result<I::V> {
    let (a, b) = promoted(cx, a, b)?;
    let (a, b) = (inexact(cx, &a)?, inexact(cx, &b)?);
    cx.binary(op, &a, &b)
}

/// log Γₚ(x) = p(p − 1)/4·log π + Σⱼ log Γ(x − j/2), j from 0 to p − 1; NaN where x ≤ (p − 1)/2.
pub fn mvlgamma<I: Interp>(cx: &mut I, x: &I::V, p: u32) -> Result<I::V> {
    let x = floating(cx, "mvlgamma", x)?;
    let dtype = cx.meta(&x).dtype;
    let p = f64::from(p);
    let least = cx.number(dtype, 0.5 * (p - 1.0))?;
    let outside = cx.compare(CompareOp::Le, &x, &least)?;
    let nothing = cx.number(dtype, f64::NAN)?;
    let x = cx.select(&outside, &nothing, &x)?;
    let mut sum = cx.number(dtype, 0.25 * p * (p - 1.0) * PI.ln())?;
    for j in 0..p as u32 {
        let shift = cx.number(dtype, 0.5 * f64::from(j))?;
        let shifted = cx.sub(&x, &shift)?;
        let term = cx.unary(UnaryOp::Lgamma, &shifted)?;
        sum = cx.add(&sum, &term)?;
    }
    Ok(sum)
}

/// x·f(y) for a logarithm f, real or complex, and 0 where x = 0 and y is not NaN, whatever f(y) is.
fn times_log<I: Interp>(cx: &mut I, log: UnaryOp, x: &I::V, y: &I::V) -> Result<I::V> {
    let (x, y) = promoted(cx, x, y)?;
    let (x, y) = (inexact(cx, &x)?, inexact(cx, &y)?);
    let dtype = cx.meta(&x).dtype;
    let (zero, root) = (cx.number(dtype, 0.0)?, cx.number(dtype, if log == UnaryOp::Log { 1.0 } else { 0.0 })?);
    let value = cx.unary(log, &y)?;
    let (absent, missing) = (cx.compare(CompareOp::Eq, &x, &zero)?, cx.unary(UnaryOp::Isnan, &y)?);
    let (finite, given) = (cx.unary(UnaryOp::Isfinite, &value)?, cx.unary(UnaryOp::Not, &missing)?);
    let endless = cx.unary(UnaryOp::Not, &finite)?;
    let harmless = cx.binary(BinaryOp::BitAnd, &endless, &given)?;
    let vanishes = cx.binary(BinaryOp::BitAnd, &absent, &harmless)?;
    let y = cx.select(&vanishes, &root, &y)?;
    let value = cx.unary(log, &y)?;
    cx.mul(&x, &value)
}

/// x·log y.
pub fn xlogy<I: Interp>(cx: &mut I, x: &I::V, y: &I::V) -> Result<I::V> {
    times_log(cx, UnaryOp::Log, x, y)
}

/// x·log(1 + y).
pub fn xlog1py<I: Interp>(cx: &mut I, x: &I::V, y: &I::V) -> Result<I::V> {
    times_log(cx, UnaryOp::Log1p, x, y)
}

/// log(x/(1 − x)), with x kept inside [eps, 1 − eps].
pub fn logit<I: Interp>(cx: &mut I, x: &I::V, eps: Option<f64>) -> Result<I::V> {
    let mut x = floating(cx, "logit", x)?;
    if let Some(eps) = eps {
        let dtype = cx.meta(&x).dtype;
        let (low, high) = (cx.number(dtype, eps)?, cx.number(dtype, 1.0 - eps)?);
        x = numeric::clamp(cx, &x, Some(&low), Some(&high))?;
    }
    cx.unary(UnaryOp::Logit, &x)
}

/// The power in double precision.
pub fn float_power<I: Interp>(cx: &mut I, x: &I::V, y: &I::V) -> Result<I::V> {
    let complex = cx.meta(x).dtype.is_complex() || cx.meta(y).dtype.is_complex();
    let dtype = if complex { DType::C128 } else { DType::F64 };
    let (x, y) = (cx.convert(x, dtype)?, cx.convert(y, dtype)?);
    cx.binary(BinaryOp::Pow, &x, &y)
}

/// x·2ⁿ in the dtype of x, real or complex, in two factors, so that neither overflows before the result does.
pub fn ldexp<I: Interp>(cx: &mut I, x: &I::V, n: &I::V) -> Result<I::V> {
    let x = inexact(cx, x)?;
    let (dtype, exponent) = (cx.meta(&x).dtype, cx.meta(n).dtype);
    let common = if exponent.is_inexact() { dtype.promote(exponent) } else { dtype };
    if exponent.is_complex() {
        let (x, n, two) = (cx.convert(&x, common)?, cx.convert(n, common)?, cx.number(common, 2.0)?);
        let factor = cx.binary(BinaryOp::Pow, &two, &n)?;
        return cx.mul(&x, &factor);
    }
    let (x, n) = (cx.convert(&x, common)?, cx.convert(n, common.real())?);
    let half = cx.times(&n, 0.5)?;
    let half = cx.unary(UnaryOp::Floor, &half)?;
    let rest = cx.sub(&n, &half)?;
    let two = cx.number(common.real(), 2.0)?;
    let (first, second) = (cx.binary(BinaryOp::Pow, &two, &half)?, cx.binary(BinaryOp::Pow, &two, &rest)?);
    let (first, second) = (cx.convert(&first, common)?, cx.convert(&second, common)?);
    let scaled = cx.mul(&x, &first)?;
    cx.mul(&scaled, &second)
}

/// m and e with x = m·2ᵉ and ½ ≤ |m| < 1; x and 0 where x is 0 or not finite.
pub fn frexp<I: Interp>(cx: &mut I, x: &I::V) -> Result<(I::V, I::V)> {
    let x = floating(cx, "frexp", x)?;
    let dtype = cx.meta(&x).dtype;
    let (zero, one, half) = (cx.number(dtype, 0.0)?, cx.number(dtype, 1.0)?, cx.number(dtype, 0.5)?);
    let finite = cx.unary(UnaryOp::Isfinite, &x)?;
    let there = cx.compare(CompareOp::Ne, &x, &zero)?;
    let fits = cx.binary(BinaryOp::BitAnd, &finite, &there)?;
    let size = cx.unary(UnaryOp::Abs, &x)?;
    let size = cx.select(&fits, &size, &half)?;
    // The logarithm may round up to an integer, or down: then the exponent is off by one.
    let size = cx.bind(crate::Op::Stop(crate::ops::Stop), &[&size])?;
    let log = cx.unary(UnaryOp::Log2, &size)?;
    let log = cx.unary(UnaryOp::Floor, &log)?;
    let mut exponent = cx.add(&log, &one)?;
    for (relation, bound, by) in [(CompareOp::Ge, &one, 1.0), (CompareOp::Lt, &half, -1.0)] {
        let minus = cx.neg(&exponent)?;
        let mantissa = ldexp(cx, &size, &minus)?;
        let off = cx.compare(relation, &mantissa, bound)?;
        let off = cx.convert(&off, dtype)?;
        let off = cx.times(&off, by)?;
        exponent = cx.add(&exponent, &off)?;
    }
    let minus = cx.neg(&exponent)?;
    let mantissa = ldexp(cx, &x, &minus)?;
    let mantissa = cx.select(&fits, &mantissa, &x)?;
    Ok((mantissa, cx.convert(&exponent, DType::I64)?))
}

/// The extremum of two numbers of which NaN is none.
pub fn skipping_nan<I: Interp>(cx: &mut I, op: BinaryOp, a: &I::V, b: &I::V) -> Result<I::V> {
    let (a, b) = promoted(cx, a, b)?;
    let extremum = cx.binary(op, &a, &b)?;
    if !cx.meta(&a).dtype.is_inexact() {
        return Ok(extremum);
    }
    let (no_a, no_b) = (cx.unary(UnaryOp::Isnan, &a)?, cx.unary(UnaryOp::Isnan, &b)?);
    let rest = cx.select(&no_b, &a, &extremum)?;
    cx.select(&no_a, &b, &rest)
}

/// 0 below zero, 1 above, y at 0 and NaN at NaN.
pub fn heaviside<I: Interp>(cx: &mut I, x: &I::V, y: &I::V) -> Result<I::V> {
    let (x, y) = promoted(cx, x, y)?;
    let dtype = cx.meta(&x).dtype;
    let (zero, one) = (cx.number(dtype, 0.0)?, cx.number(dtype, 1.0)?);
    let (above, below) = (cx.compare(CompareOp::Gt, &x, &zero)?, cx.compare(CompareOp::Lt, &x, &zero)?);
    let at_zero = cx.compare(CompareOp::Eq, &x, &zero)?;
    let rest = cx.select(&at_zero, &y, &x)?;
    let rest = cx.select(&below, &zero, &rest)?;
    cx.select(&above, &one, &rest)
}

/// a + w·(b − a), from the nearer end, so that w = 1 gives b.
pub fn lerp<I: Interp>(cx: &mut I, a: &I::V, b: &I::V, w: &I::V) -> Result<I::V> {
    let dtype = numeric::common_dtype(cx, &[a, b, w]);
    let dtype = if dtype.is_inexact() { dtype } else { DType::F64 };
    let (a, b, w) = (cx.convert(a, dtype)?, cx.convert(b, dtype)?, cx.convert(w, dtype)?);
    let (half, one) = (cx.number(dtype.real(), 0.5)?, cx.number(dtype, 1.0)?);
    let part = cx.real(&w)?;
    let near = cx.compare(CompareOp::Lt, &part, &half)?;
    let way = cx.sub(&b, &a)?;
    let (left, forward) = (cx.sub(&one, &w)?, cx.mul(&w, &way)?);
    let backward = cx.mul(&left, &way)?;
    let (from_a, from_b) = (cx.add(&a, &forward)?, cx.sub(&b, &backward)?);
    cx.select(&near, &from_a, &from_b)
}
