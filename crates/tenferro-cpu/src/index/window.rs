//! Windows at computed starts, which are clamped so that the window fits.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the comments stand inside a macro's argument, where the lint does not look"
)]

use super::config::{GatherConfig, ScatterConfig, gather_shape, others, scatter_check, scatter_window};
use super::{Accumulate, GRAIN, POLL_AFTER, Place, by_number, by_width, list};
use crate::copy;
use crate::interrupt;
use crate::strided::{Axes, Axis, Cursor, fuse};
use crate::threads;
use std::ops::Range;
use tenferro_tensor::{DType, Dims, Error, Result, Strides, Tensor, compact_strides};

/// Windows of at most this many elements are walked element by element, the batch inside.
const SMALL: usize = 32;

/// The elements of `indices` as integers, in column-major order.
fn read_indices(op: &'static str, indices: &Tensor) -> Result<Vec<i64>> {
    const EXACT: f64 = (1u64 << 53) as f64;
    let indices = copy::compact(indices)?;
    let mut all = list(op, indices.size())?;
    let mut from_float = |value: f64| {
        if value.fract() != 0.0 || value.abs() > EXACT || value.is_nan() {
            let message = format!("expected whole numbers of at most 2**53, got {value}");
            return Err(Error::argument(op, "indices", message));
        }
        all.push(value as i64);
        Ok(())
    };
    match indices.dtype() {
        DType::F64 => indices.as_slice::<f64>()?.iter().try_for_each(|&value| from_float(value))?,
        DType::F32 => indices.as_slice::<f32>()?.iter().try_for_each(|&value| from_float(value.into()))?,
        DType::I64 => all.extend_from_slice(indices.as_slice()?),
        DType::I32 => all.extend(indices.as_slice::<i32>()?.iter().map(|&value| i64::from(value))),
        other => {
            let advice = "int32, int64, float32 or float64 for argument 'indices'";
            return Err(Error::unsupported_dtype(op, other, advice));
        }
    }
    Ok(all)
}

/// The tensor that windows lie in.
struct Operand<'a> {
    shape: &'a [usize],
    steps: &'a [isize],
    window: &'a [usize],
}

/// Position of each window's first element; `map` names the axis that each component of an index vector starts on.
fn window_starts(
    op: &'static str,
    indices: &Tensor,
    vector_dim: usize,
    map: &[usize],
    operand: Operand,
) -> Result<Vec<isize>> {
    let mut order = others(indices.rank(), &[vector_dim]);
    let batch: usize = order.iter().map(|&axis| indices.shape()[axis]).product();
    if vector_dim < indices.rank() {
        order.push(vector_dim);
    }
    let starts = read_indices(op, &indices.with_layout(indices.layout().permuted(&order)))?;
    let mut places = list(op, batch)?;
    places.resize(batch, 0isize);
    for (component, &axis) in starts.chunks_exact(batch.max(1)).zip(map) {
        let last = (operand.shape[axis] - operand.window[axis]) as i64;
        for (place, &start) in places.iter_mut().zip(component) {
            *place += start.clamp(0, last) as isize * operand.steps[axis];
        }
    }
    Ok(places)
}

/// Positions of all index tuples of `shape`, the first index fastest, for these steps.
fn positions(op: &'static str, shape: &[usize], steps: &[isize]) -> Result<Vec<isize>> {
    let size = shape.iter().product();
    let mut all = list(op, size)?;
    let axes: Axes<1> = fuse(shape.iter().zip(steps).map(|(&extent, &step)| Axis { extent, steps: [step] }));
    let mut cursor = Cursor::new(&axes, 0);
    for _ in 0..size {
        all.push(cursor.offsets()[0]);
        cursor.advance(1);
    }
    Ok(all)
}

/// Windows of two tensors that correspond: in the operand, and in the updates or the result.
struct Windows {
    /// First places of the windows.
    starts: [Vec<isize>; 2],
    /// Axes of a window.
    axes: Axes<2>,
    size: usize,
}

impl Windows {
    fn new(
        op: &'static str,
        starts: Vec<isize>,
        batch: (&[usize], &[isize]),
        window: (&[usize], &[isize], &[isize]),
    ) -> Result<Windows> {
        let (sizes, in_operand, in_other) = window;
        let steps = in_operand.iter().zip(in_other).map(|(&i, &j)| [i, j]);
        let axes = fuse(sizes.iter().zip(steps).map(|(&extent, steps)| Axis { extent, steps }));
        Ok(Windows { starts: [starts, positions(op, batch.0, batch.1)?], axes, size: sizes.iter().product() })
    }

