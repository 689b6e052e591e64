//! `no_grad`, `capture_trace` and `use_runtime` as context managers and decorators.

use crate::defaults::{pop_used, push_used, replace_default};
use crate::errors::Outcome;
use crate::runtime::PyEagerRuntime;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;
use tenferro_ad::{CaptureGuard, EagerRuntime, NoGradGuard, Recording};

#[derive(Clone)]
enum Mode {
    NoGrad,
    Capture,
    Record,
    Use(Arc<EagerRuntime>),
}

impl Mode {
    fn push(&self) {
        match self {
            Mode::NoGrad => NoGradGuard::push(),
            Mode::Capture => CaptureGuard::push(),
            Mode::Record => Recording::push(),
            Mode::Use(runtime) => push_used(runtime.clone()),
        }
    }

    fn pop(&self) {
        match self {
            Mode::NoGrad => NoGradGuard::pop(),
            Mode::Capture => CaptureGuard::pop(),
            Mode::Record => Recording::pop(),
            Mode::Use(_) => pop_used(),
        }
    }
}

/// A mode of this thread, for a with-block or as a decorator; nests.
///
/// >>> import tenferro as tf
/// >>> x = tf.tensor(2.0, requires_grad=True)
/// >>> with tf.no_grad():
/// ...     y = x * x
/// >>> y.tracks_grad
/// False
#[pyclass(frozen, name = "ModeGuard", module = "tenferro")]
pub struct PyModeGuard(Mode);

#[pymethods]
impl PyModeGuard {
    #[pyo3(signature = () -> "ModeGuard")]
    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf.get().0.push();
        slf
    }

    #[pyo3(signature = (*_exc: "object") -> "None")]
    fn __exit__(&self, _exc: &Bound<'_, PyTuple>) {
        self.0.pop();
    }

    /// `function`, run inside the mode.
    #[pyo3(signature = (function: "Callable[_P, _T]") -> "Callable[_P, _T]")]
    fn __call__<'py>(&self, py: Python<'py>, function: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let wrapper = Bound::new(py, ModeFunction { mode: self.0.clone(), function: function.clone().unbind() })?;
        py.import("tenferro._modes")?.getattr("wrap")?.call1((wrapper, function))
    }
}

#[pyclass(frozen, name = "_ModeFunction", module = "tenferro")]
struct ModeFunction {
    mode: Mode,
    function: Py<PyAny>,
}

#[pymethods]
impl ModeFunction {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        self.mode.push();
        let result = self.function.call(py, args, kwargs);
        self.mode.pop();
        result
    }
}

/// While active, nothing is recorded on this thread, in no runtime: for a with-block, or as the decorator ``@tf.no_grad()``.
///
/// >>> import tenferro as tf
/// >>> x = tf.tensor(2.0, requires_grad=True)
/// >>> with tf.no_grad():
/// ...     (x * x).tracks_grad
/// False
#[pyfunction]
pub fn no_grad() -> PyModeGuard {
    PyModeGuard(Mode::NoGrad)
}

/// While active, ops on untracked values are recorded too, so that a runtime's `grad`, `vjp` and `jvp` work with respect
/// to untracked leaves afterwards.
///
/// >>> import tenferro as tf
/// >>> c = tf.tensor(3.0)
/// >>> with tf.capture_trace():
/// ...     y = c * c
/// >>> c.runtime.grad(y, c).item()
/// 6.0
#[pyfunction]
pub fn capture_trace() -> PyModeGuard {
    PyModeGuard(Mode::Capture)
}

/// While active, `no_grad` further out does not count: what runs inside a functional transform is recorded.
#[pyfunction]
#[pyo3(name = "_recording")]
pub fn recording() -> PyModeGuard {
    PyModeGuard(Mode::Record)
}

/// The runtime of creation functions and of calls without tensor arguments.
///
/// >>> import tenferro as tf
/// >>> tf.zeros(2).runtime is tf.default_runtime()
/// True
#[pyfunction]
pub fn default_runtime(py: Python<'_>) -> Outcome<Py<PyEagerRuntime>> {
    PyEagerRuntime::of(py, &crate::defaults::default_runtime())
}

/// Makes `runtime` the process-wide default.
///
/// >>> import tenferro as tf
/// >>> old = tf.default_runtime()
/// >>> tf.set_default_runtime(tf.EagerRuntime())
/// >>> tf.default_runtime() is old
/// False
/// >>> tf.set_default_runtime(old)
#[pyfunction]
pub fn set_default_runtime(runtime: &Bound<'_, PyEagerRuntime>) {
    replace_default(runtime.get().inner().clone());
}

/// While active, `runtime` is the default one on this thread.
///
/// >>> import tenferro as tf
/// >>> ctx = tf.EagerRuntime()
/// >>> with tf.use_runtime(ctx):
/// ...     x = tf.zeros(2)
/// >>> x.runtime is ctx
/// True
#[pyfunction]
pub fn use_runtime(runtime: &Bound<'_, PyEagerRuntime>) -> PyModeGuard {
    PyModeGuard(Mode::Use(runtime.get().inner().clone()))
}
