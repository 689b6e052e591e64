//! Moments, log-sum-exp and reductions without NaN, as composites. The shift by a maximum is a constant: it cancels, so
//! no derivative goes through it.

use crate::compose::Build;
use crate::cpu::{CompareOp, DotDims, ReduceOp, UnaryOp};
use crate::numeric::{inexact, keep, mean, reduce};
use crate::ops::Stop;
use crate::{Interp, Op};
use tenferro_tensor::{DType, Dims, Error, Result};

/// How many elements over `axes` are not 0, as int64.
pub fn count_nonzero<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize], keepdims: bool) -> Result<I::V> {
    let truth = cx.convert(x, DType::Bool)?;
    let ones = cx.convert(&truth, DType::I64)?;
    reduce(cx, ReduceOp::Sum, &ones, axes, keepdims)
}

/// |x|², real.
fn squared_modulus<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    if !cx.meta(x).dtype.is_complex() {
        return cx.unary(UnaryOp::Square, x);
    }
    let (re, im) = (cx.unary(UnaryOp::Real, x)?, cx.unary(UnaryOp::Imag, x)?);
    let (re, im) = (cx.unary(UnaryOp::Square, &re)?, cx.unary(UnaryOp::Square, &im)?);
    cx.add(&re, &im)
}

/// Σ |x|² over `axes`.
pub fn sum_squares<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize], keepdims: bool) -> Result<I::V> {
    let squares = squared_modulus(cx, x)?;
    reduce(cx, ReduceOp::Sum, &squares, axes, keepdims)
}

/// Σ |x − mean|² / (n − correction), in two passes.
pub fn var<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize], correction: f64, keepdims: bool) -> Result<I::V> {
    let x = inexact(cx, x)?;
    let count: usize = axes.iter().map(|&a| cx.meta(&x).shape[a]).product();
    let center = mean(cx, &x, axes, true)?;
    let away = cx.sub(&x, &center)?;
    let total = sum_squares(cx, &away, axes, keepdims)?;
    let degrees = cx.number(cx.meta(&total).dtype, (count as f64 - correction).max(0.0))?;
    cx.div(&total, &degrees)
}

/// √var; where the variance is 0 the derivative is 0.
pub fn std<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize], correction: f64, keepdims: bool) -> Result<I::V> {
    let variance = var(cx, x, axes, correction, keepdims)?;
    root(cx, &variance)
}

/// √x, with derivative 0 at 0.
fn root<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let dtype = cx.meta(x).dtype;
    let (zero, one) = (cx.number(dtype, 0.0)?, cx.number(dtype, 1.0)?);
    let at_zero = cx.compare(CompareOp::Eq, x, &zero)?;
    let safe = cx.select(&at_zero, &one, x)?;
    let root = cx.unary(UnaryOp::Sqrt, &safe)?;
    cx.select(&at_zero, &zero, &root)
}

/// The maximum (of real parts) over `axes`, kept, as a constant; 0 where it is infinite or NaN.
fn shift<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize]) -> Result<I::V> {
    let level = cx.real(x)?;
    let level = cx.bind(Op::Stop(Stop), &[&level])?;
    let dtype = cx.meta(&level).dtype;
    let zero = cx.number(dtype, 0.0)?;
    if axes.iter().any(|&a| cx.meta(&level).shape[a] == 0) {
        let empty = cx.reduce(ReduceOp::Sum, x, axes)?;
        return keep(cx, &empty, x, axes);
    }
    let most = reduce(cx, ReduceOp::Max, &level, axes, true)?;
    let finite = cx.unary(UnaryOp::Isfinite, &most)?;
    let most = cx.select(&finite, &most, &zero)?;
    cx.convert(&most, cx.meta(x).dtype)
}

/// The sum of e^(x − shift) over `axes` (kept, and 1 where it is 0), where that sum is 0, and the shift.
struct Shifted<V> {
    total: V,
    nothing: V,
    shift: V,
}

