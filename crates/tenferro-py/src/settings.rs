//! Process-wide settings and counters, signals and fork.

use crate::errors::{Outcome, install_panic_hook, stash};
use pyo3::prelude::*;
use std::cell::Cell;
use std::time::{Duration, Instant};
use tenferro_cpu::{interrupt, threads};
use tenferro_tensor::{Error, fork, reserve};

/// How often a long call looks for signals.
const LOOK_EVERY: Duration = Duration::from_millis(30);

thread_local! {
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Whether the user asked to stop. Python runs its signal handlers on the main thread only, so other threads go on.
fn asked_to_stop() -> bool {
    let now = Instant::now();
    if LOOKED.with(|t| t.get().is_some_and(|before| now.duration_since(before) < LOOK_EVERY)) {
        return false;
    }
    LOOKED.with(|t| t.set(Some(now)));
    Python::attach(|py| match py.check_signals() {
        Ok(()) => false,
        Err(error) => {
            stash(error);
            true
        }
    })
}

/// Connects the kernels with Python's signals, silences panics, and prepares for fork.
pub fn install(py: Python<'_>) -> PyResult<()> {
    reserve::set_aside();
    install_panic_hook();
    interrupt::set_hook(asked_to_stop);
    let os = py.import("os")?;
    if os.hasattr("register_at_fork")? {
        let hooks = pyo3::types::PyDict::new(py);
        hooks.set_item("before", pyo3::wrap_pyfunction!(before_fork, py)?)?;
        hooks.set_item("after_in_parent", pyo3::wrap_pyfunction!(after_fork_in_parent, py)?)?;
        hooks.set_item("after_in_child", pyo3::wrap_pyfunction!(after_fork_in_child, py)?)?;
        os.call_method("register_at_fork", (), Some(&hooks))?;
    }
    Ok(())
}

#[pyfunction]
fn before_fork() {
    threads::before_fork();
    fork::before_fork();
}

#[pyfunction]
fn after_fork_in_parent() {
    fork::after_fork();
}

#[pyfunction]
fn after_fork_in_child() {
    fork::after_fork();
    threads::after_fork_in_child();
}

/// Sets how many threads kernels may use in this process (0: as at the start). Results do not depend on the number.
///
/// >>> import tenferro as tf
/// >>> before = tf.num_threads()
/// >>> tf.set_num_threads(1)
/// >>> tf.num_threads()
/// 1
/// >>> tf.set_num_threads(before)
#[pyfunction]
pub fn set_num_threads(n: i64) -> Outcome<()> {
    threads::set_num_threads(crate::args::count("set_num_threads", "n", n)?);
    Ok(())
}

/// How many threads kernels may use in this process.
#[pyfunction]
pub fn num_threads() -> usize {
    threads::num_threads()
}

/// Blocks of storage alive in this process: one per tensor that is not a view.
///
/// >>> import tenferro as tf
/// >>> before = tf.live_tensors()
/// >>> x = tf.zeros(100)
/// >>> tf.live_tensors() - before
/// 1
#[pyfunction]
pub fn live_tensors() -> usize {
    tenferro_tensor::live_buffers()
}

/// Bytes of storage that live tensors hold; values of up to 64 bytes live inside their handles and do not count.
///
/// >>> import tenferro as tf
/// >>> before = tf.live_bytes()
/// >>> x = tf.zeros(100)
/// >>> tf.live_bytes() - before
/// 800
#[pyfunction]
pub fn live_bytes() -> usize {
    tenferro_tensor::live_bytes()
}

/// Refuses results that would take the live bytes above `bytes` with `MemoryLimitError`; `None` lifts the limit.
///
/// >>> import tenferro as tf
/// >>> tf.set_memory_limit(1_000_000)
/// >>> try:
/// ...     tf.zeros((1000, 1000))
/// ... except tf.MemoryLimitError as error:
/// ...     print(error.bytes, error.shape)
/// 8000000 (1000, 1000)
/// >>> tf.set_memory_limit(None)
#[pyfunction]
#[pyo3(signature = (bytes))]
pub fn set_memory_limit(bytes: Option<i64>) -> Outcome<()> {
    let limit = match bytes {
        None => None,
        Some(bytes) => Some(usize::try_from(bytes).map_err(|_| {
            Error::argument("set_memory_limit", "bytes", format!("expected at least 0, or None, got {bytes}"))
        })?),
    };
    tenferro_tensor::set_memory_limit(limit);
    Ok(())
}

/// Raises `InternalError` by a panic inside the library: for tests of what happens then.
#[pyfunction]
#[pyo3(name = "_panic")]
pub fn panic_for_tests() -> Outcome<()> {
    crate::errors::guarded("_panic", || panic!("requested by a test"))
}
