//! Tensors to DLPack capsules.

use super::abi::{CPU, Device, DlTensor, IS_COPIED, Legacy, Managed, READ_ONLY, Versioned, element_type};
use crate::errors::Outcome;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_void;
use tenferro_cpu::{compact, duplicate};
use tenferro_tensor::Tensor;

/// All that a consumer's structure points to; freed as one.
struct Package<M> {
    managed: Option<M>,
    shape: Vec<i64>,
    strides: Vec<i64>,
    tensor: Tensor,
}

/// `__dlpack_device__`: the CPU.
pub const fn dlpack_device() -> (i32, i32) {
    (CPU, 0)
}

/// `__dlpack__`: a capsule over the storage of `x`, read-only, for consumers of version 1.0 and later; for the others,
/// and with `copy=True`, over a copy that they may write to. Values with negative strides are copied, which some
/// consumers cannot read. Raises `BufferError` for other devices, for streams, and for `copy=False` where a copy is needed.
pub fn to_dlpack<'py>(
    py: Python<'py>,
    x: &Tensor,
    stream: Option<&Bound<'py, PyAny>>,
    max_version: Option<(u32, u32)>,
    dl_device: Option<(i32, i32)>,
    copy: Option<bool>,
) -> Outcome<Bound<'py, PyAny>> {
    if stream.is_some_and(|s| !s.is_none()) {
        return Err(PyBufferError::new_err("__dlpack__: argument 'stream': expected None for the CPU").into());
    }
    if let Some(device) = dl_device.filter(|&device| device != dlpack_device()) {
        let message =
            format!("__dlpack__: argument 'dl_device': expected the CPU {:?}, got {device:?}", dlpack_device());
        return Err(PyBufferError::new_err(message).into());
    }
    let says_read_only = max_version.is_some_and(|(major, _)| major >= 1);
    if says_read_only && copy == Some(true) {
        return capsule::<Versioned>(py, duplicate(x)?, IS_COPIED);
    }
    if says_read_only && (copy == Some(false) || x.strides().iter().all(|&s| s >= 0)) {
        return capsule::<Versioned>(py, x.clone(), READ_ONLY);
    }
    if says_read_only {
        return capsule::<Versioned>(py, compact(x)?, READ_ONLY);
    }
    if copy == Some(false) {
        let message = "__dlpack__: argument 'copy': expected a consumer that asks for max_version (1, 0) or later, because \
                       the value is read-only; without it a copy is needed";
        return Err(PyBufferError::new_err(message).into());
    }
    capsule::<Legacy>(py, duplicate(x)?, 0)
}

fn capsule<M: Managed>(py: Python<'_>, tensor: Tensor, flags: u64) -> Outcome<Bound<'_, PyAny>> {
    let mut package = Box::new(Package {
        managed: None,
        shape: tensor.shape().iter().map(|&n| n as i64).collect(),
        strides: tensor.strides().iter().map(|&s| s as i64).collect(),
        tensor,
    });
    let x = &package.tensor;
    let start = x.buffer().as_ptr().wrapping_add(x.layout().offset() * x.dtype().itemsize());
    let tensor = DlTensor {
        data: start.cast_mut().cast(),
        device: Device { kind: CPU, id: 0 },
        rank: x.rank() as i32,
        dtype: element_type(x.dtype()),
        shape: package.shape.as_mut_ptr(),
        strides: package.strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let package = Box::into_raw(package);
    // SAFETY: the package was just leaked, so it is valid and ours; it stays where it is until `free` is called.
    unsafe {
        let managed: *mut M = (*package).managed.insert(M::new(tensor, package.cast(), free::<M>, flags));
        let capsule = ffi::PyCapsule_New(managed.cast(), M::NAME.as_ptr(), Some(drop_capsule::<M>));
        if capsule.is_null() {
            free::<M>(managed);
        }
        Ok(Bound::from_owned_ptr_or_err(py, capsule)?)
    }
}

/// The deleter: needs no interpreter lock, so that consumers may call it from any thread.
unsafe extern "C" fn free<M: Managed>(managed: *mut M) {
    if managed.is_null() {
        return;
    }
    // SAFETY: consumers call this once, with the structure that `capsule` made, whose context is the leaked package.
    let package: *mut c_void = unsafe { (*managed).context() };
    // SAFETY: as above.
    drop(unsafe { Box::from_raw(package.cast::<Package<M>>()) });
}

/// Frees the structure of a capsule that nobody consumed; a consumer has renamed it.
unsafe extern "C" fn drop_capsule<M: Managed>(capsule: *mut ffi::PyObject) {
    // SAFETY: Python passes the dying capsule, under its lock; under this name it holds our structure.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, M::NAME.as_ptr()) != 0 {
            free::<M>(ffi::PyCapsule_GetPointer(capsule, M::NAME.as_ptr()).cast());
        }
    }
}
