//! The fixed tree of a reduction. The reduced elements, numbered in column-major order of the reduced axes, are cut into
//! spans, the spans into leaves. In a leaf, lane `l` folds the elements number `l`, `l + LANES`, ... one after the other,
//! then the lanes are folded in halves; leaves are paired, then pairs of leaves, and so on up to the span; spans likewise.
//! How the elements lie in memory decides only which of the walks below runs; all of them follow this tree.

#![allow(
    clippy::needless_range_loop,
    reason = "lanes and rows are numbered, and several arrays share the number"
)]

use crate::multiversion::multiversion;
use crate::strided::{Axes, Axis, Cursor, axes_of, fuse};
use crate::threads;
use std::mem::MaybeUninit;
use std::ops::Range;
use tenferro_tensor::{Result, Scalar, Tensor};

const LEAF: usize = 256;
const SPAN: usize = 1 << 16;
/// Results that are computed side by side at most.
const BESIDE: usize = 256;
/// From one row of values for them to the next: not a power of two, so that rows do not compete for the same cache lines.
const ROW: usize = BESIDE + 8;
/// Results of several rows that are read in turn, so that the memory delivers the rows side by side.
const PART: usize = 32;
/// Fewer than this many are computed one by one.
const FEW: usize = 8;
/// A leaf and its predecessors in a span: at most one partial result per level.
const LEVELS: usize = (SPAN / LEAF).ilog2() as usize + 1;
/// Partial results of all spans that memory can hold.
const SPAN_LEVELS: usize = usize::BITS as usize;
/// Elements per block of work, at least.
const GRAIN: usize = 1 << 16;
/// Up to this many elements stay on the calling thread.
const SERIAL: usize = 1 << 17;

/// Folds values in pairs, pairs of pairs and so on, as they come: the binary digits of `count` say which are waiting.
struct Pairs<T, const N: usize> {
    waiting: [MaybeUninit<T>; N],
    depth: usize,
    count: usize,
}

impl<T: Copy, const N: usize> Pairs<T, N> {
    #[inline(always)]
    fn new() -> Self {
        Pairs {
            waiting: [const { MaybeUninit::uninit() }; N],
            depth: 0,
            count: 0,
        }
    }

    #[inline(always)]
    fn push(&mut self, mut value: T, f: impl Fn(T, T) -> T) {
        for _ in 0..self.count.trailing_ones() {
            self.depth -= 1;
            // SAFETY: the places below `depth` were written.
            value = f(unsafe { self.waiting[self.depth].assume_init() }, value);
        }
        self.waiting[self.depth].write(value);
        self.depth += 1;
        self.count += 1;
    }

    /// All values folded; at least one must have been pushed.
    #[inline(always)]
    fn finish(self, f: impl Fn(T, T) -> T) -> T {
        debug_assert!(self.depth > 0);
        // SAFETY: the places below `depth` were written.
        let mut value = unsafe { self.waiting[self.depth - 1].assume_init() };
        for at in (0..self.depth - 1).rev() {
            // SAFETY: as above.
            value = f(unsafe { self.waiting[at].assume_init() }, value);
        }
        value
    }
}

/// Some results that lie side by side, and the span of reduced elements to fold for them.
#[derive(Clone, Copy)]
struct Chunk<'a, T> {
    /// First element of the first result.
    start: *const T,
    results: usize,
    /// From one result's elements to the next one's.
    step: isize,
    reduced: &'a [Axis<1>],
    span: (usize, usize),
    out: *mut T,
}

/// Folds `n` elements that lie side by side; `1 <= n <= LEAF`.
#[inline(always)]
unsafe fn leaf<T: Scalar, F: Fn(T, T) -> T + Copy, const LANES: usize>(x: *const T, n: usize, f: F) -> T {
    // SAFETY: the caller vouches for `n` elements; lanes beyond `count` are not read.
    unsafe {
        let mut lanes = [x.read(); LANES];
        let mut count = n;
        if n >= LANES {
            count = LANES;
            lanes = x.cast::<[T; LANES]>().read();
            let full = n / LANES;
            for row in 1..full {
                let values = x.add(row * LANES).cast::<[T; LANES]>().read();
                for lane in 0..LANES {
                    lanes[lane] = f(lanes[lane], values[lane]);
                }
            }
            for lane in 0..n % LANES {
                lanes[lane] = f(lanes[lane], x.add(full * LANES + lane).read());
            }
        } else {
            for lane in 1..n {
                lanes[lane] = x.add(lane).read();
            }
        }
        let mut half = LANES / 2;
        while half > 0 {
            for lane in 0..count.saturating_sub(half) {
                lanes[lane] = f(lanes[lane], lanes[lane + half]);
            }
            count = count.min(half);
            half /= 2;
        }
        lanes[0]
    }
}

