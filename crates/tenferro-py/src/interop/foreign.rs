//! A strided block of memory that somebody else owns, and the two ways to take it in: copy or share.

use crate::errors::Outcome;
use pyo3::prelude::*;
use std::ptr::NonNull;
use tenferro_cpu::import_strided;
use tenferro_tensor::{Buffer, DType, Dims, Error, ForeignOwner, Layout, Result, Strides, Tensor, checked_size};

/// Shape and strides (in bytes) of foreign memory; `start` is the element with all indices zero.
pub struct Foreign {
    dtype: DType,
    shape: Dims,
    strides: Strides,
    start: *const u8,
    swapped: bool,
}

impl Foreign {
    /// Describes foreign memory.
    ///
    /// # Safety
    /// While this value is used, every element that `shape` and `strides` name must be readable at `start`, in the
    /// representation of `dtype`, or the reverse byte order if `swapped`.
    pub unsafe fn new(dtype: DType, shape: &[usize], strides: &[isize], start: *const u8, swapped: bool) -> Foreign {
        let strides = shape.iter().zip(strides).map(|(&n, &s)| if n > 1 { s } else { dtype.itemsize() as isize });
        Foreign { dtype, shape: Dims::from_slice(shape), strides: strides.collect(), start, swapped }
    }

    /// A compact copy.
    pub fn copy(&self, op: &'static str) -> Result<Tensor> {
        // SAFETY: the maker of `self` vouches for the elements.
        unsafe { import_strided(op, self.dtype, &self.shape, self.start, &self.strides, self.swapped) }
    }

    /// Why a tensor cannot lie over this memory; `None` if it can.
    pub fn obstacle(&self) -> Option<&'static str> {
        let item = self.dtype.itemsize();
        let part = if self.dtype.is_complex() { item / 2 } else { item };
        if self.shape.contains(&0) {
            return None;
        }
        if self.swapped {
            return Some("its byte order is not the native one");
        }
        if !self.start.addr().is_multiple_of(part) {
            return Some("it is not aligned");
        }
        if self.shape.iter().zip(&self.strides).any(|(&n, &s)| n > 1 && s % item as isize != 0) {
            return Some("its strides are no multiples of the item size");
        }
        if self.bounds().is_none() {
            return Some("it does not fit into the address space");
        }
        (self.dtype == DType::Bool && !self.holds_only_truth_values()).then_some("some bytes are neither 0 nor 1")
    }

    /// A tensor over this memory, which `owner` keeps alive; there must be no obstacle.
    ///
    /// # Safety
    /// The memory must stay readable, and nobody may write there, while `owner` lives.
    pub unsafe fn share(&self, op: &'static str, owner: Box<dyn ForeignOwner>) -> Result<Tensor> {
        let size = checked_size(op, &self.shape, self.dtype.itemsize())?;
        let (Some((low, high)), true) = (self.bounds(), size > 0) else {
            return self.copy(op);
        };
        let item = self.dtype.itemsize();
        let bytes = (high - low) as usize + item;
        let first = NonNull::new(self.start.wrapping_offset(low).cast_mut())
            .ok_or_else(|| Error::argument(op, "data", "expected memory, got a null pointer"))?;
        // SAFETY: `bounds` spans exactly the elements, which the maker of `self` vouches for, and the caller vouches
        // for the lifetime and against writers.
        let buffer = unsafe { Buffer::foreign(first, bytes, owner) };
        let strides = self.strides.iter().map(|s| s / item as isize).collect();
        let layout = Layout::strided(self.shape.clone(), strides, low.unsigned_abs() / item);
        Ok(Tensor::from_buffer(buffer, self.dtype, &[]).with_layout(layout))
    }

    /// Lowest and highest byte offset of an element from `start`; `None` if that overflows.
    fn bounds(&self) -> Option<(isize, isize)> {
        let (mut low, mut high) = (0isize, 0isize);
        for (&n, &s) in self.shape.iter().zip(&self.strides) {
            let reach = isize::try_from(n.saturating_sub(1)).ok()?.checked_mul(s)?;
            if reach < 0 { low = low.checked_add(reach)? } else { high = high.checked_add(reach)? }
        }
        high.checked_sub(low)?.checked_add(self.dtype.itemsize() as isize)?;
        Some((low, high))
    }

    fn holds_only_truth_values(&self) -> bool {
        let size: usize = self.shape.iter().product();
        (0..size).all(|flat| {
            let (mut rest, mut at) = (flat, 0isize);
            for (&n, &s) in self.shape.iter().zip(&self.strides) {
                at += (rest % n) as isize * s;
                rest /= n;
            }
            // SAFETY: `at` is the offset of an element, and any byte may be read as `u8`.
            unsafe { self.start.wrapping_offset(at).read() <= 1 }
        })
    }
}

/// A Python object that keeps foreign memory alive; it may be dropped without the interpreter lock.
pub struct PythonOwner {
    _object: Py<PyAny>,
}

impl PythonOwner {
    /// Holds `object`.
    pub fn new(object: Py<PyAny>) -> PythonOwner {
        PythonOwner { _object: object }
    }
}

impl ForeignOwner for PythonOwner {}

/// A tensor from elements in row-major order.
pub fn from_row_major<T: tenferro_tensor::Scalar>(op: &'static str, shape: &[usize], data: &[T]) -> Outcome<Tensor> {
    let count = checked_size(op, shape, size_of::<T>())?;
    if count != data.len() {
        return Err(Error::internal(op, "the number of elements does not match the shape").into());
    }
    let mut strides = Strides::from_elem(0, shape.len());
    let mut step = size_of::<T>() as isize;
    for (stride, &n) in strides.iter_mut().zip(shape).rev() {
        *stride = step;
        step *= n.max(1) as isize;
    }
    // SAFETY: row-major strides of `shape` address exactly the `count` elements of `data`, which outlives this call.
    let foreign = unsafe { Foreign::new(T::DTYPE, shape, &strides, data.as_ptr().cast(), false) };
    Ok(foreign.copy(op)?)
}

/// The elements of a compact tensor along one axis.
pub fn flattened(x: &Tensor) -> Tensor {
    let line = Layout::strided(Dims::from_elem(x.size(), 1), Strides::from_elem(1, 1), x.layout().offset());
    x.with_layout(line)
}

/// The bytes of a compact tensor, in column-major order.
pub fn bytes_of(x: &Tensor) -> Option<&[u8]> {
    let start = x.buffer().as_ptr().wrapping_add(x.layout().offset() * x.dtype().itemsize());
    if x.size() == 0 {
        return Some(&[]);
    }
    // SAFETY: a compact layout covers `size` initialised elements from its offset on, read only while `x` lives.
    x.is_compact().then(|| unsafe { std::slice::from_raw_parts(start, x.size() * x.dtype().itemsize()) })
}
