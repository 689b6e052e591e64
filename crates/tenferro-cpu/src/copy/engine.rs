//! Moves elements between two strided layouts: axes are fused, and where the memory orders of the two sides cross, the
//! rectangle of the two fastest axes is walked in small squares, so that every cache line is used whole.

use crate::strided::{Axes, Axis, Cursor, fuse};
use crate::threads;
use std::ops::Range;
use tenferro_tensor::Result;

/// Bytes that one block of work moves, at least.
const BLOCK_BYTES: usize = 1 << 18;
/// Work of at most this many bytes stays on the calling thread.
const SERIAL_BYTES: usize = 1 << 20;
/// Side of a square that is transposed in registers.
const SQUARE: usize = 8;
/// Sides of the rectangles that crossed memory orders are walked in.
const CROSSED: [usize; 2] = [64, 64];

/// One side of a copy: address of the first element and steps in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a, P> {
    pub start: P,
    pub steps: &'a [isize],
}

struct Walk {
    from: *const u8,
    to: *mut u8,
    /// Steps in bytes, of the source and of the target.
    axes: Axes<2>,
    crossed: bool,
    /// Extents of the rectangles along axes 0 and 1.
    tile: [usize; 2],
}

// SAFETY: blocks read shared memory and write disjoint rectangles.
unsafe impl Sync for Walk {}

/// Copies the elements of `shape`, each of `width` bytes (1, 4, 8 or 16) at any alignment.
///
/// # Safety
/// Every element of either side must be valid to read or write, the written ones distinct, and the sides disjoint.
pub(crate) unsafe fn copy_strided(
    op: &'static str,
    width: usize,
    shape: &[usize],
    from: Side<*const u8>,
    to: Side<*mut u8>,
) -> Result<()> {
    if shape.contains(&0) {
        return Ok(());
    }
    let walk = Walk::new(width, shape, from, to);
    // SAFETY: the caller vouches for all elements, and the walk visits no others.
    unsafe {
        match width {
            1 => walk.run::<1>(op),
            4 => walk.run::<4>(op),
            8 => walk.run::<8>(op),
            _ => walk.run::<16>(op),
        }
    }
}

impl Walk {
    fn new(width: usize, shape: &[usize], from: Side<*const u8>, to: Side<*mut u8>) -> Walk {
        let all = shape.iter().enumerate();
        let mut axes = fuse(all.map(|(i, &extent)| Axis { extent, steps: [from.steps[i], to.steps[i]] }));
        while axes.len() < 2 {
            axes.push(Axis { extent: 1, steps: [0, 0] });
        }
        let nearest = (1..axes.len())
            .filter(|&k| axes[k].steps[0] != 0 && axes[k].steps[0].abs() < axes[0].steps[0].abs())
            .min_by_key(|&k| axes[k].steps[0].abs());
        if let Some(k) = nearest {
            let axis = axes.remove(k);
            axes.insert(1, axis);
        }
        let [w, h] = [axes[0].extent, axes[1].extent];
        let tile = match nearest {
            Some(_) => [w.min(CROSSED[0]), h.min(CROSSED[1])],
            None => {
                let wide = w.min(BLOCK_BYTES / width);
                [wide, h.min((BLOCK_BYTES / width / wide).max(1))]
            }
        };
        Walk { from: from.start, to: to.start, axes, crossed: nearest.is_some(), tile }
    }

    /// The grid of rectangles.
    fn grid(&self) -> Axes<2> {
        let sides = self.tile.into_iter().chain(std::iter::repeat(1));
        let cells = self.axes.iter().zip(sides).map(|(axis, side)| Axis {
            extent: axis.extent.div_ceil(side),
            steps: axis.steps.map(|step| step.wrapping_mul(side as isize)),
        });
        cells.collect()
    }

    unsafe fn run<const W: usize>(&self, op: &'static str) -> Result<()> {
        let grid = self.grid();
        let units: usize = grid.iter().map(|axis| axis.extent).product();
        let per_unit = self.tile[0] * self.tile[1] * W;
        // SAFETY: passed on.
        let work = |range: Range<usize>| unsafe { self.run_units::<W>(range, &grid) };
        if units.saturating_mul(per_unit) <= SERIAL_BYTES {
            work(0..units);
            return Ok(());
        }
        threads::try_for_each_block(op, units, (BLOCK_BYTES / per_unit).max(1), work)
    }

