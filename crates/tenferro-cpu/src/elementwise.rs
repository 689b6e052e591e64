//! The elementwise engine: one pass over strided and broadcast operands into a compact result.
//!
//! Axes are fused, the two innermost ones form tiles, and a typed kernel runs over each tile. Everything but the
//! kernels is independent of the element types.

use crate::threads;
use smallvec::SmallVec;
use tenferro_tensor::{Dims, Result, Scalar, Tensor, broadcast_shapes};

/// Elements per block of work: a few microseconds at least, and small enough for the second-level cache.
const GRAIN: usize = 1 << 14;
/// Side of the square tiles that operands with crossed memory orders are walked in.
const CROSSED_TILE: usize = 32;

/// A rectangle of elements; operand 0 is the result, whose steps along the first axis are unit.
#[derive(Clone, Copy)]
struct Tile<const N: usize> {
    start: [*mut u8; N],
    extent: [usize; 2],
    /// Steps in elements along either axis.
    step: [[isize; N]; 2],
}

#[derive(Clone, Copy)]
struct Axis<const N: usize> {
    extent: usize,
    step: [isize; N],
}

struct Walk<const N: usize> {
    start: [*mut u8; N],
    itemsize: [isize; N],
    axes: SmallVec<[Axis<N>; 6]>,
    tile: [usize; 2],
}

// SAFETY: the pointers are only handed to kernels, which read shared operands and write disjoint tiles of the result.
unsafe impl<const N: usize> Sync for Walk<N> {}

impl<const N: usize> Walk<N> {
    /// `operands[0]` is a placeholder for the result's address; its steps are those of a compact tensor of `shape`.
    fn new(shape: &[usize], start: [*mut u8; N], itemsize: [usize; N], inputs: &[&Tensor]) -> Walk<N> {
        let mut axes: SmallVec<[Axis<N>; 6]> = SmallVec::new();
        let mut compact = 1isize;
        for (axis, &extent) in shape.iter().enumerate() {
            if extent == 1 {
                continue;
            }
            let step = std::array::from_fn(|operand| match operand.checked_sub(1) {
                None => compact,
                Some(input) => broadcast_step(inputs[input], axis, shape.len()),
            });
            compact *= extent as isize;
            match axes.last_mut() {
                Some(last) if (0..N).all(|i| step[i] == last.step[i] * last.extent as isize) => last.extent *= extent,
                _ => axes.push(Axis { extent, step }),
            }
        }
        while axes.len() < 2 {
            axes.push(Axis { extent: 1, step: [0; N] });
        }
        bring_shortest_second(&mut axes);
        let crossed = (1..N).any(|i| axes[0].step[i].abs() > axes[1].step[i].abs() && axes[1].step[i] != 0);
        let tile = if crossed && axes[1].extent > 1 {
            [CROSSED_TILE, CROSSED_TILE]
        } else {
            let width = axes[0].extent.min(GRAIN);
            [width, (GRAIN / width).max(1)]
        };
        let tile = [tile[0].min(axes[0].extent), tile[1].min(axes[1].extent)];
        Walk { start, itemsize: itemsize.map(|bytes| bytes as isize), axes, tile }
    }

    fn run(&self, op: &'static str, kernel: &(dyn Fn(&Tile<N>) + Sync)) -> Result<()> {
        let across = self.axes[0].extent.div_ceil(self.tile[0]);
        let down = self.axes[1].extent.div_ceil(self.tile[1]);
        let outer: usize = self.axes[2..].iter().map(|axis| axis.extent).product();
        let units = across * down * outer;
        let per_unit = self.tile[0] * self.tile[1];
        let grain = (GRAIN / per_unit).max(1);
        if units <= grain {
            self.run_units(0..units, across, down, kernel);
            return Ok(());
        }
        threads::try_for_each_block(op, units, grain, |range| self.run_units(range, across, down, kernel))
    }

