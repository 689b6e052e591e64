//! Quantiles: elements in order, and what lies between two of them. Derivatives follow the elements, and the place.

use crate::Interp;
use crate::compose::Build;
use crate::cpu::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
use crate::functions::floating;
use crate::lanes::{sort, take_along};
use crate::numeric::{keep, reduce};
use crate::ops::special::difference;
use tenferro_tensor::{DType, Dims, Error, Result};

/// What a quantile is whose place q·(n − 1) is no integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// The point of the line through both neighbours.
    Linear,
    /// The lower neighbour.
    Lower,
    /// The higher neighbour.
    Higher,
    /// The nearer neighbour; of two equally near ones that with the even place.
    Nearest,
    /// The mean of both neighbours.
    Midpoint,
}

impl Between {
    /// By NumPy's name.
    pub fn named(op: &'static str, name: &str) -> Result<Between> {
        Ok(match name {
            "linear" => Between::Linear,
            "lower" => Between::Lower,
            "higher" => Between::Higher,
            "nearest" => Between::Nearest,
            "midpoint" => Between::Midpoint,
            other => {
                let message = format!("expected 'linear', 'lower', 'higher', 'nearest' or 'midpoint', got '{other}'");
                return Err(Error::argument(op, "method", message));
            }
        })
    }
}

/// How quantiles are taken along an axis.
#[derive(Clone, Copy, Debug)]
pub struct Quantiles {
    /// The op, for messages.
    pub op: &'static str,
    /// The axis.
    pub axis: usize,
    /// Between two elements.
    pub between: Between,
    /// Whether NaNs are left out; otherwise one makes the result NaN.
    pub skip_nan: bool,
    /// Whether the axis stays with extent 1.
    pub keepdims: bool,
}

/// The quantiles of `x` along an axis at `q`, which is of rank 0 or 1; the axis of `q` comes first.
pub fn quantiles<I: Interp>(cx: &mut I, x: &I::V, q: &I::V, how: Quantiles) -> Result<I::V> {
    let Quantiles { op, axis, between, skip_nan, keepdims } = how;
    let x = floating(cx, op, x)?;
    let dtype = cx.meta(&x).dtype;
    let (shape, listed) = (Dims::from_slice(cx.meta(&x).shape), Dims::from_slice(cx.meta(q).shape));
    if listed.len() > 1 {
        return Err(Error::rank(op, "argument 'q' (a number or a list)", 1, listed.len()));
    }
    let mut rest = shape.clone();
    let extent = rest.remove(axis);
    // One slice per quantile along the axis.
    let mut laid = Dims::from_elem(1, shape.len());
    laid[axis] = listed.iter().product();
    let q = cx.convert(q, DType::F64)?;
    let q = cx.reshape(&q, &laid)?;
    let found = if extent == 0 {
        let mut full = shape.clone();
        full[axis] = laid[axis];
        let nan = cx.number(dtype, f64::NAN)?;
        cx.broadcast_to(&nan, &full)?
    } else {
        let sorted = sort(cx, &x, axis, false).map_err(|e| e.in_op(op))?;
        let last = last_place(cx, &x, axis, skip_nan)?;
        let place = cx.mul(&q, &last)?;
        let value = interpolated(cx, op, &sorted, &place, axis, between)?;
        // NaNs are the greatest in order.
        let greatest = cx.slice_axis(&sorted, axis, extent - 1, extent)?;
        let fine = cx.compare(CompareOp::Eq, &greatest, &greatest)?;
        if skip_nan { value } else { cx.select(&fine, &value, &greatest)? }
    };
    let mut perm: Dims = (0..shape.len()).filter(|&a| a != axis).collect();
    perm.insert(0, axis);
    let front = cx.transpose(&found, &perm)?;
    let mut out = if keepdims { keepdims_shape(&shape, axis) } else { rest };
    out.insert_many(0, listed);
    cx.reshape(&front, &out)
}

fn keepdims_shape(shape: &[usize], axis: usize) -> Dims {
    let mut kept = Dims::from_slice(shape);
    kept[axis] = 1;
    kept
}