fn shifted<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize]) -> Result<Shifted<I::V>> {
    let dtype = cx.meta(x).dtype;
    let shift = shift(cx, x, axes)?;
    let below = cx.sub(x, &shift)?;
    let exponentials = cx.unary(UnaryOp::Exp, &below)?;
    let total = reduce(cx, ReduceOp::Sum, &exponentials, axes, true)?;
    let (zero, one) = (cx.number(dtype, 0.0)?, cx.number(dtype, 1.0)?);
    let nothing = cx.compare(CompareOp::Eq, &total, &zero)?;
    let total = cx.select(&nothing, &one, &total)?;
    Ok(Shifted { total, nothing, shift })
}

/// log Σ eˣ over `axes`; of nothing, or of −∞ alone, it is −∞ with derivative 0.
pub fn logsumexp<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize], keepdims: bool) -> Result<I::V> {
    let x = inexact(cx, x)?;
    let Shifted { total, nothing, shift, .. } = shifted(cx, &x, axes)?;
    let log = cx.unary(UnaryOp::Log, &total)?;
    let log = cx.add(&log, &shift)?;
    let bottom = cx.number(cx.meta(&x).dtype, f64::NEG_INFINITY)?;
    let kept = cx.select(&nothing, &bottom, &log)?;
    if keepdims {
        return Ok(kept);
    }
    let shape: Dims =
        (0..cx.meta(&x).shape.len()).filter(|a| !axes.contains(a)).map(|a| cx.meta(&x).shape[a]).collect();
    cx.reshape(&kept, &shape)
}

/// `x` with `other` in place of its NaNs, and where they are.
pub fn without_nan<I: Interp>(cx: &mut I, x: &I::V, other: f64) -> Result<(I::V, I::V)> {
    let nan = cx.unary(UnaryOp::Isnan, x)?;
    let dtype = cx.meta(x).dtype;
    let filler = cx.number(dtype, if dtype.is_inexact() { other } else { 0.0 })?;
    Ok((cx.select(&nan, &filler, x)?, nan))
}

/// A reduction of what is not NaN; an extremum of nothing is NaN.
pub fn nan_reduce<I: Interp>(cx: &mut I, op: ReduceOp, x: &I::V, axes: &[usize], keepdims: bool) -> Result<I::V> {
    if !cx.meta(x).dtype.is_inexact() {
        return reduce(cx, op, x, axes, keepdims);
    }
    let neutral = match op {
        ReduceOp::Max => f64::NEG_INFINITY,
        ReduceOp::Min => f64::INFINITY,
        ReduceOp::Prod => 1.0,
        _ => 0.0,
    };
    let (filled, nan) = without_nan(cx, x, neutral)?;
    let out = reduce(cx, op, &filled, axes, keepdims)?;
    if !matches!(op, ReduceOp::Max | ReduceOp::Min) {
        return Ok(out);
    }
    let nothing = reduce(cx, ReduceOp::All, &nan, axes, keepdims)?;
    let missing = cx.number(cx.meta(&out).dtype, f64::NAN)?;
    cx.select(&nothing, &missing, &out)
}

/// `total / count`, and NaN with derivative 0 where the count is not positive.
fn over_count<I: Interp>(cx: &mut I, total: &I::V, count: &I::V) -> Result<I::V> {
    let dtype = cx.meta(total).dtype;
    let count = cx.convert(count, dtype.real())?;
    let zero = cx.number(dtype.real(), 0.0)?;
    let enough = cx.compare(CompareOp::Gt, &count, &zero)?;
    let (one, nan) = (cx.number(dtype.real(), 1.0)?, cx.number(dtype, f64::NAN)?);
    let count = cx.select(&enough, &count, &one)?;
    let count = cx.convert(&count, dtype)?;
    let quotient = cx.div(total, &count)?;
    cx.select(&enough, &quotient, &nan)
}

/// `x` with 0 in place of its NaNs, where there is none, and how many those are over `axes`.
struct Numbers<V> {
    filled: V,
    there: V,
    count: V,
}

fn numbers<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize], keepdims: bool) -> Result<Numbers<I::V>> {
    let (filled, nan) = without_nan(cx, x, 0.0)?;
    let there = cx.unary(UnaryOp::Not, &nan)?;
    let count = count_nonzero(cx, &there, axes, keepdims)?;
    Ok(Numbers { filled, there, count })
}

/// The mean of what is not NaN.
pub fn nanmean<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize], keepdims: bool) -> Result<I::V> {
    let x = inexact(cx, x)?;
    let Numbers { filled, count, .. } = numbers(cx, &x, axes, keepdims)?;
    let total = reduce(cx, ReduceOp::Sum, &filled, axes, keepdims)?;
    over_count(cx, &total, &count)
}

