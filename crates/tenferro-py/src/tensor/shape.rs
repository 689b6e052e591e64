//! Shapes as arguments and results.

use crate::dtype::{op_prefix, shown};
use crate::errors::Outcome;
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::{PyStaticConstant, PyStaticExpr};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyTuple, PyType};
use pyo3::{intern, type_hint_identifier, type_hint_subscript};
use tenferro_tensor::{Dims, Error, Strides, Variant};

/// A shape argument: an int or a sequence of ints.
pub struct ShapeArg(pub Dims);

impl<'a, 'py> FromPyObject<'a, 'py> for ShapeArg {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("tenferro._typing", "ShapeLike");

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<ShapeArg> {
        Ok(ShapeArg(shape_from_py(&object, "")?))
    }
}

/// A shape argument that is read inside the call, so that errors can name the op.
pub struct ShapeInput<'py>(Bound<'py, PyAny>);

impl ShapeInput<'_> {
    /// The extents.
    pub fn read(&self, op: &'static str) -> Outcome<Dims> {
        shape_from_py(&self.0, op)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for ShapeInput<'py> {
    type Error = std::convert::Infallible;
    const INPUT_TYPE: PyStaticExpr = ShapeArg::INPUT_TYPE;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> Result<ShapeInput<'py>, Self::Error> {
        Ok(ShapeInput(object.to_owned()))
    }
}

/// The shape that `object` means, for the argument `shape` of `op`.
pub fn shape_from_py(object: &Bound<'_, PyAny>, op: &'static str) -> Outcome<Dims> {
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return tuple.iter_borrowed().map(|entry| extent_from_py(&entry, op)).collect();
    }
    let py = object.py();
    if !object.hasattr(intern!(py, "__len__"))? || object.hasattr(intern!(py, "__index__"))? && is_rank_0(object)? {
        return Ok([extent_from_py(object, op)?][..].into());
    }
    let mut shape = Dims::new();
    for entry in object.try_iter()? {
        shape.push(extent_from_py(&entry?, op)?);
    }
    Ok(shape)
}

/// Whether an object that may stand for an integer is a number and not a list: NumPy's arrays have both methods.
fn is_rank_0(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match object.getattr_opt(intern!(object.py(), "ndim"))? {
        Some(rank) => rank.eq(0),
        None => Ok(true),
    }
}

/// Whether an object is one of NumPy's truth values, which some versions convert to integers.
fn is_truth_value(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match object.getattr_opt(intern!(object.py(), "dtype"))? {
        Some(dtype) => dtype.eq("bool"),
        None => Ok(false),
    }
}

fn extent_from_py(object: &Bound<'_, PyAny>, op: &'static str) -> Outcome<usize> {
    let wrong_type = || -> Outcome<usize> {
        let kind = object.get_type().name()?.to_string();
        let message = format!("{}argument 'shape': expected integers, got {kind}", op_prefix(op));
        Err(PyTypeError::new_err(message).into())
    };
    if object.is_instance_of::<PyBool>() || object.is_instance_of::<PyType>() {
        return wrong_type();
    }
    let number = if object.is_instance_of::<PyInt>() {
        object.clone()
    } else if is_truth_value(object)? {
        return wrong_type();
    } else {
        match object.getattr_opt(intern!(object.py(), "__index__"))? {
            Some(index) => index.call0()?,
            None => return wrong_type(),
        }
    };
    if number.lt(0)? {
        return Err(
            Error::argument(op, "shape", format!("expected non-negative extents, got {}", shown(&number))).into()
        );
    }
    number.extract::<usize>().ok().filter(|&n| n <= isize::MAX as usize).ok_or_else(|| {
        let message = format!("argument 'shape': an extent of {} is too large", shown(&number));
        Error::new(Variant::IntegerOverflow, op, message).into()
    })
}

const INTS: PyStaticExpr = type_hint_subscript!(
    type_hint_identifier!("builtins", "tuple"),
    type_hint_identifier!("builtins", "int"),
    PyStaticExpr::Constant { value: PyStaticConstant::Ellipsis }
);

/// A shape on its way to Python: a tuple of ints.
pub struct ShapeTuple(pub Dims);

impl<'py> IntoPyObject<'py> for ShapeTuple {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;
    const OUTPUT_TYPE: PyStaticExpr = INTS;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.iter())
    }
}

/// Strides on their way to Python: a tuple of ints.
pub struct StrideTuple(pub Strides);

impl<'py> IntoPyObject<'py> for StrideTuple {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;
    const OUTPUT_TYPE: PyStaticExpr = INTS;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.iter())
    }
}
