//! Convolution and correlation of lists, as sums of shifted copies.

use crate::compose::Build;
use crate::ops::{Pad, PadDims};
use crate::{Interp, numeric};
use tenferro_tensor::{DType, Error, Result};

/// Which part of Σₖ a[i − k]·v[k] is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Wherever a product of both contributes.
    Full,
    /// As many elements as the longer list, the middle ones.
    Same,
    /// Where all elements of the shorter list contribute.
    Valid,
}

impl Overlap {
    /// By NumPy's name.
    pub fn named(op: &'static str, name: &str) -> Result<Overlap> {
        match name {
            "full" => Ok(Overlap::Full),
            "same" => Ok(Overlap::Same),
            "valid" => Ok(Overlap::Valid),
            other => Err(Error::argument(op, "mode", format!("expected 'full', 'same' or 'valid', got '{other}'"))),
        }
    }
}

/// Σₖ a[i − k]·v[k]; or, as a correlation, Σₙ a[n + i]·conj(v[n]), whose i runs up from where the overlap begins.
pub fn convolve<I: Interp>(
    cx: &mut I,
    op: &'static str,
    a: &I::V,
    v: &I::V,
    part: Overlap,
    correlation: bool,
) -> Result<I::V> {
    let (a, v) = numeric::promoted(cx, a, v)?;
    for (x, name) in [(&a, "a"), (&v, "v")] {
        match *cx.meta(x).shape {
            [0] => return Err(Error::argument(op, name, "expected at least one element, got none")),
            [_] => {}
            ref other => return Err(Error::rank(op, &format!("argument '{name}'"), 1, other.len())),
        }
    }
    let dtype = if cx.meta(&a).dtype == DType::Bool { DType::I64 } else { cx.meta(&a).dtype };
    let (a, mut v) = (cx.convert(&a, dtype)?, cx.convert(&v, dtype)?);
    if correlation {
        v = cx.conj(&v)?;
        v = numeric::reverse(cx, &v, &[0])?;
    }
    let (n, m) = (cx.meta(&a).shape[0], cx.meta(&v).shape[0]);
    let swapped = m > n;
    let (long, short, n, m) = if swapped { (v, a, m, n) } else { (a, v, n, m) };
    // The middle is half an element off for an even number: to the side where NumPy has it.
    let middle = if swapped && correlation { m / 2 } else { (m - 1) / 2 };
    let (start, length) = match part {
        Overlap::Full => (0, n + m - 1),
        Overlap::Same => (middle, n),
        Overlap::Valid => (m - 1, n - m + 1),
    };
    let margin = PadDims { low: vec![m as i64 - 1], high: vec![m as i64 - 1], interior: vec![0] };
    let padded = cx.bind(Pad(Box::new(margin)).into(), &[&long])?;
    let mut sum = None;
    for k in 0..m {
        let from = m - 1 - k + start;
        let copy = cx.slice_axis(&padded, 0, from, from + length)?;
        let factor = cx.slice_axis(&short, 0, k, k + 1)?;
        let term = cx.mul(&copy, &factor)?;
        sum = Some(match sum {
            None => term,
            Some(sum) => cx.add(&sum, &term)?,
        });
    }
    sum.ok_or_else(|| Error::internal(op, "no terms"))
}
