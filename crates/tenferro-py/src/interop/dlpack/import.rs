//! DLPack capsules to tensors.

use super::abi::{CPU, DlTensor, IS_COPIED, Legacy, MAJOR, Managed, READ_ONLY, Versioned, dtype_of};
use crate::dtype::unsupported;
use crate::errors::Outcome;
use crate::interop::classify::own_value;
use crate::interop::foreign::Foreign;
use crate::interop::numpy_in::needs_copy;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use tenferro_cpu::duplicate;
use tenferro_tensor::{Dims, ForeignOwner, Strides, Tensor, checked_size};

/// A consumed structure; dropping it tells the producer, once.
struct Consumed<M: Managed>(*mut M);

// SAFETY: DLPack wants deleters to be callable from any thread; nothing else of the structure is used after the import.
unsafe impl<M: Managed> Send for Consumed<M> {}
// SAFETY: as above; shared references give no access.
unsafe impl<M: Managed> Sync for Consumed<M> {}

impl<M: Managed> ForeignOwner for Consumed<M> {}

impl<M: Managed> Drop for Consumed<M> {
    fn drop(&mut self) {
        // SAFETY: the structure was taken out of its capsule, so it is ours to delete, here and only here.
        unsafe {
            if let Some(deleter) = (*self.0).deleter() {
                deleter(self.0);
            }
        }
    }
}

/// When the memory of the producer may be kept.
#[derive(Clone, Copy, PartialEq)]
enum Sharing {
    /// Never.
    Never,
    /// Only if it was copied for us.
    IfExclusive,
    /// Always; the caller promised that nobody writes.
    Promised,
    /// Only if the producer calls it read-only or copied it; the caller promised that nobody writes.
    IfReadOnly,
}

/// A tensor from a DLPack capsule, or from an object with `__dlpack__`. `copy=None` copies unless the producer made a copy
/// for us; `copy=False` never copies, and the caller promises that nobody writes to that memory. Raises `BufferError`
/// for other devices, used capsules and memory that cannot be shared, `UnsupportedDTypeError` for other dtypes.
pub fn from_dlpack(py: Python<'_>, object: &Bound<'_, PyAny>, copy: Option<bool>, op: &'static str) -> Outcome<Tensor> {
    if let Some(own) = own_value(object) {
        return Ok(if copy == Some(true) { duplicate(&own)? } else { own });
    }
    let sharing = match copy {
        None => Sharing::IfExclusive,
        Some(true) => Sharing::Never,
        Some(false) => Sharing::Promised,
    };
    import(py, object, sharing, op)
}

/// A tensor over the read-only memory of a producer, whose users promise not to write there.
pub fn share_read_only(py: Python<'_>, object: &Bound<'_, PyAny>, op: &'static str) -> Outcome<Tensor> {
    import(py, object, Sharing::IfReadOnly, op)
}

/// Whether a producer's memory is the CPU's.
pub fn is_on_cpu(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match object.getattr_opt(intern!(object.py(), "__dlpack_device__"))? {
        Some(method) => Ok(method.call0()?.extract::<(i64, i64)>()?.0 == i64::from(CPU)),
        None => Ok(true),
    }
}

fn import(py: Python<'_>, object: &Bound<'_, PyAny>, sharing: Sharing, op: &'static str) -> Outcome<Tensor> {
    let asked = if object.is_instance_of::<PyCapsule>() { object.clone() } else { ask(py, object, sharing, op)? };
    if let Some(consumed) = consume::<Versioned>(&asked)? {
        return take(consumed, sharing, op);
    }
    if let Some(consumed) = consume::<Legacy>(&asked)? {
        return take(consumed, sharing, op);
    }
    // SAFETY: a live object, under the interpreter lock; the names are C strings.
    let used = unsafe {
        ffi::PyCapsule_IsValid(asked.as_ptr(), Versioned::USED.as_ptr()) != 0
            || ffi::PyCapsule_IsValid(asked.as_ptr(), Legacy::USED.as_ptr()) != 0
    };
    let got = if used { "one that was consumed before" } else { "another object" };
    Err(PyBufferError::new_err(format!("{op}: argument 'data': expected a fresh DLPack capsule, got {got}")).into())
}

fn ask<'py>(py: Python<'py>, object: &Bound<'py, PyAny>, sharing: Sharing, op: &str) -> Outcome<Bound<'py, PyAny>> {
    let Some(export) = object.getattr_opt(intern!(py, "__dlpack__"))? else {
        let kind = object.get_type().name()?.to_string();
        let message =
            format!("{op}: argument 'data': expected an object with __dlpack__, got an object of type {kind}");
        return Err(PyTypeError::new_err(message).into());
    };
    if !is_on_cpu(object)? {
        let device = object.call_method0(intern!(py, "__dlpack_device__"))?.repr()?.to_string();
        let message =
            format!("{op}: argument 'data': expected data on the CPU, device ({CPU}, 0), got device {device}");
        return Err(PyBufferError::new_err(message).into());
    }
    let options = PyDict::new(py);
    options.set_item(intern!(py, "max_version"), (MAJOR, 0))?;
    if matches!(sharing, Sharing::Promised | Sharing::IfReadOnly) {
        options.set_item(intern!(py, "copy"), false)?;
    }
    match export.call((), Some(&options)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(export.call0()?),
        other => Ok(other?),
    }
}