/// The variance of what is not NaN.
pub fn nanvar<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize], correction: f64, keepdims: bool) -> Result<I::V> {
    let x = inexact(cx, x)?;
    let Numbers { filled, there, count } = numbers(cx, &x, axes, true)?;
    let sum = reduce(cx, ReduceOp::Sum, &filled, axes, true)?;
    let center = over_count(cx, &sum, &count)?;
    let away = cx.sub(&filled, &center)?;
    let zero = cx.number(cx.meta(&x).dtype, 0.0)?;
    let away = cx.select(&there, &away, &zero)?;
    let total = sum_squares(cx, &away, axes, keepdims)?;
    let shape = Dims::from_slice(cx.meta(&total).shape);
    let count = cx.reshape(&count, &shape)?;
    let count = cx.convert(&count, cx.meta(&total).dtype)?;
    let correction = cx.number(cx.meta(&total).dtype, correction)?;
    let degrees = cx.sub(&count, &correction)?;
    over_count(cx, &total, &degrees)
}

/// The root of the variance of what is not NaN; where that is 0 the derivative is 0.
pub fn nanstd<I: Interp>(cx: &mut I, x: &I::V, axes: &[usize], correction: f64, keepdims: bool) -> Result<I::V> {
    let variance = nanvar(cx, x, axes, correction, keepdims)?;
    root(cx, &variance)
}

/// C[i, j] = Σ (xᵢ − mean xᵢ)·conj(xⱼ − mean xⱼ) / (n − correction) for the rows xᵢ of a matrix.
pub fn cov<I: Interp>(cx: &mut I, rows: &I::V, correction: f64) -> Result<I::V> {
    let rows = inexact(cx, rows)?;
    let count = cx.meta(&rows).shape[1];
    let center = mean(cx, &rows, &[1], true)?;
    let away = cx.sub(&rows, &center)?;
    let conj = cx.conj(&away)?;
    let [lhs_contracting, rhs_contracting] = [1, 1].map(|axis| Dims::from_slice(&[axis]));
    let dims = DotDims { lhs_contracting, rhs_contracting, lhs_batch: Dims::new(), rhs_batch: Dims::new() };
    let sums = cx.dot(&away, &conj, dims)?;
    let degrees = cx.number(cx.meta(&sums).dtype, (count as f64 - correction).max(0.0))?;
    cx.div(&sums, &degrees)
}

/// C[i, j] / √(C[i, i]·C[j, j]) of a matrix of covariances.
pub fn correlation<I: Interp>(cx: &mut I, cov: &I::V) -> Result<I::V> {
    let n = cx.meta(cov).shape[0];
    let variances = crate::structure::extract_diagonal(cx, cov, 0, 1, 0)?;
    let variances = cx.real(&variances)?;
    let deviations = cx.unary(UnaryOp::Sqrt, &variances)?;
    let deviations = cx.convert(&deviations, cx.meta(cov).dtype)?;
    let (column, row) = (cx.reshape(&deviations, &[n, 1])?, cx.reshape(&deviations, &[1, n])?);
    let once = cx.div(cov, &column)?;
    cx.div(&once, &row)
}

/// Σ w·x / Σ w over `axes`, with weights that broadcast.
pub fn average<I: Interp>(cx: &mut I, x: &I::V, weights: &I::V, axes: &[usize], keepdims: bool) -> Result<I::V> {
    let x = inexact(cx, x)?;
    let (x, weights) = crate::numeric::promoted(cx, &x, weights)?;
    let shape = tenferro_tensor::broadcast_shapes("average", cx.meta(&x).shape, cx.meta(&weights).shape)?;
    if shape[..] != *cx.meta(&x).shape {
        return Err(Error::shape("average", "argument 'weights'", cx.meta(&x).shape, cx.meta(&weights).shape));
    }
    let weights = cx.broadcast_to(&weights, &shape)?;
    let products = cx.mul(&x, &weights)?;
    let total = reduce(cx, ReduceOp::Sum, &products, axes, keepdims)?;
    let weight = reduce(cx, ReduceOp::Sum, &weights, axes, keepdims)?;
    cx.div(&total, &weight)
}
