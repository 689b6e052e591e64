//! The Python class `Gradients`: a mapping from leaves to the gradients of one backward pass.

use crate::eager::PyEagerTensor;
use crate::errors::{Failure, Outcome};
use crate::gradient::PyGradientValue;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenferro_ad::{EagerRuntime, EagerTensor, Gradients};
use tenferro_tensor::{Error, Tensor, Variant};

/// The gradients of one backward pass, by leaf: a mapping whose keys are tensors, looked up by the leaf's identity, so that
/// clones find the same entry.
///
/// >>> import tenferro as tf
/// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
/// >>> grads = (x * x).sum().backward()
/// >>> len(grads), x in grads, grads[x].numpy()
/// (1, True, array([2., 4.]))
#[pyclass(frozen, mapping, weakref, name = "Gradients", module = "tenferro")]
pub struct PyGradients {
    found: Mutex<Gradients>,
    runtime: Arc<EagerRuntime>,
}

impl PyGradients {
    /// The gradients of a pass in `runtime`.
    pub fn new(found: Gradients, runtime: Arc<EagerRuntime>) -> PyGradients {
        PyGradients { found: Mutex::new(found), runtime }
    }

    fn found(&self) -> MutexGuard<'_, Gradients> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lookup(&self, key: &Bound<'_, PyAny>) -> Option<Tensor> {
        let tensor = key.cast::<PyEagerTensor>().ok()?.get().live().ok()?;
        self.found().get(tensor.key()).cloned()
    }

    fn leaves(&self) -> Vec<(EagerTensor, Tensor)> {
        let found = self.found();
        let handle = |entry| EagerTensor::from_entry(entry, self.runtime.clone());
        found.entries().iter().map(|entry| (handle(entry), entry.grad.clone())).collect()
    }
}

#[pymethods]
impl PyGradients {
    /// The gradient of a leaf; `NotATensorKeyError` if the pass did not reach it.
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> Outcome<PyGradientValue> {
        match self.lookup(key) {
            Some(grad) => Ok(PyGradientValue(grad)),
            None => {
                let kind = key.get_type().name()?;
                let message = match key.cast::<PyEagerTensor>() {
                    Ok(_) => "expected a leaf that this backward pass reached, got another tensor".to_owned(),
                    Err(_) => format!("expected an EagerTensor, got {kind}"),
                };
                Err(Failure::Core(Error::new(Variant::NotATensorKey, "Gradients", message)))
            }
        }
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        self.lookup(key).is_some()
    }

    fn __len__(&self) -> usize {
        self.found().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        Ok(self.keys(py)?.try_iter()?.into_any())
    }

    /// The leaves that the pass reached.
    #[pyo3(signature = () -> "KeysView[EagerTensor]")]
    fn keys<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyList>> {
        let keys = self.leaves().into_iter().map(|(leaf, _)| PyEagerTensor::new(leaf));
        Ok(PyList::new(py, keys.collect::<Vec<_>>())?)
    }

    /// Their gradients.
    #[pyo3(signature = () -> "ValuesView[GradientValue]")]
    fn values<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyList>> {
        let values = self.leaves().into_iter().map(|(_, grad)| PyGradientValue(grad));
        Ok(PyList::new(py, values.collect::<Vec<_>>())?)
    }

    /// Pairs of leaf and gradient.
    #[pyo3(signature = () -> "ItemsView[EagerTensor, GradientValue]")]
    fn items<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyList>> {
        let mut pairs = Vec::new();
        for (leaf, grad) in self.leaves() {
            let leaf = Bound::new(py, PyEagerTensor::new(leaf))?.into_any();
            let grad = Bound::new(py, PyGradientValue(grad))?.into_any();
            pairs.push(PyTuple::new(py, [leaf, grad])?);
        }
        Ok(PyList::new(py, pairs)?)
    }

    /// The gradient of a leaf, or `default`.
    #[pyo3(signature = (key: "EagerTensor", default: "T" = None) -> "GradientValue | T")]
    fn get<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>, default: Option<Bound<'py, PyAny>>) -> Outcome<Bound<'py, PyAny>> {
        match self.lookup(key) {
            Some(grad) => Ok(Bound::new(py, PyGradientValue(grad))?.into_any()),
            None => Ok(default.unwrap_or_else(|| py.None().into_bound(py))),
        }
    }

    /// Removes the gradient of a leaf and returns it as a plain `Tensor`; `None` if there is none.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor(3.0, requires_grad=True)
    /// >>> grads = (x * x).backward()
    /// >>> grads.take_grad(x).tolist(), grads.take_grad(x)
    /// (6.0, None)
    fn take_grad(&self, key: &Bound<'_, PyEagerTensor>) -> Outcome<Option<PyTensor>> {
        let leaf = key.get().live()?.key();
        Ok(self.found().take(leaf).map(PyTensor))
    }

    fn __repr__(&self) -> String {
        let shapes: Vec<_> =
            self.found().entries().iter().map(|e| tenferro_tensor::show_shape(e.grad.shape())).collect();
        format!("Gradients({} leaves: {})", shapes.len(), shapes.join(", "))
    }
}
