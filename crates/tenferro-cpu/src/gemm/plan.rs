use super::ring::Ring;
use super::{DotDims, OP, blocks, direct, free, vector};
use crate::copy::duplicate;
use crate::strided::{Axes, Axis, Cursor, fuse};
use crate::threads;
use std::ops::Range;
use tenferro_tensor::{Dims, Error, Result, Strides, Tensor, Variant};

/// Products of at most this many multiplications go through loops without packing.
const TINY: usize = 4096;
/// Sums up to this long with a vector go the same way.
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
        self.start.wrapping_offset(row as isize * self.steps[0] + column as isize * self.steps[1])
    }

    fn transposed(self) -> Matrix<T> {
        Matrix { start: self.start, steps: [self.steps[1], self.steps[0]] }
    }
}

/// One operand: its free axes and its contracted axes are fused to one each.
struct Operand {
    tensor: Tensor,
    free: (usize, isize),
    contracted: (usize, isize),
    batch_steps: Strides,
}

/// The operand's axes by role.
#[derive(Clone, Copy)]
struct Roles<'a> {
    free: &'a [usize],
    contracted: &'a [usize],
    batch: &'a [usize],
}

impl Operand {
    /// Without a copy, if both kinds of axes can be fused.
    fn in_place(x: &Tensor, roles: Roles) -> Option<Operand> {
        let one = |axes: &[usize]| {
            let fused = fuse(axes.iter().map(|&a| Axis { extent: x.shape()[a], steps: [x.strides()[a]] }));
            match fused[..] {
                [] => Some((1, 1)),
                [Axis { extent, steps: [step] }] => Some((extent, step)),
                _ => None,
            }
        };
        let batch_steps = roles.batch.iter().map(|&a| x.strides()[a]).collect();
        Some(Operand { tensor: x.clone(), free: one(roles.free)?, contracted: one(roles.contracted)?, batch_steps })
    }

    /// Copied: free axes first.
    fn arranged(x: &Tensor, roles: Roles) -> Result<Operand> {
        let Roles { free, contracted, batch } = roles;
        let order: Dims = free.iter().chain(contracted).chain(batch).copied().collect();
        let tensor = duplicate(&x.with_layout(x.layout().permuted(&order)))?;
        let product = |axes: &[usize]| axes.iter().map(|&a| x.shape()[a]).product::<usize>();
        let (rows, depth) = (product(free), product(contracted));
        let batch_steps = tensor.strides()[free.len() + contracted.len()..].iter().copied().collect();
        Ok(Operand { tensor, free: (rows, 1), contracted: (depth, rows as isize), batch_steps })
    }