/// Takes the structure out of a fresh capsule of this kind.
fn consume<M: Managed>(capsule: &Bound<'_, PyAny>) -> PyResult<Option<Consumed<M>>> {
    // SAFETY: a live object, under the interpreter lock; a capsule of this name holds this structure, and once it is
    // renamed, its destructor and other consumers leave the structure to us.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), M::NAME.as_ptr()) == 0 {
            return Ok(None);
        }
        let managed = ffi::PyCapsule_GetPointer(capsule.as_ptr(), M::NAME.as_ptr()).cast::<M>();
        if managed.is_null() || ffi::PyCapsule_SetName(capsule.as_ptr(), M::USED.as_ptr()) != 0 {
            return Err(PyErr::fetch(capsule.py()));
        }
        Ok(Some(Consumed(managed)))
    }
}

fn take<M: Managed>(consumed: Consumed<M>, sharing: Sharing, op: &'static str) -> Outcome<Tensor> {
    // SAFETY: the structure stays valid until `consumed` is dropped.
    let Some((tensor, flags)) = (unsafe { (*consumed.0).readable() }) else {
        let message = format!("{op}: argument 'data': expected DLPack version {MAJOR}, got another major version");
        return Err(PyBufferError::new_err(message).into());
    };
    let foreign = describe(tensor, op)?;
    let copied = flags & IS_COPIED != 0;
    let may_share = match sharing {
        Sharing::Never => false,
        Sharing::IfExclusive => copied,
        Sharing::Promised => true,
        Sharing::IfReadOnly if copied || flags & READ_ONLY != 0 => true,
        Sharing::IfReadOnly => return Err(needs_copy(op, "the producer does not call it read-only")),
    };
    match foreign.obstacle() {
        None if may_share => {
            // SAFETY: the producer keeps the memory until its deleter is called, when the owner is dropped; nobody else
            // writes to a copy made for us, or the caller promised so.
            Ok(unsafe { foreign.share(op, Box::new(consumed)) }?)
        }
        Some(why) if sharing == Sharing::IfReadOnly => Err(needs_copy(op, why)),
        Some(why) if sharing == Sharing::Promised => {
            Err(PyBufferError::new_err(format!("{op}: argument 'copy': data cannot be shared, because {why}")).into())
        }
        _ => Ok(foreign.copy(op)?),
    }
}

fn describe(tensor: &DlTensor, op: &'static str) -> Outcome<Foreign> {
    let bad = |why: &str| -> crate::errors::Failure {
        PyBufferError::new_err(format!("{op}: argument 'data': broken DLPack structure, {why}")).into()
    };
    if tensor.device.kind != CPU {
        let message =
            format!("{op}: argument 'data': expected data on the CPU, got device type {}", tensor.device.kind);
        return Err(PyBufferError::new_err(message).into());
    }
    let dtype = dtype_of(tensor.dtype).map_err(|name| unsupported(op, "argument 'data'", &name, "", None))?;
    let rank = usize::try_from(tensor.rank).map_err(|_| bad("its rank is negative"))?;
    if rank > 0 && tensor.shape.is_null() {
        return Err(bad("its shape is missing"));
    }
    let entry = |list: *mut i64, axis: usize| {
        // SAFETY: a list that is not null has `rank` entries, and `axis` is below the rank.
        unsafe { list.wrapping_add(axis).read() }
    };
    let shape = (0..rank)
        .map(|axis| usize::try_from(entry(tensor.shape, axis)).map_err(|_| bad("an extent is negative")))
        .collect::<Result<Dims, _>>()?;
    let size = checked_size(op, &shape, dtype.itemsize())?;
    let item = dtype.itemsize() as isize;
    let mut strides = Strides::from_elem(item, rank);
    let mut step = item;
    for axis in (0..rank).rev() {
        strides[axis] = if tensor.strides.is_null() {
            step
        } else if shape[axis] > 1 {
            let stride = isize::try_from(entry(tensor.strides, axis)).ok().and_then(|s| s.checked_mul(item));
            stride.ok_or_else(|| bad("a stride is too large"))?
        } else {
            item
        };
        step *= shape[axis].max(1) as isize;
    }
    if size > 0 && tensor.data.is_null() {
        return Err(bad("its data is missing"));
    }
    let offset = usize::try_from(tensor.byte_offset).map_err(|_| bad("its offset is too large"))?;
    let start = tensor.data.cast::<u8>().cast_const().wrapping_add(offset);
    // SAFETY: the producer vouches for dtype, shape, strides and data, which were checked for overflow and null.
    Ok(unsafe { Foreign::new(dtype, &shape, &strides, start, false) })
}
