//! Data of any kind into tensors: copied, or shared where that is asked for and safe.

use super::classify::{Item, classify, own_value};
use super::dlpack;
use super::foreign::{Foreign, PythonOwner};
use super::nested::{nested, too_large};
use crate::dtype::{descr_dtype, loses_imaginary_part, unsupported_data};
use crate::errors::Outcome;
use crate::tensor::PyTensor;
use numpy::npyffi::{NPY_ARRAY_WRITEABLE, PY_ARRAY_API};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::ptr;
use tenferro_cpu::{Number, cast, duplicate, full};
use tenferro_tensor::{DType, DTypeKind, Error, Layout, Strides, Tensor};

/// A tensor with a copy of `object`: numbers, nested lists and tuples of numbers and arrays, NumPy arrays and scalars,
/// tensors, anything with a buffer, `__dlpack__` or `__array__`; in `dtype`, or the one that the data has.
pub fn tensor_from_any(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    dtype: Option<DType>,
    op: &'static str,
) -> Outcome<Tensor> {
    match classify(object, dtype, op)? {
        Item::Number(number) => number_tensor(number, dtype, op),
        Item::HugeInt(value) => match dtype {
            Some(dtype) if dtype.kind() != DTypeKind::Int => number_tensor(Number::Float(value), Some(dtype), op),
            _ => Err(too_large(op, dtype.unwrap_or(DType::I64), value)),
        },
        Item::Tensor(tensor) => {
            let fresh = tensor.is_unique() && !tensor.buffer().is_foreign();
            match dtype {
                Some(dtype) if dtype != tensor.dtype() => convert(py, &tensor, dtype, op),
                _ if fresh => Ok(tensor),
                _ => Ok(duplicate(&tensor)?),
            }
        }
        item @ (Item::List(_) | Item::Tuple(_)) => nested(&item, dtype, op),
    }
}

fn number_tensor(number: Number, dtype: Option<DType>, op: &'static str) -> Outcome<Tensor> {
    let dtype = dtype.unwrap_or(number.dtype());
    if number.dtype().is_complex() && !dtype.is_complex() {
        return Err(loses_imaginary_part(op, number.dtype(), dtype).into());
    }
    Ok(full(&[], dtype, number).map_err(|error| error.in_op(op))?)
}

/// `object` as a tensor under NumPy's meaning of `copy`: `true` always copies, `false` never does, `None` copies unless
/// the memory is known to be immutable.
pub fn tensor_as(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    dtype: Option<DType>,
    copy: Option<bool>,
    op: &'static str,
) -> Outcome<Tensor> {
    match copy {
        Some(true) => tensor_from_any(py, object, dtype, op),
        Some(false) => share_numpy(py, object, dtype, op),
        None => {
            let array = object.cast::<PyUntypedArray>().ok();
            match own_value(object).or_else(|| array.and_then(own_memory)) {
                Some(tensor) => match dtype {
                    Some(dtype) if dtype != tensor.dtype() => convert(py, &tensor, dtype, op),
                    _ => Ok(tensor),
                },
                None => tensor_from_any(py, object, dtype, op),
            }
        }
    }
}

/// A tensor over the memory of `object`, without a copy: read-only arrays and buffers, read-only DLPack producers and this
/// library's own values. Whoever asks for it promises that nobody writes to that memory. Raises `InvalidArgumentError`
/// where a copy would be needed.
pub fn share_numpy(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    dtype: Option<DType>,
    op: &'static str,
) -> Outcome<Tensor> {
    let tensor = if let Some(tensor) = own_value(object) {
        tensor
    } else if let Ok(array) = object.cast::<PyUntypedArray>() {
        share_array(array, op)?
    } else if object.is_instance_of::<PyType>() {
        return Err(needs_copy(op, "it is a class"));
    } else if has_buffer(object) {
        share_array(as_array(object)?.cast::<PyUntypedArray>().map_err(PyErr::from)?, op)?
    } else if object.hasattr(intern!(py, "__dlpack__"))? {
        dlpack::share_read_only(py, object, op)?
    } else {
        let kind = object.get_type().name()?.to_string();
        return Err(needs_copy(op, &format!("an object of type {kind} has no array memory")));
    };
    match dtype {
        Some(dtype) if dtype != tensor.dtype() => {
            Err(needs_copy(op, &format!("its dtype {} is not {dtype}", tensor.dtype())))
        }
        _ => Ok(tensor),
    }
}

/// The error of `copy=False` for data that cannot be shared.
pub fn needs_copy(op: &'static str, why: &str) -> crate::errors::Failure {
    Error::argument(op, "copy", format!("expected data that can be shared without a copy, but {why}")).into()
}

fn share_array(array: &Bound<'_, PyUntypedArray>, op: &'static str) -> Outcome<Tensor> {
    if let Some(tensor) = own_memory(array) {
        return Ok(tensor);
    }
    let foreign = describe(array, None, op)?;
    if is_writable(array) {
        return Err(needs_copy(op, "the array is writable; set a.flags.writeable = False first"));
    }
    if let Some(why) = foreign.obstacle() {
        return Err(needs_copy(op, why));
    }
    let owner = Box::new(PythonOwner::new(array.clone().into_any().unbind()));
    // SAFETY: the array keeps its memory while the owner holds it, and its user promised not to write there.
    Ok(unsafe { foreign.share(op, owner) }?)
}