/// Each result's elements lie side by side: one result after the other.
#[inline(always)]
unsafe fn fold_runs<T: Scalar, F: Fn(T, T) -> T + Copy, const LANES: usize>(chunk: Chunk<T>, f: F) {
    let (first, end) = chunk.span;
    for result in 0..chunk.results {
        let x = chunk.start.wrapping_offset(result as isize * chunk.step);
        let mut pairs = Pairs::<T, LEVELS>::new();
        for at in (first..end).step_by(LEAF) {
            // SAFETY: passed on.
            pairs.push(unsafe { leaf::<T, F, LANES>(x.add(at), LEAF.min(end - at), f) }, f);
        }
        // SAFETY: the place is one of the chunk's.
        unsafe { chunk.out.add(result).write(pairs.finish(f)) };
    }
}

/// Few results, elements anywhere: each leaf is collected into a scratch space first.
#[inline(always)]
unsafe fn fold_collected<T: Scalar, F: Fn(T, T) -> T + Copy, const LANES: usize>(chunk: Chunk<T>, f: F) {
    let mut scratch = [const { [const { MaybeUninit::<T>::uninit() }; LEAF] }; FEW];
    let (first, end) = chunk.span;
    for group in (0..chunk.results).step_by(FEW) {
        let results = FEW.min(chunk.results - group);
        let mut pairs: [Pairs<T, LEVELS>; FEW] = std::array::from_fn(|_| Pairs::new());
        let mut cursor = Cursor::new(chunk.reduced, first);
        let step = chunk.reduced.first().map_or(0, |axis| axis.steps[0]);
        let start = chunk.start.wrapping_offset(group as isize * chunk.step);
        for at in (first..end).step_by(LEAF) {
            let n = LEAF.min(end - at);
            let mut done = 0;
            while done < n {
                let run = cursor.run().min(n - done);
                for (result, row) in scratch[..results].iter_mut().enumerate() {
                    let x = start.wrapping_offset(cursor.offsets()[0] + result as isize * chunk.step);
                    for (i, slot) in row[done..done + run].iter_mut().enumerate() {
                        // SAFETY: the cursor walks over the elements that the caller vouches for.
                        slot.write(unsafe { *x.wrapping_offset(i as isize * step) });
                    }
                }
                cursor.advance(run);
                done += run;
            }
            for (row, pairs) in scratch[..results].iter().zip(&mut pairs) {
                // SAFETY: `n` places of the row were just written.
                pairs.push(unsafe { leaf::<T, F, LANES>(row.as_ptr().cast(), n, f) }, f);
            }
        }
        for (result, pairs) in pairs.into_iter().take(results).enumerate() {
            // SAFETY: the place is one of the chunk's.
            unsafe { chunk.out.add(group + result).write(pairs.finish(f)) };
        }
    }
}

/// `into[i] = f(into[i], from[i * step])`.
#[inline(always)]
unsafe fn fold_row<T: Scalar, F: Fn(T, T) -> T + Copy>(into: *mut T, from: *const T, step: isize, n: usize, f: F) {
    // SAFETY: passed on.
    unsafe {
        if step == 1 {
            for i in 0..n {
                *into.add(i) = f(*into.add(i), *from.add(i));
            }
        } else {
            for i in 0..n {
                *into.add(i) = f(*into.add(i), *from.offset(i as isize * step));
            }
        }
    }
}

/// Many results side by side: lanes and waiting values are rows of one value per result.
#[inline(always)]
unsafe fn fold_beside<T: Scalar, F: Fn(T, T) -> T + Copy, const LANES: usize>(chunk: Chunk<T>, f: F) {
    let mut lanes = [const { [const { MaybeUninit::<T>::uninit() }; ROW] }; LANES];
    let mut waiting = [const { [const { MaybeUninit::<T>::uninit() }; ROW] }; LEVELS];
    let (lanes, waiting): (*mut T, *mut T) = (lanes.as_mut_ptr().cast(), waiting.as_mut_ptr().cast());
    let (lane, level) = (
        |l: usize| lanes.wrapping_add(l * ROW),
        |d: usize| waiting.wrapping_add(d * ROW),
    );
    let (first, end) = chunk.span;
    let n = chunk.results;
    let mut cursor = Cursor::new(chunk.reduced, first);
    let (mut depth, mut leaves) = (0usize, 0usize);
    for at in (first..end).step_by(LEAF) {
        let rows = LEAF.min(end - at);
        for first in (0..rows).step_by(LANES) {
            let count = LANES.min(rows - first);
            let mut sources = [chunk.start; LANES];
            for source in &mut sources[..count] {
                *source = chunk.start.wrapping_offset(cursor.offsets()[0]);
                cursor.advance(1);
            }
            for part in (0..n).step_by(PART) {
                let width = PART.min(n - part);
                for (l, &source) in sources[..count].iter().enumerate() {
                    let (into, x) = (
                        lane(l).wrapping_add(part),
                        source.wrapping_offset(part as isize * chunk.step),
                    );
                    // SAFETY: the cursor walks over the elements that the caller vouches for; lanes are written before
                    // they are read.
                    unsafe {
                        if first > 0 {
                            fold_row(into, x, chunk.step, width, f);
                        } else {
                            (0..width).for_each(|i| into.add(i).write(*x.wrapping_offset(i as isize * chunk.step)));
                        }
                    }
                }
            }
        }
        let mut count = rows.min(LANES);
        let mut half = LANES / 2;
        while half > 0 {
            for l in 0..count.saturating_sub(half) {
                // SAFETY: both lanes were written.
                unsafe { fold_row(lane(l), lane(l + half), 1, n, f) };
            }
            count = count.min(half);
            half /= 2;
        }
        for _ in 0..leaves.trailing_ones() {
            depth -= 1;
            // SAFETY: the levels below `depth` and lane 0 were written; the earlier value goes first.
            unsafe { fold_row(lane(0), level(depth), 1, n, |later, earlier| f(earlier, later)) };
        }
        // SAFETY: `depth` is below `LEVELS`, since a span has at most `2^(LEVELS - 1)` leaves.
        unsafe { level(depth).copy_from_nonoverlapping(lane(0), n) };
        depth += 1;
        leaves += 1;
    }
    // SAFETY: as above; the chunk's results have `n` places.
    unsafe {
        for d in (0..depth - 1).rev() {
            fold_row(level(depth - 1), level(d), 1, n, |later, earlier| f(earlier, later));
        }
        chunk.out.copy_from_nonoverlapping(level(depth - 1), n);
    }
}

