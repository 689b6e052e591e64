#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the comments stand inside a macro's argument, where the lint does not look"
)]

use super::{Accumulate, GRAIN, POLL_AFTER, Place, by_number, by_width};
use crate::copy::{self, Side, compact, copy_strided};
use crate::interrupt;
use crate::lanes::Split;
use crate::threads;
use smallvec::SmallVec;
use tenferro_tensor::{Error, Result, Tensor, Variant, compact_strides, show_shape};

/// Slices of at least this many elements are copied from a strided tensor one by one.
const SLICE: usize = 64;

/// What [`put_flat`] does with the element that is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PutMode {
    /// Replaces it; of equal positions the last one wins.
    Set,
    /// Adds to it, in the order of the list.
    Add,
}

fn check_positions(op: &'static str, axis: usize, positions: &[usize], extent: usize) -> Result<()> {
    match positions.iter().find(|&&p| p >= extent) {
        Some(&p) => Err(Error::index(op, axis, i64::try_from(p).unwrap_or(i64::MAX), extent)),
        None => Ok(()),
    }
}

/// The slices of `x` at `positions` along `axis`.
pub fn take(x: &Tensor, axis: usize, positions: &[usize]) -> Result<Tensor> {
    let op = "take";
    let Split { before, extent, after } = Split::new(op, x.shape(), axis)?;
    check_positions(op, axis, positions, extent)?;
    let mut shape = x.dims();
    shape[axis] = positions.len();
    if !x.is_compact() && before * after >= SLICE {
        return take_slices(x, axis, positions, &shape);
    }
    let x = compact(x)?;
    copy::build(op, x.dtype(), &shape, |out| {
        by_width!(x.dtype(), Unit => {
            let (source, out) = (Place(copy::start(&x).cast::<Unit>()), Place(out.cast::<Unit>()));
            let grain = (GRAIN / before.max(1)).max(1);
            threads::try_for_each_block(op, positions.len() * after, grain, |runs| {
                let (mut slab, mut at) = (runs.start / positions.len(), runs.start % positions.len());
                for run in runs {
                    // SAFETY: the position lies inside the axis, so both runs of `before` elements lie inside compact data.
                    unsafe {
                        let from = source.get().add((slab * extent + positions[at]) * before);
                        let to = out.get().add(run * before);
                        match before {
                            1 => *to = *from,
                            _ => std::ptr::copy_nonoverlapping(from, to, before),
                        }
                    }
                    at += 1;
                    if at == positions.len() {
                        (slab, at) = (slab + 1, 0);
                    }
                }
            })
        })
    })
}

/// As [`take`], for large slices of a tensor that is not compact.
fn take_slices(x: &Tensor, axis: usize, positions: &[usize], shape: &[usize]) -> Result<Tensor> {
    let op = "take";
    copy::build(op, x.dtype(), shape, |out| {
        let width = x.dtype().itemsize();
        let steps = copy::bytes(&compact_strides(shape), x.dtype());
        for (number, &position) in positions.iter().enumerate() {
            let whole = x.shape().iter().map(|&n| (0, n, 1));
            let mut ranges: SmallVec<[(usize, usize, isize); 6]> = whole.collect();
            ranges[axis] = (position, 1, 1);
            let slice = x.with_layout(x.layout().sliced(&ranges));
            let from = copy::bytes(slice.strides(), x.dtype());
            let from = Side { start: copy::start(&slice), steps: &from };
            let to = Side { start: out.wrapping_offset(number as isize * steps[axis]), steps: &steps };
            // SAFETY: the slice lies inside `x`, and its place inside the result.
            unsafe { copy_strided(op, width, slice.shape(), from, to)? };
            interrupt::poll(op)?;
        }
        Ok(())
    })
}

