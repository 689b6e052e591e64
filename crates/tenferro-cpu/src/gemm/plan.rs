use super::ring::Ring;
use super::{Checked, DotDims, OP, blocks, direct, vector};
use crate::copy::duplicate;
use crate::strided::{Axes, Axis, Cursor, fuse};
use crate::threads;
use smallvec::SmallVec;
use std::ops::Range;
use tenferro_tensor::{Dims, Error, Result, Scalar, Tensor, Variant};

/// Sums up to this long with a vector go through loops without packing.
const SHORT: usize = 16;
/// Multiplications per block of work, at least.
const GRAIN: usize = 1 << 17;
/// Up to this many stay on the calling thread.
const SERIAL: usize = 1 << 18;

/// Rows, columns, and length of the sums of one product.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extents {
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

/// A matrix somewhere in memory; the steps are those along its rows' index and its columns' index.
#[derive(Clone, Copy)]
pub(super) struct Matrix<T> {
    pub start: *const T,
    pub steps: [isize; 2],
}

impl<T> Matrix<T> {
    #[inline(always)]
    pub fn at(&self, row: usize, column: usize) -> *const T {
        self.start
            .wrapping_offset(row as isize * self.steps[0] + column as isize * self.steps[1])
    }

    pub fn transposed(self) -> Matrix<T> {
        Matrix {
            start: self.start,
            steps: [self.steps[1], self.steps[0]],
        }
    }
}

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
            _ => match fuse(axes.iter().map(|&axis| Axis {
                extent: shape[axis],
                steps: [strides[axis]],
            }))[..]
            {
                [] => Some(1),
                [Axis { steps: [step], .. }] => Some(step),
                _ => None,
            },
        }
    }

    /// Without a copy, if both kinds of axes can be fused.
    fn in_place<T: Scalar>(&self) -> Option<Arranged<T>> {
        let steps = [self.step(self.free)?, self.step(self.contracted)?];
        Some(Arranged {
            matrix: Matrix {
                start: self.tensor.as_ptr(),
                steps,
            },
            copy: None,
        })
    }

    /// Copied: free axes first.
    fn copied<T: Scalar>(&self) -> Result<Arranged<T>> {
        let Operand {
            tensor,
            free,
            contracted,
            batch,
        } = *self;
        let order: Dims = free.iter().chain(contracted).chain(batch).copied().collect();
        let copy = duplicate(&tensor.with_layout(tensor.layout().permuted(&order)))?;
        let steps = [1, self.product(free) as isize];
        Ok(Arranged {
            matrix: Matrix {
                start: copy.as_ptr(),
                steps,
            },
            copy: Some((copy, free.len() + contracted.len())),
        })
    }

    /// In place if that is possible; sums run forwards through memory if the crate multiplies, because it would turn
    /// them round.
    fn arranged<T: Scalar>(&self, way: Way) -> Result<Arranged<T>> {
        match self.in_place() {
            Some(matrix) if way != Way::Blocks || matrix.matrix.steps[1] >= 0 => Ok(matrix),
            _ => self.copied(),
        }
    }

    fn batch_step<T>(&self, arranged: &Arranged<T>, number: usize) -> isize {
        match &arranged.copy {
            Some((copy, first)) => copy.strides()[first + number],
            None => self.tensor.strides()[self.batch[number]],
        }
    }
}

/// Which kernel multiplies the matrices.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Direct,
    Vector,
    Blocks,
}

impl Way {
    fn of<T: Ring>(Extents { m, n, k }: Extents) -> Way {
        if m == 1 || n == 1 {
            if k <= SHORT { Way::Direct } else { Way::Vector }
        } else if !T::PACKED || k <= 2 || m.saturating_mul(n).saturating_mul(k) <= T::TINY {
            Way::Direct
        } else {
            Way::Blocks
        }
    }
}

#[derive(Clone, Copy)]
struct Batch<T> {
    size: Extents,
    a: Matrix<T>,
    b: Matrix<T>,
    out: *mut T,
}

// SAFETY: blocks read the operands and write disjoint parts of the result.
unsafe impl<T: Sync> Sync for Batch<T> {}

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
    let a = Operand {
        tensor: a,
        free: &checked.lhs_free,
        contracted: lhs,
        batch: &dims.lhs_batch,
    };
    let b = Operand {
        tensor: b,
        free: &checked.rhs_free,
        contracted: rhs,
        batch: &dims.rhs_batch,
    };
    let size = Extents {
        m: a.product(a.free),
        n: b.product(b.free),
        k: a.product(lhs),
    };
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
    let way = Way::of::<T>(size);
    let (mut left, mut right) = (a.arranged::<T>(way)?, b.arranged::<T>(way)?);
    let tiling = blocks::Tiling::new(size, size_of::<T>());
    if way == Way::Blocks && [left.matrix.steps[1], right.matrix.steps[1]] == [1, 1] && tiling.needs_uneven_steps() {
        match size.m <= size.n {
            true => left = a.copied()?,
            false => right = b.copied()?,
        }
    }
    let batch = fuse(a.batch.iter().enumerate().map(|(number, &axis)| Axis {
        extent: a.tensor.shape()[axis],
        steps: [a.batch_step(&left, number), b.batch_step(&right, number)],
    }));
    let all = Batch {
        size,
        a: left.matrix,
        b: right.matrix.transposed(),
        out,
    };
    match way {
        Way::Direct => run_direct(all, &batch),
        Way::Vector => run_vector(all, &batch),
        Way::Blocks => run_blocks(all, &batch, &tiling),
    }
}

