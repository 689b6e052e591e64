use super::{Accumulate, by_number, by_width};
use crate::copy::{self, compact};
use tenferro_tensor::{Error, Result, Tensor, checked_size};

/// What `put_flat` does with the element that is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PutMode {
    /// Replaces it; of equal positions the last one wins.
    Set,
    /// Adds to it, in the order of the list.
    Add,
}

fn check_positions(op: &'static str, axis: usize, positions: &[usize], extent: usize) -> Result<()> {
    match positions.iter().find(|&&p| p >= extent) {
        Some(&p) => Err(Error::index(op, axis, i64::try_from(p).unwrap_or(i64::MAX), extent)),
        None => Ok(()),
    }
}

/// Extents before, along and after `axis`.
fn split(op: &'static str, shape: &[usize], axis: usize) -> Result<(usize, usize, usize)> {
    if axis >= shape.len() {
        return Err(Error::axis(op, i64::try_from(axis).unwrap_or(i64::MAX), shape.len()));
    }
    Ok((shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product()))
}

/// The slices of `x` at `positions` along `axis`.
pub fn take(x: &Tensor, axis: usize, positions: &[usize]) -> Result<Tensor> {
    let op = "take";
    let (before, extent, after) = split(op, x.shape(), axis)?;
    check_positions(op, axis, positions, extent)?;
    let mut shape = x.dims();
    shape[axis] = positions.len();
    let x = compact(x)?;
    copy::build(op, x.dtype(), &shape, |out| {
        by_width!(x.dtype(), Unit => {
            let (source, out) = (copy::start(&x).cast::<Unit>(), out.cast::<Unit>());
            let slab = positions.len() * before;
            for b in 0..after {
                for (j, &p) in positions.iter().enumerate() {
                    // SAFETY: `p` lies inside the axis, so both runs of `before` elements lie inside their compact blocks.
                    unsafe {
                        let from = source.add((b * extent + p) * before);
                        std::ptr::copy_nonoverlapping(from, out.add(b * slab + j * before), before);
                    }
                }
            }
        });
        Ok(())
    })
}

/// The adjoint of [`take`]: adds the slices of `ct` into zeros of `extent` along `axis`, at `positions`.
pub fn take_add(ct: &Tensor, axis: usize, positions: &[usize], extent: usize) -> Result<Tensor> {
    let op = "take_add";
    let (before, count, after) = split(op, ct.shape(), axis)?;
    check_positions(op, axis, positions, extent)?;
    if count != positions.len() {
        return Err(Error::internal(op, format!("{} positions for an extent of {count}", positions.len())));
    }
    let mut shape = ct.dims();
    shape[axis] = extent;
    let ct = compact(ct)?;
    by_number!(op, ct.dtype(), T => {
        let values = ct.as_slice::<T>()?;
        let size = checked_size(op, &shape, size_of::<T>())?;
        let out = copy::build(op, ct.dtype(), &shape, |out| {
            // SAFETY: the result has `size` elements, and zero bits are the zero of every number type.
            let out = unsafe {
                std::ptr::write_bytes(out, 0, size * size_of::<T>());
                std::slice::from_raw_parts_mut(out.cast::<T>(), size)
            };
            for b in 0..after {
                for (j, &p) in positions.iter().enumerate() {
                    let to = (b * extent + p) * before;
                    let from = (b * count + j) * before;
                    for (slot, &v) in out[to..to + before].iter_mut().zip(&values[from..from + before]) {
                        slot.accumulate(v);
                    }
                }
            }
            Ok(())
        })?;
        Ok(out)
    })
}

/// The elements at `positions`, which count in column-major order of `x`.
pub fn take_flat(x: &Tensor, positions: &[usize], shape: &[usize]) -> Result<Tensor> {
    let op = "take_flat";
    let size = x.size();
    check_positions(op, 0, positions, size)?;
    if shape.iter().product::<usize>() != positions.len() {
        return Err(Error::internal(op, "positions do not fill the result"));
    }
    let x = compact(x)?;
    copy::build(op, x.dtype(), shape, |out| {
        by_width!(x.dtype(), Unit => {
            let (source, out) = (copy::start(&x).cast::<Unit>(), out.cast::<Unit>());
            for (j, &p) in positions.iter().enumerate() {
                // SAFETY: `p` lies inside `x`, and `j` inside the result.
                unsafe { *out.add(j) = *source.add(p) };
            }
        });
        Ok(())
    })
}

/// `x` with `values` put at `positions`, which count in column-major order of `x`.
pub fn put_flat(x: &Tensor, positions: &[usize], values: &Tensor, mode: PutMode) -> Result<Tensor> {
    let op = "put_flat";
    check_positions(op, 0, positions, x.size())?;
    if values.size() != positions.len() {
        return Err(Error::internal(op, format!("{} values for {} positions", values.size(), positions.len())));
    }
    if values.dtype() != x.dtype() {
        return Err(Error::dtype(op, "argument 'values'", x.dtype(), values.dtype()));
    }
    let values = compact(values)?;
    match mode {
        PutMode::Set => copy::modified(op, x, |out| {
            by_width!(x.dtype(), Unit => {
                let (source, out) = (copy::start(&values).cast::<Unit>(), out.cast::<Unit>());
                for (j, &p) in positions.iter().enumerate() {
                    // SAFETY: `p` lies inside `x`, and `j` inside the values.
                    unsafe { *out.add(p) = *source.add(j) };
                }
            });
        }),
        PutMode::Add => by_number!(op, x.dtype(), T => {
            let values = values.as_slice::<T>()?;
            copy::modified(op, x, |out| {
                for (&p, &v) in positions.iter().zip(values) {
                    // SAFETY: `p` lies inside the copy of `x`.
                    unsafe { &mut *out.cast::<T>().add(p) }.accumulate(v);
                }
            })
        }),
    }
}
