//! The Python class `DType`: one object per dtype, interchangeable with the NumPy dtype.

use crate::errors::Outcome;
use numpy::{PyArrayDescr, PyArrayDescrMethods, dtype as numpy_dtype};
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyString, PyType};
use pyo3::{type_hint_identifier, type_hint_subscript};
use tenferro_tensor::{C64, C128, DType, Error, Variant};

/// The dtype of a tensor's elements: ``tf.float32``, ``tf.float64``, ``tf.complex64``, ``tf.complex128``, ``tf.int32``,
/// ``tf.int64`` or ``tf.bool_``.
///
/// Equal to and hashed like the NumPy dtype, and accepted wherever NumPy takes a dtype. ``DType(d)`` gives the one
/// object for any spelling of a dtype: a NumPy dtype or scalar type, a name, or ``float``, ``int``, ``complex``,
/// ``bool``. Raises `UnsupportedDTypeError` for dtypes that tensors do not have, `TypeError` for anything else.
///
/// >>> import numpy as np
/// >>> import tenferro as tf
/// >>> tf.float64 == np.dtype("f8"), tf.DType("f8") is tf.float64
/// (True, True)
/// >>> np.zeros(2, dtype=tf.complex64)
/// array([0.+0.j, 0.+0.j], dtype=complex64)
#[pyclass(frozen, generic, name = "DType", module = "tenferro")]
pub struct PyDType {
    dtype: DType,
    numpy: Py<PyArrayDescr>,
    hash: isize,
}

impl PyDType {
    /// The dtype.
    pub fn get(&self) -> DType {
        self.dtype
    }
}

/// The NumPy dtype of a dtype.
pub fn numpy_descr(py: Python<'_>, dtype: DType) -> Bound<'_, PyArrayDescr> {
    match dtype {
        DType::F32 => numpy_dtype::<f32>(py),
        DType::F64 => numpy_dtype::<f64>(py),
        DType::C64 => numpy_dtype::<C64>(py),
        DType::C128 => numpy_dtype::<C128>(py),
        DType::I32 => numpy_dtype::<i32>(py),
        DType::I64 => numpy_dtype::<i64>(py),
        DType::Bool => numpy_dtype::<bool>(py),
    }
}

static SINGLETONS: PyOnceLock<Vec<Py<PyDType>>> = PyOnceLock::new();

fn singletons(py: Python<'_>) -> PyResult<&Vec<Py<PyDType>>> {
    SINGLETONS.get_or_try_init(py, || {
        DType::ALL
            .iter()
            .map(|&dtype| {
                let descr = numpy_descr(py, dtype);
                let hash = descr.hash()?;
                Py::new(py, PyDType { dtype, numpy: descr.unbind(), hash })
            })
            .collect()
    })
}

/// The one Python object of a dtype.
pub fn py_dtype(py: Python<'_>, dtype: DType) -> Py<PyDType> {
    let all = singletons(py).expect("seven small objects can be made when the module is loaded");
    all[dtype as usize].clone_ref(py)
}

#[pymethods]
impl PyDType {
    #[new]
    fn new(py: Python<'_>, dtype: DTypeArg) -> PyResult<Py<PyDType>> {
        Ok(singletons(py)?[dtype.0 as usize].clone_ref(py))
    }

    /// The NumPy name: ``"float64"``.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.bool_.name
    /// 'bool'
    #[getter]
    fn name(&self) -> &'static str {
        self.dtype.name()
    }

    /// Bytes per element.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.complex128.itemsize
    /// 16
    #[getter]
    fn itemsize(&self) -> usize {
        self.dtype.itemsize()
    }

    /// NumPy's letter for the coarse class: ``"b"``, ``"i"``, ``"f"`` or ``"c"``.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.float32.kind
    /// 'f'
    #[getter]
    fn kind(&self) -> &'static str {
        use tenferro_tensor::DTypeKind::*;
        match self.dtype.kind() {
            Bool => "b",
            Int => "i",
            Real => "f",
            Complex => "c",
        }
    }

    /// The NumPy dtype.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.int32.dtype
    /// dtype('int32')
    #[getter]
    fn dtype(&self, py: Python<'_>) -> NumPyDType {
        NumPyDType(self.numpy.clone_ref(py))
    }

    /// The NumPy dtype, under the name by which NumPy asks for it.
    #[getter]
    fn __numpy_dtype__(&self, py: Python<'_>) -> NumPyDType {
        NumPyDType(self.numpy.clone_ref(py))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        match other.cast::<PyDType>() {
            Ok(other) => other.get().dtype == self.dtype,
            Err(_) => self.numpy.bind(other.py()).eq(other).unwrap_or(false),
        }
    }

    fn __hash__(&self) -> isize {
        self.hash
    }

    fn __repr__(&self) -> String {
        format!("tenferro.{}", self.__reduce__())
    }

    fn __str__(&self) -> &'static str {
        self.dtype.name()
    }

    /// The name of the module attribute that holds this object, so that pickling gives it back.
    fn __reduce__(&self) -> &'static str {
        match self.dtype {
            DType::Bool => "bool_",
            other => other.name(),
        }
    }
}

