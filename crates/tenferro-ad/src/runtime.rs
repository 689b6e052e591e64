//! The eager runtime: an identity, a backend, and the leaves whose gradients it can clear.

use crate::gradients::GradSlot;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use tenferro_tensor::fork::ForkSafe;
use tenferro_tensor::{Error, Result};

/// The CPU backend: how many threads its kernels may use. Results do not depend on the number.
#[derive(Clone, Debug, Default)]
pub struct CpuBackend {
    threads: Option<usize>,
}

impl CpuBackend {
    /// `threads` at most; `None` for the process-wide number.
    pub fn new(threads: Option<usize>) -> Result<CpuBackend> {
        if threads == Some(0) {
            return Err(Error::argument("CpuBackend", "threads", "expected at least 1, got 0"));
        }
        Ok(CpuBackend { threads })
    }

    /// The limit of this backend, if it has one of its own.
    pub fn threads(&self) -> Option<usize> {
        self.threads
    }
}

static NEXT: AtomicU64 = AtomicU64::new(1);

/// What tensors that may be combined have in common.
pub struct EagerRuntime {
    id: u64,
    backend: CpuBackend,
    leaves: ForkSafe<Vec<Weak<GradSlot>>>,
}

impl EagerRuntime {
    /// A new runtime.
    pub fn new(backend: CpuBackend) -> Arc<EagerRuntime> {
        Arc::new(EagerRuntime { id: NEXT.fetch_add(1, Relaxed), backend, leaves: ForkSafe::new(Vec::new()) })
    }

    /// A number no other runtime of this process has.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The backend.
    pub fn backend(&self) -> &CpuBackend {
        &self.backend
    }

    /// Registers a slot; the list is pruned of dead ones before it grows.
    pub(crate) fn register(&self, slot: &Arc<GradSlot>) {
        self.leaves.with(|leaves| {
            if leaves.len() == leaves.capacity() {
                leaves.retain(|weak| weak.strong_count() > 0);
            }
            leaves.push(Arc::downgrade(slot));
        });
    }

    /// Forgets the gradients of all leaves.
    pub fn clear_grads(&self) {
        let live: Vec<_> = self.leaves.with(|leaves| {
            leaves.retain(|weak| weak.strong_count() > 0);
            leaves.iter().filter_map(Weak::upgrade).collect()
        });
        for slot in live {
            slot.clear();
        }
    }
}
