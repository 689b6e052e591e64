//! From the library's errors to Python exceptions, and from panics to `InternalError`.

use crate::dtype::py_dtype;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyModule, PyTuple, PyType};
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use tenferro_tensor::{Error, Field, Kind};

/// Why a call from Python failed: an error of the library, or an exception that Python raised meanwhile.
pub enum Failure {
    /// An error of the library; its exception is built when it is raised.
    Core(Error),
    /// An exception that passes through unchanged.
    Python(PyErr),
}

/// Result of everything that Python calls.
pub type Outcome<T> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Core(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        match failure {
            Failure::Core(error) => Python::attach(|py| to_py(py, error)),
            Failure::Python(error) => error,
        }
    }
}

thread_local! {
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Keeps the exception of a signal handler, or of a derivative rule, until the call of this thread that it ends has returned.
pub fn stash(error: PyErr) {
    RAISED.with(|slot| *slot.borrow_mut() = Some(error));
}

fn take_stashed() -> PyErr {
    RAISED.with(|slot| slot.borrow_mut().take()).unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))
}

/// The name that Python shows for a coarse class.
pub const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Validation => "validation",
        Kind::Unsupported => "unsupported",
        Kind::NumericalFailure => "numerical_failure",
        Kind::RuntimeState => "runtime_state",
        Kind::BackendFailure => "backend_failure",
        Kind::Internal => "internal",
    }
}

/// A class of `tenferro.errors`, by name.
pub fn error_class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || PyModule::import(py, "tenferro.errors").map(Bound::unbind))?;
    Ok(module.bind(py).getattr(name)?.cast_into::<PyType>()?)
}

/// The Python exception of `error`.
pub fn to_py(py: Python<'_>, error: Error) -> PyErr {
    to_py_with(py, error, &[])
}

/// The Python exception of `error` with fields that only Python can hold, such as the handle of `NotUniqueError`.
pub fn to_py_with(py: Python<'_>, error: Error, objects: &[(&'static str, Py<PyAny>)]) -> PyErr {
    if error.is_interrupted() {
        return take_stashed();
    }
    build(py, &error, objects).unwrap_or_else(|failure| failure)
}

fn build(py: Python<'_>, error: &Error, objects: &[(&'static str, Py<PyAny>)]) -> PyResult<PyErr> {
    let class = error_class(py, error.variant().class().name)?;
    let fields = PyDict::new(py);
    if !error.op().is_empty() {
        fields.set_item("op", error.op())?;
    }
    if let Some(phase) = error.phase() {
        fields.set_item("phase", phase.name())?;
    }
    for (name, field) in error.fields() {
        match field {
            Field::Int(value) => fields.set_item(name, value)?,
            Field::Shape(value) => fields.set_item(name, PyTuple::new(py, value)?)?,
            Field::Text(value) => fields.set_item(name, value)?,
            Field::DType(value) => fields.set_item(name, py_dtype(py, *value))?,
            Field::Float(value) => fields.set_item(name, value)?,
        }
    }
    for (name, value) in objects {
        fields.set_item(name, value)?;
    }
    Ok(PyErr::from_value(class.call((error.message(),), Some(&fields))?))
}

/// Runs `body`; a panic becomes the `InternalError` of `op` with the panic's text.
pub fn guarded<T>(op: &'static str, body: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let text = panic_text(payload.as_ref());
        Err(Error::internal(op, format!("a bug of this library, please report it: {text}")).into())
    })
}

fn panic_text(payload: &(dyn Any + Send)) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "no further information",
    }
}

/// Keeps panics from printing, because they reach the user as exceptions; TENFERRO_BACKTRACE in the environment
/// brings the report back.
pub fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::env::var_os("TENFERRO_BACKTRACE").is_some() {
                report(info);
            }
        }));
    });
}