fn is_writable(array: &Bound<'_, PyUntypedArray>) -> bool {
    // SAFETY: the pointer of a live array; reading its flags needs only the interpreter lock.
    unsafe { (*array.as_array_ptr()).fields.flags & NPY_ARRAY_WRITEABLE != 0 }
}

/// Address of the element with all indices zero.
pub fn start_of(array: &Bound<'_, PyUntypedArray>) -> *const u8 {
    // SAFETY: as above.
    unsafe { (*array.as_array_ptr()).fields.data.cast::<u8>().cast_const() }
}

/// The tensor below an array that is a view of one, with the array's own layout.
pub fn own_memory(array: &Bound<'_, PyUntypedArray>) -> Option<Tensor> {
    let py = array.py();
    let mut holder = array.clone().into_any();
    let tensor = loop {
        let name = if holder.is_instance_of::<PyUntypedArray>() { intern!(py, "base") } else { intern!(py, "obj") };
        if let Ok(tensor) = holder.cast::<PyTensor>() {
            break tensor.get().0.clone();
        }
        holder = holder.getattr(name).ok().filter(|next| !next.is_none())?;
    };
    let dtype = descr_dtype(&array.dtype()).filter(|&dtype| dtype == tensor.dtype())?;
    if array.dtype().is_native_byteorder() == Some(false) || is_writable(array) {
        return None;
    }
    let item = dtype.itemsize() as isize;
    let offset = start_of(array).addr().checked_sub(tensor.buffer().as_ptr().addr())?;
    let strides = array.shape().iter().zip(array.strides()).map(|(&n, &s)| if n > 1 { s } else { item });
    let strides: Strides = strides.map(|s| (s % item == 0).then_some(s / item)).collect::<Option<_>>()?;
    if !offset.is_multiple_of(dtype.itemsize()) {
        return None;
    }
    let layout = Layout::strided(array.shape().into(), strides, offset / dtype.itemsize());
    let inside =
        layout.bounds().is_none_or(|(low, high)| low >= 0 && (high + 1) * item <= tensor.buffer().bytes() as isize);
    inside.then(|| tensor.with_layout(layout))
}

fn describe(array: &Bound<'_, PyUntypedArray>, wanted: Option<DType>, op: &'static str) -> Outcome<Foreign> {
    let descr = array.dtype();
    let Some(dtype) = descr_dtype(&descr) else {
        return Err(unsupported_data(op, &descr, wanted).into());
    };
    let exact = array.is_exact_instance_of::<PyUntypedArray>();
    if !exact && let Some(mask) = array.getattr_opt(intern!(array.py(), "mask"))? {
        let hides = mask.call_method0(intern!(array.py(), "any"))?.is_truthy()?;
        if hides {
            let message =
                format!("{op}: argument 'data': expected an array without masked elements; use a.filled(value)");
            return Err(PyTypeError::new_err(message).into());
        }
    }
    let swapped = descr.is_native_byteorder() == Some(false);
    // SAFETY: a NumPy array vouches for its shape, strides and data, and the caller holds the array.
    Ok(unsafe { Foreign::new(dtype, array.shape(), array.strides(), start_of(array), swapped) })
}

/// A copy of a NumPy array; `wanted` only says in errors which dtype the caller asked for.
pub fn copy_array(array: &Bound<'_, PyUntypedArray>, wanted: Option<DType>, op: &'static str) -> Outcome<Tensor> {
    Ok(describe(array, wanted, op)?.copy(op)?)
}

/// A copy of a NumPy scalar, which must be one.
pub fn copy_scalar(scalar: &Bound<'_, PyAny>, wanted: Option<DType>, op: &'static str) -> Outcome<Tensor> {
    let py = scalar.py();
    // SAFETY: the pointer of a live NumPy scalar, under the interpreter lock; no descriptor keeps the scalar's own dtype.
    let array = unsafe { PY_ARRAY_API.PyArray_FromScalar(py, scalar.as_ptr(), ptr::null_mut()) };
    // SAFETY: the call returned a new reference, or null with an exception set.
    let array = unsafe { Bound::from_owned_ptr_or_err(py, array) }?;
    copy_array(array.cast::<PyUntypedArray>().map_err(PyErr::from)?, wanted, op)
}

/// A copy of what `numpy.asarray` makes of `object`.
pub fn copy_as_array(object: &Bound<'_, PyAny>, wanted: Option<DType>, op: &'static str) -> Outcome<Tensor> {
    copy_array(as_array(object)?.cast::<PyUntypedArray>().map_err(PyErr::from)?, wanted, op)
}

/// `numpy.asarray(object)`.
pub fn as_array<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static ASARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    ASARRAY.import(object.py(), "numpy", "asarray")?.call1((object,))
}

/// Whether `object` offers a buffer.
pub fn has_buffer(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the pointer of a live object, under the interpreter lock.
    unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) != 0 }
}

/// `tensor` in another dtype, with NumPy's warning where imaginary parts are lost.
pub fn convert(py: Python<'_>, tensor: &Tensor, dtype: DType, op: &'static str) -> Outcome<Tensor> {
    if tensor.dtype().is_complex() && !dtype.is_complex() && dtype != DType::Bool {
        static WARNING: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = WARNING.import(py, "numpy.exceptions", "ComplexWarning")?;
        PyErr::warn(py, class, c"casting complex values to real discards the imaginary part", 1)?;
    }
    Ok(cast(tensor, dtype).map_err(|error| error.in_op(op))?)
}
