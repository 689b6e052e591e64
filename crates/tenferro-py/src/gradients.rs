//! The Python class `Gradients`: a mapping from leaves to the gradients of one backward pass.

use crate::eager::PyEagerTensor;
use crate::errors::{Failure, Outcome};
use crate::gradient::PyGradientValue;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;
use tenferro_ad::{EagerRuntime, EagerTensor, Gradients};
use tenferro_tensor::fork::ForkSafe;
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
    found: ForkSafe<Gradients>,
    runtime: Arc<EagerRuntime>,
}

impl PyGradients {
    /// The gradients of a pass in `runtime`.
    pub fn new(found: Gradients, runtime: Arc<EagerRuntime>) -> PyGradients {
        PyGradients { found: ForkSafe::new(found), runtime }
    }

    fn lookup(&self, key: &Bound<'_, PyAny>) -> Option<Tensor> {
        let tensor = key.cast::<PyEagerTensor>().ok()?.get().live().ok()?;
        self.found.with(|found| found.get(tensor.key()).cloned())
    }

    fn leaves(&self) -> Vec<EagerTensor> {
        let entries = self.found.with(|found| found.entries().to_vec());
        entries.iter().map(|entry| EagerTensor::from_entry(entry, self.runtime.clone())).collect()
    }
}

/// One of the views of `collections.abc`, as those of a dict.
fn view<'py>(grads: &Bound<'py, PyGradients>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
    grads.py().import("collections.abc")?.getattr(kind)?.call1((grads,))
}

#[pymethods]
impl PyGradients {
    /// The gradient of a leaf; `NotATensorKeyError` if the pass did not reach it.
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> Outcome<PyGradientValue> {
        match self.lookup(key) {
            Some(grad) => Ok(PyGradientValue(grad, Some(self.runtime.clone()))),
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
        self.found.with(|found| found.len())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        let keys = self.leaves().into_iter().map(PyEagerTensor::new);
        Ok(PyList::new(py, keys.collect::<Vec<_>>())?.try_iter()?.into_any())
    }

    /// The leaves that the pass reached.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
    /// >>> [leaf.shape for leaf in (x * x).sum().backward().keys()]
    /// [(2,)]
    #[pyo3(signature = () -> "KeysView[EagerTensor]")]
    fn keys<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view(slf, "KeysView")
    }

    /// Their gradients.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
    /// >>> [grad.tolist() for grad in (x * x).sum().backward().values()]
    /// [[2.0, 4.0]]
    #[pyo3(signature = () -> "ValuesView[GradientValue]")]
    fn values<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view(slf, "ValuesView")
    }

    /// Pairs of leaf and gradient.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
    /// >>> for leaf, grad in (x * x).sum().backward().items():
    /// ...     print(leaf.tolist(), grad.tolist())
    /// [1.0, 2.0] [2.0, 4.0]
    #[pyo3(signature = () -> "ItemsView[EagerTensor, GradientValue]")]
    fn items<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view(slf, "ItemsView")
    }

    /// The gradient of a leaf, or `default`.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor(3.0, requires_grad=True)
    /// >>> grads = (x * x).backward()
    /// >>> grads.get(x).tolist(), grads.get(tf.tensor(1.0))
    /// (6.0, None)
    #[pyo3(signature = (key: "EagerTensor", default: "_T" = None) -> "GradientValue | _T")]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, PyAny>> {
        match self.lookup(key) {
            Some(grad) => Ok(Bound::new(py, PyGradientValue(grad, Some(self.runtime.clone())))?.into_any()),
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
        Ok(self.found.with(|found| found.take(leaf)).map(PyTensor))
    }

    fn __repr__(&self) -> String {
        let shapes: Vec<_> = self
            .found
            .with(|found| found.entries().to_vec())
            .iter()
            .map(|e| tenferro_tensor::show_shape(e.grad.shape()))
            .collect();
        format!("Gradients({} leaves: {})", shapes.len(), shapes.join(", "))
    }
}
