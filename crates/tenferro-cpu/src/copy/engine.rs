//! Moves elements between two strided layouts. Axes are fused. Then rectangles of a group of axes that are fast in the
//! target and a group that is fast in the source are moved one after the other, so that cache lines are used whole.

#![allow(clippy::needless_range_loop, reason = "lanes and rows are numbered, and several arrays share the number")]

use crate::strided::{Axes, Axis, Cursor, fuse};
use crate::threads;
use smallvec::SmallVec;
use std::ops::Range;
use tenferro_tensor::Result;

/// Bytes that one block of work moves, at least.
const BLOCK_BYTES: usize = 1 << 18;
/// Work of at most this many bytes stays on the calling thread.
const SERIAL_BYTES: usize = 1 << 20;
/// Up to this many elements are moved line by line.
const FEW: usize = 256;
/// Side of a square that is transposed in registers.
const SQUARE: usize = 8;
/// Sides of rectangles if the memory orders of the two sides cross.
const SIDE: usize = 64;
/// Rectangles with a shorter side are made of groups of axes.
const SHORT: usize = 16;
/// Axes are grouped until a rectangle has at least this side.
const LEAST_SIDE: usize = 32;

/// One side of a copy: address of the first element and steps in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a, P> {
    pub start: P,
    pub steps: &'a [isize],
}

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
    // SAFETY: passed on.
    unsafe {
        match width {
            1 => copy::<1>(op, shape, from, to),
            4 => copy::<4>(op, shape, from, to),
            8 => copy::<8>(op, shape, from, to),
            _ => copy::<16>(op, shape, from, to),
        }
    }
}

unsafe fn copy<const W: usize>(
    op: &'static str,
    shape: &[usize],
    from: Side<*const u8>,
    to: Side<*mut u8>,
) -> Result<()> {
    let size: usize = shape.iter().product();
    if size == 0 {
        return Ok(());
    }
    let all = shape.iter().enumerate();
    let axes = fuse(all.map(|(i, &extent)| Axis { extent, steps: [from.steps[i], to.steps[i]] }));
    // SAFETY: the caller vouches for all elements; no others are visited.
    unsafe {
        if size <= FEW {
            few::<W>(size, &axes, from.start, to.start);
            return Ok(());
        }
        Walk::new(W, axes, from.start, to.start).run::<W>(op)
    }
}

unsafe fn few<const W: usize>(size: usize, axes: &[Axis<2>], from: *const u8, to: *mut u8) {
    let Some(&Axis { extent, steps }) = axes.first() else {
        // SAFETY: passed on.
        return unsafe { move_element::<W>(from, to) };
    };
    let mut cursor = Cursor::new(&axes[1..], 0);
    for _ in 0..size / extent {
        let [at, into] = cursor.offsets();
        let x = Line { extent, from: steps[0], to: steps[1] };
        // SAFETY: passed on.
        unsafe { line::<W>(from.wrapping_offset(at), to.wrapping_offset(into), x) };
        cursor.advance(1);
    }
}

#[inline(always)]
unsafe fn move_element<const W: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: passed on; `[u8; W]` has no alignment.
    unsafe { *to.cast::<[u8; W]>() = *from.cast::<[u8; W]>() }
}

struct Walk {
    from: *const u8,
    to: *mut u8,
    /// Steps in bytes, of the source and of the target. The first two axes form rectangles, in parts of `tile`.
    axes: Axes<2>,
    tile: [usize; 2],
    manner: Manner,
}

#[allow(clippy::large_enum_variant, reason = "one value per copy, on the stack")]
enum Manner {
    /// Rectangles of two axes, line by line.
    Lines,
    /// Rectangles of two axes, in squares.
    Squares,
    /// Rectangles of two groups of short axes.
    Groups([Group; 2]),
}

/// Axes that form one side of a rectangle; the last one may be cut in parts.
struct Group {
    axes: Axes<2>,
    /// Elements of all axes but the last.
    inner: usize,
    part: usize,
    /// Offsets in source and target.
    places: SmallVec<[[isize; 2]; SIDE]>,
}

impl Group {
    fn new() -> Group {
        Group { axes: SmallVec::new(), inner: 1, part: 1, places: SmallVec::new() }
    }

    fn side(&self) -> usize {
        self.inner * self.part
    }

    fn push(&mut self, axis: Axis<2>) {
        self.inner = self.side();
        self.part = axis.extent.min((SIDE / self.inner).max(1));
        self.axes.push(axis);
    }