/// A dtype on its way to Python.
pub struct DTypeValue(pub DType);

impl<'py> IntoPyObject<'py> for DTypeValue {
    type Target = PyDType;
    type Output = Bound<'py, PyDType>;
    type Error = PyErr;
    const OUTPUT_TYPE: PyStaticExpr =
        type_hint_subscript!(<PyDType as PyTypeInfo>::TYPE_HINT, type_hint_identifier!("typing", "Any"));

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyDType>> {
        Ok(singletons(py)?[self.0 as usize].bind(py).clone())
    }
}

/// A NumPy dtype on its way to Python.
pub struct NumPyDType(Py<PyArrayDescr>);

impl<'py> IntoPyObject<'py> for NumPyDType {
    type Target = PyArrayDescr;
    type Output = Bound<'py, PyArrayDescr>;
    type Error = std::convert::Infallible;
    // Written out, because inside a class with a property `dtype` the bare name would mean that property.
    const OUTPUT_TYPE: PyStaticExpr = PyStaticExpr::Name { id: "np.dtype[Any]" };

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.0.into_bound(py))
    }
}

/// A dtype argument: `DType`, a NumPy dtype or scalar type, a name, or one of Python's number types.
#[derive(Clone, Copy)]
pub struct DTypeArg(pub DType);

impl<'a, 'py> FromPyObject<'a, 'py> for DTypeArg {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("tenferro._typing", "DTypeLike");

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<DTypeArg> {
        Ok(DTypeArg(dtype_from_py(&object, "")?))
    }
}

/// A dtype argument that is read inside the call, so that errors can name the op.
pub struct DTypeInput<'py>(Bound<'py, PyAny>);

impl DTypeInput<'_> {
    /// The dtype it names.
    pub fn read(&self, op: &'static str) -> Outcome<DType> {
        dtype_from_py(&self.0, op)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for DTypeInput<'py> {
    type Error = std::convert::Infallible;
    const INPUT_TYPE: PyStaticExpr = DTypeArg::INPUT_TYPE;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> Result<DTypeInput<'py>, Self::Error> {
        Ok(DTypeInput(object.to_owned()))
    }
}

/// The dtype of an optional argument.
pub fn read_dtype(input: Option<DTypeInput<'_>>, op: &'static str) -> Outcome<Option<DType>> {
    input.map(|dtype| dtype.read(op)).transpose()
}

/// The dtype that `object` names, for the argument `dtype` of `op`.
pub fn dtype_from_py(object: &Bound<'_, PyAny>, op: &'static str) -> Outcome<DType> {
    let py = object.py();
    if let Ok(own) = object.cast::<PyDType>() {
        return Ok(own.get().dtype);
    }
    if object.is_instance_of::<PyType>() {
        let is = |class: Bound<'_, PyType>| object.is(&class);
        if is(py.get_type::<PyFloat>()) {
            return Ok(DType::F64);
        }
        if is(py.get_type::<PyInt>()) {
            return Ok(DType::I64);
        }
        if is(py.get_type::<PyComplex>()) {
            return Ok(DType::C128);
        }
        if is(py.get_type::<PyBool>()) {
            return Ok(DType::Bool);
        }
    } else if let Ok(name) = object.cast::<PyString>() {
        if let Some(dtype) = name.extract::<std::borrow::Cow<'_, str>>().ok().and_then(|n| DType::from_name(&n)) {
            return Ok(dtype);
        }
    } else if !object.is_instance_of::<PyArrayDescr>() {
        return Err(not_a_dtype(object, op).into());
    }
    let Ok(descr) = PyArrayDescr::new(py, object) else {
        return Err(not_a_dtype(object, op).into());
    };
    let advice = "";
    descr_dtype(&descr).ok_or_else(|| unsupported(op, "argument 'dtype'", &descr_name(&descr), advice, None).into())
}

