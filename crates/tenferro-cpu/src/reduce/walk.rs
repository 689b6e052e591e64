//! Walks over the elements of one chunk of results: the same tree, for different places in memory.

use super::tree::{LEAF, LEVELS, Pairs, leaf};
use crate::multiversion::multiversion;
use crate::strided::{Axis, Cursor};
use std::mem::MaybeUninit;
use tenferro_tensor::Scalar;

/// Results that are computed side by side at most.
pub(super) const BESIDE: usize = 256;
/// From one row of values for them to the next: not a power of two, so that rows do not compete for the same cache lines.
const ROW: usize = BESIDE + 8;
/// Results of several rows that are read in turn, so that the memory delivers the rows side by side.
const PART: usize = 32;
/// Fewer than this many are computed one by one.
const FEW: usize = 8;

/// Some results that lie side by side, and the span of reduced elements to fold for them.
#[derive(Clone, Copy)]
pub(super) struct Chunk<'a, T> {
    /// First element of the first result.
    pub start: *const T,
    pub results: usize,
    /// From one result's elements to the next one's.
    pub step: isize,
    pub reduced: &'a [Axis<1>],
    pub span: (usize, usize),
    pub out: *mut T,
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
    let (lane, level) = (|l: usize| lanes.wrapping_add(l * ROW), |d: usize| waiting.wrapping_add(d * ROW));
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
                    let (into, x) = (lane(l).wrapping_add(part), source.wrapping_offset(part as isize * chunk.step));
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
pub(super) unsafe fn fold_small<T: Scalar, F: Fn(T, T) -> T + Copy, const LANES: usize>(
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
    pub(super) unsafe fn fold_chunk['a, T: Scalar, F: Fn(T, T) -> T + Copy, const LANES: usize](chunk: Chunk<'a, T>, f: F)
        = fold_chunk_body::<T, F, LANES>;
}