    fn run_units(&self, units: std::ops::Range<usize>, across: usize, down: usize, kernel: &dyn Fn(&Tile<N>)) {
        let mut index: SmallVec<[usize; 6]> = SmallVec::new();
        let mut rest = units.start;
        for extent in [across, down].into_iter().chain(self.axes[2..].iter().map(|axis| axis.extent)) {
            index.push(rest % extent);
            rest /= extent;
        }
        let step = [self.axes[0].step, self.axes[1].step];
        for _ in units {
            let first = [index[0] * self.tile[0], index[1] * self.tile[1]];
            let start = std::array::from_fn(|i| {
                let mut at = first[0] as isize * step[0][i] + first[1] as isize * step[1][i];
                for (axis, &position) in self.axes.iter().zip(&index).skip(2) {
                    at += position as isize * axis.step[i];
                }
                self.start[i].wrapping_offset(at * self.itemsize[i])
            });
            let extent = [0, 1].map(|k| self.tile[k].min(self.axes[k].extent - first[k]));
            kernel(&Tile { start, extent, step });
            for (position, extent) in
                index.iter_mut().zip([across, down].into_iter().chain(self.axes[2..].iter().map(|axis| axis.extent)))
            {
                *position += 1;
                if *position < extent {
                    break;
                }
                *position = 0;
            }
        }
    }
}

/// Step of `input`, aligned to the right of `rank` axes, along `axis`.
fn broadcast_step(input: &Tensor, axis: usize, rank: usize) -> isize {
    match (axis + input.rank()).checked_sub(rank) {
        Some(own) if input.shape()[own] != 1 => input.strides()[own],
        _ => 0,
    }
}

/// Moves the axis along which an input that is strided on axis 0 lies closest together to place 1, so that tiles reuse
/// its cache lines.
fn bring_shortest_second<const N: usize>(axes: &mut SmallVec<[Axis<N>; 6]>) {
    let Some(crossed) = (1..N).find(|&i| axes[0].step[i].abs() > 1) else { return };
    let nearest = (1..axes.len()).filter(|&k| axes[k].step[crossed] != 0).min_by_key(|&k| axes[k].step[crossed].abs());
    if let Some(k) = nearest
        && axes[k].step[crossed].abs() < axes[0].step[crossed].abs()
    {
        let axis = axes.remove(k);
        axes.insert(1, axis);
    }
}

/// Defines a kernel compiled for the baseline and for wide registers, chosen at run time. The arithmetic is the same
/// operation by operation (nothing is contracted), so the results agree bit for bit.
macro_rules! multiversioned {
    ($name:ident, $wide:ident, $body:ident, $n:literal, [$($ty:ident),*]) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn $wide<$($ty: Scalar,)* R: Scalar>(tile: &Tile<$n>, f: impl Fn($($ty),*) -> R + Copy) {
            // SAFETY: passed on.
            unsafe { $body(tile, f) }
        }

        /// # Safety
        /// Every element of `tile` must be valid: operand 0 for writes, the others for reads.
        #[inline]
        unsafe fn $name<$($ty: Scalar,)* R: Scalar>(tile: &Tile<$n>, f: impl Fn($($ty),*) -> R + Copy) {
            #[cfg(target_arch = "x86_64")]
            if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
                // SAFETY: passed on; the features are there.
                return unsafe { $wide(tile, f) };
            }
            // SAFETY: passed on.
            unsafe { $body(tile, f) }
        }
    };
}

#[inline(always)]
unsafe fn body1<A: Scalar, R: Scalar>(tile: &Tile<2>, f: impl Fn(A) -> R + Copy) {
    let [width, height] = tile.extent;
    let step = tile.step[0];
    for j in 0..height as isize {
        let out = tile.start[0].cast::<R>().wrapping_offset(j * tile.step[1][0]);
        let a = tile.start[1].cast::<A>().wrapping_offset(j * tile.step[1][1]).cast_const();
        // SAFETY: the caller vouches for every element of the tile.
        unsafe {
            if step[1] == 1 {
                for i in 0..width {
                    out.add(i).write(f(a.add(i).read()));
                }
            } else {
                for i in 0..width {
                    out.add(i).write(f(a.offset(i as isize * step[1]).read()));
                }
            }
        }
    }
}
multiversioned!(kernel1, kernel1_wide, body1, 2, [A]);

