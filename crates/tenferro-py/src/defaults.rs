//! The runtime of calls that name none.

use std::cell::RefCell;
use std::sync::Arc;
use tenferro_ad::{CpuBackend, EagerRuntime};
use tenferro_tensor::fork::ForkSafe;

static DEFAULT: ForkSafe<Option<Arc<EagerRuntime>>> = ForkSafe::new(None);

thread_local! {
    static USED: RefCell<Vec<Arc<EagerRuntime>>> = const { RefCell::new(Vec::new()) };
}

/// The runtime of this thread's innermost `use_runtime`, or the process-wide default.
pub fn default_runtime() -> Arc<EagerRuntime> {
    if let Some(runtime) = USED.with(|used| used.borrow().last().cloned()) {
        return runtime;
    }
    DEFAULT.with(|slot| slot.get_or_insert_with(|| EagerRuntime::new(CpuBackend::default())).clone())
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
    drop(DEFAULT.with(|slot| slot.replace(runtime)));
}
