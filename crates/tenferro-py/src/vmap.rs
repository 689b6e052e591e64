//! What `tenferro/_vmap.py` is built on: batches, the items that stand for them, and results of whole batches.

use crate::call::{enter, released};
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use pyo3::prelude::*;
use std::sync::Arc;
use tenferro_ad::vmap::{Mapped, repeat};
use tenferro_ad::{EagerRuntime, EagerTensor, same_runtime};

/// Batches along one axis of some tensors.
#[pyclass(frozen, name = "_Mapped", module = "tenferro._tenferro")]
pub struct PyMapped {
    mapped: Vec<Mapped>,
    size: usize,
    runtime: Arc<EagerRuntime>,
}

#[pymethods]
impl PyMapped {
    /// One item of each.
    #[getter]
    fn items(&self) -> Vec<PyEagerTensor> {
        self.mapped.iter().map(|one| PyEagerTensor::new(one.item().clone())).collect()
    }

    /// The results of the whole batch for results of its items, with the axis of the batch at `axes`.
    #[pyo3(signature = (outs: "list[EagerTensor]", axes: "list[int]") -> "list[EagerTensor]")]
    fn repeat(
        &self,
        py: Python<'_>,
        outs: Vec<Bound<'_, PyEagerTensor>>,
        axes: Vec<i64>,
    ) -> PyResult<Vec<PyEagerTensor>> {
        enter(py, "vmap", None, |_| {
            let outs = outs.iter().map(|out| out.get().live()).collect::<Outcome<Vec<&EagerTensor>>>()?;
            for out in &outs {
                same_runtime(&self.runtime, out.runtime(), "vmap")?;
            }
            let found = released(py, &self.runtime, || repeat(&self.mapped, self.size, &outs, &axes, &self.runtime))?;
            Ok(found.into_iter().map(PyEagerTensor::new).collect())
        })
    }
}

/// Batches along `axes` of `tensors`, all of one size.
#[pyfunction]
#[pyo3(name = "_mapped", signature = (tensors: "list[EagerTensor]", axes: "list[int]") -> "_Mapped")]
pub fn mapped(py: Python<'_>, tensors: Vec<Bound<'_, PyEagerTensor>>, axes: Vec<usize>) -> PyResult<PyMapped> {
    enter(py, "vmap", None, |call| {
        let mut all: Vec<Mapped> = Vec::with_capacity(tensors.len());
        for (tensor, axis) in tensors.iter().zip(axes) {
            let tensor = tensor.get().live()?;
            if let Some(first) = all.first() {
                same_runtime(first.item().runtime(), tensor.runtime(), "vmap")?;
            }
            all.push(Mapped::new(tensor, axis)?);
        }
        let size = all.first().map_or(0, Mapped::size);
        let runtime = match all.first() {
            Some(first) => first.item().runtime().clone(),
            None => call.runtime()?,
        };
        Ok(PyMapped { mapped: all, size, runtime })
    })
}
