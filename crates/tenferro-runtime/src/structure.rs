//! Composites of structure and products: diagonals, triangles, repetition, contraction helpers. Generic over the
//! interpreter, without rules of their own.

use crate::compose::Build;
use crate::cpu::{BinaryOp, DotDims, ReduceOp};
use crate::numeric::{concatenate, promoted};
use crate::ops::{Pad, PadDims};
use crate::{Interp, Meta};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor, broadcast_shapes, checked_size};

fn shape<I: Interp>(cx: &I, x: &I::V) -> Dims {
    Dims::from_slice(cx.meta(x).shape)
}

/// First element and length of the diagonal `offset` of a matrix, in its column-major order: (i, i + offset) is element
/// i + n·(i + offset), so neighbours are n + 1 apart.
fn diagonal_run(rows: usize, cols: usize, offset: i64) -> (usize, usize) {
    let shift = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let (start, rows, cols) = match offset >= 0 {
        true => (rows.saturating_mul(shift), rows, cols.saturating_sub(shift)),
        false => (shift, rows.saturating_sub(shift), cols),
    };
    (start, rows.min(cols))
}

/// The elements x[…, i, …, i + offset, …] of the axes `first` and `second`, as one axis in place of `first`; `second` goes.
pub fn extract_diagonal<I: Interp>(cx: &mut I, x: &I::V, first: usize, second: usize, offset: i64) -> Result<I::V> {
    let from = shape(cx, x);
    let (n, m) = (from[first], from[second]);
    let mut perm: Dims = (0..from.len()).filter(|&a| a != first && a != second).collect();
    let rest: Dims = perm.iter().map(|&a| from[a]).collect();
    perm.insert_many(0, [first, second]);
    let front = cx.transpose(x, &perm)?;
    let mut flat = rest.clone();
    flat.insert(0, n * m);
    let front = cx.reshape(&front, &flat)?;
    let (start, length) = diagonal_run(n, m, offset);
    let (start, limit) = if length == 0 { (0, 0) } else { (start, start + (length - 1) * (n + 1) + 1) };
    let mut starts = Dims::from_elem(0, flat.len());
    let mut steps = Dims::from_elem(1, flat.len());
    let mut limits = flat;
    (starts[0], limits[0], steps[0]) = (start, limit, n + 1);
    let run = cx.slice(&front, &starts, &limits, &steps)?;
    let place = first - usize::from(second < first);
    move_first(cx, &run, place)
}

/// Axis 0 moved to `place`.
fn move_first<I: Interp>(cx: &mut I, x: &I::V, place: usize) -> Result<I::V> {
    let mut perm: Dims = (1..cx.meta(x).shape.len()).collect();
    perm.insert(place, 0);
    cx.transpose(x, &perm)
}

/// The axis `axis` laid on the diagonal `offset` of itself and a new axis at `second`, zeros elsewhere: the adjoint of
/// `extract_diagonal` for a square.
pub fn embed_diagonal<I: Interp>(cx: &mut I, x: &I::V, axis: usize, second: usize, offset: i64) -> Result<I::V> {
    let op = "embed_diag";
    let from = shape(cx, x);
    let length = from[axis];
    let too_large = || Error::argument(op, "offset", format!("{offset} makes the result too large"));
    let shift = usize::try_from(offset.unsigned_abs()).map_err(|_| too_large())?;
    let n = length.checked_add(shift).ok_or_else(too_large)?;
    let mut flat: Dims = (0..from.len()).filter(|&a| a != axis).map(|a| from[a]).collect();
    let rest = flat.clone();
    flat.insert_many(0, [n, n]);
    checked_size(op, &flat, cx.meta(x).dtype.itemsize())?;
    let mut perm: Dims = (0..from.len()).filter(|&a| a != axis).collect();
    perm.insert(0, axis);
    let run = cx.transpose(x, &perm)?;
    let square = if length == 0 {
        let dtype = cx.meta(x).dtype;
        cx.zeros(Meta { dtype, shape: &flat })?
    } else {
        let (start, _) = diagonal_run(n, n, offset);
        let behind = n * n - (start + (length - 1) * (n + 1) + 1);
        let mut low = vec![0; from.len()];
        let mut high = low.clone();
        let mut interior = vec![0; from.len()];
        (low[0], high[0], interior[0]) = (start as i64, behind as i64, n);
        let padded = cx.bind(Pad(Box::new(PadDims { low, high, interior })).into(), &[&run])?;
        cx.reshape(&padded, &flat)?
    };
    // The axes are [axis, second, rest…]: put `second` in its place among all, then `axis` and the rest in order.
    let mut others: Dims = (0..rest.len()).map(|a| a + 2).collect();
    others.insert(axis, 0);
    others.insert(second, 1);
    cx.transpose(&square, &others)
}

