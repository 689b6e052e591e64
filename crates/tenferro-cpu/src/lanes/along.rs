//! Elements picked along one axis by an index per place, and the adjoint of that.
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the comments stand inside a macro's argument, where the lint does not look"
)]

use super::{BESIDE, Group, Place, Split};
use crate::copy::{self, compact};
use crate::index::{Accumulate, by_number, by_width};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use tenferro_tensor::{Error, Result, Tensor};

/// The indices, which must be int64; the shapes agree beside the axis.
fn indices_of(op: &'static str, x: &[usize], indices: &Tensor, axis: usize) -> Result<Tensor> {
    let fits = x.len() == indices.rank() && (0..x.len()).all(|a| a == axis || x[a] == indices.shape()[a]);
    if !fits {
        return Err(Error::shapes(op, x, indices.shape()));
    }
    compact(indices)
}

/// An index that was out of range, to be reported when all threads are done.
struct Refused(AtomicI64);

impl Refused {
    fn new() -> Refused {
        Refused(AtomicI64::new(i64::MIN))
    }

    #[inline(always)]
    fn position(&self, index: i64, extent: usize) -> Option<usize> {
        let from_start = if index < 0 { index + extent as i64 } else { index };
        if (0..extent as i64).contains(&from_start) {
            return Some(from_start as usize);
        }
        self.0.store(index, Relaxed);
        None
    }

    fn check(self, op: &'static str, axis: usize, extent: usize) -> Result<()> {
        match self.0.into_inner() {
            i64::MIN => Ok(()),
            index => Err(Error::index(op, axis, index, extent)),
        }
    }
}

/// `x` at `indices` along `axis`, one index per element of the result; negative ones count from the end.
pub fn take_along(x: &Tensor, indices: &Tensor, axis: usize) -> Result<Tensor> {
    let op = "take_along_axis";
    let indices = indices_of(op, x.shape(), indices, axis)?;
    let from = Split::new(op, x.shape(), axis)?;
    let to = Split::new(op, indices.shape(), axis)?;
    let list = indices.as_slice::<i64>()?;
    let x = compact(x)?;
    let refused = Refused::new();
    let out = copy::build(op, x.dtype(), indices.shape(), |out| {
        by_width!(x.dtype(), Unit => {
            let (source, out) = (Place(copy::start(&x).cast::<Unit>().cast_mut()), Place(out.cast::<Unit>()));
            to.for_each_group(op, BESIDE, |Group { lane, first, step, lanes }| {
                let origin = lane / to.before.max(1) * from.extent * from.before + lane % to.before.max(1);
                for k in 0..to.extent {
                    for i in 0..lanes {
                        let place = first + k * step + i;
                        let position = refused.position(list[place], from.extent);
                        // SAFETY: the position lies inside the axis, the place inside the result. What a refused index
                        // leaves is never seen.
                        unsafe {
                            match position {
                                Some(position) => *out.at(place) = *source.at(origin + position * from.before + i),
                                None => out.at(place).write_bytes(0, 1),
                            }
                        }
                    }
                }
            })
        })
    })?;
    refused.check(op, axis, from.extent)?;
    Ok(out)
}

/// The adjoint of [`take_along`]: each element of `x` added into zeros of `extent` along `axis`, in the order of `x`.
pub fn add_along(x: &Tensor, indices: &Tensor, axis: usize, extent: usize) -> Result<Tensor> {
    let op = "add_along_axis";
    if x.shape() != indices.shape() {
        return Err(Error::shapes(op, x.shape(), indices.shape()));
    }
    let indices = compact(indices)?;
    let from = Split::new(op, x.shape(), axis)?;
    let list = indices.as_slice::<i64>()?;
    let mut shape = x.dims();
    shape[axis] = extent;
    let x = compact(x)?;
    let refused = Refused::new();
    let out = by_number!(op, x.dtype(), T => {
        let source = x.as_slice::<T>()?;
        copy::build(op, x.dtype(), &shape, |out| {
            let out = Place(out.cast::<T>());
            let to = Split { extent, ..from };
            to.for_each_group(op, BESIDE, |Group { lane, first, step, lanes }| {
                for k in 0..extent {
                    // SAFETY: the row lies inside the result; zero bits are the zero of every number type.
                    unsafe { out.at(first + k * step).write_bytes(0, lanes) };
                }
                let origin = lane / from.before.max(1) * from.extent * from.before + lane % from.before.max(1);
                for k in 0..from.extent {
                    for i in 0..lanes {
                        let place = origin + k * from.before + i;
                        if let Some(position) = refused.position(list[place], extent) {
                            // SAFETY: the position lies inside the axis.
                            unsafe { (*out.at(first + position * step + i)).accumulate(source[place]) };
                        }
                    }
                }
            })
        })
    })?;
    refused.check(op, axis, extent)?;
    Ok(out)
}
