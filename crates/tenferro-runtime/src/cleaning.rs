//! Questions about values, and repairs: composites over ops.

use crate::Interp;
use crate::compose::Build;
use crate::cpu::{BinaryOp, CompareOp, Number, ReduceOp, UnaryOp, full};
use crate::functions::floating;
use crate::numeric::{self, inexact, promoted};
use tenferro_tensor::{C128, DType, Dims, Error, Result};

/// Whether each real number is this infinity.
pub fn is_infinity<I: Interp>(cx: &mut I, op: &'static str, x: &I::V, infinity: f64) -> Result<I::V> {
    let x = floating(cx, op, x)?;
    let infinity = cx.number(cx.meta(&x).dtype, infinity)?;
    cx.compare(CompareOp::Eq, &x, &infinity)
}

/// Whether each imaginary part is 0 (`Eq`) or not (`Ne`).
pub fn imaginary_part<I: Interp>(cx: &mut I, relation: CompareOp, x: &I::V) -> Result<I::V> {
    let x = numeric::imag(cx, x)?;
    let zero = cx.zeros(crate::Meta { dtype: cx.meta(&x).dtype, shape: &[] })?;
    cx.compare(relation, &x, &zero)
}

/// NaN and the infinities replaced; the largest finite numbers stand for infinities without a replacement. In a complex
/// number each part by itself.
pub fn nan_to_num<I: Interp>(cx: &mut I, x: &I::V, nan: f64, above: Option<f64>, below: Option<f64>) -> Result<I::V> {
    let dtype = cx.meta(x).dtype;
    if !dtype.is_inexact() {
        return Ok(x.clone());
    }
    if dtype.is_complex() {
        let (re, im) = (cx.unary(UnaryOp::Real, x)?, cx.unary(UnaryOp::Imag, x)?);
        let (re, im) = (nan_to_num(cx, &re, nan, above, below)?, nan_to_num(cx, &im, nan, above, below)?);
        let (re, im) = (cx.convert(&re, dtype)?, cx.convert(&im, dtype)?);
        let unit = full(&[], dtype, Number::Complex(C128::I))?;
        let unit = cx.constant(unit);
        let im = cx.mul(&im, &unit)?;
        return cx.add(&re, &im);
    }
    let largest = if dtype == DType::F32 { f64::from(f32::MAX) } else { f64::MAX };
    let missing = cx.unary(UnaryOp::Isnan, x)?;
    let mut value = replaced(cx, &missing, nan, x)?;
    for (infinity, replacement) in
        [(f64::INFINITY, above.unwrap_or(largest)), (f64::NEG_INFINITY, below.unwrap_or(-largest))]
    {
        let infinity = cx.number(dtype, infinity)?;
        let there = cx.compare(CompareOp::Eq, x, &infinity)?;
        value = replaced(cx, &there, replacement, &value)?;
    }
    Ok(value)
}

fn replaced<I: Interp>(cx: &mut I, there: &I::V, replacement: f64, x: &I::V) -> Result<I::V> {
    let replacement = cx.number(cx.meta(x).dtype, replacement)?;
    cx.select(there, &replacement, x)
}

/// Equal, or finite with |a − b| ≤ atol + rtol·|b|; NaN equals NaN on request.
pub fn isclose<I: Interp>(cx: &mut I, a: &I::V, b: &I::V, rtol: f64, atol: f64, equal_nan: bool) -> Result<I::V> {
    let (a, b) = promoted(cx, a, b)?;
    let equal = same(cx, &a, &b, equal_nan)?;
    let (a, b) = (inexact(cx, &a)?, inexact(cx, &b)?);
    let off = cx.sub(&a, &b)?;
    let (off, size) = (cx.unary(UnaryOp::Abs, &off)?, cx.unary(UnaryOp::Abs, &b)?);
    let (size, slack) = (cx.times(&size, rtol)?, cx.number(cx.meta(&off).dtype, atol)?);
    let bound = cx.add(&size, &slack)?;
    let within = cx.compare(CompareOp::Le, &off, &bound)?;
    let (finite_a, finite_b) = (cx.unary(UnaryOp::Isfinite, &a)?, cx.unary(UnaryOp::Isfinite, &b)?);
    let finite = cx.binary(BinaryOp::BitAnd, &finite_a, &finite_b)?;
    let near = cx.binary(BinaryOp::BitAnd, &within, &finite)?;
    cx.binary(BinaryOp::BitOr, &equal, &near)
}

