//! Results with names: the named tuples of `tenferro._results`.

use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

/// The named tuple `kind` of `tensors`.
pub fn named<'py, const N: usize>(
    py: Python<'py>,
    kind: &str,
    tensors: [PyEagerTensor; N],
) -> Outcome<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("tenferro._results").map(Bound::unbind))?;
    let tensors = tensors.into_iter().map(|t| Bound::new(py, t)).collect::<PyResult<Vec<_>>>()?;
    Ok(module.bind(py).getattr(kind)?.call1(PyTuple::new(py, tensors)?)?)
}