    /// Calls `visit(place in the operand, place in the other)` for the windows in `range`.
    #[inline(always)]
    fn visit(&self, range: Range<usize>, mut visit: impl FnMut(isize, isize)) {
        let [starts, others] = [0, 1].map(|side| &self.starts[side][range.clone()]);
        if self.size <= SMALL {
            let mut cursor = Cursor::new(&self.axes, 0);
            for _ in 0..self.size {
                let [x, y] = cursor.offsets();
                for (&start, &other) in starts.iter().zip(others) {
                    visit(start + x, other + y);
                }
                cursor.advance(1);
            }
            return;
        }
        let [x_step, y_step] = self.axes[0].steps;
        for (&start, &other) in starts.iter().zip(others) {
            let mut cursor = Cursor::new(&self.axes, 0);
            let mut left = self.size;
            while left > 0 {
                let ([x, y], run) = (cursor.offsets(), cursor.run());
                for i in 0..run as isize {
                    visit(start + x + i * x_step, other + y + i * y_step);
                }
                cursor.advance(run);
                left -= run;
            }
        }
    }

    /// How many windows make a block of `elements`.
    fn grain(&self, elements: usize) -> usize {
        (elements / self.size.max(1)).max(1)
    }
}

fn pick<A: Copy, R: FromIterator<A>>(from: &[A], axes: &[usize]) -> R {
    axes.iter().map(|&axis| from[axis]).collect()
}

/// The windows of `x` that start at `indices`.
pub fn gather(x: &Tensor, indices: &Tensor, config: &GatherConfig) -> Result<Tensor> {
    let op = "gather";
    let shape = gather_shape(x.shape(), indices.shape(), config)?;
    let operand = Operand { shape: x.shape(), steps: x.strides(), window: &config.slice_sizes };
    let starts = window_starts(op, indices, config.index_vector_dim, &config.start_index_map, operand)?;
    let kept = others(x.rank(), &config.collapsed_slice_dims);
    let batch = others(shape.len(), &config.offset_dims);
    let steps = compact_strides(&shape);
    let windows = Windows::new(
        op,
        starts,
        (&pick::<_, Dims>(&shape, &batch), &pick::<_, Strides>(&steps, &batch)),
        (
            &pick::<_, Dims>(&config.slice_sizes, &kept),
            &pick::<_, Strides>(x.strides(), &kept),
            &pick::<_, Strides>(&steps, &config.offset_dims),
        ),
    )?;
    copy::build(op, x.dtype(), &shape, |out| {
        by_width!(x.dtype(), Unit => {
            let (source, out) = (Place(copy::start(x).cast::<Unit>()), Place(out.cast::<Unit>()));
            threads::try_for_each_block(op, windows.starts[0].len(), windows.grain(GRAIN), |range| {
                let (source, out) = (source.get(), out.get());
                // SAFETY: clamped windows lie inside `x`; the places in the compact result are all different.
                windows.visit(range, |from, to| unsafe { *out.offset(to) = *source.offset(from) });
            })
        })
    })
}

/// `x` with the windows of `updates` added at `indices`; where windows overlap, all of them are.
pub fn scatter_add(x: &Tensor, indices: &Tensor, updates: &Tensor, config: &ScatterConfig) -> Result<Tensor> {
    let op = "scatter";
    scatter_check(x.shape(), indices.shape(), updates.shape(), config)?;
    if updates.dtype() != x.dtype() {
        return Err(Error::dtype(op, "argument 'updates'", x.dtype(), updates.dtype()));
    }
    let steps = compact_strides(x.shape());
    let window = scatter_window(x.rank(), updates.shape(), config);
    let operand = Operand { shape: x.shape(), steps: &steps, window: &window };
    let map = &config.scatter_dims_to_operand_dims;
    let starts = window_starts(op, indices, config.index_vector_dim, map, operand)?;
    let kept = others(x.rank(), &config.inserted_window_dims);
    let batch = others(updates.rank(), &config.update_window_dims);
    let windows = Windows::new(
        op,
        starts,
        (&pick::<_, Dims>(updates.shape(), &batch), &pick::<_, Strides>(updates.strides(), &batch)),
        (
            &pick::<_, Dims>(&window, &kept),
            &pick::<_, Strides>(&steps, &kept),
            &pick::<_, Strides>(updates.strides(), &config.update_window_dims),
        ),
    )?;
    by_number!(op, x.dtype(), T => {
        let values = updates.as_ptr::<T>();
        copy::modified(op, x, |out| {
            let out = out.cast::<T>();
            let (count, grain) = (windows.starts[0].len(), windows.grain(POLL_AFTER));
            for first in (0..count).step_by(grain) {
                windows.visit(first..count.min(first + grain), |to, from| {
                    // SAFETY: clamped windows lie inside the compact copy of `x`; the other places are those of `updates`.
                    unsafe { (*out.offset(to)).accumulate(*values.offset(from)) }
                });
                interrupt::poll(op)?;
            }
            Ok(())
        })
    })
}