/// Which entries of a matrix lie on or below the diagonal `k`, with `trailing` axes of extent 1 behind.
fn lower_mask(op: &'static str, rows: usize, cols: usize, k: i64, trailing: usize) -> Result<Tensor> {
    let mut shape: Dims = [rows, cols][..].into();
    checked_size(op, &shape, 1)?;
    let mut mask = Vec::with_capacity(rows * cols);
    for j in 0..cols as i64 {
        mask.extend((0..rows as i64).map(|i| j.saturating_sub(i) <= k));
    }
    shape.extend(std::iter::repeat_n(1, trailing));
    Tensor::from_slice(op, &shape, &mask)
}

/// The matrix of the first two axes with zeros above (`lower`) or below the diagonal `k`.
pub fn triangle<I: Interp>(cx: &mut I, op: &'static str, x: &I::V, k: i64, lower: bool) -> Result<I::V> {
    let from = shape(cx, x);
    if from.len() < 2 {
        return Err(Error::rank(op, "argument 'x' (at least a matrix)", 2, from.len()));
    }
    let k = if lower { k } else { k.saturating_sub(1) };
    let mask = lower_mask(op, from[0], from[1], k, from.len() - 2)?;
    let mask = cx.constant(mask);
    let dtype = cx.meta(x).dtype;
    let zero = cx.zeros(Meta { dtype, shape: &[] })?;
    if lower { cx.select(&mask, x, &zero) } else { cx.select(&mask, &zero, x) }
}

/// Ones on and below the diagonal `k`, zeros above.
pub fn tri(rows: usize, cols: usize, k: i64, dtype: DType) -> Result<Tensor> {
    crate::cpu::cast(&lower_mask("tri", rows, cols, k, 0)?, dtype)
}

/// Elements moved `shift` places along an axis; what leaves at one end comes in at the other.
pub fn roll<I: Interp>(cx: &mut I, x: &I::V, shift: i64, axis: usize) -> Result<I::V> {
    let extent = cx.meta(x).shape[axis];
    if extent == 0 {
        return Ok(x.clone());
    }
    let shift = (i128::from(shift)).rem_euclid(extent as i128) as usize;
    if shift == 0 {
        return Ok(x.clone());
    }
    let tail = cx.slice_axis(x, axis, extent - shift, extent)?;
    let head = cx.slice_axis(x, axis, 0, extent - shift)?;
    concatenate(cx, &[tail, head], axis)
}

/// The elements of an axis, each `count` times in a row.
pub fn repeat<I: Interp>(cx: &mut I, x: &I::V, count: usize, axis: usize) -> Result<I::V> {
    stretch(cx, "repeat", x, count, axis, axis)
}