#[inline(always)]
unsafe fn body2<A: Scalar, B: Scalar, R: Scalar>(tile: &Tile<3>, f: impl Fn(A, B) -> R + Copy) {
    let [width, height] = tile.extent;
    let step = tile.step[0];
    for j in 0..height as isize {
        let out = tile.start[0].cast::<R>().wrapping_offset(j * tile.step[1][0]);
        let a = tile.start[1].cast::<A>().wrapping_offset(j * tile.step[1][1]).cast_const();
        let b = tile.start[2].cast::<B>().wrapping_offset(j * tile.step[1][2]).cast_const();
        // SAFETY: the caller vouches for every element of the tile.
        unsafe {
            match (step[1], step[2]) {
                (1, 1) => {
                    for i in 0..width {
                        out.add(i).write(f(a.add(i).read(), b.add(i).read()));
                    }
                }
                (1, 0) => {
                    let b = b.read();
                    for i in 0..width {
                        out.add(i).write(f(a.add(i).read(), b));
                    }
                }
                (0, 1) => {
                    let a = a.read();
                    for i in 0..width {
                        out.add(i).write(f(a, b.add(i).read()));
                    }
                }
                (sa, sb) => {
                    for i in 0..width {
                        let k = i as isize;
                        out.add(i).write(f(a.offset(k * sa).read(), b.offset(k * sb).read()));
                    }
                }
            }
        }
    }
}
multiversioned!(kernel2, kernel2_wide, body2, 3, [A, B]);

#[inline(always)]
unsafe fn body3<A: Scalar, B: Scalar, C: Scalar, R: Scalar>(tile: &Tile<4>, f: impl Fn(A, B, C) -> R + Copy) {
    let [width, height] = tile.extent;
    let step = tile.step[0];
    for j in 0..height as isize {
        let out = tile.start[0].cast::<R>().wrapping_offset(j * tile.step[1][0]);
        let a = tile.start[1].cast::<A>().wrapping_offset(j * tile.step[1][1]).cast_const();
        let b = tile.start[2].cast::<B>().wrapping_offset(j * tile.step[1][2]).cast_const();
        let c = tile.start[3].cast::<C>().wrapping_offset(j * tile.step[1][3]).cast_const();
        // SAFETY: the caller vouches for every element of the tile.
        unsafe {
            if step == [1; 4] {
                for i in 0..width {
                    out.add(i).write(f(a.add(i).read(), b.add(i).read(), c.add(i).read()));
                }
            } else {
                for i in 0..width {
                    let k = i as isize;
                    let (a, b, c) = (a.offset(k * step[1]), b.offset(k * step[2]), c.offset(k * step[3]));
                    out.add(i).write(f(a.read(), b.read(), c.read()));
                }
            }
        }
    }
}
multiversioned!(kernel3, kernel3_wide, body3, 4, [A, B, C]);

fn address<T: Scalar>(x: &Tensor) -> *mut u8 {
    x.as_ptr::<T>().cast::<u8>().cast_mut()
}

/// `f` of every element.
pub(crate) fn map1<A: Scalar, R: Scalar>(
    op: &'static str,
    x: &Tensor,
    f: impl Fn(A) -> R + Copy + Sync,
) -> Result<Tensor> {
    let size = [size_of::<R>(), size_of::<A>()];
    // SAFETY: the kernels write every element of the result once; the walk stays inside the operands' layouts.
    unsafe {
        Tensor::build(op, x.shape(), |out: *mut R, n| {
            let start = [out.cast::<u8>(), address::<A>(x)];
            if n <= GRAIN && x.is_compact() {
                kernel1(&Tile { start, extent: [n, 1], step: [[1; 2], [0; 2]] }, f);
                return Ok(());
            }
            if n == 0 {
                return Ok(());
            }
            Walk::new(x.shape(), start, size, &[x]).run(op, &|tile| kernel1(tile, f))
        })
    }
}

