//! The fixed tree of a reduction. The reduced elements, numbered in column-major order of the reduced axes, are cut into
//! spans, the spans into leaves. In a leaf, lane `l` folds the elements number `l`, `l + LANES`, ... one after the other,
//! then the lanes are folded in halves; leaves are paired, then pairs of leaves, and so on up to the span; spans likewise.
//! How the elements lie in memory decides only which of the walks below runs; all of them follow this tree.

#![allow(clippy::needless_range_loop, reason = "lanes and rows are numbered, and several arrays share the number")]

use std::mem::MaybeUninit;
use tenferro_tensor::Scalar;

pub(super) const LEAF: usize = 256;
pub(super) const SPAN: usize = 1 << 16;
/// A leaf and its predecessors in a span: at most one partial result per level.
pub(super) const LEVELS: usize = (SPAN / LEAF).ilog2() as usize + 1;

/// Folds values in pairs, pairs of pairs and so on, as they come: the binary digits of `count` say which are waiting.
pub(super) struct Pairs<T, const N: usize> {
    waiting: [MaybeUninit<T>; N],
    depth: usize,
    count: usize,
}

impl<T: Copy, const N: usize> Pairs<T, N> {
    #[inline(always)]
    pub fn new() -> Self {
        Pairs { waiting: [const { MaybeUninit::uninit() }; N], depth: 0, count: 0 }
    }

    #[inline(always)]
    pub fn push(&mut self, mut value: T, f: impl Fn(T, T) -> T) {
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
    pub fn finish(self, f: impl Fn(T, T) -> T) -> T {
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

/// Folds `n` elements that lie side by side; `1 <= n <= LEAF`.
#[inline(always)]
pub(super) unsafe fn leaf<T: Scalar, F: Fn(T, T) -> T + Copy, const LANES: usize>(x: *const T, n: usize, f: F) -> T {
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
