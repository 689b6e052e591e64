//! Arranges the operands as batches of matrices.

use super::matrix::{Extents, Matrix};
use super::product::{Batch, Product};
use super::ring::Ring;
use super::{Checked, DotDims, OP};
use crate::copy::duplicate;
use crate::strided::{Axes, Axis, fuse};
use smallvec::SmallVec;
use tenferro_tensor::{Dims, Result, Scalar, Tensor};

/// One operand and its axes by role.
#[derive(Clone, Copy)]
struct Operand<'a> {
    tensor: &'a Tensor,
    free: &'a [usize],
    contracted: &'a [usize],
    batch: &'a [usize],
}

/// The operand as a batch of matrices, whose rows run along the free axes and columns along the contracted ones.
struct Arranged<T> {
    matrix: Matrix<T>,
    /// The copy that the matrix lies in, if one was made, and its first batch axis.
    copy: Option<(Tensor, usize)>,
}

impl Operand<'_> {
    fn product(&self, axes: &[usize]) -> usize {
        axes.iter().map(|&axis| self.tensor.shape()[axis]).product()
    }

    /// The one step along `axes`, if there is one.
    fn step(&self, axes: &[usize]) -> Option<isize> {
        let (shape, strides) = (self.tensor.shape(), self.tensor.strides());
        match axes {
            [] => Some(1),
            [axis] => Some(strides[*axis]),
            _ => match fuse(axes.iter().map(|&axis| Axis { extent: shape[axis], steps: [strides[axis]] }))[..] {
                [] => Some(1),
                [Axis { steps: [step], .. }] => Some(step),
                _ => None,
            },
        }
    }

    /// Without a copy, if both kinds of axes can be fused.
    fn in_place<T: Scalar>(&self) -> Option<Arranged<T>> {
        let steps = [self.step(self.free)?, self.step(self.contracted)?];
        Some(Arranged { matrix: Matrix { start: self.tensor.as_ptr(), steps }, copy: None })
    }

    /// Copied: free axes first.
    fn copied<T: Scalar>(&self) -> Result<Arranged<T>> {
        let Operand { tensor, free, contracted, batch } = *self;
        let order: Dims = free.iter().chain(contracted).chain(batch).copied().collect();
        let copy = duplicate(&tensor.with_layout(tensor.layout().permuted(&order)))?;
        let steps = [1, self.product(free) as isize];
        Ok(Arranged {
            matrix: Matrix { start: copy.as_ptr(), steps },
            copy: Some((copy, free.len() + contracted.len())),
        })
    }

    /// In place if that is possible.
    fn arranged<T: Scalar>(&self) -> Result<Arranged<T>> {
        match self.in_place() {
            Some(arranged) => Ok(arranged),
            None => self.copied(),
        }
    }

    fn batch_step<T>(&self, arranged: &Arranged<T>, number: usize) -> isize {
        match &arranged.copy {
            Some((copy, first)) => copy.strides()[first + number],
            None => self.tensor.strides()[self.batch[number]],
        }
    }
}

