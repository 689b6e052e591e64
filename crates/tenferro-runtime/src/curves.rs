//! Values on a line: interpolation, difference quotients, integrals by the trapezoidal rule, polynomials. Composites,
//! smooth in the values, and in the coordinates where these are tensors.

use crate::Interp;
use crate::compose::Build;
use crate::cpu::{CompareOp, ReduceOp, ScanOp, UnaryOp};
use crate::functions::floating;
use crate::lanes::{take_along, with_start};
use crate::numeric::{common_dtype, concatenate, inexact};
use crate::ops::{Scan, SearchSorted};
use tenferro_tensor::{DType, Dims, Error, Result, broadcast_shapes};

fn shape<I: Interp>(cx: &I, x: &I::V) -> Dims {
    Dims::from_slice(cx.meta(x).shape)
}

/// The elements `from..` to the last but `behind` along `axis`.
fn part<I: Interp>(cx: &mut I, x: &I::V, axis: usize, from: usize, behind: usize) -> Result<I::V> {
    let extent = cx.meta(x).shape[axis];
    cx.slice_axis(x, axis, from, extent - behind)
}

/// The broken line through the points (xp, fp) at `x`, with constants outside of it: `left` and `right`, or its ends.
pub fn interp<I: Interp>(
    cx: &mut I,
    x: &I::V,
    [xp, fp]: [&I::V; 2],
    [left, right]: [Option<&I::V>; 2],
) -> Result<I::V> {
    let op = "interp";
    let (xp_shape, fp_shape) = (shape(cx, xp), shape(cx, fp));
    if xp_shape.len() != 1 {
        return Err(Error::rank(op, "argument 'xp'", 1, xp_shape.len()));
    }
    if fp_shape != xp_shape {
        return Err(Error::shape(op, "argument 'fp'", &xp_shape, &fp_shape));
    }
    let count = xp_shape[0];
    if count == 0 {
        return Err(Error::argument(op, "xp", "expected at least one point, got none"));
    }
    let (x, xp) = (floating(cx, op, x)?, floating(cx, op, xp)?);
    let place_dtype = common_dtype(cx, &[&x, &xp]);
    let (x, xp) = (cx.convert(&x, place_dtype)?, cx.convert(&xp, place_dtype)?);
    let mut all: smallvec::SmallVec<[&I::V; 4]> = smallvec::smallvec![&x, fp];
    all.extend(left);
    all.extend(right);
    let dtype = common_dtype(cx, &all);
    let fp = cx.convert(fp, dtype)?;
    let out = shape(cx, &x);
    let size: usize = out.iter().product();
    let x = cx.reshape(&x, &[size])?;

    // The piece that x lies on: its left end is the last point that is not right of x.
    let behind = cx.bind(SearchSorted { right: true }.into(), &[&xp, &x])?;
    let (zero, one) = (cx.number(DType::I64, 0.0)?, cx.number(DType::I64, 1.0)?);
    let most = cx.number(DType::I64, count.saturating_sub(2) as f64)?;
    let low = cx.sub(&behind, &one)?;
    let low = crate::numeric::clamp(cx, &low, Some(&zero), Some(&most))?;
    let step = cx.number(DType::I64, f64::from(u8::from(count > 1)))?;
    let high = cx.add(&low, &step)?;
    let [x0, x1] = [take_along(cx, op, &xp, &low, 0)?, take_along(cx, op, &xp, &high, 0)?];
    let [f0, f1] = [take_along(cx, op, &fp, &low, 0)?, take_along(cx, op, &fp, &high, 0)?];

    let (ahead, width) = (cx.sub(&x, &x0)?, cx.sub(&x1, &x0)?);
    let nothing = cx.number(place_dtype, 0.0)?;
    let unit = cx.number(place_dtype, 1.0)?;
    let jump = cx.compare(CompareOp::Eq, &width, &nothing)?;
    let width = cx.select(&jump, &unit, &width)?;
    let ratio = cx.div(&ahead, &width)?;
    let ratio = cx.convert(&ratio, dtype)?;
    let rise = cx.sub(&f1, &f0)?;
    let climbed = cx.mul(&ratio, &rise)?;
    let inside = cx.add(&f0, &climbed)?;

    let [first, last] = [part(cx, &xp, 0, 0, count - 1)?, part(cx, &xp, 0, count - 1, 0)?];
    let below = cx.compare(CompareOp::Lt, &x, &first)?;
    let above = cx.compare(CompareOp::Ge, &x, &last)?;
    let beyond = cx.compare(CompareOp::Gt, &x, &last)?;
    let [f_first, f_last] = [part(cx, &fp, 0, 0, count - 1)?, part(cx, &fp, 0, count - 1, 0)?];
    let left = left.map_or(Ok(f_first), |v| cx.convert(v, dtype))?;
    let value = cx.select(&below, &left, &inside)?;
    let value = cx.select(&above, &f_last, &value)?;
    let value = match right {
        None => value,
        Some(right) => {
            let right = cx.convert(right, dtype)?;
            cx.select(&beyond, &right, &value)?
        }
    };
    cx.reshape(&value, &out)
}

