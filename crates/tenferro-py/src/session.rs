//! The Python class `EagerSession`: every op as a method, inside a with-block or a callback. The ops are in `ops`.

use crate::call::{Call, enter};
use crate::eager::PyEagerTensor;
use crate::errors::{Outcome, to_py};
use crate::interop::tensor_from_any;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tenferro_ad::{EagerRuntime, EagerTensor};
use tenferro_tensor::{Error, Variant};

thread_local! {
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Every op as a method, inputs first: ``s.mul(x, y)``. Made by `EagerRuntime.session` and `with_eager_session`; after its
/// block every call raises `RuntimeStateError`.
///
/// >>> import tenferro as tf
/// >>> with tf.EagerRuntime().session() as s:
/// ...     s.add(1.0, 2.0).item()
/// 3.0
#[pyclass(frozen, weakref, name = "EagerSession", module = "tenferro")]
pub struct PyEagerSession {
    runtime: Arc<EagerRuntime>,
    open: AtomicBool,
}

impl PyEagerSession {
    /// A session that is not entered yet.
    pub fn new(runtime: Arc<EagerRuntime>) -> PyEagerSession {
        PyEagerSession { runtime, open: AtomicBool::new(false) }
    }

    /// Enters, unless this thread is inside a session of the runtime.
    pub fn open(&self) -> Outcome<()> {
        let id = self.runtime.id();
        if self.open.load(Relaxed) || ENTERED.with(|e| e.borrow().contains(&id)) {
            let message = format!("a session of runtime {id} is already open in this thread; use it, or end it first");
            return Err(Error::new(Variant::SessionEntry, "session", message).into());
        }
        ENTERED.with(|e| e.borrow_mut().push(id));
        self.open.store(true, Relaxed);
        Ok(())
    }

    /// Leaves.
    pub fn close(&self) {
        self.open.store(false, Relaxed);
        ENTERED.with(|e| {
            let mut entered = e.borrow_mut();
            if let Some(at) = entered.iter().rposition(|&id| id == self.runtime.id()) {
                entered.remove(at);
            }
        });
    }

    /// Runs `body` as one call of `op`, if the session is open.
    pub fn call<'py, T>(
        &self,
        py: Python<'py>,
        op: &'static str,
        body: impl FnOnce(&mut Call<'py>) -> Outcome<T>,
    ) -> PyResult<T> {
        if !self.open.load(Relaxed) {
            let message = "the session is not open: it has ended, or its with-block has not begun";
            return Err(to_py(py, Error::new(Variant::RuntimeState, op, message)));
        }
        enter(py, op, Some(self.runtime.clone()), body)
    }
}

#[pymethods]
impl PyEagerSession {
    #[pyo3(signature = () -> "EagerSession")]
    fn __enter__(slf: Py<Self>) -> Outcome<Py<Self>> {
        slf.get().open()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exc: "object") -> "None")]
    fn __exit__(&self, _exc: &Bound<'_, PyTuple>) {
        self.close();
    }

    /// An untracked leaf that shares the value of `tensor`.
    fn constant_from(&self, py: Python<'_>, tensor: &Bound<'_, PyTensor>) -> PyResult<PyEagerTensor> {
        self.call(py, "constant_from", |_| {
            Ok(PyEagerTensor::new(EagerTensor::constant(tensor.get().0.clone(), self.runtime.clone())))
        })
    }

    /// A tracked leaf that shares the value of `tensor`.
    fn variable_from(&self, py: Python<'_>, tensor: &Bound<'_, PyTensor>) -> PyResult<PyEagerTensor> {
        self.call(py, "variable_from", |_| {
            Ok(PyEagerTensor::new(EagerTensor::variable(tensor.get().0.clone(), self.runtime.clone())))
        })
    }

    /// An untracked leaf with a copy of host data: an array, nested lists, a number.
    ///
    /// >>> import tenferro as tf
    /// >>> with tf.EagerRuntime().session() as s:
    /// ...     s.constant_from_host([1.0, 2.0]).tolist()
    /// [1.0, 2.0]
    #[pyo3(signature = (data: "ArrayLike"))]
    fn constant_from_host(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<PyEagerTensor> {
        self.call(py, "constant_from_host", |_| {
            let value = tensor_from_any(py, data, None, "constant_from_host")?;
            Ok(PyEagerTensor::new(EagerTensor::constant(value, self.runtime.clone())))
        })
    }

    fn __repr__(&self) -> String {
        let state = if self.open.load(Relaxed) { "open" } else { "not open" };
        format!("EagerSession(runtime={}, {state})", self.runtime.id())
    }
}
