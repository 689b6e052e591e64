//! The Python class `EagerRuntime`.

use crate::backend::PyCpuBackend;
use crate::call::{Operand, enter, released};
use crate::eager::PyEagerTensor;
use crate::errors::{Outcome, guarded};
use crate::leaves::{Leaves, as_seed};
use crate::session::PyEagerSession;
use crate::tensor::PyTensor;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;
use tenferro_ad::{CpuBackend, EagerRuntime, EagerTensor};
use tenferro_cpu::threads;
use tenferro_tensor::{Error, pool_stats};

/// What tensors that may be combined have in common: an identity, a backend, and the leaves whose gradients it can clear.
///
/// >>> import tenferro as tf
/// >>> ctx = tf.EagerRuntime()
/// >>> x = ctx.variable_from(tf.Tensor.from_vec_col_major((), [3.0]))
/// >>> ctx.grad(x * x, x).item()
/// 6.0
#[pyclass(frozen, weakref, name = "EagerRuntime", module = "tenferro")]
pub struct PyEagerRuntime(Arc<EagerRuntime>);

impl PyEagerRuntime {
    /// The runtime.
    pub fn inner(&self) -> &Arc<EagerRuntime> {
        &self.0
    }

    /// The Python object of a runtime: the same one as long as somebody holds it.
    pub fn of(py: Python<'_>, runtime: &Arc<EagerRuntime>) -> Outcome<Py<PyEagerRuntime>> {
        static OBJECTS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let objects = OBJECTS.get_or_try_init(py, || -> PyResult<Py<PyAny>> {
            Ok(py.import("weakref")?.getattr("WeakValueDictionary")?.call0()?.unbind())
        })?;
        let objects = objects.bind(py);
        let known = objects.call_method1(intern!(py, "get"), (runtime.id(),))?;
        if let Ok(known) = known.cast::<PyEagerRuntime>() {
            return Ok(known.clone().unbind());
        }
        let made = Py::new(py, PyEagerRuntime(runtime.clone()))?;
        Ok(objects
            .call_method1(intern!(py, "setdefault"), (runtime.id(), made))?
            .cast::<PyEagerRuntime>()
            .map_err(PyErr::from)?
            .clone()
            .unbind())
    }
}

fn inactive(op: &'static str) -> Error {
    Error::argument(
        op,
        "wrt",
        "expected a leaf with a differentiable path to the output, got one without; the `_optional` form returns None",
    )
}

impl PyEagerRuntime {
    fn reverse<'py>(
        &self,
        py: Python<'py>,
        op: &'static str,
        output: &Bound<'py, PyEagerTensor>,
        wrt: &Bound<'py, PyAny>,
        seed: Option<Operand<'py>>,
        optional: bool,
    ) -> PyResult<Py<PyAny>> {
        enter(py, op, Some(self.0.clone()), |call| {
            let output = output.get().live()?;
            tenferro_ad::same_runtime(&self.0, output.runtime(), op)?;
            let leaves = Leaves::of(op, wrt)?;
            let inner = leaves.list().into_iter().map(|t| t.get().live()).collect::<Outcome<Vec<_>>>()?;
            let seed = seed.map(|s| as_seed(call, &s, output)).transpose()?;
            let parts = released(py, &self.0, || match &seed {
                Some(seed) => output.vjp(&inner, seed, op),
                None => output.grad(&inner),
            })?;
            let mut found = Vec::with_capacity(parts.len());
            for part in parts {
                found.push(match part {
                    Some(part) => Some(Py::new(py, PyEagerTensor::new(part))?),
                    None if optional => None,
                    None => return Err(inactive(op).into()),
                });
            }
            Ok(match leaves {
                Leaves::One(_) => found.pop().flatten().map_or_else(|| py.None(), |one| one.into_any()),
                Leaves::Many(_) => PyTuple::new(py, found)?.into_any().unbind(),
            })
        })
    }

    fn forward<'py>(
        &self,
        py: Python<'py>,
        op: &'static str,
        output: &Bound<'py, PyEagerTensor>,
        wrt: &Bound<'py, PyAny>,
        tangent: &Bound<'py, PyAny>,
    ) -> PyResult<Option<PyEagerTensor>> {
        enter(py, op, Some(self.0.clone()), |call| {
            let output = output.get().live()?;
            tenferro_ad::same_runtime(&self.0, output.runtime(), op)?;
            let leaves = Leaves::of(op, wrt)?;
            let list = leaves.list();
            let tangents: Vec<Operand<'py>> = match &leaves {
                Leaves::One(_) => vec![Operand(tangent.clone())],
                Leaves::Many(_) => tangent.try_iter()?.map(|t| t.map(Operand)).collect::<PyResult<_>>()?,
            };
            if tangents.len() != list.len() {
                let message = format!("expected {} tangents, one per leaf, got {}", list.len(), tangents.len());
                return Err(Error::argument(op, "tangent", message).into());
            }
            let mut seeds = Vec::new();
            for (leaf, t) in list.iter().zip(&tangents) {
                seeds.push(as_seed(call, t, leaf.get().live()?)?);
            }
            let inner = list.into_iter().map(|t| t.get().live()).collect::<Outcome<Vec<_>>>()?;
            let pairs: Vec<_> = inner.into_iter().zip(&seeds).collect();
            let out = released(py, &self.0, || output.jvp(&pairs))?;
            Ok(out.map(PyEagerTensor::new))
        })
    }
}