/// `f` of every pair of elements, after broadcasting.
pub(crate) fn map2<A: Scalar, B: Scalar, R: Scalar>(
    op: &'static str,
    a: &Tensor,
    b: &Tensor,
    f: impl Fn(A, B) -> R + Copy + Sync,
) -> Result<Tensor> {
    let size = [size_of::<R>(), size_of::<A>(), size_of::<B>()];
    let fill = |shape: &[usize], step: Option<[isize; 3]>| {
        // SAFETY: the kernels write every element of the result once; the walk stays inside the operands' layouts.
        unsafe {
            Tensor::build(op, shape, |out: *mut R, n| {
                let start = [out.cast::<u8>(), address::<A>(a), address::<B>(b)];
                if n == 0 {
                    return Ok(());
                }
                if let Some(step) = step
                    && n <= GRAIN
                {
                    kernel2(&Tile { start, extent: [n, 1], step: [step, [0; 3]] }, f);
                    return Ok(());
                }
                Walk::new(shape, start, size, &[a, b]).run(op, &|tile| kernel2(tile, f))
            })
        }
    };
    if a.shape() == b.shape() {
        return fill(a.shape(), (a.is_compact() && b.is_compact()).then_some([1, 1, 1]));
    }
    if b.rank() == 0 {
        return fill(a.shape(), a.is_compact().then_some([1, 1, 0]));
    }
    if a.rank() == 0 {
        return fill(b.shape(), b.is_compact().then_some([1, 0, 1]));
    }
    fill(&broadcast_shapes(op, a.shape(), b.shape())?, None)
}

/// `f` of every triple of elements, after broadcasting.
pub(crate) fn map3<A: Scalar, B: Scalar, C: Scalar, R: Scalar>(
    op: &'static str,
    a: &Tensor,
    b: &Tensor,
    c: &Tensor,
    f: impl Fn(A, B, C) -> R + Copy + Sync,
) -> Result<Tensor> {
    let size = [size_of::<R>(), size_of::<A>(), size_of::<B>(), size_of::<C>()];
    let shape: Dims = broadcast_shapes(op, &broadcast_shapes(op, a.shape(), b.shape())?, c.shape())?;
    // SAFETY: the kernels write every element of the result once; the walk stays inside the operands' layouts.
    unsafe {
        Tensor::build(op, &shape, |out: *mut R, n| {
            if n == 0 {
                return Ok(());
            }
            let start = [out.cast::<u8>(), address::<A>(a), address::<B>(b), address::<C>(c)];
            Walk::new(&shape, start, size, &[a, b, c]).run(op, &|tile| kernel3(tile, f))
        })
    }
}

/// The first element, in no promised order, that satisfies `test`.
pub(crate) fn find<A: Scalar>(op: &'static str, x: &Tensor, test: impl Fn(A) -> bool + Copy + Sync) -> Result<Option<A>> {
    let _ = op;
    let mut index = Dims::from_elem(0, x.rank());
    let start = x.as_ptr::<A>();
    for _ in 0..x.size() {
        let at: isize = index.iter().zip(x.strides()).map(|(&i, &step)| i as isize * step).sum();
        // SAFETY: `index` lies inside the shape.
        let value = unsafe { start.offset(at).read() };
        if test(value) {
            return Ok(Some(value));
        }
        for (position, &extent) in index.iter_mut().zip(x.shape()) {
            *position += 1;
            if *position < extent {
                break;
            }
            *position = 0;
        }
    }
    Ok(None)
}
