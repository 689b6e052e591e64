//! Reproducible random numbers: every element depends on the key and its place alone.

use crate::call::enter;
use crate::dtype::DTypeArg;
use crate::eager::PyEagerTensor;
use crate::errors::Outcome;
use crate::tensor::ShapeArg;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tenferro_ad::Var;
use tenferro_cpu::random::{self, Key};
use tenferro_tensor::DType;

/// A key of the random number generator (Philox4x64, a counter-based one): the same key gives the same numbers, for any number
/// of threads. Use each key once: `split` it or `fold_in` a number for the next.
///
/// J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11 (2011).
///
/// >>> import tenferro as tf
/// >>> key = tf.random.key(0)
/// >>> tf.random.normal(key, 3).tolist() == tf.random.normal(key, 3).tolist()
/// True
#[pyclass(frozen, eq, hash, name = "Key", module = "tenferro.random")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PyKey(Key);

impl PyKey {
    /// The key.
    pub fn inner(&self) -> Key {
        self.0
    }
}

#[pymethods]
impl PyKey {
    /// `n` independent keys.
    ///
    /// >>> import tenferro as tf
    /// >>> a, b = tf.random.key(0).split(2)
    /// >>> a == b
    /// False
    #[pyo3(signature = (n=2) -> "tuple[Key, ...]")]
    fn split<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.split(n).into_iter().map(PyKey))
    }

    /// An independent key for the number `data`, of a step or a worker, say.
    ///
    /// >>> import tenferro as tf
    /// >>> key = tf.random.key(0)
    /// >>> key.fold_in(1) == key.fold_in(1), key.fold_in(1) == key.fold_in(2)
    /// (True, False)
    fn fold_in(&self, data: u64) -> PyKey {
        PyKey(self.0.fold_in(data))
    }

    fn __repr__(&self) -> String {
        format!("Key({:#018x}, {:#018x})", self.0.0[0], self.0.0[1])
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (u64, u64))> {
        let restore = py.import("tenferro._tenferro")?.getattr("_restore_key")?;
        Ok((restore, (self.0.0[0], self.0.0[1])))
    }
}

/// Rebuilds a pickled key.
#[pyfunction]
#[pyo3(name = "_restore_key")]
pub fn restore_key(first: u64, second: u64) -> PyKey {
    PyKey(Key([first, second]))
}

/// The key of a seed.
///
/// >>> import tenferro as tf
/// >>> tf.random.key(42) == tf.random.key(42)
/// True
#[pyfunction]
#[pyo3(name = "key")]
pub fn random_key(seed: u64) -> PyKey {
    PyKey(Key::from_seed(seed))
}

fn make(
    py: Python<'_>,
    op: &'static str,
    make: impl FnOnce() -> tenferro_tensor::Result<tenferro_tensor::Tensor> + Send,
) -> PyResult<PyEagerTensor> {
    enter(py, op, None, |call| {
        let runtime = call.runtime()?;
        let value = crate::call::released(py, &runtime, make)?;
        let made: Outcome<PyEagerTensor> = call.wrap(Var::constant(value));
        made
    })
}

/// Standard normal numbers; complex ones have independent parts and E|z|² = 1.
///
/// >>> import tenferro as tf
/// >>> tf.random.normal(tf.random.key(0), (2, 3), dtype=tf.complex128).shape
/// (2, 3)
#[pyfunction]
#[pyo3(name = "normal", signature = (key, shape, dtype=None))]
pub fn random_normal(
    py: Python<'_>,
    key: &Bound<'_, PyKey>,
    shape: ShapeArg,
    dtype: Option<DTypeArg>,
) -> PyResult<PyEagerTensor> {
    let key = key.get().0;
    make(py, "normal", move || random::normal(key, &shape.0, dtype.map_or(DType::F64, |d| d.0)))
}

/// Numbers uniform in [`low`, `high`); complex ones in both parts.
///
/// >>> import tenferro as tf
/// >>> x = tf.random.uniform(tf.random.key(0), 100, low=2.0, high=3.0)
/// >>> 2.0 <= x.min().item() and x.max().item() < 3.0
/// True
#[pyfunction]
#[pyo3(name = "uniform", signature = (key, shape, dtype=None, *, low=0.0, high=1.0))]
pub fn random_uniform(
    py: Python<'_>,
    key: &Bound<'_, PyKey>,
    shape: ShapeArg,
    dtype: Option<DTypeArg>,
    low: f64,
    high: f64,
) -> PyResult<PyEagerTensor> {
    let key = key.get().0;
    make(py, "uniform", move || random::uniform(key, &shape.0, dtype.map_or(DType::F64, |d| d.0), low, high))
}

/// Integers uniform in [`low`, `high`).
///
/// >>> import tenferro as tf
/// >>> tf.random.randint(tf.random.key(0), 4, 0, 10).dtype
/// tenferro.int64
#[pyfunction]
#[pyo3(name = "randint", signature = (key, shape, low, high, dtype=None))]
pub fn random_randint(
    py: Python<'_>,
    key: &Bound<'_, PyKey>,
    shape: ShapeArg,
    low: i64,
    high: i64,
    dtype: Option<DTypeArg>,
) -> PyResult<PyEagerTensor> {
    let key = key.get().0;
    make(py, "randint", move || random::randint(key, &shape.0, low, high, dtype.map_or(DType::I64, |d| d.0)))
}

/// A random order of ``0, 1, …, n − 1``, as int64.
///
/// >>> import tenferro as tf
/// >>> sorted(tf.random.permutation(tf.random.key(0), 4).tolist())
/// [0, 1, 2, 3]
#[pyfunction]
#[pyo3(name = "permutation", signature = (key, n))]
pub fn random_permutation(py: Python<'_>, key: &Bound<'_, PyKey>, n: usize) -> PyResult<PyEagerTensor> {
    let key = key.get().0;
    make(py, "permutation", move || random::permutation(key, n))
}
