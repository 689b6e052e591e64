//! Copies between layouts: compact copies, foreign memory, padding, concatenation.

mod engine;
mod join;

pub(crate) use engine::{Side, copy_strided};
pub use join::{concatenate, pad};
use tenferro_tensor::{Buffer, DType, Result, Strides, Tensor, checked_size, compact_strides};

/// A compact tensor whose elements `fill` writes; it gets their first byte.
pub(crate) fn build(
    op: &'static str,
    dtype: DType,
    shape: &[usize],
    fill: impl FnOnce(*mut u8) -> Result<()>,
) -> Result<Tensor> {
    let count = checked_size(op, shape, dtype.itemsize())?;
    let mut buffer = Buffer::new(op, dtype, shape, count)?;
    fill(buffer.as_mut_ptr())?;
    Ok(Tensor::from_buffer(buffer, dtype, shape))
}

/// Address of the element with all indices zero.
pub(crate) fn start(x: &Tensor) -> *const u8 {
    x.buffer().as_ptr().wrapping_add(x.layout().offset() * x.dtype().itemsize())
}

/// Element strides as byte steps; those of axes without neighbours may be anything and wrap.
pub(crate) fn bytes(strides: &[isize], dtype: DType) -> Strides {
    strides.iter().map(|stride| stride.wrapping_mul(dtype.itemsize() as isize)).collect()
}

/// Writes the elements of `x` to `out`, compact.
fn write_compact(op: &'static str, x: &Tensor, out: *mut u8) -> Result<()> {
    let width = x.dtype().itemsize();
    if x.is_compact() && x.size() * width <= 1 << 20 {
        // SAFETY: `x` is compact, and `out` has room for its elements.
        unsafe { std::ptr::copy_nonoverlapping(start(x), out, x.size() * width) };
        return Ok(());
    }
    let from = bytes(x.strides(), x.dtype());
    let to = bytes(&compact_strides(x.shape()), x.dtype());
    let (from, to) = (Side { start: start(x), steps: &from }, Side { start: out, steps: &to });
    // SAFETY: a tensor's layout lies inside its storage, and the fresh result is compact.
    unsafe { copy_strided(op, width, x.shape(), from, to) }
}

/// The same elements in compact column-major order; no copy is made if they are.
pub fn compact(x: &Tensor) -> Result<Tensor> {
    if x.is_compact() { Ok(x.clone()) } else { duplicate(x) }
}

/// The same elements in fresh compact memory.
pub fn duplicate(x: &Tensor) -> Result<Tensor> {
    build("copy", x.dtype(), x.shape(), |out| write_compact("copy", x, out))
}

/// A fresh compact copy of `x` after `change` has written to it.
pub(crate) fn modified(op: &'static str, x: &Tensor, change: impl FnOnce(*mut u8) -> Result<()>) -> Result<Tensor> {
    build(op, x.dtype(), x.shape(), |out| {
        write_compact(op, x, out)?;
        change(out)
    })
}

/// A compact tensor of foreign memory of any alignment, strides and byte order. Any byte but 0 counts as true.
///
/// # Safety
/// Every element that `shape` and `byte_strides` name must be readable at `src`, and nobody may write there meanwhile.
pub unsafe fn import_strided(
    op: &'static str,
    dtype: DType,
    shape: &[usize],
    src: *const u8,
    byte_strides: &[isize],
    swap_bytes: bool,
) -> Result<Tensor> {
    build(op, dtype, shape, |out| {
        let to = bytes(&compact_strides(shape), dtype);
        let (from, to) = (Side { start: src, steps: byte_strides }, Side { start: out, steps: &to });
        // SAFETY: the caller vouches for the source; the fresh result is compact.
        unsafe { copy_strided(op, dtype.itemsize(), shape, from, to)? };
        let count = shape.iter().product::<usize>() * dtype.itemsize();
        // SAFETY: the copy wrote all these bytes, and nobody else knows them.
        let written = unsafe { std::slice::from_raw_parts_mut(out, count) };
        let number = if dtype.is_complex() { dtype.itemsize() / 2 } else { dtype.itemsize() };
        match number {
            1 => written.iter_mut().for_each(|byte| *byte = (*byte != 0).into()),
            4 if swap_bytes => swap::<4>(written),
            8 if swap_bytes => swap::<8>(written),
            _ => {}
        }
        Ok(())
    })
}

fn swap<const N: usize>(bytes: &mut [u8]) {
    for number in bytes.as_chunks_mut::<N>().0 {
        number.reverse();
    }
}

#[cfg(test)]
mod tests;
