//! The Python class `CpuBackend`.

use crate::errors::Outcome;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tenferro_ad::CpuBackend;
use tenferro_cpu::threads;
use tenferro_tensor::{pool_stats, set_pool_limit};

/// Kernels on this machine's CPU: how many threads a runtime's kernels may use. Results do not depend on the number.
///
/// ``threads=None`` takes the process-wide number (`set_num_threads`). Raises `InvalidArgumentError` for 0.
///
/// >>> import tenferro as tf
/// >>> tf.CpuBackend(threads=2).num_threads
/// 2
#[pyclass(frozen, weakref, name = "CpuBackend", module = "tenferro")]
pub struct PyCpuBackend(CpuBackend);

impl PyCpuBackend {
    /// The backend.
    pub fn inner(&self) -> &CpuBackend {
        &self.0
    }
}

#[pymethods]
impl PyCpuBackend {
    #[new]
    #[pyo3(signature = (threads = None))]
    fn new(threads: Option<i64>) -> Outcome<PyCpuBackend> {
        let threads = threads.map(|n| crate::args::count("CpuBackend", "threads", n)).transpose()?;
        Ok(PyCpuBackend(CpuBackend::new(threads)?))
    }

    /// Threads that kernels may use.
    #[getter]
    fn num_threads(&self) -> usize {
        self.0.threads().unwrap_or_else(threads::num_threads)
    }

    /// Counters of the pool of reusable memory blocks, which all backends share: ``blocks``, ``bytes``, ``hits``,
    /// ``misses`` and the ``limit`` in bytes.
    ///
    /// >>> import tenferro as tf
    /// >>> sorted(tf.CpuBackend().buffer_pool_stats())
    /// ['blocks', 'bytes', 'hits', 'limit', 'misses']
    #[pyo3(signature = () -> "dict[str, int]")]
    fn buffer_pool_stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = pool_stats();
        let dict = PyDict::new(py);
        for (name, value) in [
            ("blocks", stats.blocks),
            ("bytes", stats.bytes),
            ("hits", stats.hits),
            ("misses", stats.misses),
            ("limit", tenferro_tensor::pool_limit()),
        ] {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }

    /// Sets how many bytes of free blocks the pool keeps; 0 turns reuse off.
    fn set_buffer_pool_limit(&self, bytes: i64) -> Outcome<()> {
        set_pool_limit(crate::args::count("set_buffer_pool_limit", "bytes", bytes)?);
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("CpuBackend(threads={})", self.num_threads())
    }
}
