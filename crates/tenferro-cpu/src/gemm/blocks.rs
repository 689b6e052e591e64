//! Larger products: tiles of the result, each through the `gemm` crate.

use super::plan::{Extents, Matrix};
use super::ring::Ring;

/// Length of the sums that one call of the crate gets. The crate never cuts sums of this length, so the order of
/// additions is the same for every tile.
const DEPTH: usize = 512;
const SIDE: usize = 512;
const LEAST_SIDE: usize = 64;
/// Products per tile, at most, if the sums are not too long for that.
const PRODUCTS: usize = 1 << 28;

/// Tiles start at multiples of this.
const GRANULE: usize = 16;
/// Up to this many results, the crate chooses its kernel by the layout if the sums run along both operands' memory.
const FEW_RESULTS: usize = 256;

/// How the result is cut into tiles: their number along rows and columns.
#[derive(Clone, Copy)]
pub(super) struct Tiling {
    size: Extents,
    counts: [usize; 2],
}

impl Tiling {
    /// Tiles that are large enough to make up for packing, and small enough to be shared by threads and to be done in
    /// some ten milliseconds.
    pub fn new(size: Extents) -> Tiling {
        let mut side = SIDE;
        while side > LEAST_SIDE && (side * side).saturating_mul(size.k) > PRODUCTS {
            side /= 2;
        }
        Tiling { size, counts: [size.m.div_ceil(side), size.n.div_ceil(side)] }
    }

    pub fn tiles(&self) -> usize {
        self.counts[0] * self.counts[1]
    }

    /// Products per tile, about.
    pub fn products(&self) -> usize {
        (self.size.m / self.counts[0]).saturating_mul(self.size.n / self.counts[1]).saturating_mul(self.size.k)
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

/// One tile of the compact product.
///
/// # Safety
/// The matrices must be readable in the tiling's extents, and that tile of `out` writable.
pub(super) unsafe fn multiply<T: Ring>(a: Matrix<T>, b: Matrix<T>, out: *mut T, tiling: &Tiling, tile: usize) {
    let Tiling { size, counts } = *tiling;
    let (row, rows) = Tiling::part(size.m, counts[0], tile % counts[0]);
    let (column, columns) = Tiling::part(size.n, counts[1], tile / counts[0]);
    let out = out.wrapping_add(row + column * size.m);
    for depth in (0..size.k).step_by(DEPTH) {
        // SAFETY: passed on; the tile and this part of the sums lie inside the matrices.
        unsafe {
            gemm::gemm(
                rows,
                columns,
                DEPTH.min(size.k - depth),
                out,
                size.m as isize,
                1,
                depth > 0,
                a.at(row, depth),
                a.steps[1],
                a.steps[0],
                b.at(depth, column),
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
}
