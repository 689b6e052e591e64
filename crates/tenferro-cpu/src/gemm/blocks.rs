//! Larger products: tiles of the result, each through the `gemm` crate.

use super::matrix::{Extents, Matrix};
use super::ring::Ring;
use std::ops::Range;

/// Length of the sums that one call of the crate gets. The crate never cuts sums of this length, so the order of
/// additions is the same for every tile.
const DEPTH: usize = 512;
const SIDE: usize = 512;
/// Products of one tile that are done in one go, about: some ten milliseconds.
const PRODUCTS: usize = 1 << 28;
/// Tiles start at multiples of this.
const GRANULE: usize = 16;
/// Up to this many results, the crate chooses its kernel by the layout if the sums run along both operands' memory.
const FEW_RESULTS: usize = 256;
/// Up to this many columns, the crate reads the left operand in place, once per few columns.
const FEW_COLUMNS: usize = 32;
/// Bytes of one row of the left operand that are read again and again in that case, and the rows of such a tile.
const NARROW_BYTES: usize = 512;
const NARROW_ROWS: usize = 1024;
/// Up to this many rows, the crate reads the right operand in place, in strips that do not use whole cache lines; for
/// elements of this size it pays to collect them before.
const FEW_ROWS: usize = 32;
const WIDE_BYTES: usize = 16;
/// Columns of the right operand, at least, that are then collected before; more than `FEW_RESULTS` results of two rows.
const STRIP: usize = 136;
/// Rows that are collected in one go, and room between columns, so that they do not compete for the same cache lines.
const BESIDE: usize = 8;

/// How the result is cut into tiles: their number along rows and columns, and the length of the sums of one call.
#[derive(Clone, Copy)]
pub(super) struct Tiling {
    size: Extents,
    counts: [usize; 2],
    depth: usize,
}

impl Tiling {
    /// Tiles that are large enough to make up for packing, and small enough to be shared by threads.
    pub fn new(size: Extents, itemsize: usize) -> Tiling {
        if size.n <= FEW_COLUMNS && size.m > SIDE / 2 {
            return Tiling { size, counts: [size.m.div_ceil(NARROW_ROWS), 1], depth: NARROW_BYTES / itemsize };
        }
        Tiling { size, counts: [size.m.div_ceil(SIDE), size.n.div_ceil(SIDE)], depth: DEPTH }
    }

    /// Length of the sums that are done in one go, so that no tile takes long; a multiple of all depths.
    pub fn span(&self) -> usize {
        let area = self.size.m.div_ceil(self.counts[0]) * self.size.n.div_ceil(self.counts[1]);
        (PRODUCTS / area / DEPTH).max(1) * DEPTH
    }

    pub fn tiles(&self) -> usize {
        self.counts[0] * self.counts[1]
    }

    /// Products per tile, about, for sums of this length.
    pub fn products(&self, depth: usize) -> usize {
        (self.size.m / self.counts[0]).saturating_mul(self.size.n / self.counts[1]).saturating_mul(depth)
    }

    /// Whether an operand whose sums run along memory must be copied if the other one's do, too.
    pub fn needs_uneven_steps(&self) -> bool {
        let least = |extent: usize, count: usize| extent.div_ceil(GRANULE) / count * GRANULE;
        let [rows, columns] = [least(self.size.m, self.counts[0]), least(self.size.n, self.counts[1])];
        (rows.max(GRANULE) - GRANULE + 1) * (columns.max(GRANULE) - GRANULE + 1) <= FEW_RESULTS
    }

    /// First row (or column) and number of rows of the tile at `at`. All tiles have about the same number.
    fn part(extent: usize, count: usize, at: usize) -> (usize, usize) {
        let granules = extent.div_ceil(GRANULE);
        let start = |at: usize| (at * granules / count * GRANULE).min(extent);
        (start(at), start(at + 1) - start(at))
    }
}

/// One tile of the compact product; of its sums, those over `span`, added to what is there if that is not the first.
///
/// # Safety
/// The matrices must be readable in the tiling's extents, and that tile of `out` writable.
pub(super) unsafe fn multiply<T: Ring>(
    a: Matrix<T>,
    b: Matrix<T>,
    out: *mut T,
    tiling: &Tiling,
    tile: usize,
    span: Range<usize>,
) {
    let Tiling { size, counts, depth } = *tiling;
    let (row, rows) = Tiling::part(size.m, counts[0], tile % counts[0]);
    let (column, columns) = Tiling::part(size.n, counts[1], tile / counts[0]);
    let out = out.wrapping_add(row + column * size.m);
    for first in span.clone().step_by(depth) {
        let part = Extents { m: rows, n: columns, k: depth.min(span.end - first) };
        let a = Matrix { start: a.at(row, first), steps: a.steps };
        let b = Matrix { start: b.at(first, column), steps: b.steps };
        // SAFETY: passed on; the tile and this part of the sums lie inside the matrices.
        unsafe {
            if size.m <= FEW_ROWS && size_of::<T>() >= WIDE_BYTES && b.steps[0] != 1 && columns > STRIP {
                by_strips(part, a, b, out, size.m, first > 0);
            } else {
                call(part, a, b, out, size.m, first > 0);
            }
        }
    }
}

/// Collects some columns of the right operand at a time, so that the crate finds their elements side by side.
unsafe fn by_strips<T: Ring>(size: Extents, a: Matrix<T>, b: Matrix<T>, out: *mut T, step: usize, add: bool) {
    let strips = size.n / STRIP;
    let column = size.k + BESIDE;
    let mut strip: Vec<T> = Vec::new();
    let room = strip.try_reserve_exact(size.n.div_ceil(strips) * column);
    for at in 0..strips {
        let (first, end) = (at * size.n / strips, (at + 1) * size.n / strips);
        let part = Extents { n: end - first, ..size };
        let source = Matrix { start: b.at(0, first), steps: b.steps };
        let out = out.wrapping_add(first * step);
        // SAFETY: passed on; the strip has room for its columns.
        unsafe {
            if room.is_err() {
                call(part, a, source, out, step, add);
                continue;
            }
            collect(part, source, strip.as_mut_ptr(), column);
            call(part, a, Matrix { start: strip.as_ptr(), steps: [1, column as isize] }, out, step, add);
        }
    }
}

unsafe fn collect<T: Ring>(size: Extents, from: Matrix<T>, to: *mut T, step: usize) {
    for first in (0..size.k).step_by(BESIDE) {
        let rows = BESIDE.min(size.k - first);
        for column in 0..size.n {
            let to = to.wrapping_add(first + column * step);
            for row in 0..rows {
                // SAFETY: the element is one of the matrix; `to` has room for all.
                unsafe { to.add(row).write(*from.at(first + row, column)) };
            }
        }
    }
}

/// One product by the crate, written to `out`, whose columns are `step` apart, or added to what is there.
unsafe fn call<T: Ring>(size: Extents, a: Matrix<T>, b: Matrix<T>, out: *mut T, step: usize, add: bool) {
    // SAFETY: passed on; `T` is one of the crate's types.
    unsafe {
        gemm::gemm(
            size.m,
            size.n,
            size.k,
            out,
            step as isize,
            1,
            add,
            a.start,
            a.steps[1],
            a.steps[0],
            b.start,
            b.steps[1],
            b.steps[0],
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
