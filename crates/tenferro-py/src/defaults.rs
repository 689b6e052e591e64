//! The runtime of calls that name none.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use tenferro_ad::{CpuBackend, EagerRuntime};

static DEFAULT: Mutex<Option<Arc<EagerRuntime>>> = Mutex::new(None);

thread_local! {
    static USED: RefCell<Vec<Arc<EagerRuntime>>> = const { RefCell::new(Vec::new()) };
}

/// The runtime of this thread's innermost `use_runtime`, or the process-wide default.
pub fn default_runtime() -> Arc<EagerRuntime> {
    if let Some(runtime) = USED.with(|used| used.borrow().last().cloned()) {
        return runtime;
    }
    let mut slot = DEFAULT.lock().unwrap_or_else(PoisonError::into_inner);
    slot.get_or_insert_with(|| EagerRuntime::new(CpuBackend::default())).clone()
}

/// Makes a runtime the innermost one of this thread.
pub fn push_used(runtime: Arc<EagerRuntime>) {
    USED.with(|used| used.borrow_mut().push(runtime));
}

/// Undoes `push_used`.
pub fn pop_used() {
    USED.with(|used| used.borrow_mut().pop());
}

/// Replaces the process-wide default.
pub fn replace_default(runtime: Arc<EagerRuntime>) {
    *DEFAULT.lock().unwrap_or_else(PoisonError::into_inner) = Some(runtime);
}
