//! Kernels that work along one axis: running sums, sorting, searching, and elements picked by an index per place.

mod along;
mod order;
mod scan;

pub use along::{add_along, take_along};
pub use order::{arg_reduce, arg_scan, arg_sort, search_sorted, sortable};
pub use scan::{ScanOp, scan, scan_output};

use crate::threads;
use std::ops::Range;
use tenferro_tensor::{Error, Result};

/// Elements per block of work, about.
const GRAIN: usize = 1 << 14;
/// Lanes that are walked side by side, so that memory is read in its order.
const BESIDE: usize = 64;

/// A tensor as three axes: all before, one, all after it.
#[derive(Clone, Copy)]
pub(crate) struct Split {
    pub before: usize,
    pub extent: usize,
    pub after: usize,
}

/// Neighbouring lanes: element `k` of lane `i` is at `first + k·step + i`.
#[derive(Clone, Copy)]
struct Group {
    /// Number of the first lane among all.
    lane: usize,
    first: usize,
    step: usize,
    lanes: usize,
}

impl Split {
    pub fn new(op: &'static str, shape: &[usize], axis: usize) -> Result<Split> {
        match shape.get(axis) {
            Some(&extent) => {
                Ok(Split { before: shape[..axis].iter().product(), extent, after: shape[axis + 1..].iter().product() })
            }
            None => Err(Error::axis(op, i64::try_from(axis).unwrap_or(i64::MAX), shape.len())),
        }
    }

    /// Calls `work` for groups of at most `beside` lanes, which threads share.
    fn for_each_group(&self, op: &'static str, beside: usize, work: impl Fn(Group) + Sync) -> Result<()> {
        let Split { before, extent, after } = *self;
        let wide = beside.min(before).max(1);
        let groups = before.div_ceil(wide);
        let grain = (GRAIN / (wide * extent).max(1)).max(1);
        threads::try_for_each_block(op, groups * after, grain, |range: Range<usize>| {
            for group in range {
                let (slab, part) = (group / groups, group % groups * wide);
                work(Group {
                    lane: slab * before + part,
                    first: slab * extent * before + part,
                    step: before,
                    lanes: wide.min(before - part),
                });
            }
        })
    }
}

/// Addresses that groups share: each writes its own lanes.
#[derive(Clone, Copy)]
struct Place<T>(*mut T);
// SAFETY: see above.
unsafe impl<T> Sync for Place<T> {}

impl<T> Place<T> {
    fn at(&self, offset: usize) -> *mut T {
        self.0.wrapping_add(offset)
    }
}

#[cfg(test)]
mod tests;
