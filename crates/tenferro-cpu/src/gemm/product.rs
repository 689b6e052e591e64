//! Which kernel multiplies a batch of matrices, and how the work is cut into units that threads share.

use super::matrix::{Extents, Matrix};
use super::ring::Ring;
use super::{OP, blocks, direct, vector};
use crate::interrupt;
use crate::strided::{Axes, Cursor};
use crate::threads;
use std::ops::Range;
use tenferro_tensor::{Error, Result, Variant, reserve};

/// Sums up to this long with a vector go through loops without packing.
const SHORT: usize = 16;
/// Multiplications per block of work, at least.
const GRAIN: usize = 1 << 17;
/// Up to this many stay on the calling thread.
const SERIAL: usize = 1 << 18;

/// Memory that the `gemm` crate takes per thread, at most, without a way to report that there is none. The reserve has
/// it for this many threads.
const WORKSPACE: usize = 12 << 20;
const FEW_THREADS: usize = 4;

/// Which kernel multiplies the matrices; the extents alone decide.
pub(super) enum Product {
    Direct,
    Vector,
    Blocks(blocks::Tiling),
}

impl Product {
    pub fn new<T: Ring>(size: Extents) -> Product {
        let Extents { m, n, k } = size;
        if m == 1 || n == 1 {
            if k <= SHORT { Product::Direct } else { Product::Vector }
        } else if !T::PACKED || k <= 2 || m.saturating_mul(n).saturating_mul(k) <= T::TINY {
            Product::Direct
        } else {
            Product::Blocks(blocks::Tiling::new(size, size_of::<T>()))
        }
    }

    /// Whether the kernel works in the one order for these steps along the contracted axis.
    pub fn takes(&self, left: isize, right: isize) -> bool {
        match self {
            Product::Blocks(tiling) => {
                left >= 0 && right >= 0 && ([left, right] != [1, 1] || !tiling.needs_uneven_steps())
            }
            _ => true,
        }
    }

    pub fn run<T: Ring>(&self, all: Batch<T>, batch: &Axes<2>) -> Result<()> {
        match self {
            Product::Direct => run_direct(all, batch),
            Product::Vector => run_vector(all, batch),
            Product::Blocks(tiling) => run_blocks(all, batch, tiling),
        }
    }
}

/// The first matrices of a batch, and the place of their product.
#[derive(Clone, Copy)]
pub(super) struct Batch<T> {
    pub size: Extents,
    pub a: Matrix<T>,
    pub b: Matrix<T>,
    pub out: *mut T,
}

// SAFETY: blocks read the operands and write disjoint parts of the result.
unsafe impl<T: Sync> Sync for Batch<T> {}

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
    let lanes = threads::num_threads();
    if lanes > FEW_THREADS && !reserve::has(lanes * WORKSPACE) {
        return threads::with_limit(Some(1), || run_blocks(all, batch, tiling));
    }
    let length = tiling.span();
    for first in (0..all.size.k).step_by(length) {
        if first > 0 {
            interrupt::poll(OP)?;
        }
        let span = first..all.size.k.min(first + length);
        let products = tiling.products(span.len());
        for_each_unit(all, batch, tiling.tiles(), products, |Batch { a, b, out, .. }, tile| {
            // SAFETY: the plan's matrices lie inside their tensors; units write different tiles.
            unsafe { blocks::multiply(a, b, out, tiling, tile, span.clone()) }
        })?;
    }
    Ok(())
}

fn run_vector<T: Ring>(all: Batch<T>, batch: &Axes<2>) -> Result<()> {
    let Extents { m, n, k } = all.size;
    let (results, beside) = (m * n, vector::BESIDE);
    let chunks = results.div_ceil(beside);
    let spans = k.div_ceil(vector::SPAN);
    let items: usize = batch.iter().map(|axis| axis.extent).product();
    let mut partial: Vec<T> = Vec::new();
    let mut target = all;
    if spans > 1 {
        let count = items * results * spans;
        partial.try_reserve_exact(count).map_err(|_| no_memory::<T>(count))?;
        target.out = partial.as_mut_ptr();
        target.size = Extents { m: results * spans, n: 1, k };
    }
    let products = results.min(beside) * k.min(vector::SPAN);
    for_each_unit(target, batch, chunks * spans, products, |Batch { a, b, out, .. }, unit| {
        let (first, depth) = (unit % chunks * beside, unit / chunks * vector::SPAN);
        let (rows, depths) = (beside.min(results - first), vector::SPAN.min(k - depth));
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

fn no_memory<T: Ring>(count: usize) -> Error {
    Error::new(Variant::OutOfMemory, OP, format!("not enough memory for {count} partial sums"))
        .with("bytes", count.saturating_mul(size_of::<T>()))
        .with("shape", &[count][..])
        .with("dtype", T::DTYPE)
}