/// Distances of neighbours: one number for all, or differences of coordinates, a list laid along `axis` or a tensor that
/// broadcasts with the values.
fn distances<I: Interp>(
    cx: &mut I,
    op: &'static str,
    values: &I::V,
    spacing: &I::V,
    listed: bool,
    axis: usize,
) -> Result<I::V> {
    let (of_values, own) = (shape(cx, values), shape(cx, spacing));
    if !listed && own.is_empty() {
        return Ok(spacing.clone());
    }
    let mut laid = own.clone();
    if own.len() == 1 {
        laid = Dims::from_elem(1, of_values.len());
        laid[axis] = own[0];
    }
    let fits = laid.len() == of_values.len() && laid[axis] == of_values[axis];
    if !fits || broadcast_shapes(op, &of_values, &laid)? != of_values {
        return Err(Error::shape(op, "the coordinates", &of_values, &own));
    }
    let laid = cx.reshape(spacing, &laid)?;
    let (before, after) = neighbours(cx, &laid, axis)?;
    cx.sub(&after, &before)
}

fn neighbours<I: Interp>(cx: &mut I, x: &I::V, axis: usize) -> Result<(I::V, I::V)> {
    let none = cx.meta(x).shape[axis].min(1);
    Ok((part(cx, x, axis, 0, none)?, part(cx, x, axis, none, 0)?))
}

/// The slope of the parabola through three neighbours at the middle one along `axis`; at the ends that of the line through
/// two (`edge_order` 1), or of the parabola. `spacing` as for `distances`.
pub fn gradient<I: Interp>(cx: &mut I, f: &I::V, spacing: &I::V, axis: usize, edge_order: usize) -> Result<I::V> {
    let op = "gradient";
    let f = inexact(cx, f)?;
    let extent = cx.meta(&f).shape[axis];
    if extent < edge_order + 1 {
        let message = format!("expected at least {} elements along axis {axis}, got {extent}", edge_order + 1);
        return Err(Error::argument(op, "x", message));
    }
    let dtype = common_dtype(cx, &[&f, spacing]);
    let (f, spacing) = (cx.convert(&f, dtype)?, cx.convert(spacing, dtype)?);
    let h = distances(cx, op, &f, &spacing, false, axis)?;
    let (before, after) = neighbours(cx, &f, axis)?;
    let rise = cx.sub(&after, &before)?;
    let slope = cx.div(&rise, &h)?;
    // With slopes s, t over the distances g, h, the parabola has (h·s + g·t)/(g + h) in the middle.
    let uneven = !cx.meta(&h).shape.is_empty();
    let piece = |cx: &mut I, h: &I::V, from: usize, behind: usize| match uneven {
        true => part(cx, h, axis, from, behind),
        false => Ok(h.clone()),
    };
    let mut parts = Vec::with_capacity(3);
    let pieces = extent - 1;
    // At an end it has s + g·(s − t)/(g + h).
    let end = |cx: &mut I, at: usize, next: usize| -> Result<I::V> {
        let s = cx.slice_axis(&slope, axis, at, at + 1)?;
        if edge_order == 1 {
            return Ok(s);
        }
        let t = cx.slice_axis(&slope, axis, next, next + 1)?;
        let (g, k) = (piece(cx, &h, at, pieces - at - 1)?, piece(cx, &h, next, pieces - next - 1)?);
        let (bend, total) = (cx.sub(&s, &t)?, cx.add(&g, &k)?);
        let weight = cx.div(&g, &total)?;
        let more = cx.mul(&weight, &bend)?;
        cx.add(&s, &more)
    };
    parts.push(end(cx, 0, 1)?);
    if extent > 2 {
        let (s, t) = neighbours(cx, &slope, axis)?;
        let (g, k) = (piece(cx, &h, 0, 1)?, piece(cx, &h, 1, 0)?);
        let (left, right, total) = (cx.mul(&k, &s)?, cx.mul(&g, &t)?, cx.add(&g, &k)?);
        let sum = cx.add(&left, &right)?;
        parts.push(cx.div(&sum, &total)?);
    }
    parts.push(end(cx, pieces - 1, pieces.saturating_sub(2))?);
    concatenate(cx, &parts, axis)
}

