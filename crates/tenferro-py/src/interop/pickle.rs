//! Tensors as bytes and back: what `pickle` stores.

use super::foreign::{Foreign, bytes_of, flattened};
use super::numpy_in::{has_buffer, start_of};
use crate::dtype::{DTypeArg, DTypeValue};
use crate::errors::Outcome;
use crate::tensor::{PyTensor, ShapeArg, ShapeTuple};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyMemoryView};
use tenferro_cpu::compact;
use tenferro_tensor::{DType, Dims, Error, Tensor, Variant, checked_size, compact_strides};

/// What `reduce_parts` gives: dtype, shape and data.
pub type Parts<'py> = (DTypeValue, ShapeTuple, Bound<'py, PyAny>);

/// What `__reduce_ex__` returns: the function that rebuilds the object, and its arguments.
pub type Reduced<'py> = (Bound<'py, PyAny>, Parts<'py>);

/// The pickled form of `x`, which the extension's function `restore` rebuilds.
pub fn reduced<'py>(py: Python<'py>, restore: &str, x: &Tensor, protocol: i32) -> Outcome<Reduced<'py>> {
    let function = py.import(intern!(py, "tenferro._tenferro"))?.getattr(restore)?;
    Ok((function, reduce_parts(py, x, protocol)?))
}

/// Dtype, shape and the elements in column-major order, little-endian: bytes, or for protocol 5 a `PickleBuffer`, which
/// pickle may pass on without a copy.
pub fn reduce_parts<'py>(py: Python<'py>, x: &Tensor, protocol: i32) -> Outcome<Parts<'py>> {
    static PICKLE_BUFFER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let flat = compact(x)?;
    let head = (DTypeValue(x.dtype()), ShapeTuple(x.dims()));
    if protocol >= 5 && cfg!(target_endian = "little") {
        let buffer = PICKLE_BUFFER.import(py, "pickle", "PickleBuffer")?.call1((PyTensor(flattened(&flat)),))?;
        return Ok((head.0, head.1, buffer));
    }
    let bytes = bytes_of(&flat).ok_or_else(|| Error::internal("pickle", "a compact copy is not compact"))?;
    let bytes = PyBytes::new_with(py, bytes.len(), |out| {
        out.copy_from_slice(bytes);
        if cfg!(target_endian = "big") {
            out.chunks_exact_mut(part_size(x.dtype())).for_each(<[u8]>::reverse);
        }
        Ok(())
    })?;
    Ok((head.0, head.1, bytes.into_any()))
}

fn part_size(dtype: DType) -> usize {
    if dtype.is_complex() { dtype.itemsize() / 2 } else { dtype.itemsize() }
}

/// The tensor of these parts; `data` is anything with a contiguous buffer of exactly the right number of bytes.
pub fn restore(
    py: Python<'_>,
    dtype: DType,
    shape: Dims,
    data: &Bound<'_, PyAny>,
    op: &'static str,
) -> Outcome<Tensor> {
    static FROMBUFFER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let expected = checked_size(op, &shape, dtype.itemsize())? * dtype.itemsize();
    if !has_buffer(data) {
        let kind = data.get_type().name()?.to_string();
        return Err(PyTypeError::new_err(format!("{op}: argument 'data': expected bytes, got {kind}")).into());
    }
    let view = PyMemoryView::from(data)?;
    let actual: usize = view.getattr("nbytes")?.extract()?;
    if actual != expected {
        let message = format!(
            "argument 'data': expected {expected} bytes for {dtype} elements of shape {}, got {actual}",
            tenferro_tensor::show_shape(&shape)
        );
        return Err(Error::new(Variant::FileFormat, op, message).into());
    }
    let strides = compact_strides(&shape).iter().map(|s| s * dtype.itemsize() as isize).collect::<Vec<_>>();
    let swapped = cfg!(target_endian = "big");
    if expected == 0 {
        // SAFETY: a tensor without elements reads nothing.
        return Ok(unsafe { Foreign::new(dtype, &shape, &strides, std::ptr::NonNull::dangling().as_ptr(), swapped) }
            .copy(op)?);
    }
    let bytes = FROMBUFFER.import(py, "numpy", "frombuffer")?.call1((view, numpy::dtype::<u8>(py)))?;
    let bytes = bytes.cast::<PyUntypedArray>().map_err(PyErr::from)?;
    if bytes.len() != expected {
        return Err(Error::internal(op, "the buffer changed its size").into());
    }
    // SAFETY: NumPy vouches for `expected` contiguous bytes, which the array keeps alive during the copy.
    Ok(unsafe { Foreign::new(dtype, &shape, &strides, start_of(bytes), swapped) }.copy(op)?)
}

/// Rebuilds a pickled `Tensor` from its dtype, shape and column-major bytes; raises `FileFormatError` if they disagree.
#[pyfunction]
#[pyo3(name = "_restore_tensor")]
pub fn restore_tensor(py: Python<'_>, dtype: DTypeArg, shape: ShapeArg, data: &Bound<'_, PyAny>) -> Outcome<PyTensor> {
    Ok(PyTensor(restore(py, dtype.0, shape.0, data, "_restore_tensor")?))
}
