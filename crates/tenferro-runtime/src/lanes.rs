//! Sorting and running extrema, as positions and what lies there: derivatives follow the elements.

use crate::compose::Build;
use crate::cpu::{CompareOp, ReduceOp};
use crate::ops::{ArgReduce, ArgScan, ArgSort, Concatenate, TakeAlong};
use crate::{Interp, Meta};
use tenferro_tensor::{DType, Dims, Error, Result, broadcast_shapes};

/// `x` at int64 `indices` along `axis`; the other axes broadcast.
pub fn take_along<I: Interp>(cx: &mut I, op: &'static str, x: &I::V, indices: &I::V, axis: usize) -> Result<I::V> {
    let (from, to) = (Dims::from_slice(cx.meta(x).shape), Dims::from_slice(cx.meta(indices).shape));
    if from.len() != to.len() {
        return Err(Error::rank(op, "argument 'indices'", from.len(), to.len()));
    }
    let (mut a, mut b) = (from.clone(), to.clone());
    (a[axis], b[axis]) = (1, 1);
    let mut x_shape = broadcast_shapes(op, &a, &b)?;
    let mut index_shape = x_shape.clone();
    (x_shape[axis], index_shape[axis]) = (from[axis], to[axis]);
    let (x, indices) = (cx.broadcast_to(x, &x_shape)?, cx.broadcast_to(indices, &index_shape)?);
    cx.bind(TakeAlong { axis }.into(), &[&x, &indices])
}

/// The elements along `axis` in order.
pub fn sort<I: Interp>(cx: &mut I, x: &I::V, axis: usize, descending: bool) -> Result<I::V> {
    let order = cx.bind(ArgSort { axis, descending }.into(), &[x]).map_err(|e| e.in_op("sort"))?;
    cx.bind(TakeAlong { axis }.into(), &[x, &order])
}

/// The greatest (or least) element so far along `axis`.
pub fn running_extremum<I: Interp>(cx: &mut I, x: &I::V, axis: usize, greatest: bool) -> Result<I::V> {
    let places = cx.bind(ArgScan { axis, greatest }.into(), &[x])?;
    cx.bind(TakeAlong { axis }.into(), &[x, &places])
}

/// Position of the extremum along `axis`, which stays with extent 1 under `keepdims`.
pub fn arg_extremum<I: Interp>(cx: &mut I, x: &I::V, axis: usize, greatest: bool, keepdims: bool) -> Result<I::V> {
    let place = cx.bind(ArgReduce { axis, greatest }.into(), &[x])?;
    if keepdims { crate::numeric::keep(cx, &place, x, &[axis]) } else { Ok(place) }
}

/// The `k` greatest (or least) elements along `axis`, in order, and their positions.
pub fn top<I: Interp>(cx: &mut I, x: &I::V, k: usize, axis: usize, largest: bool) -> Result<(I::V, I::V)> {
    let extent = cx.meta(x).shape[axis];
    if k > extent {
        return Err(Error::argument(
            "topk",
            "k",
            format!("expected at most {extent}, the extent of axis {axis}, got {k}"),
        ));
    }
    let order = cx.bind(ArgSort { axis, descending: largest }.into(), &[x]).map_err(|e| e.in_op("topk"))?;
    let order = cx.slice_axis(&order, axis, 0, k)?;
    Ok((cx.bind(TakeAlong { axis }.into(), &[x, &order])?, order))
}

/// The middle element along `axis`, or the mean of the two middle ones; NaN where there is one, and of nothing.
pub fn median<I: Interp>(cx: &mut I, x: &I::V, axis: usize) -> Result<I::V> {
    let x = crate::numeric::inexact(cx, x)?;
    let mut shape = Dims::from_slice(cx.meta(&x).shape);
    let extent = shape.remove(axis);
    if extent == 0 {
        let sum = cx.reduce(ReduceOp::Sum, &x, &[axis])?;
        let nan = cx.number(cx.meta(&x).dtype, f64::NAN)?;
        return cx.add(&sum, &nan);
    }
    let sorted = sort(cx, &x, axis, false).map_err(|e| e.in_op("median"))?;
    let at = |cx: &mut I, place: usize| {
        let slice = cx.slice_axis(&sorted, axis, place, place + 1)?;
        cx.reshape(&slice, &shape)
    };
    let (low, high, last) = (at(cx, (extent - 1) / 2)?, at(cx, extent / 2)?, at(cx, extent - 1)?);
    let middle = if extent % 2 == 1 {
        low
    } else {
        let sum = cx.add(&low, &high)?;
        cx.times(&sum, 0.5)?
    };
    let ordered = cx.compare(CompareOp::Eq, &last, &last)?;
    cx.select(&ordered, &middle, &last)
}

/// All but the last, and all but the first, along `axis`.
fn neighbours<I: Interp>(cx: &mut I, x: &I::V, axis: usize) -> Result<(I::V, I::V)> {
    let extent = cx.meta(x).shape[axis];
    Ok((cx.slice_axis(x, axis, 0, extent.saturating_sub(1))?, cx.slice_axis(x, axis, 1.min(extent), extent)?))
}

/// Differences of neighbours along `axis`, `n` times over.
pub fn diff<I: Interp>(cx: &mut I, x: &I::V, n: usize, axis: usize) -> Result<I::V> {
    let mut x = if cx.meta(x).dtype == DType::Bool { cx.convert(x, DType::I64)? } else { x.clone() };
    for _ in 0..n {
        let (before, after) = neighbours(cx, &x, axis)?;
        x = cx.sub(&after, &before)?;
    }
    Ok(x)
}

/// `x` with a slice of zeros (or ones) put before it along `axis`.
pub fn with_start<I: Interp>(cx: &mut I, x: &I::V, axis: usize, value: f64) -> Result<I::V> {
    let mut shape = Dims::from_slice(cx.meta(x).shape);
    shape[axis] = 1;
    let first = cx.number(cx.meta(x).dtype, value)?;
    let first = cx.broadcast_to(&first, &shape)?;
    cx.bind(Concatenate(axis).into(), &[&first, x])
}

/// The elements of a list in order, without repeats: where a sorted list steps.
pub fn steps<I: Interp>(cx: &mut I, sorted: &I::V) -> Result<I::V> {
    let count = cx.meta(sorted).shape[0];
    let first = crate::compose::ones(Meta { dtype: DType::Bool, shape: &[count.min(1)] })?;
    let first = cx.constant(first);
    let (before, after) = neighbours(cx, sorted, 0)?;
    let changes = cx.compare(CompareOp::Ne, &after, &before)?;
    cx.bind(Concatenate(0).into(), &[&first, &changes])
}