/// The last place that counts: n − 1, and 0 where there is none.
fn last_place<I: Interp>(cx: &mut I, x: &I::V, axis: usize, skip_nan: bool) -> Result<I::V> {
    if !skip_nan {
        let extent = cx.meta(x).shape[axis];
        return cx.number(DType::F64, extent as f64 - 1.0);
    }
    let nan = cx.unary(UnaryOp::Isnan, x)?;
    let there = cx.unary(UnaryOp::Not, &nan)?;
    let there = cx.convert(&there, DType::I64)?;
    let count = reduce(cx, ReduceOp::Sum, &there, &[axis], true)?;
    let count = cx.convert(&count, DType::F64)?;
    let (zero, one) = (cx.number(DType::F64, 0.0)?, cx.number(DType::F64, 1.0)?);
    let last = cx.sub(&count, &one)?;
    cx.binary(BinaryOp::Maximum, &last, &zero)
}

/// What stands at float64 places along the axis of sorted lanes.
fn interpolated<I: Interp>(
    cx: &mut I,
    op: &'static str,
    sorted: &I::V,
    place: &I::V,
    axis: usize,
    between: Between,
) -> Result<I::V> {
    let at = |cx: &mut I, round: UnaryOp| -> Result<(I::V, I::V)> {
        let whole = cx.unary(round, place)?;
        let index = cx.convert(&whole, DType::I64)?;
        Ok((take_along(cx, op, sorted, &index, axis)?, whole))
    };
    match between {
        Between::Lower => return Ok(at(cx, UnaryOp::Floor)?.0),
        Between::Higher => return Ok(at(cx, UnaryOp::Ceil)?.0),
        Between::Nearest => return Ok(at(cx, UnaryOp::Round)?.0),
        Between::Linear | Between::Midpoint => {}
    }
    let ((low, floor), (high, ceil)) = (at(cx, UnaryOp::Floor)?, at(cx, UnaryOp::Ceil)?);
    let weight = if between == Between::Linear {
        cx.sub(place, &floor)?
    } else {
        let way = cx.sub(&ceil, &floor)?;
        cx.times(&way, 0.5)?
    };
    let dtype = cx.meta(sorted).dtype;
    let weight = cx.convert(&weight, dtype)?;
    // Between two equal infinities there is no way, and a weight of 0 leaves even an infinite one.
    let way = difference(cx, &high, &low)?;
    let step = cx.scale(&weight, &way)?;
    cx.add(&low, &step)
}

/// The middle of what is not NaN, as a quantile.
pub fn nanmedian<I: Interp>(cx: &mut I, x: &I::V, axis: usize) -> Result<I::V> {
    let half = cx.number(DType::F64, 0.5)?;
    let how = Quantiles { op: "nanmedian", axis, between: Between::Linear, skip_nan: true, keepdims: false };
    quantiles(cx, x, &half, how)
}

/// The position of the extremum of what is not NaN along `axis`; 0 where there is nothing else.
pub fn nan_arg_extremum<I: Interp>(cx: &mut I, x: &I::V, axis: usize, greatest: bool) -> Result<I::V> {
    let nothing = if greatest { f64::NEG_INFINITY } else { f64::INFINITY };
    if !cx.meta(x).dtype.is_inexact() {
        return crate::lanes::arg_extremum(cx, x, axis, greatest, false);
    }
    let (filled, nan) = crate::statistics::without_nan(cx, x, nothing)?;
    // An infinity of one's own beside NaNs: the first element that is none, among equals.
    let best = crate::lanes::arg_extremum(cx, &filled, axis, greatest, false)?;
    let kept = keep(cx, &best, x, &[axis])?;
    let hit = take_along(cx, "nanargmax", &nan, &kept, axis)?;
    let first = crate::lanes::arg_extremum(cx, &nan, axis, false, false)?;
    let shape = Dims::from_slice(cx.meta(&best).shape);
    let hit = cx.reshape(&hit, &shape)?;
    cx.select(&hit, &first, &best)
}