    unsafe fn run_units<const W: usize>(&self, units: Range<usize>, grid: &[Axis<2>]) {
        let mut cursor = Cursor::new(grid, units.start);
        for _ in units {
            let [from, to] = cursor.offsets();
            let (from, to) = (self.from.wrapping_offset(from), self.to.wrapping_offset(to));
            let [x, y] = [0, 1].map(|k| {
                let axis = self.axes[k];
                let done = cursor.index()[k] * self.tile[k];
                Line { extent: self.tile[k].min(axis.extent - done), from: axis.steps[0], to: axis.steps[1] }
            });
            // SAFETY: the rectangle lies inside the copy that the caller vouches for.
            unsafe {
                match self.crossed {
                    true => transpose::<W>(from, to, x, y),
                    false => rows::<W>(from, to, x, y),
                }
            }
            cursor.advance(1);
        }
    }
}

/// One axis of a rectangle.
#[derive(Clone, Copy)]
struct Line {
    extent: usize,
    from: isize,
    to: isize,
}

/// Copies a rectangle along axis `x`, row by row; the shorter axis is the outer one if rows are not contiguous.
unsafe fn rows<const W: usize>(from: *const u8, to: *mut u8, x: Line, y: Line) {
    let contiguous = x.from == W as isize && x.to == W as isize;
    let (x, y) = if x.extent < SQUARE && x.extent < y.extent { (y, x) } else { (x, y) };
    for j in 0..y.extent as isize {
        let (from, to) = (from.wrapping_offset(j * y.from), to.wrapping_offset(j * y.to));
        // SAFETY: passed on; element copies are unaligned.
        unsafe {
            if contiguous && x.from == W as isize && x.to == W as isize {
                std::ptr::copy_nonoverlapping(from, to, x.extent * W);
            } else {
                line::<W>(from, to, x);
            }
        }
    }
}

#[inline(always)]
unsafe fn line<const W: usize>(from: *const u8, to: *mut u8, x: Line) {
    for i in 0..x.extent as isize {
        // SAFETY: passed on; `[u8; W]` has no alignment.
        unsafe {
            *to.offset(i * x.to).cast::<[u8; W]>() = *from.offset(i * x.from).cast::<[u8; W]>();
        }
    }
}

/// Copies a rectangle whose source lies closer together along `y` and whose target along `x`.
unsafe fn transpose<const W: usize>(from: *const u8, to: *mut u8, x: Line, y: Line) {
    let unit = x.to == W as isize && y.from == W as isize;
    let (full_x, full_y) = if unit { (x.extent / SQUARE * SQUARE, y.extent / SQUARE * SQUARE) } else { (0, 0) };
    let place = |i: usize, j: usize| {
        let (i, j) = (i as isize, j as isize);
        (from.wrapping_offset(i * x.from + j * y.from), to.wrapping_offset(i * x.to + j * y.to))
    };
    // SAFETY: passed on; squares, the strip right of them and the strip below them cover the rectangle once.
    unsafe {
        for i in (0..full_x).step_by(SQUARE) {
            for j in (0..full_y).step_by(SQUARE) {
                let (from, to) = place(i, j);
                square::<W>(from, x.from, to, y.to);
            }
        }
        for j in 0..y.extent {
            let (from, to) = place(if j < full_y { full_x } else { 0 }, j);
            let extent = if j < full_y { x.extent - full_x } else { x.extent };
            line::<W>(from, to, Line { extent, ..x });
        }
    }
}

/// Transposes a square of elements; both sides are contiguous along one of its axes.
#[inline(always)]
unsafe fn square<const W: usize>(from: *const u8, from_step: isize, to: *mut u8, to_step: isize) {
    // SAFETY: passed on; arrays of bytes have no alignment.
    unsafe {
        let read: [[[u8; W]; SQUARE]; SQUARE] =
            std::array::from_fn(|i| from.offset(i as isize * from_step).cast::<[[u8; W]; SQUARE]>().read());
        for j in 0..SQUARE {
            let row: [[u8; W]; SQUARE] = std::array::from_fn(|i| read[i][j]);
            to.offset(j as isize * to_step).cast::<[[u8; W]; SQUARE]>().write(row);
        }
    }
}