    /// In place if that is possible; sums run forwards through memory if the crate multiplies, because it would turn
    /// them round.
    fn new(x: &Tensor, roles: Roles, way: Way) -> Result<Operand> {
        match Operand::in_place(x, roles) {
            Some(operand) if way != Way::Blocks || operand.contracted.1 >= 0 => Ok(operand),
            _ => Operand::arranged(x, roles),
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
        } else if !T::PACKED || k <= 2 || m.saturating_mul(n).saturating_mul(k) <= TINY {
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
pub(super) fn contract<T: Ring>(a: &Tensor, b: &Tensor, dims: &DotDims, shape: &[usize]) -> Result<Tensor> {
    let (mut lhs, mut rhs) = (dims.lhs_contracting.clone(), dims.rhs_contracting.clone());
    order_contracted(&mut lhs, &mut rhs, a.size() >= b.size());
    let a_free = free(a.rank(), &lhs, &dims.lhs_batch);
    let b_free = free(b.rank(), &rhs, &dims.rhs_batch);
    let product = |x: &Tensor, axes: &[usize]| axes.iter().map(|&axis| x.shape()[axis]).product::<usize>();
    let size = Extents { m: product(a, &a_free), n: product(b, &b_free), k: product(a, &lhs) };
    let way = Way::of::<T>(size);
    // SAFETY: every element of the result is written: by zeros, or by its item's kernel.
    unsafe {
        Tensor::build(OP, shape, |out: *mut T, count| {
            if count == 0 || size.k == 0 {
                (0..count).for_each(|i| out.add(i).write(T::ZERO));
                return Ok(());
            }
            let a_roles = Roles { free: &a_free, contracted: &lhs, batch: &dims.lhs_batch };
            let b_roles = Roles { free: &b_free, contracted: &rhs, batch: &dims.rhs_batch };
            let (mut left, mut right) = (Operand::new(a, a_roles, way)?, Operand::new(b, b_roles, way)?);
            let tiling = blocks::Tiling::new(size);
            if way == Way::Blocks
                && [left.contracted.1, right.contracted.1] == [1, 1]
                && tiling.needs_uneven_steps()
            {
                match size.m <= size.n {
                    true => left = Operand::arranged(a, a_roles)?,
                    false => right = Operand::arranged(b, b_roles)?,
                }
            }
            let (a, b) = (left, right);
            let extents = shape[a_free.len() + b_free.len()..].iter();
            let steps = a.batch_steps.iter().zip(&b.batch_steps);
            let batch = fuse(extents.zip(steps).map(|(&extent, (&i, &j))| Axis { extent, steps: [i, j] }));
            let matrices = Batch {
                size,
                a: Matrix { start: a.tensor.as_ptr(), steps: [a.free.1, a.contracted.1] },
                b: Matrix { start: b.tensor.as_ptr(), steps: [b.contracted.1, b.free.1] },
                out,
            };
            match way {
                Way::Direct => run_direct(matrices, &batch),
                Way::Vector => run_vector(matrices, &batch),
                Way::Blocks => run_blocks(matrices, &batch, &tiling),
            }
        })
    }
}

/// Sorts the pairs of contracted axes by the larger operand's, so that it needs no copy if it is compact.
fn order_contracted(lhs: &mut Dims, rhs: &mut Dims, by_lhs: bool) {
    let mut pairs: smallvec::SmallVec<[(usize, usize); 6]> = lhs.iter().copied().zip(rhs.iter().copied()).collect();
    pairs.sort_unstable_by_key(|&(i, j)| if by_lhs { i } else { j });
    for (at, (i, j)) in pairs.into_iter().enumerate() {
        (lhs[at], rhs[at]) = (i, j);
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
    for_each_unit(all, batch, tiling.tiles(), tiling.products(), |Batch { a, b, out, .. }, tile| {
        // SAFETY: the plan's matrices lie inside their tensors; units write different tiles.
        unsafe { blocks::multiply(a, b, out, tiling, tile) }
    })
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
        partial.try_reserve_exact(items * results * spans).map_err(|_| {
            Error::new(Variant::OutOfMemory, OP, "not enough memory for partial sums").with("shape", &[items, results, spans][..])
        })?;
        target.out = partial.as_mut_ptr();
        target.size = Extents { m: results * spans, n: 1, k };
    }
    let products = results.min(vector::BESIDE) * k.min(vector::SPAN);
    for_each_unit(target, batch, chunks * spans, products, |Batch { a, b, out, .. }, unit| {
        let (first, depth) = (unit % chunks * vector::BESIDE, unit / chunks * vector::SPAN);
        let (rows, depths) = (vector::BESIDE.min(results - first), vector::SPAN.min(k - depth));
        let (long, short) = if n == 1 { (a, b) } else { (b.transposed(), a.transposed()) };
        let out = out.wrapping_add(unit / chunks * results + first);
        // SAFETY: the plan's matrices lie inside their tensors; units write different results.
        unsafe {
            let long = Matrix { start: long.at(first, depth), steps: long.steps };
            vector::rows(rows, depths, long, short.at(depth, 0), short.steps[0], out);
        }
    })?;
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
