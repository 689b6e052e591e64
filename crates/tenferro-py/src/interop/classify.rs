//! What kind of data an arbitrary Python object is.

use super::{dlpack, numpy_in};
use crate::dtype::unsupported;
use crate::errors::Outcome;
use crate::gradient::PyGradientValue;
use crate::tensor::PyTensor;
use numpy::PyUntypedArray;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PySequence, PyString, PyTuple, PyType};
use tenferro_cpu::Number;
use tenferro_tensor::{C128, DType, Error, Tensor, Variant};

/// Data as found in a Python object.
pub enum Item<'py> {
    /// A Python number.
    Number(Number),
    /// An integer beyond 64 bits, as a float.
    HugeInt(f64),
    /// An array-like; the tensor may share its memory.
    Tensor(Tensor),
    /// A list.
    List(Bound<'py, PyList>),
    /// A tuple, or another sequence as a tuple.
    Tuple(Bound<'py, PyTuple>),
}

/// What `object` is. `wanted` is the dtype that the caller asked for, which objects that only convert to a number need.
pub fn classify<'py>(object: &Bound<'py, PyAny>, wanted: Option<DType>, op: &'static str) -> Outcome<Item<'py>> {
    if let Ok(value) = object.cast_exact::<PyFloat>() {
        return Ok(Item::Number(Number::Float(value.value())));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return integer(object, op);
    }
    if let Ok(list) = object.cast_exact::<PyList>() {
        return Ok(Item::List(list.clone()));
    }
    if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        return Ok(Item::Tuple(tuple.clone()));
    }
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        return Ok(Item::Tensor(numpy_in::copy_array(array, wanted, op)?));
    }
    if let Ok(value) = object.cast::<PyBool>() {
        return Ok(Item::Number(Number::Bool(value.is_true())));
    }
    if let Some(tensor) = own_value(object) {
        return Ok(Item::Tensor(tensor));
    }
    if object.is_instance(numpy_scalar(object.py())?)? {
        return Ok(Item::Tensor(numpy_in::copy_scalar(object, wanted, op)?));
    }
    if object.is_instance_of::<PyFloat>() {
        return Ok(Item::Number(Number::Float(object.extract()?)));
    }
    if let Ok(value) = object.cast::<PyComplex>() {
        return Ok(complex(value));
    }
    if object.is_instance_of::<PyInt>() {
        return integer(object, op);
    }
    foreign(object, wanted, op)
}

/// The value of one of this library's plain tensors.
pub fn own_value(object: &Bound<'_, PyAny>) -> Option<Tensor> {
    if let Ok(tensor) = object.cast::<PyTensor>() {
        return Some(tensor.get().0.clone());
    }
    object.cast::<PyGradientValue>().ok().map(|gradient| gradient.get().0.clone())
}

fn integer<'py>(object: &Bound<'py, PyAny>, op: &'static str) -> Outcome<Item<'py>> {
    if let Ok(value) = object.extract::<i64>() {
        return Ok(Item::Number(Number::Int(value)));
    }
    let value = object.extract::<f64>().map_err(|_| {
        Error::new(Variant::IntegerOverflow, op, "argument 'data': an integer is too large even for float64")
    })?;
    Ok(Item::HugeInt(value))
}

fn complex<'py>(value: &Bound<'py, PyComplex>) -> Item<'py> {
    Item::Number(Number::Complex(C128::new(value.real(), value.imag())))
}

/// The class of all NumPy scalars.
fn numpy_scalar(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static GENERIC: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    GENERIC.import(py, "numpy", "generic")
}

fn foreign<'py>(object: &Bound<'py, PyAny>, wanted: Option<DType>, op: &'static str) -> Outcome<Item<'py>> {
    let py = object.py();
    if object.is_instance_of::<PyString>() {
        return Err(unsupported(op, "argument 'data'", "str", "", None).into());
    }
    let is_class = object.is_instance_of::<PyType>();
    if !is_class && object.hasattr(intern!(py, "__dlpack__"))? {
        let has_array = object.hasattr(intern!(py, "__array__"))?;
        if !has_array || dlpack::is_on_cpu(object)? {
            return Ok(Item::Tensor(dlpack::from_dlpack(py, object, None, op)?));
        }
    }
    if !is_class && (object.hasattr(intern!(py, "__array__"))? || numpy_in::has_buffer(object)) {
        return Ok(Item::Tensor(numpy_in::copy_as_array(object, wanted, op)?));
    }
    if let Ok(sequence) = object.cast::<PySequence>() {
        return Ok(Item::Tuple(sequence.to_tuple()?));
    }
    convertible(object, wanted, op)
}

/// Numbers of other classes, such as fractions: taken where the dtype is named, as in NumPy.
fn convertible<'py>(object: &Bound<'py, PyAny>, wanted: Option<DType>, op: &'static str) -> Outcome<Item<'py>> {
    let py = object.py();
    let name = object.get_type().name()?.to_string();
    let is_class = object.is_instance_of::<PyType>();
    let has = |method| Ok::<bool, PyErr>(!is_class && object.hasattr(method)?);
    let number = has(intern!(py, "__float__"))? || has(intern!(py, "__index__"))? || has(intern!(py, "__complex__"))?;
    if !number {
        let message = format!(
            "{op}: argument 'data': expected numbers, nested lists of numbers or an array, got an object of type {name}"
        );
        return Err(PyTypeError::new_err(message).into());
    }
    let Some(dtype) = wanted else {
        let advice = format!(" ({name}); give a dtype to convert it");
        return Err(unsupported(op, "argument 'data'", "object", &advice, None).into());
    };
    if dtype.is_complex() {
        return Ok(complex(py.get_type::<PyComplex>().call1((object,))?.cast::<PyComplex>().map_err(PyErr::from)?));
    }
    if !dtype.is_inexact() && has(intern!(py, "__index__"))? {
        return integer(&object.call_method0(intern!(py, "__index__"))?, op);
    }
    Ok(Item::Number(Number::Float(object.extract()?)))
}
