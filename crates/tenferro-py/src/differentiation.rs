//! Gradients of `EagerTensor`: the slot of a leaf, and backward passes.

use crate::call::{Operand, enter, released};
use crate::eager::PyEagerTensor;
use crate::errors::{Outcome, guarded};
use crate::gradient::PyGradientValue;
use crate::gradients::PyGradients;
use crate::leaves::as_seed;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;

#[pymethods]
impl PyEagerTensor {
    /// A snapshot of the accumulated gradient, or `None`. It keeps its numbers whatever happens later.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor(3.0, requires_grad=True)
    /// >>> x.grad is None
    /// True
    /// >>> _ = (x * x).backward()
    /// >>> x.grad
    /// GradientValue(shape=(), dtype=float64, 6.)
    #[getter]
    fn grad(&self) -> Outcome<Option<PyGradientValue>> {
        let inner = self.live()?;
        let grad = inner.slot().and_then(|slot| slot.get());
        Ok(grad.map(|grad| PyGradientValue(grad, Some(inner.runtime().clone()))))
    }

    #[setter(grad)]
    fn refuse_grad(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = value;
        Err(PyAttributeError::new_err(
            "EagerTensor.grad cannot be assigned; call x.clear_grad() to forget the gradient",
        ))
    }

    /// Forgets the accumulated gradient of this leaf, and of its clones.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor(3.0, requires_grad=True)
    /// >>> _ = (x * x).backward()
    /// >>> x.clear_grad()
    /// >>> x.grad is None
    /// True
    fn clear_grad(&self) -> Outcome<()> {
        if let Some(slot) = self.live()?.slot() {
            slot.clear();
        }
        Ok(())
    }

    /// Runs reverse-mode differentiation from this scalar and accumulates into ``grad`` of the tracked leaves it reaches.
    ///
    /// Returns the gradients of this pass, by leaf. The record stays, so that the call can be repeated. For a complex
    /// scalar the real part is differentiated: gradients are ∂/∂Re + i ∂/∂Im.
    ///
    /// Raises `NonScalarGradError` unless the rank is 0, `RuntimeStateError` if no tracked leaf is involved,
    /// `UnsupportedAdRuleError` for a custom op without a rule; then no gradient has changed.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([1.0, 2.0], requires_grad=True)
    /// >>> grads = (x ** 2).sum().backward()
    /// >>> grads[x].numpy()
    /// array([2., 4.])
    fn backward(&self, py: Python<'_>) -> Outcome<PyGradients> {
        let inner = self.live()?;
        let found = guarded("backward", || released(py, inner.runtime(), || inner.backward()))?;
        Ok(PyGradients::new(found, inner.runtime().clone()))
    }

    /// As `backward`, with a cotangent of this tensor's dtype and shape as the seed: the gradients are Jᴴ·cotangent.
    ///
    /// Raises `ContextMismatchError`, `DTypeMismatchError` or `ShapeMismatchError` if the cotangent does not fit.
    ///
    /// >>> import tenferro as tf
    /// >>> x = tf.tensor([2.0, 3.0], requires_grad=True)
    /// >>> _ = (x * x).backward_with(tf.tensor([1.0, 2.0]))
    /// >>> x.grad.numpy()
    /// array([ 4., 12.])
    fn backward_with<'py>(slf: &Bound<'py, Self>, cotangent: Operand<'py>) -> PyResult<PyGradients> {
        enter(slf.py(), "backward_with", None, |call| {
            let inner = slf.get().live()?;
            let seed = as_seed(call, &cotangent, inner)?;
            let found = released(slf.py(), inner.runtime(), || inner.backward_with(&seed))?;
            Ok(PyGradients::new(found, inner.runtime().clone()))
        })
    }
}