#[inline(always)]
unsafe fn fold_chunk_body<T: Scalar, F: Fn(T, T) -> T + Copy, const LANES: usize>(chunk: Chunk<T>, f: F) {
    let length: usize = chunk.reduced.iter().map(|axis| axis.extent).product();
    let runs = matches!(chunk.reduced, [] | [Axis { steps: [1], .. }]);
    // SAFETY: passed on.
    unsafe {
        if runs && (length >= 4 * LANES || chunk.results < FEW) {
            fold_runs::<T, F, LANES>(chunk, f)
        } else if chunk.results < FEW {
            fold_collected::<T, F, LANES>(chunk, f)
        } else {
            fold_beside::<T, F, LANES>(chunk, f)
        }
    }
}

/// Results of one leaf each, from at most `LEAF` elements in all.
unsafe fn fold_small<T: Scalar, F: Fn(T, T) -> T + Copy, const LANES: usize>(
    start: *const T,
    (results, step): (usize, isize),
    (length, along): (usize, isize),
    f: F,
    out: *mut T,
) {
    let mut scratch = [const { MaybeUninit::<T>::uninit() }; LEAF];
    for result in 0..results {
        let mut x = start.wrapping_offset(result as isize * step);
        // SAFETY: passed on; `length` places of the scratch space are written before they are read.
        unsafe {
            if along != 1 {
                for (i, slot) in scratch[..length].iter_mut().enumerate() {
                    slot.write(*x.offset(i as isize * along));
                }
                x = scratch.as_ptr().cast();
            }
            out.add(result).write(leaf::<T, F, LANES>(x, length, f));
        }
    }
}

multiversion! {
    unsafe fn fold_chunk['a, T: Scalar, F: Fn(T, T) -> T + Copy, const LANES: usize](chunk: Chunk<'a, T>, f: F)
        = fold_chunk_body::<T, F, LANES>;
}

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
        let (results, length) = if *axis == 0 {
            (*columns, *rows)
        } else {
            (*rows, *columns)
        };
        let (step, along) = (x.strides()[1 - axis], x.strides()[*axis]);
        // SAFETY: the matrix has these results and sums.
        unsafe { fold_small::<T, F, LANES>(start, (results, step), (length, along), f, out) };
        return Ok(());
    }
    let chosen = |keep: bool| {
        let pairs = axes_of(x.shape(), x.strides()).enumerate();
        fuse(
            pairs
                .filter(move |(axis, _)| axes.contains(axis) != keep)
                .map(|(_, axis)| axis),
        )
    };
    let (mut kept, reduced) = (chosen(true), chosen(false));
    if kept.is_empty() {
        kept.push(Axis { extent: 1, steps: [0] });
    }
    let side = kept[0].extent;
    let step = kept[0].steps[0];
    let mut grid: Axes<1> = kept.clone();
    grid[0] = Axis {
        extent: side.div_ceil(BESIDE),
        steps: [step.wrapping_mul(BESIDE as isize)],
    };
    let chunks: usize = grid.iter().map(|axis| axis.extent).product();
    let length: usize = reduced.iter().map(|axis| axis.extent).product();
    let results = x.size() / length;
    let spans = length.div_ceil(SPAN);
    let mut partial: Vec<T> = Vec::new();
    let target = if spans == 1 {
        out
    } else {
        partial
            .try_reserve_exact(spans * results)
            .map_err(|_| no_memory(op, x))?;
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

fn no_memory(op: &'static str, x: &Tensor) -> tenferro_tensor::Error {
    let message = "not enough memory for partial results";
    tenferro_tensor::Error::new(tenferro_tensor::Variant::OutOfMemory, op, message)
        .with("shape", x.shape())
        .with("dtype", x.dtype())
}