/// Calls `work` with the matrices of every item and the number of every unit of it.
fn for_each_unit<T: Ring>(
    all: Batch<T>,
    batch: &Axes<2>,
    units: usize,
    products_per_unit: usize,
    work: impl Fn(Batch<T>, usize) + Sync,
) -> Result<()> {
    let all = &all;
    if batch.is_empty() && units == 1 {
        work(*all, 0);
        return Ok(());
    }
    let items: usize = batch.iter().map(|axis| axis.extent).product();
    let part = |range: Range<usize>| {
        let (mut item, mut unit) = (range.start / units, range.start % units);
        let mut cursor = Cursor::new(batch, item);
        for _ in range {
            let [i, j] = cursor.offsets();
            let mut one = *all;
            one.a.start = one.a.start.wrapping_offset(i);
            one.b.start = one.b.start.wrapping_offset(j);
            one.out = one.out.wrapping_add(item * one.size.m * one.size.n);
            work(one, unit);
            unit += 1;
            if unit == units {
                (item, unit) = (item + 1, 0);
                cursor.advance(1);
            }
        }
    };
    let total = items * units;
    if total.saturating_mul(products_per_unit) <= SERIAL {
        part(0..total);
        return Ok(());
    }
    threads::try_for_each_block(OP, total, (GRAIN / products_per_unit.max(1)).max(1), part)
}

fn run_direct<T: Ring>(all: Batch<T>, batch: &Axes<2>) -> Result<()> {
    let Extents { m, n, k } = all.size;
    let columns = (GRAIN / (m * k).max(1)).clamp(1, n);
    let units = n.div_ceil(columns);
    for_each_unit(all, batch, units, m * k * columns, |Batch { size, a, b, out }, unit| {
        let first = unit * columns;
        // SAFETY: the plan's matrices lie inside their tensors; units write different columns.
        unsafe { direct::multiply(size, a, b, out, (first, n.min(first + columns))) }
    })
}

fn run_blocks<T: Ring>(all: Batch<T>, batch: &Axes<2>, tiling: &blocks::Tiling) -> Result<()> {
    for_each_unit(
        all,
        batch,
        tiling.tiles(),
        tiling.products(),
        |Batch { a, b, out, .. }, tile| {
            // SAFETY: the plan's matrices lie inside their tensors; units write different tiles.
            unsafe { blocks::multiply(a, b, out, tiling, tile) }
        },
    )
}

fn run_vector<T: Ring>(all: Batch<T>, batch: &Axes<2>) -> Result<()> {
    let Extents { m, n, k } = all.size;
    let results = m * n;
    let chunks = results.div_ceil(vector::BESIDE);
    let spans = k.div_ceil(vector::SPAN);
    let items: usize = batch.iter().map(|axis| axis.extent).product();
    let mut partial: Vec<T> = Vec::new();
    let mut target = all;
    if spans > 1 {
        let count = items * results * spans;
        partial.try_reserve_exact(count).map_err(|_| no_memory::<T>(count))?;
        target.out = partial.as_mut_ptr();
        target.size = Extents {
            m: results * spans,
            n: 1,
            k,
        };
    }
    let products = results.min(vector::BESIDE) * k.min(vector::SPAN);
    for_each_unit(
        target,
        batch,
        chunks * spans,
        products,
        |Batch { a, b, out, .. }, unit| {
            let (first, depth) = (unit % chunks * vector::BESIDE, unit / chunks * vector::SPAN);
            let (rows, depths) = (vector::BESIDE.min(results - first), vector::SPAN.min(k - depth));
            let (long, short) = if n == 1 {
                (a, b)
            } else {
                (b.transposed(), a.transposed())
            };
            let out = out.wrapping_add(unit / chunks * results + first);
            // SAFETY: the plan's matrices lie inside their tensors; units write different results.
            unsafe {
                let long = Matrix {
                    start: long.at(first, depth),
                    steps: long.steps,
                };
                vector::rows(rows, depths, long, short.at(depth, 0), short.steps[0], out);
            }
        },
    )?;
    if spans > 1 {
        for at in 0..items * results {
            let (item, result) = (at / results, at % results);
            // SAFETY: the units wrote all partial sums; the result has a place for each item's results.
            unsafe {
                let sums = target.out.add(item * results * spans + result);
                let total = (1..spans).fold(*sums, |total, span| total.plus(*sums.add(span * results)));
                all.out.add(at).write(total);
            }
        }
    }
    Ok(())
}

fn no_memory<T: Ring>(count: usize) -> Error {
    Error::new(
        Variant::OutOfMemory,
        OP,
        format!("not enough memory for {count} partial sums"),
    )
    .with("bytes", count.saturating_mul(size_of::<T>()))
    .with("shape", &[count][..])
    .with("dtype", T::DTYPE)
}
