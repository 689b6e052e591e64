//! Cuts a reduction into chunks of results and spans of reduced elements, which threads share.

use super::tree::{LEAF, Pairs, SPAN, leaf};
use super::walk::{BESIDE, Chunk, fold_chunk, fold_small};
use crate::strided::{Axes, Axis, Cursor, axes_of, fuse};
use crate::threads;
use std::ops::Range;
use tenferro_tensor::{Error, Result, Scalar, Tensor, Variant};

/// Partial results of all spans that memory can hold.
const SPAN_LEVELS: usize = usize::BITS as usize;
/// Elements per block of work, at least.
const GRAIN: usize = 1 << 16;
/// Up to this many elements stay on the calling thread.
const SERIAL: usize = 1 << 17;

/// Addresses that blocks share: they read elements and write disjoint results.
#[derive(Clone, Copy)]
struct Shared<T>(*const T, *mut T);
// SAFETY: see above.
unsafe impl<T: Sync> Sync for Shared<T> {}

/// Folds `x` over `axes` into `out`, which has room for the result.
///
/// # Safety
/// `T` is the type of the dtype of `x`, neither the result nor the reduced axes are empty, and `out` may be written.
pub(super) unsafe fn fold_into<T: Scalar, F: Fn(T, T) -> T + Copy + Send + Sync, const LANES: usize>(
    op: &'static str,
    x: &Tensor,
    axes: &[usize],
    f: F,
    out: *mut T,
) -> Result<()> {
    let start = x.as_ptr::<T>();
    if x.size() <= LEAF && x.is_compact() && axes.len() == x.rank() {
        // SAFETY: all elements of the compact tensor are in this leaf.
        unsafe { out.write(leaf::<T, F, LANES>(start, x.size(), f)) };
        return Ok(());
    }
    if x.size() <= LEAF
        && let ([rows, columns], [axis]) = (x.shape(), axes)
    {
        let (results, length) = if *axis == 0 { (*columns, *rows) } else { (*rows, *columns) };
        let (step, along) = (x.strides()[1 - axis], x.strides()[*axis]);
        // SAFETY: the matrix has these results and sums.
        unsafe { fold_small::<T, F, LANES>(start, (results, step), (length, along), f, out) };
        return Ok(());
    }
    let chosen = |keep: bool| {
        let pairs = axes_of(x.shape(), x.strides()).enumerate();
        fuse(pairs.filter(move |(axis, _)| axes.contains(axis) != keep).map(|(_, axis)| axis))
    };
    let (mut kept, reduced) = (chosen(true), chosen(false));
    if kept.is_empty() {
        kept.push(Axis { extent: 1, steps: [0] });
    }
    let side = kept[0].extent;
    let step = kept[0].steps[0];
    let mut grid: Axes<1> = kept.clone();
    grid[0] = Axis { extent: side.div_ceil(BESIDE), steps: [step.wrapping_mul(BESIDE as isize)] };
    let chunks: usize = grid.iter().map(|axis| axis.extent).product();
    let length: usize = reduced.iter().map(|axis| axis.extent).product();
    let results = x.size() / length;
    let spans = length.div_ceil(SPAN);
    let mut partial: Vec<T> = Vec::new();
    let target = if spans == 1 {
        out
    } else {
        partial.try_reserve_exact(spans * results).map_err(|_| no_memory(op, x))?;
        partial.as_mut_ptr()
    };
    let shared = Shared(start, target);
    let work = |units: Range<usize>| {
        let Shared(start, target) = { shared };
        let mut at = units.start;
        while at < units.end {
            let span = at / chunks;
            let mut cursor = Cursor::new(&grid, at % chunks);
            for number in at % chunks..chunks.min(units.end - span * chunks) {
                let first = cursor.index()[0] * BESIDE;
                let result = number / grid[0].extent * side + first;
                let chunk = Chunk {
                    start: start.wrapping_offset(cursor.offsets()[0]),
                    results: BESIDE.min(side - first),
                    step,
                    reduced: &reduced,
                    span: (span * SPAN, length.min((span + 1) * SPAN)),
                    out: target.wrapping_add(span * results + result),
                };
                // SAFETY: the chunk's elements are elements of `x`, and its results lie inside the target.
                unsafe { fold_chunk::<T, F, LANES>(chunk, f) };
                cursor.advance(1);
                at += 1;
            }
        }
    };
    if x.size() <= SERIAL {
        work(0..chunks * spans);
    } else {
        let per_unit = side.min(BESIDE) * length.min(SPAN);
        threads::try_for_each_block(op, chunks * spans, (GRAIN / per_unit).max(1), work)?;
    }
    if spans > 1 {
        for result in 0..results {
            let mut pairs = Pairs::<T, SPAN_LEVELS>::new();
            for span in 0..spans {
                // SAFETY: the blocks wrote all partial results.
                pairs.push(unsafe { *target.add(span * results + result) }, f);
            }
            // SAFETY: `out` has room for the results.
            unsafe { out.add(result).write(pairs.finish(f)) };
        }
    }
    Ok(())
}

fn no_memory(op: &'static str, x: &Tensor) -> Error {
    let message = "not enough memory for partial results";
    Error::new(Variant::OutOfMemory, op, message).with("shape", x.shape()).with("dtype", x.dtype())
}
