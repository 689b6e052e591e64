//! The iteration space of an elementwise call, cut into pieces. Independent of the element types.

use crate::strided::{Axes, Axis, Cursor, fuse};
use crate::threads;
use tenferro_tensor::{Result, Tensor};

/// Elements per block of work: a few microseconds at least, and small enough for the second-level cache.
pub(super) const GRAIN: usize = 1 << 14;
/// Side of the square tiles that operands with crossed memory orders are walked in.
const CROSSED_TILE: usize = 32;
/// Pieces of fewer elements than this are not worth their own call of the kernel.
const SMALL_TILE: usize = 64;
/// Elements that an offset table lists.
const TABLE: usize = 512;

/// A piece of the iteration space, given to a kernel. Operand 0 is the result.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a, const N: usize> {
    pub start: [*mut u8; N],
    pub form: Form<'a, N>,
}

/// Which elements a piece has, as offsets in elements from its start.
#[derive(Clone, Copy)]
pub(super) enum Form<'a, const N: usize> {
    /// A rectangle with steps along its two axes; the result's step along the first one is 1.
    Tile { extent: [usize; 2], step: [[isize; N]; 2] },
    /// The offsets one by one: many short axes in one piece.
    Table(&'a [[isize; N]]),
}

impl<const N: usize> Piece<'_, N> {
    /// A row of `n` elements.
    pub fn row(start: [*mut u8; N], n: usize, step: [isize; N]) -> Self {
        Piece { start, form: Form::Tile { extent: [n, 1], step: [step, [0; N]] } }
    }
}

/// The outer axes, in any order, and the pieces that make up one position of them.
pub(super) struct Walk<const N: usize> {
    start: [*mut u8; N],
    itemsize: [isize; N],
    outer: Axes<N>,
    inner: Inner<N>,
}

enum Inner<const N: usize> {
    /// Tiles along two axes; the two first outer axes count them.
    Tiles { axes: [Axis<N>; 2], tile: [usize; 2] },
    /// All offsets of a piece. The first outer axis counts ranges of one of the inner axes, of which there are `extent`
    /// positions with `unit` elements each.
    Table { offsets: Vec<[isize; N]>, unit: usize, extent: usize },
}

// SAFETY: the pointers are only handed to kernels, which read shared operands and write disjoint pieces of the result.
unsafe impl<const N: usize> Sync for Walk<N> {}

impl<const N: usize> Walk<N> {
    /// The inputs broadcast to `shape`, which has elements; operand 0 is compact.
    pub fn new(shape: &[usize], start: [*mut u8; N], itemsize: [usize; N], inputs: &[&Tensor]) -> Walk<N> {
        let mut compact = 1isize;
        let mut axes = fuse(shape.iter().enumerate().map(|(axis, &extent)| {
            let steps = std::array::from_fn(|operand| match operand.checked_sub(1) {
                None => compact,
                Some(input) => broadcast_step(inputs[input], axis, shape.len()),
            });
            compact *= extent as isize;
            Axis { extent, steps }
        }));
        while axes.len() < 2 {
            axes.push(Axis { extent: 1, steps: [0; N] });
        }
        let crossed = bring_shortest_second(&mut axes);
        let width = if crossed { CROSSED_TILE } else { GRAIN }.min(axes[0].extent);
        let height = if crossed { CROSSED_TILE } else { (GRAIN / width).max(1) }.min(axes[1].extent);
        let inner = if width * height < SMALL_TILE && axes.len() > 2 {
            offset_table(&mut axes)
        } else {
            let inner = [axes[0], axes[1]];
            axes[0] = in_pieces(inner[0], width);
            axes[1] = in_pieces(inner[1], height);
            Inner::Tiles { axes: inner, tile: [width, height] }
        };
        Walk { start, itemsize: itemsize.map(|bytes| bytes as isize), outer: axes, inner }
    }