fn not_a_dtype(object: &Bound<'_, PyAny>, op: &str) -> PyErr {
    let got = shown(object);
    let message = format!("argument 'dtype': expected a dtype such as tf.float64, np.float64 or 'float64', got {got}");
    PyTypeError::new_err(format!("{}{message}", op_prefix(op)))
}

/// An object as messages show it.
pub fn shown(object: &Bound<'_, PyAny>) -> String {
    match object.repr().and_then(|text| text.extract::<String>()) {
        Ok(text) if text.chars().count() <= 80 => text,
        _ => object.get_type().name().map_or_else(|_| "another object".to_owned(), |name| format!("a long {name}")),
    }
}

/// How messages of plain Python exceptions begin.
pub fn op_prefix(op: &str) -> String {
    if op.is_empty() { String::new() } else { format!("{op}: ") }
}

/// The dtype of a NumPy dtype of either byte order; `None` if tensors do not have it.
pub fn descr_dtype(descr: &Bound<'_, PyArrayDescr>) -> Option<DType> {
    match (descr.kind(), descr.itemsize()) {
        (b'f', 4) => Some(DType::F32),
        (b'f', 8) => Some(DType::F64),
        (b'c', 8) => Some(DType::C64),
        (b'c', 16) => Some(DType::C128),
        (b'i', 4) => Some(DType::I32),
        (b'i', 8) => Some(DType::I64),
        (b'b', 1) => Some(DType::Bool),
        _ => None,
    }
}

/// The error for NumPy data of a dtype that tensors do not have; names the dtype asked for, else the nearest one.
pub fn unsupported_data(op: &'static str, descr: &Bound<'_, PyArrayDescr>, wanted: Option<DType>) -> Error {
    let target = wanted.or(nearest(descr));
    let advice = target.map(|t| format!("; convert it first, to {t} for instance")).unwrap_or_default();
    unsupported(op, "argument 'data'", &descr_name(descr), &advice, target)
}

fn descr_name(descr: &Bound<'_, PyArrayDescr>) -> String {
    descr.getattr("name").and_then(|name| name.extract()).unwrap_or_else(|_| "an unknown dtype".to_owned())
}

/// The dtype that holds the numbers of an unsupported one best.
fn nearest(descr: &Bound<'_, PyArrayDescr>) -> Option<DType> {
    match (descr.kind(), descr.itemsize()) {
        (b'f', 2) => Some(DType::F32),
        (b'f', _) => Some(DType::F64),
        (b'c', _) => Some(DType::C128),
        (b'i' | b'u', _) => Some(DType::I64),
        _ => None,
    }
}

/// The error for something of a dtype called `name`.
pub fn unsupported(op: &'static str, what: &str, name: &str, advice: &str, target: Option<DType>) -> Error {
    let names: Vec<_> = DType::ALL.iter().map(|d| d.name()).collect();
    let message = format!("{what}: expected one of {}, got {name}{advice}", names.join(", "));
    let error = Error::new(Variant::UnsupportedDType, op, message).with("from_dtype", name);
    match target {
        Some(target) => error.with("to_dtype", target.name()),
        None => error,
    }
}

/// The error for complex numbers where a real dtype was asked for.
pub fn loses_imaginary_part(op: &'static str, from: DType, to: DType) -> Error {
    let message = format!("argument 'data' holds {from} numbers, and {to} would drop their imaginary parts");
    Error::new(Variant::UnsupportedDType, op, message).with("from_dtype", from.name()).with("to_dtype", to.name())
}