/// The areas of the trapezoids between neighbours along `axis`.
fn trapezoids<I: Interp>(
    cx: &mut I,
    op: &'static str,
    y: &I::V,
    spacing: &I::V,
    listed: bool,
    axis: usize,
) -> Result<I::V> {
    let y = inexact(cx, y)?;
    let dtype = common_dtype(cx, &[&y, spacing]);
    let (y, spacing) = (cx.convert(&y, dtype)?, cx.convert(spacing, dtype)?);
    let h = distances(cx, op, &y, &spacing, listed, axis)?;
    let (before, after) = neighbours(cx, &y, axis)?;
    let sum = cx.add(&before, &after)?;
    let middle = cx.times(&sum, 0.5)?;
    cx.mul(&middle, &h)
}

/// ∫ y dx along `axis` by the trapezoidal rule; `listed`: `spacing` has coordinates, even if it is of rank 0.
pub fn trapezoid<I: Interp>(cx: &mut I, y: &I::V, spacing: &I::V, listed: bool, axis: usize) -> Result<I::V> {
    let areas = trapezoids(cx, "trapezoid", y, spacing, listed, axis)?;
    cx.reduce(ReduceOp::Sum, &areas, &[axis])
}

/// The integrals up to each point, from the second one on, or from the first.
pub fn running_trapezoid<I: Interp>(
    cx: &mut I,
    y: &I::V,
    spacing: &I::V,
    listed: bool,
    axis: usize,
    include_initial: bool,
) -> Result<I::V> {
    let areas = trapezoids(cx, "cumulative_trapezoid", y, spacing, listed, axis)?;
    let total = cx.bind(Scan { op: ScanOp::Sum, axis, reverse: false }.into(), &[&areas])?;
    if include_initial { with_start(cx, &total, axis, 0.0) } else { Ok(total) }
}

/// `x` plus multiples of `period`, such that neighbours along `axis` differ by at most half of it.
pub fn unwrap<I: Interp>(cx: &mut I, x: &I::V, period: f64, axis: usize) -> Result<I::V> {
    let x = floating(cx, "unwrap", x)?;
    if cx.meta(&x).shape[axis] == 0 {
        return Ok(x);
    }
    let (before, after) = neighbours(cx, &x, axis)?;
    let way = cx.sub(&after, &before)?;
    let period = cx.number(cx.meta(&x).dtype, period)?;
    let turns = cx.div(&way, &period)?;
    let turns = cx.unary(UnaryOp::Round, &turns)?;
    let turns = cx.bind(Scan { op: ScanOp::Sum, axis, reverse: false }.into(), &[&turns])?;
    let turns = with_start(cx, &turns, axis, 0.0)?;
    let shift = cx.mul(&turns, &period)?;
    cx.sub(&x, &shift)
}

/// The powers x⁰, x¹, … x^(count − 1) of a list as the columns of a matrix, or in falling order.
pub fn powers<I: Interp>(cx: &mut I, x: &I::V, count: usize, rising: bool) -> Result<I::V> {
    let own = shape(cx, x);
    if own.len() != 1 {
        return Err(Error::rank("vander", "argument 'x'", 1, own.len()));
    }
    let x = if cx.meta(x).dtype == DType::Bool { cx.convert(x, DType::I64)? } else { x.clone() };
    let column = cx.reshape(&x, &[own[0], 1])?;
    let factors = cx.broadcast_to(&column, &[own[0], count.saturating_sub(1)])?;
    let factors = if count == 0 { factors } else { with_start(cx, &factors, 1, 1.0)? };
    let products = cx.bind(Scan { op: ScanOp::Prod, axis: 1, reverse: false }.into(), &[&factors])?;
    if rising { Ok(products) } else { crate::numeric::reverse(cx, &products, &[1]) }
}

/// Σ pₖ·x^(n − 1 − k) by Horner's rule.
pub fn polynomial<I: Interp>(cx: &mut I, p: &I::V, x: &I::V) -> Result<I::V> {
    let own = shape(cx, p);
    if own.len() != 1 {
        return Err(Error::rank("polyval", "argument 'p'", 1, own.len()));
    }
    let (p, x) = crate::numeric::promoted(cx, p, x)?;
    let dtype = cx.meta(&x).dtype;
    let dtype = if dtype == DType::Bool { DType::I64 } else { dtype };
    let (p, x) = (cx.convert(&p, dtype)?, cx.convert(&x, dtype)?);
    let mut sum = crate::numeric::Like::zeros_like(cx, &x)?;
    for k in 0..own[0] {
        let term = cx.slice_axis(&p, 0, k, k + 1)?;
        let term = cx.reshape(&term, &[])?;
        let product = cx.mul(&sum, &x)?;
        sum = cx.add(&product, &term)?;
    }
    Ok(sum)
}