#[pymethods]
impl PyEagerRuntime {
    #[new]
    fn new(py: Python<'_>) -> Outcome<Py<PyEagerRuntime>> {
        PyEagerRuntime::of(py, &EagerRuntime::new(CpuBackend::default()))
    }

    /// A runtime whose kernels run as `backend` says.
    ///
    /// >>> import tenferro as tf
    /// >>> ctx = tf.EagerRuntime.with_cpu_backend(tf.CpuBackend(threads=1))
    #[staticmethod]
    fn with_cpu_backend(py: Python<'_>, backend: &Bound<'_, PyCpuBackend>) -> Outcome<Py<PyEagerRuntime>> {
        PyEagerRuntime::of(py, &EagerRuntime::new(backend.get().inner().clone()))
    }

    /// A number that no other runtime of this process has.
    #[getter]
    fn id(&self) -> u64 {
        self.0.id()
    }

    /// A session, for a with-block: every op as a method, inputs first.
    ///
    /// Entering raises `SessionEntryError` if this thread is inside a session of this runtime already.
    ///
    /// >>> import tenferro as tf
    /// >>> ctx = tf.EagerRuntime()
    /// >>> x = ctx.constant_from(tf.Tensor.from_vec_col_major((2,), [1.0, 2.0]))
    /// >>> with ctx.session() as s:
    /// ...     y = s.reduce_sum(s.mul(x, x), axes=[0])
    /// >>> y.item()
    /// 5.0
    fn session(&self) -> PyEagerSession {
        PyEagerSession::new(self.0.clone())
    }