// A new axis of extent `count` at `place` (just before or just behind `axis`), merged with `axis`.
fn stretch<I: Interp>(cx: &mut I, op: &'static str, x: &I::V, count: usize, axis: usize, place: usize) -> Result<I::V> {
    let from = shape(cx, x);
    let mut merged = from.clone();
    merged[axis] = merged[axis].saturating_mul(count);
    checked_size(op, &merged, cx.meta(x).dtype.itemsize())?;
    let mut wide = from.clone();
    wide.insert(place, count);
    let dims: Dims = (0..wide.len()).filter(|&a| a != place).collect();
    let wide = cx.broadcast_in_dim(x, &wide, &dims)?;
    cx.reshape(&wide, &merged)
}

/// The whole repeated ``counts[a]`` times along each axis `a`; missing counts are 1, missing axes are put in front.
pub fn tile<I: Interp>(cx: &mut I, x: &I::V, counts: &[usize]) -> Result<I::V> {
    let mut from = shape(cx, x);
    while from.len() < counts.len() {
        from.insert(0, 1);
    }
    let mut out = cx.reshape(x, &from)?;
    let lead = from.len() - counts.len();
    for (a, &count) in counts.iter().enumerate().filter(|&(_, &count)| count != 1) {
        out = stretch(cx, "tile", &out, count, lead + a, lead + a + 1)?;
    }
    Ok(out)
}

/// Kronecker product: element (i·p + k, j·q + l, …) is a[i, j, …]·b[k, l, …].
pub fn kron<I: Interp>(cx: &mut I, a: &I::V, b: &I::V) -> Result<I::V> {
    let (a, b) = promoted(cx, a, b)?;
    let (mut sa, mut sb) = (shape(cx, &a), shape(cx, &b));
    while sa.len() < sb.len() {
        sa.insert(0, 1);
    }
    while sb.len() < sa.len() {
        sb.insert(0, 1);
    }
    let merged: Dims = sa.iter().zip(&sb).map(|(&n, &m)| n.saturating_mul(m)).collect();
    checked_size("kron", &merged, cx.meta(&a).dtype.itemsize())?;
    let a = cx.reshape(&a, &sa.iter().flat_map(|&n| [1, n]).collect::<Dims>())?;
    let b = cx.reshape(&b, &sb.iter().flat_map(|&m| [m, 1]).collect::<Dims>())?;
    let product = cx.mul(&a, &b)?;
    cx.reshape(&product, &merged)
}

/// Sum over pairs of axes; the rest of `a`, then the rest of `b` remain.
pub fn tensordot<I: Interp>(cx: &mut I, a: &I::V, b: &I::V, of_a: Dims, of_b: Dims) -> Result<I::V> {
    let (a, b) = promoted(cx, a, b)?;
    let dims = DotDims { lhs_contracting: of_a, rhs_contracting: of_b, lhs_batch: Dims::new(), rhs_batch: Dims::new() };
    cx.dot(&a, &b, dims)
}

/// Σ conj(aᵢ)·bᵢ along an axis of each; the other axes broadcast.
pub fn vecdot<I: Interp>(cx: &mut I, a: &I::V, b: &I::V, axis: i64) -> Result<I::V> {
    let op = "vecdot";
    let (a, b) = promoted(cx, a, b)?;
    let a = cx.conj(&a)?;
    let front = |cx: &mut I, x: &I::V| -> Result<I::V> {
        let rank = cx.meta(x).shape.len();
        let shifted = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
        let at = usize::try_from(shifted).ok().filter(|&at| at < rank).ok_or_else(|| Error::axis(op, axis, rank))?;
        let mut perm: Dims = (0..rank).filter(|&d| d != at).collect();
        perm.insert(0, at);
        cx.transpose(x, &perm)
    };
    let (a, b) = (front(cx, &a)?, front(cx, &b)?);
    let (sa, sb) = (shape(cx, &a), shape(cx, &b));
    if sa[0] != sb[0] {
        return Err(Error::shapes(op, &sa, &sb));
    }
    let batch = broadcast_shapes(op, &sa[1..], &sb[1..])?;
    let wide = |cx: &mut I, x: &I::V, from: &[usize]| -> Result<I::V> {
        let mut target = batch.clone();
        target.insert(0, from[0]);
        if target[..] == *from {
            return Ok(x.clone());
        }
        let lead = target.len() - from.len();
        let dims: Dims = std::iter::once(0).chain(1 + lead..target.len()).collect();
        cx.broadcast_in_dim(x, &target, &dims)
    };
    let (a, b) = (wide(cx, &a, &sa)?, wide(cx, &b, &sb)?);
    let batches: Dims = (1..batch.len() + 1).collect();
    let first = Dims::from_slice(&[0]);
    let dims = DotDims {
        lhs_contracting: first.clone(),
        rhs_contracting: first,
        lhs_batch: batches.clone(),
        rhs_batch: batches,
    };
    cx.dot(&a, &b, dims)
}