/// The adjoint of [`take`]: the slices of `ct` added into zeros of `extent` along `axis`, at `positions`.
pub fn take_add(ct: &Tensor, axis: usize, positions: &[usize], extent: usize) -> Result<Tensor> {
    let op = "take_add";
    let Split { before, extent: count, after } = Split::new(op, ct.shape(), axis)?;
    check_positions(op, axis, positions, extent)?;
    if count != positions.len() {
        let message = format!("expected {count} positions, the extent of axis {axis}, got {}", positions.len());
        return Err(Error::argument(op, "positions", message));
    }
    let mut shape = ct.dims();
    shape[axis] = extent;
    let ct = compact(ct)?;
    by_number!(op, ct.dtype(), T => {
        let values = ct.as_slice::<T>()?;
        copy::build(op, ct.dtype(), &shape, |out| {
            let out = Place(out.cast::<T>());
            // A column is a part of the axes before, at all positions; columns of different slabs or parts are apart.
            let part = before.min(GRAIN);
            let parts = before.div_ceil(part.max(1));
            let column = part * (extent + count);
            let grain = (GRAIN / column.max(1)).max(1);
            threads::try_for_each_block(op, parts * after, grain, |columns| {
                for column in columns {
                    let (slab, first) = (column / parts, column % parts * part);
                    let rows = part.min(before - first);
                    for at in 0..extent {
                        let to = (slab * extent + at) * before + first;
                        // SAFETY: the column lies inside the result; zero bits are the zero of every number type.
                        unsafe { out.get().add(to).write_bytes(0, rows) };
                    }
                    for (number, &position) in positions.iter().enumerate() {
                        let to = (slab * extent + position) * before + first;
                        let from = (slab * count + number) * before + first;
                        for (row, &value) in values[from..from + rows].iter().enumerate() {
                            // SAFETY: as above.
                            unsafe { (*out.get().add(to + row)).accumulate(value) };
                        }
                    }
                }
            })
        })
    })
}

/// The elements at `positions`, which count in column-major order of `x`.
pub fn take_flat(x: &Tensor, positions: &[usize], shape: &[usize]) -> Result<Tensor> {
    let op = "take_flat";
    check_positions(op, 0, positions, x.size())?;
    if shape.iter().try_fold(1usize, |size, &n| size.checked_mul(n)) != Some(positions.len()) {
        let message = format!("expected as many as shape {} holds, got {}", show_shape(shape), positions.len());
        return Err(Error::argument(op, "positions", message));
    }
    let x = compact(x)?;
    copy::build(op, x.dtype(), shape, |out| {
        by_width!(x.dtype(), Unit => {
            let (source, out) = (Place(copy::start(&x).cast::<Unit>()), Place(out.cast::<Unit>()));
            threads::try_for_each_block(op, positions.len(), GRAIN, |range| {
                for at in range {
                    // SAFETY: the position lies inside `x`, and `at` inside the result.
                    unsafe { *out.get().add(at) = *source.get().add(positions[at]) };
                }
            })
        })
    })
}

/// `x` with `values`, one per position, put at `positions`, which count in column-major order of `x`.
pub fn put_flat(x: &Tensor, positions: &[usize], values: &Tensor, mode: PutMode) -> Result<Tensor> {
    let op = "put_flat";
    check_positions(op, 0, positions, x.size())?;
    if values.size() != positions.len() {
        let message = format!("argument 'values': expected {} elements, got {}", positions.len(), values.size());
        return Err(Error::new(Variant::ShapeMismatch, op, message)
            .with("expected", &[positions.len()][..])
            .with("actual", values.shape()));
    }
    if values.dtype() != x.dtype() {
        return Err(Error::dtype(op, "argument 'values'", x.dtype(), values.dtype()));
    }
    let values = compact(values)?;
    match mode {
        PutMode::Set => by_width!(x.dtype(), Unit => {
            put(op, x, positions, |out: *mut Unit, at| {
                // SAFETY: `out` is an element of the copy of `x`, and `at` counts the values.
                unsafe { *out = *copy::start(&values).cast::<Unit>().add(at) };
            })
        }),
        PutMode::Add => by_number!(op, x.dtype(), T => {
            let values = values.as_slice::<T>()?;
            put(op, x, positions, |out: *mut T, at| {
                // SAFETY: `out` is an element of the copy of `x`.
                unsafe { (*out).accumulate(values[at]) };
            })
        }),
    }
}

/// A copy of `x` after `change(element, number)` for each of the positions, which lie inside `x`.
fn put<T>(op: &'static str, x: &Tensor, positions: &[usize], change: impl Fn(*mut T, usize)) -> Result<Tensor> {
    copy::modified(op, x, |out| {
        for (number, part) in positions.chunks(POLL_AFTER).enumerate() {
            for (at, &position) in part.iter().enumerate() {
                change(out.cast::<T>().wrapping_add(position), number * POLL_AFTER + at);
            }
            interrupt::poll(op)?;
        }
        Ok(())
    })
}