    pub fn run(&self, op: &'static str, kernel: &(dyn Fn(&Piece<N>) + Sync)) -> Result<()> {
        let pieces = self.outer.iter().map(|axis| axis.extent).product();
        let per_piece = match &self.inner {
            Inner::Tiles { tile, .. } => tile[0] * tile[1],
            Inner::Table { offsets, .. } => offsets.len(),
        };
        let grain = (GRAIN / per_piece).max(1);
        if pieces <= grain {
            self.run_pieces(0..pieces, kernel);
            return Ok(());
        }
        threads::try_for_each_block(op, pieces, grain, |range| self.run_pieces(range, kernel))
    }

    fn run_pieces(&self, pieces: std::ops::Range<usize>, kernel: &dyn Fn(&Piece<N>)) {
        let mut cursor = Cursor::new(&self.outer, pieces.start);
        for _ in pieces {
            let offsets = cursor.offsets();
            let index = cursor.index();
            let start = std::array::from_fn(|i| self.start[i].wrapping_offset(offsets[i] * self.itemsize[i]));
            let form = match &self.inner {
                Inner::Table { offsets, unit, extent } => {
                    let done = index[0] * offsets.len();
                    Form::Table(&offsets[..offsets.len().min(unit * extent - done)])
                }
                Inner::Tiles { axes, tile } => Form::Tile {
                    extent: [0, 1].map(|k| tile[k].min(axes[k].extent - index[k] * tile[k])),
                    step: [axes[0].steps, axes[1].steps],
                },
            };
            kernel(&Piece { start, form });
            cursor.advance(1);
        }
    }
}

/// The axis that counts ranges of `length` positions of `axis`.
fn in_pieces<const N: usize>(axis: Axis<N>, length: usize) -> Axis<N> {
    Axis { extent: axis.extent.div_ceil(length), steps: axis.steps.map(|step| step * length as isize) }
}

/// Step of `input`, aligned to the right of `rank` axes, along `axis`.
fn broadcast_step(input: &Tensor, axis: usize, rank: usize) -> isize {
    match (axis + input.rank()).checked_sub(rank) {
        Some(own) if input.shape()[own] != 1 => input.strides()[own],
        _ => 0,
    }
}

/// If an input is strided along axis 0, moves the axis along which it lies closest to place 1, so that square tiles
/// reuse its cache lines. Returns whether that is worth it.
fn bring_shortest_second<const N: usize>(axes: &mut Axes<N>) -> bool {
    let Some(crossed) = (1..N).find(|&i| axes[0].steps[i].abs() > 1) else {
        return false;
    };
    match nearest(axes, crossed) {
        None | Some(0) => false,
        Some(k) => {
            let axis = axes.remove(k);
            axes.insert(1, axis);
            true
        }
    }
}

/// The axis along which `operand` takes the shortest step other than 0.
fn nearest<const N: usize>(axes: &Axes<N>, operand: usize) -> Option<usize> {
    (0..axes.len()).filter(|&k| axes[k].steps[operand] != 0).min_by_key(|&k| axes[k].steps[operand].abs())
}

/// Lists the offsets of the axes with the shortest steps, of each operand in turn, until the table is full; the last
/// axis is cut into ranges if need be, which the first of the `axes` that are left counts.
fn offset_table<const N: usize>(axes: &mut Axes<N>) -> Inner<N> {
    let mut offsets = vec![[0; N]];
    let mut operand = 0;
    loop {
        let unit = offsets.len();
        let axis = axes.remove(nearest(axes, operand).unwrap_or(0));
        let length = axis.extent.min(TABLE / unit);
        for position in 1..length as isize {
            for i in 0..unit {
                offsets.push(std::array::from_fn(|j| offsets[i][j] + position * axis.steps[j]));
            }
        }
        if axes.is_empty() || offsets.len() * 2 > TABLE {
            axes.insert(0, in_pieces(axis, length));
            return Inner::Table { offsets, unit, extent: axis.extent };
        }
        operand = (operand + 1) % N;
    }
}