/// The cross product of vectors of three components along `axis` of each (not conjugated); the other axes broadcast.
pub fn cross<I: Interp>(cx: &mut I, a: &I::V, b: &I::V, of_a: usize, of_b: usize, out: i64) -> Result<I::V> {
    let op = "cross";
    let (a, b) = promoted(cx, a, b)?;
    let last = |cx: &mut I, x: &I::V, axis: usize, what: &str| -> Result<I::V> {
        let from = shape(cx, x);
        if from[axis] != 3 {
            let message = format!("expected 3 components along axis {axis}, got {}", from[axis]);
            return Err(Error::argument(op, what, message));
        }
        let mut perm: Dims = (0..from.len()).filter(|&d| d != axis).collect();
        perm.push(axis);
        cx.transpose(x, &perm)
    };
    let (a, b) = (last(cx, &a, of_a, "a")?, last(cx, &b, of_b, "b")?);
    let turned = |cx: &mut I, x: &I::V, shift: i64| {
        let axis = cx.meta(x).shape.len() - 1;
        roll(cx, x, shift, axis)
    };
    // (a × b)ᵢ = aᵢ₊₁·bᵢ₊₂ − aᵢ₊₂·bᵢ₊₁, indices modulo 3.
    let (a1, a2) = (turned(cx, &a, -1)?, turned(cx, &a, -2)?);
    let (b1, b2) = (turned(cx, &b, -1)?, turned(cx, &b, -2)?);
    let (plus, minus) = (cx.mul(&a1, &b2)?, cx.mul(&a2, &b1)?);
    let product = cx.sub(&plus, &minus)?;
    let rank = cx.meta(&product).shape.len();
    let shifted = if out < 0 { out.saturating_add(rank as i64) } else { out };
    let place = usize::try_from(shifted).ok().filter(|&at| at < rank).ok_or_else(|| Error::axis(op, out, rank))?;
    let mut perm: Dims = (0..rank - 1).collect();
    perm.insert(place, rank - 1);
    cx.transpose(&product, &perm)
}

/// Sum of the diagonal `offset` of two axes.
pub fn trace<I: Interp>(cx: &mut I, x: &I::V, first: usize, second: usize, offset: i64) -> Result<I::V> {
    let diagonal = extract_diagonal(cx, x, first, second, offset)?;
    crate::numeric::reduce(cx, ReduceOp::Sum, &diagonal, &[first - usize::from(second < first)], false)
}

/// Elementwise products of every pair of elements: axes of `a`, then axes of `b`.
pub fn outer<I: Interp>(cx: &mut I, a: &I::V, b: &I::V) -> Result<I::V> {
    let (a, b) = promoted(cx, a, b)?;
    let flat = |cx: &mut I, x: &I::V| {
        let size = cx.meta(x).shape.iter().product();
        cx.reshape(x, &[size])
    };
    let (a, b) = (flat(cx, &a)?, flat(cx, &b)?);
    let rows = cx.meta(&a).shape[0];
    let a = cx.reshape(&a, &[rows, 1])?;
    cx.binary(BinaryOp::Mul, &a, &b)
}