/// The product of two vectors or matrices without batch axes, if the arguments are that and right, and nothing needs a
/// copy: the common case, without any list of axes.
pub(super) fn contract_matrices<T: Ring>(a: &Tensor, b: &Tensor, dims: &DotDims) -> Option<Result<Tensor>> {
    let ([i], [j], []) = (&dims.lhs_contracting[..], &dims.rhs_contracting[..], &dims.lhs_batch[..]) else {
        return None;
    };
    let side = |x: &Tensor, contracted: usize| match x.shape() {
        [k] if contracted == 0 => Some((None, *k, [1, x.strides()[0]])),
        &[rows, k] if contracted == 1 => Some((Some(rows), k, [x.strides()[0], x.strides()[1]])),
        &[k, rows] if contracted == 0 => Some((Some(rows), k, [x.strides()[1], x.strides()[0]])),
        _ => None,
    };
    let ((rows, k, left), (columns, same, right)) = (side(a, *i)?, side(b, *j)?);
    let size = Extents { m: rows.unwrap_or(1), n: columns.unwrap_or(1), k };
    let product = Product::new::<T>(size);
    if k != same || k == 0 || !dims.rhs_batch.is_empty() || !product.takes(left[1], right[1]) {
        return None;
    }
    let (shape, rank) = match (rows, columns) {
        (Some(m), Some(n)) => ([m, n], 2),
        (Some(n), None) | (None, Some(n)) => ([n, 0], 1),
        (None, None) => ([0, 0], 0),
    };
    let (a, b) = (Matrix { start: a.as_ptr(), steps: left }, Matrix { start: b.as_ptr(), steps: right });
    // SAFETY: the kernels write every element of the result.
    Some(unsafe {
        Tensor::build(OP, &shape[..rank], |out: *mut T, count| match count {
            0 => Ok(()),
            _ => product.run(Batch { size, a, b: b.transposed(), out }, &Axes::new()),
        })
    })
}

/// The result of [`super::dot_general`], whose arguments are checked.
pub(super) fn contract<T: Ring>(a: &Tensor, b: &Tensor, dims: &DotDims, checked: &Checked) -> Result<Tensor> {
    let sorted;
    let (lhs, rhs) = match dims.lhs_contracting.len() {
        0 | 1 => (&dims.lhs_contracting, &dims.rhs_contracting),
        _ => {
            sorted = sort_contracted(&dims.lhs_contracting, &dims.rhs_contracting, a.size() >= b.size());
            (&sorted.0, &sorted.1)
        }
    };
    let a = Operand { tensor: a, free: &checked.lhs_free, contracted: lhs, batch: &dims.lhs_batch };
    let b = Operand { tensor: b, free: &checked.rhs_free, contracted: rhs, batch: &dims.rhs_batch };
    let size = Extents { m: a.product(a.free), n: b.product(b.free), k: a.product(lhs) };
    // SAFETY: every element of the result is written: by zeros, or by its item's kernel.
    unsafe {
        Tensor::build(OP, &checked.shape, |out: *mut T, count| {
            if count == 0 || size.k == 0 {
                (0..count).for_each(|i| out.add(i).write(T::ZERO));
                return Ok(());
            }
            multiply_into(a, b, size, out)
        })
    }
}

/// Sorts the pairs of contracted axes by the larger operand's, so that it needs no copy if it is compact.
fn sort_contracted(lhs: &[usize], rhs: &[usize], by_lhs: bool) -> (Dims, Dims) {
    let mut pairs: SmallVec<[(usize, usize); 6]> = lhs.iter().copied().zip(rhs.iter().copied()).collect();
    pairs.sort_unstable_by_key(|&(i, j)| if by_lhs { i } else { j });
    pairs.into_iter().unzip()
}

fn multiply_into<T: Ring>(a: Operand, b: Operand, size: Extents, out: *mut T) -> Result<()> {
    let product = Product::new::<T>(size);
    let (mut left, mut right) = (a.arranged::<T>()?, b.arranged::<T>()?);
    // A copy has the free axes first, so it fits any kernel.
    for _ in 0..2 {
        let steps = [left.matrix.steps[1], right.matrix.steps[1]];
        if !product.takes(steps[0], steps[1]) {
            let copy_left = steps[0] < 0 || (steps[1] >= 0 && size.m <= size.n);
            if copy_left { left = a.copied()? } else { right = b.copied()? }
        }
    }
    let batch = fuse(a.batch.iter().enumerate().map(|(number, &axis)| Axis {
        extent: a.tensor.shape()[axis],
        steps: [a.batch_step(&left, number), b.batch_step(&right, number)],
    }));
    let all = Batch { size, a: left.matrix, b: right.matrix.transposed(), out };
    product.run(all, &batch)
}
