//! The buffer protocol of `Tensor`: read-only, strided.

use crate::tensor::PyTensor;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_int};
use std::ptr;
use tenferro_tensor::{DType, Layout, Tensor};

/// NumPy's and the `struct` module's letters.
const fn format(dtype: DType) -> &'static CStr {
    match dtype {
        DType::F32 => c"f",
        DType::F64 => c"d",
        DType::C64 => c"Zf",
        DType::C128 => c"Zd",
        DType::I32 => c"i",
        DType::I64 => c"q",
        DType::Bool => c"?",
    }
}

/// The limit of `memoryview`.
const MAX_RANK: usize = 64;

fn is_row_major(layout: &Layout) -> bool {
    let axes: Vec<usize> = (0..layout.shape().len()).rev().collect();
    layout.permuted(&axes).is_compact()
}

/// Why these flags cannot be met; `None` if they can.
fn refusal(x: &Tensor, flags: c_int) -> Option<String> {
    let asks = |bits: c_int| flags & bits == bits;
    if asks(ffi::PyBUF_WRITABLE) {
        return Some("a Tensor is immutable, its buffer is read-only".to_owned());
    }
    if x.rank() > MAX_RANK {
        return Some(format!("expected at most {MAX_RANK} axes in a buffer, got {}", x.rank()));
    }
    let (row, column) = (is_row_major(x.layout()), x.is_compact());
    let fits = (!asks(ffi::PyBUF_C_CONTIGUOUS) || row)
        && (!asks(ffi::PyBUF_F_CONTIGUOUS) || column)
        && (!asks(ffi::PyBUF_ANY_CONTIGUOUS) || row || column)
        && (asks(ffi::PyBUF_STRIDES) || row);
    (!fits).then(|| "the tensor's strides are not the ones asked for".to_owned())
}

#[pymethods]
impl PyTensor {
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("expected a buffer to fill, got a null pointer"));
        }
        let x = &slf.get().0;
        if let Some(why) = refusal(x, flags) {
            // SAFETY: the caller passed a valid view, which must have no owner after a refusal.
            unsafe { (*view).obj = ptr::null_mut() };
            return Err(PyBufferError::new_err(why));
        }
        let item = x.dtype().itemsize() as isize;
        let asks = |bits: c_int| flags & bits == bits;
        let rank = x.rank();
        let mut sizes: Vec<isize> = x.shape().iter().map(|&n| n as isize).collect();
        sizes.extend(x.strides().iter().map(|s| s.wrapping_mul(item)));
        let sizes: *mut isize = Box::leak(sizes.into_boxed_slice()).as_mut_ptr();
        let start = x.buffer().as_ptr().wrapping_offset(x.layout().offset() as isize * item);
        let length = x.size() as isize * item;
        let format = if asks(ffi::PyBUF_FORMAT) { format(x.dtype()).as_ptr().cast_mut() } else { ptr::null_mut() };
        // SAFETY: the caller passed a valid view; the storage lives as long as the owner, the sizes until the release.
        unsafe {
            (*view).buf = start.cast_mut().cast();
            (*view).len = length;
            (*view).itemsize = item;
            (*view).readonly = 1;
            (*view).ndim = rank as c_int;
            (*view).format = format;
            (*view).shape = if asks(ffi::PyBUF_ND) { sizes } else { ptr::null_mut() };
            (*view).strides = if asks(ffi::PyBUF_STRIDES) { sizes.wrapping_add(rank) } else { ptr::null_mut() };
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = sizes.cast();
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }

    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: `internal` is the leaked slice of twice the rank of this immutable tensor, released once per view.
        unsafe {
            let sizes = (*view).internal.cast::<isize>();
            if !sizes.is_null() {
                (*view).internal = ptr::null_mut();
                drop(Box::from_raw(ptr::slice_from_raw_parts_mut(sizes, 2 * self.0.rank())));
            }
        }
    }
}
