//! The elementwise engine: one pass over strided and broadcast operands into a compact result. Axes are fused, the space
//! is cut into pieces (`walk`), and a typed kernel runs over each of them (`kernels`).

mod kernels;
mod walk;

use crate::copy::compact;
use crate::math::vector::{Lanes, fill};
use crate::threads;
use kernels::{kernel1, kernel2, kernel3};
use std::mem::MaybeUninit;
use std::ops::Range;
use tenferro_tensor::{Dims, Result, Scalar, Tensor, broadcast_shapes};
use walk::{GRAIN, Piece, Walk};

/// Elements per block of expensive functions; a multiple of the lanes.
const LANES_GRAIN: usize = 1 << 12;

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
                kernel1(&Piece::row(start, n, [1; 2]), f);
                return Ok(());
            }
            if n == 0 {
                return Ok(());
            }
            Walk::new(x.shape(), start, size, &[x]).run(op, &|tile| kernel1(tile, f))
        })
    }
}

/// `F` of every element. The functions are so much work that a compact copy of a strided operand does not matter.
pub(crate) fn map_lanes<F: Lanes>(op: &'static str, x: &Tensor) -> Result<Tensor> {
    let x = &compact(x)?;
    let data = x.as_slice::<F::In>()?;
    // SAFETY: `fill` writes every element of the blocks, which cover the result and do not overlap.
    unsafe {
        Tensor::build(op, x.shape(), |out: *mut F::Out, n| {
            let out = Shared(out);
            let block = |range: Range<usize>| {
                let place = std::slice::from_raw_parts_mut(out.at(range.start), range.len());
                fill::<F>(&data[range], place);
            };
            if n <= LANES_GRAIN {
                block(0..n);
                return Ok(());
            }
            threads::try_for_each_block(op, n, LANES_GRAIN, block)
        })
    }
}

/// The result's address, for blocks that several threads write.
struct Shared<T>(*mut T);

// SAFETY: the blocks do not overlap.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn at(&self, index: usize) -> *mut MaybeUninit<T> {
        self.0.wrapping_add(index).cast()
    }
}

/// Rows up to this length are not worth a choice of instructions.
const TINY: usize = 12;

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
                if step == Some([1, 1, 1]) && n <= TINY {
                    // SAFETY: both operands are compact with `n` elements, and so is the result.
                    for i in 0..n {
                        out.add(i).write(f(a.as_ptr::<A>().add(i).read(), b.as_ptr::<B>().add(i).read()));
                    }
                    return Ok(());
                }
                if let Some(step) = step
                    && n <= GRAIN
                {
                    kernel2(&Piece::row(start, n, step), f);
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

/// The first element, in column-major order, that satisfies `test`.
pub(crate) fn find<A: Scalar>(x: &Tensor, test: impl Fn(A) -> bool + Copy) -> Result<Option<A>> {
    const CHUNK: usize = 1 << 10;
    let compact = compact(x)?;
    let hit = |chunk: &&[A]| chunk.iter().fold(false, |found, &value| found | test(value));
    let chunk = compact.as_slice::<A>()?.chunks(CHUNK).find(hit);
    Ok(chunk.and_then(|chunk| chunk.iter().copied().find(|&value| test(value))))
}

#[cfg(test)]
mod tests;