    /// Calls ``callback(session)`` and returns its result unchanged; exceptions pass through.
    ///
    /// >>> import tenferro as tf
    /// >>> ctx = tf.EagerRuntime()
    /// >>> ctx.with_eager_session(lambda s: s.add(1.0, 2.0)).item()
    /// 3.0
    #[pyo3(signature = (callback: "Callable[[EagerSession], _T]") -> "_T")]
    fn with_eager_session<'py>(&self, py: Python<'py>, callback: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let session = Py::new(py, PyEagerSession::new(self.0.clone()))?;
        session.get().open()?;
        let result = callback.call1((&session,));
        session.get().close();
        result
    }

    /// The gradient of a scalar `output` with respect to a leaf (or, of a list of leaves, a tuple of gradients).
    ///
    /// The results are recorded, so that they can be differentiated again; no ``grad`` slot is touched. Raises
    /// `NonScalarGradError` unless the rank is 0, `ContextMismatchError` for tensors of another runtime, and
    /// `InvalidArgumentError` (argument ``wrt``) where no differentiable path exists.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor(3.0, requires_grad=True)
    /// >>> g = x.runtime.grad(x * x * x, x)
    /// >>> x.runtime.grad(g, x).item()
    /// 18.0
    #[pyo3(signature = (output, wrt) -> "Any")]
    fn grad<'py>(
        &self,
        py: Python<'py>,
        output: &Bound<'py, PyEagerTensor>,
        wrt: &Bound<'py, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        self.reverse(py, "grad", output, wrt, None, false)
    }

    /// As `grad`, with `None` where no differentiable path exists.
    ///
    /// >>> import tenferro as tf
    /// >>> x, y = tf.tensor(3.0, requires_grad=True), tf.tensor(1.0, requires_grad=True)
    /// >>> x.runtime.grad_optional(x * x, y) is None
    /// True
    #[pyo3(signature = (output, wrt) -> "Any")]
    fn grad_optional<'py>(
        &self,
        py: Python<'py>,
        output: &Bound<'py, PyEagerTensor>,
        wrt: &Bound<'py, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        self.reverse(py, "grad_optional", output, wrt, None, true)
    }

    /// Jᴴ·cotangent of `output` with respect to a leaf (or a tuple, for a list of leaves); recorded, no slot is touched.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
    /// >>> x.runtime.vjp(x * x, x, tf.tensor([1.0, 10.0])).tolist()
    /// [2.0, 40.0]
    #[pyo3(signature = (output, wrt, cotangent) -> "Any")]
    fn vjp<'py>(
        &self,
        py: Python<'py>,
        output: &Bound<'py, PyEagerTensor>,
        wrt: &Bound<'py, PyAny>,
        cotangent: Operand<'py>,
    ) -> PyResult<Py<PyAny>> {
        self.reverse(py, "vjp", output, wrt, Some(cotangent), false)
    }

    /// As `vjp`, with `None` where no differentiable path exists.
    #[pyo3(signature = (output, wrt, cotangent) -> "Any")]
    fn vjp_optional<'py>(
        &self,
        py: Python<'py>,
        output: &Bound<'py, PyEagerTensor>,
        wrt: &Bound<'py, PyAny>,
        cotangent: Operand<'py>,
    ) -> PyResult<Py<PyAny>> {
        self.reverse(py, "vjp_optional", output, wrt, Some(cotangent), true)
    }

    /// J·tangent: the derivative of `output` when the leaf `wrt` moves along `tangent` (lists: all leaves together);
    /// recorded.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
    /// >>> x.runtime.jvp(x * x, x, tf.tensor([1.0, 1.0])).tolist()
    /// [2.0, 4.0]
    #[pyo3(signature = (output, wrt, tangent) -> "EagerTensor")]
    fn jvp<'py>(
        &self,
        py: Python<'py>,
        output: &Bound<'py, PyEagerTensor>,
        wrt: &Bound<'py, PyAny>,
        tangent: &Bound<'py, PyAny>,
    ) -> PyResult<PyEagerTensor> {
        match self.forward(py, "jvp", output, wrt, tangent)? {
            Some(out) => Ok(out),
            None => Err(crate::errors::to_py(py, inactive("jvp"))),
        }
    }

    /// As `jvp`, with `None` where no differentiable path exists.
    #[pyo3(signature = (output, wrt, tangent) -> "EagerTensor | None")]
    fn jvp_optional<'py>(
        &self,
        py: Python<'py>,
        output: &Bound<'py, PyEagerTensor>,
        wrt: &Bound<'py, PyAny>,
        tangent: &Bound<'py, PyAny>,
    ) -> PyResult<Option<PyEagerTensor>> {
        self.forward(py, "jvp_optional", output, wrt, tangent)
    }

    /// A guard, for a with-block: nothing is recorded meanwhile on this thread, in no runtime.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor(2.0, requires_grad=True)
    /// >>> with x.runtime.no_grad():
    /// ...     (x * x).tracks_grad
    /// False
    fn no_grad(&self) -> crate::modes::PyModeGuard {
        crate::modes::no_grad()
    }

    /// A guard, for a with-block: ops on untracked values are recorded too, so that `grad`, `vjp` and `jvp` work with
    /// respect to untracked leaves afterwards.
    ///
    /// >>> import tenferro as tf
    /// >>> c = tf.tensor(3.0)
    /// >>> with c.runtime.capture_trace():
    /// ...     y = c * c
    /// >>> y.tracks_grad, c.runtime.grad(y, c).item()
    /// (False, 6.0)
    fn capture_trace(&self) -> crate::modes::PyModeGuard {
        crate::modes::capture_trace()
    }

    /// An untracked leaf that shares the value of `tensor`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.EagerRuntime().constant_from(tf.Tensor.from_numpy([1.0])).tracks_grad
    /// False
    fn constant_from(&self, tensor: &Bound<'_, PyTensor>) -> PyEagerTensor {
        PyEagerTensor::new(EagerTensor::constant(tensor.get().0.clone(), self.0.clone()))
    }

    /// A tracked leaf that shares the value of `tensor`.
    ///
    /// >>> import tenferro as tf
    /// >>> tf.EagerRuntime().variable_from(tf.Tensor.from_numpy([1.0])).tracks_grad
    /// True
    fn variable_from(&self, tensor: &Bound<'_, PyTensor>) -> PyEagerTensor {
        PyEagerTensor::new(EagerTensor::variable(tensor.get().0.clone(), self.0.clone()))
    }

    /// Forgets the gradients of all leaves of this runtime.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor(3.0, requires_grad=True)
    /// >>> _ = (x * x).backward()
    /// >>> x.runtime.clear_grads()
    /// >>> x.grad is None
    /// True
    fn clear_grads(&self) -> Outcome<()> {
        guarded("clear_grads", || {
            self.0.clear_grads();
            Ok(())
        })
    }

    /// Returns when all work is done: at once, because every op finishes before it returns.
    fn synchronize(&self) {}

    /// Counters of this runtime's caches. An eager backward pass compiles nothing, so what there is to cache is memory:
    /// ``buffer_pool`` with ``entries``, ``retained_bytes``, ``hits`` and ``misses``.
    ///
    /// >>> import tenferro as tf
    /// >>> list(tf.EagerRuntime().cache_stats())
    /// ['buffer_pool']
    #[pyo3(signature = () -> "dict[str, dict[str, int]]")]
    fn cache_stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = pool_stats();
        let pool = PyDict::new(py);
        for (name, value) in
            [("entries", stats.blocks), ("retained_bytes", stats.bytes), ("hits", stats.hits), ("misses", stats.misses)]
        {
            pool.set_item(name, value)?;
        }
        let all = PyDict::new(py);
        all.set_item("buffer_pool", pool)?;
        Ok(all)
    }

    /// Empties the caches. Live tensors and records are not affected.
    fn clear_caches(&self) {
        tenferro_tensor::pool_clear();
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyEagerRuntime>().is_ok_and(|other| other.get().0.id() == self.0.id())
    }

    fn __hash__(&self) -> u64 {
        self.0.id()
    }

    fn __repr__(&self) -> String {
        format!(
            "EagerRuntime(id={}, threads={})",
            self.0.id(),
            self.0.backend().threads().unwrap_or_else(threads::num_threads)
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("an EagerRuntime cannot be pickled; tensors can, and arrive in the default runtime"))
    }
}
