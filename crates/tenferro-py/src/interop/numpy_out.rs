//! Tensors as NumPy arrays: read-only views that keep the storage alive, and copies.

use super::foreign::flattened;
use crate::dtype::numpy_descr;
use crate::errors::Outcome;
use crate::tensor::PyTensor;
use numpy::npyffi::{self, NpyTypes, PY_ARRAY_API, npy_intp};
use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::inspect::PyStaticExpr;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use pyo3::{type_hint_identifier, type_hint_subscript};
use smallvec::SmallVec;
use std::ptr;
use tenferro_tensor::{DType, Error, Tensor, Variant, show_shape};

/// A NumPy array on its way to Python.
pub struct NumPyArray<'py>(pub Bound<'py, PyAny>);

impl<'py> IntoPyObject<'py> for NumPyArray<'py> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = std::convert::Infallible;
    const OUTPUT_TYPE: PyStaticExpr =
        type_hint_subscript!(type_hint_identifier!("numpy.typing", "NDArray"), type_hint_identifier!("typing", "Any"));

    fn into_pyobject(self, _py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.0)
    }
}

/// A read-only array over the elements of `x`, with the tensor's own strides. Its base is a `Tensor`, which holds the
/// storage and refuses writable access, so NumPy refuses `flags.writeable = True`.
pub fn to_numpy<'py>(py: Python<'py>, x: &Tensor) -> Outcome<Bound<'py, PyAny>> {
    let limit = if npyffi::is_numpy_2(py) { 64 } else { 32 };
    if x.rank() > limit {
        let message =
            format!("expected at most {limit} axes, which is NumPy's limit, got a tensor of rank {}", x.rank());
        return Err(Error::new(Variant::RankMismatch, "numpy", message)
            .with("expected", limit)
            .with("actual", x.rank())
            .into());
    }
    let item = x.dtype().itemsize();
    let mut shape: SmallVec<[npy_intp; 6]> = x.shape().iter().map(|&n| n as npy_intp).collect();
    let mut strides: SmallVec<[npy_intp; 6]> = x.strides().iter().map(|s| s.wrapping_mul(item as isize)).collect();
    let start = x.buffer().as_ptr().wrapping_add(x.layout().offset() * item);
    let owner = Bound::new(py, PyTensor(x.clone()))?;
    // SAFETY: rank, shape and strides describe initialised elements of the storage, which lives as long as `owner`;
    // without the writeable flag NumPy only reads them. NumPy takes over one reference to the descriptor and, also when
    // it fails, one to the owner.
    unsafe {
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            npyffi::get_type_object(py, NpyTypes::PyArray_Type),
            numpy_descr(py, x.dtype()).into_dtype_ptr(),
            x.rank() as i32,
            shape.as_mut_ptr(),
            strides.as_mut_ptr(),
            start.cast_mut().cast(),
            0,
            ptr::null_mut(),
        );
        let array = Bound::from_owned_ptr_or_err(py, array)?;
        if PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), owner.into_ptr()) < 0 {
            return Err(PyErr::fetch(py).into());
        }
        Ok(array)
    }
}

/// The user's own array: writable, Fortran order.
pub fn to_numpy_copy<'py>(py: Python<'py>, x: &Tensor) -> Outcome<Bound<'py, PyAny>> {
    Ok(to_numpy(py, x)?.call_method1(intern!(py, "copy"), (intern!(py, "F"),))?)
}

/// A flat read-only view of the elements in column-major order; `dtype` must be the tensor's, if given.
pub fn flat_view<'py>(py: Python<'py>, x: &Tensor, dtype: Option<DType>) -> Outcome<Bound<'py, PyAny>> {
    if let Some(dtype) = dtype.filter(|&dtype| dtype != x.dtype()) {
        return Err(Error::dtype("as_slice", "argument 'dtype'", dtype, x.dtype()).into());
    }
    if !x.is_compact() {
        let message = format!(
            "expected a compact column-major value, got strides {:?} for shape {}; use to_tensor() or numpy()",
            x.strides(),
            show_shape(x.shape())
        );
        return Err(Error::new(Variant::NonContiguous, "as_slice", message).into());
    }
    to_numpy(py, &flattened(x))
}

/// `__array__`: the view where NumPy allows it, a copy in another dtype or on request; `copy=False` raises `ValueError`
/// where another dtype needs one.
pub fn array_protocol<'py>(
    py: Python<'py>,
    x: &Tensor,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> Outcome<Bound<'py, PyAny>> {
    if let Some(dtype) = dtype.filter(|d| !d.is_none()) {
        let wanted = PyArrayDescr::new(py, dtype)?;
        if !wanted.is_equiv_to(&numpy_descr(py, x.dtype())) {
            if copy == Some(false) {
                let message =
                    format!("expected data that can be shared without a copy, but {} is not {wanted}", x.dtype());
                return Err(Error::argument("__array__", "copy", message).into());
            }
            return Ok(to_numpy(py, x)?.call_method1(intern!(py, "astype"), (wanted,))?);
        }
    }
    if copy == Some(true) { to_numpy_copy(py, x) } else { to_numpy(py, x) }
}

/// The values under NumPy's print options, for a `repr`; continuation lines are indented by `indent`.
pub fn show_values(py: Python<'_>, x: &Tensor, indent: usize) -> Outcome<String> {
    static ARRAY2STRING: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if x.rank() > 32 {
        return Ok("...".to_owned());
    }
    if x.size() == 0 {
        return Ok("[]".to_owned());
    }
    let options = PyDict::new(py);
    options.set_item(intern!(py, "separator"), intern!(py, ", "))?;
    options.set_item(intern!(py, "prefix"), " ".repeat(indent))?;
    let show = ARRAY2STRING.import(py, "numpy", "array2string")?;
    Ok(show.call((to_numpy(py, x)?,), Some(&options))?.extract()?)
}