    fn last(&self) -> Axis<2> {
        self.axes.last().copied().unwrap_or(Axis { extent: 1, steps: [0, 0] })
    }

    fn place(&mut self) {
        let mut cursor = Cursor::new(&self.axes, 0);
        for _ in 0..self.side() {
            self.places.push(cursor.offsets());
            cursor.advance(1);
        }
    }
}

// SAFETY: blocks read shared memory and write disjoint rectangles.
unsafe impl Sync for Walk {}

impl Walk {
    fn new(width: usize, mut axes: Axes<2>, from: *const u8, to: *mut u8) -> Walk {
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
        if axes.len() > 2 && w.min(h) < SHORT && w.min(SIDE) * h.min(SIDE) < SHORT * SIDE {
            return Walk::grouped(axes, from, to);
        }
        if nearest.is_some() {
            return Walk { from, to, axes, tile: [w.min(SIDE), h.min(SIDE)], manner: Manner::Squares };
        }
        let wide = w.min(BLOCK_BYTES / width);
        let tile = [wide, h.min((BLOCK_BYTES / width / wide).max(1))];
        Walk { from, to, axes, tile, manner: Manner::Lines }
    }

    /// Axes fast in the target and axes fast in the source are taken in turn.
    fn grouped(mut axes: Axes<2>, from: *const u8, to: *mut u8) -> Walk {
        let mut groups = [Group::new(), Group::new()];
        while !axes.is_empty() && groups.iter().any(|group| group.side() < LEAST_SIDE) {
            for (group, fast_in) in groups.iter_mut().zip([1, 0]) {
                let nearest = (0..axes.len()).min_by_key(|&k| axes[k].steps[fast_in].unsigned_abs());
                if let Some(k) = nearest
                    && group.side() < LEAST_SIDE
                {
                    group.push(axes.remove(k));
                }
            }
        }
        groups.iter_mut().for_each(Group::place);
        for group in groups.iter().rev() {
            axes.insert(0, group.last());
        }
        let tile = [groups[0].part, groups[1].part];
        Walk { from, to, axes, tile, manner: Manner::Groups(groups) }
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
        let elements = match &self.manner {
            Manner::Groups(groups) => groups[0].side() * groups[1].side(),
            _ => self.tile[0] * self.tile[1],
        };
        // SAFETY: passed on.
        let work = |range: Range<usize>| unsafe { self.run_units::<W>(range, &grid) };
        if units.saturating_mul(elements * W) <= SERIAL_BYTES {
            work(0..units);
            return Ok(());
        }
        threads::try_for_each_block(op, units, (BLOCK_BYTES / (elements * W)).max(1), work)
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
                match &self.manner {
                    Manner::Squares => squares::<W>(from, to, x, y),
                    Manner::Lines => lines::<W>(from, to, x, y),
                    Manner::Groups([fast, slow]) => {
                        let fast = &fast.places[..x.extent * fast.inner];
                        let slow = &slow.places[..y.extent * slow.inner];
                        scattered::<W>(from, to, fast, slow);
                    }
                }
            }
            cursor.advance(1);
        }
    }
}

unsafe fn scattered<const W: usize>(from: *const u8, to: *mut u8, fast: &[[isize; 2]], slow: &[[isize; 2]]) {
    for &[at, into] in slow {
        let (from, to) = (from.wrapping_offset(at), to.wrapping_offset(into));
        for &[at, into] in fast {
            // SAFETY: passed on.
            unsafe { move_element::<W>(from.offset(at), to.offset(into)) };
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

/// Copies a rectangle along axis `x`; the shorter axis is the outer one if lines are short.
unsafe fn lines<const W: usize>(from: *const u8, to: *mut u8, x: Line, y: Line) {
    let (x, y) = if x.extent < SQUARE && x.extent < y.extent { (y, x) } else { (x, y) };
    for j in 0..y.extent as isize {
        let (from, to) = (from.wrapping_offset(j * y.from), to.wrapping_offset(j * y.to));
        // SAFETY: passed on.
        unsafe {
            if x.from == W as isize && x.to == W as isize {
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
        // SAFETY: passed on.
        unsafe { move_element::<W>(from.offset(i * x.from), to.offset(i * x.to)) };
    }
}

/// Copies a rectangle whose source lies closer together along `y` and whose target along `x`.
unsafe fn squares<const W: usize>(from: *const u8, to: *mut u8, x: Line, y: Line) {
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