/// Equal, or both NaN on request.
fn same<I: Interp>(cx: &mut I, a: &I::V, b: &I::V, equal_nan: bool) -> Result<I::V> {
    let equal = cx.compare(CompareOp::Eq, a, b)?;
    if !equal_nan {
        return Ok(equal);
    }
    let (a, b) = (cx.unary(UnaryOp::Isnan, a)?, cx.unary(UnaryOp::Isnan, b)?);
    let both = cx.binary(BinaryOp::BitAnd, &a, &b)?;
    cx.binary(BinaryOp::BitOr, &equal, &both)
}

fn all<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let axes: Dims = (0..cx.meta(x).shape.len()).collect();
    numeric::reduce(cx, ReduceOp::All, x, &axes, false)
}

/// Whether all pairs are close.
pub fn allclose<I: Interp>(cx: &mut I, a: &I::V, b: &I::V, rtol: f64, atol: f64, equal_nan: bool) -> Result<I::V> {
    let close = isclose(cx, a, b, rtol, atol, equal_nan)?;
    all(cx, &close)
}

/// Whether shapes and all elements are equal.
pub fn array_equal<I: Interp>(cx: &mut I, a: &I::V, b: &I::V, equal_nan: bool) -> Result<I::V> {
    if cx.meta(a).shape != cx.meta(b).shape {
        let no = full(&[], DType::Bool, Number::Bool(false))?;
        return Ok(cx.constant(no));
    }
    let (a, b) = promoted(cx, a, b)?;
    let equal = same(cx, &a, &b, equal_nan)?;
    all(cx, &equal)
}

/// x − trunc(x), 0 at ±∞.
pub fn frac<I: Interp>(cx: &mut I, x: &I::V) -> Result<I::V> {
    let whole = cx.unary(UnaryOp::Trunc, x)?;
    let rest = cx.sub(x, &whole)?;
    if !cx.meta(x).dtype.is_inexact() {
        return Ok(rest);
    }
    let endless = cx.unary(UnaryOp::Isinf, x)?;
    replaced(cx, &endless, 0.0, &rest)
}

/// x times a real number in the dtype of x; for integers the number is rounded to the nearest integer first.
pub fn scale_real<I: Interp>(cx: &mut I, x: &I::V, factor: f64) -> Result<I::V> {
    let dtype = cx.meta(x).dtype;
    let number = match dtype {
        DType::I32 | DType::I64 => {
            let whole = factor.round();
            let limit = if dtype == DType::I32 { f64::from(i32::MAX) + 1.0 } else { i64::MAX as f64 };
            if !(-limit..limit).contains(&whole) {
                let message = format!("expected a finite number in the range of {dtype}, got {factor}");
                return Err(Error::argument("scale_real", "factor", message));
            }
            Number::Int(whole as i64)
        }
        DType::Bool => return Err(Error::unsupported_dtype("scale_real", dtype, "a numeric dtype")),
        _ => Number::Float(factor),
    };
    let factor = full(&[], dtype, number)?;
    let factor = cx.constant(factor);
    cx.mul(x, &factor)
}

/// x times a complex number; x must be complex.
pub fn scale_complex<I: Interp>(cx: &mut I, x: &I::V, factor: C128) -> Result<I::V> {
    let dtype = cx.meta(x).dtype;
    if !dtype.is_complex() {
        let message = format!("expected complex64 or complex128, got {dtype}");
        return Err(Error::argument("scale_complex", "dtype", message));
    }
    let factor = full(&[], dtype, Number::Complex(factor))?;
    let factor = cx.constant(factor);
    cx.mul(x, &factor)
}
