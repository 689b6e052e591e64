//! Locks that a forked child never finds locked.
//!
//! The child of a fork has one thread; a lock that another one held at that moment would stay locked for ever. So the
//! forking thread waits until no lock of this kind is held, and keeps the others from taking one while it forks.

use std::cell::RefCell;
use std::sync::{Mutex, PoisonError, RwLock, RwLockWriteGuard};

/// Read by whoever holds a lock, written by whoever forks.
static GATE: RwLock<()> = RwLock::new(());

thread_local! {
    static CLOSED: RefCell<Option<RwLockWriteGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// A lock for short work: without Python, kernels, or other locks, so that nobody who waits for it waits long.
pub struct ForkSafe<T>(Mutex<T>);

impl<T> ForkSafe<T> {
    /// A lock around `value`.
    pub const fn new(value: T) -> ForkSafe<T> {
        ForkSafe(Mutex::new(value))
    }

    /// Runs `work` with the value. What it drops must not take such a lock: return it instead.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let _gate = match GATE.try_read() {
            Ok(gate) => Some(gate),
            // Other hooks of the forking thread may get here, too.
            Err(_) if CLOSED.with_borrow(Option::is_some) => None,
            Err(_) => Some(GATE.read().unwrap_or_else(PoisonError::into_inner)),
        };
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Before a fork: returns when no lock is held; none can be taken until `after_fork`, which the same thread must call.
pub fn before_fork() {
    loop {
        // Trying instead of waiting: a waiting writer would stop readers that other readers wait for.
        match GATE.try_write() {
            Ok(gate) => return CLOSED.set(Some(gate)),
            Err(std::sync::TryLockError::Poisoned(gate)) => return CLOSED.set(Some(gate.into_inner())),
            Err(std::sync::TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
}

/// After a fork, in the parent and in the child.
pub fn after_fork() {
    CLOSED.set(None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

    #[test]
    fn no_lock_is_held_between_before_and_after() {
        let (lock, stop, inside) = (ForkSafe::new(0), AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !stop.load(SeqCst) {
                        lock.with(|count| {
                            inside.fetch_add(1, SeqCst);
                            *count += 1;
                            inside.fetch_sub(1, SeqCst);
                        });
                    }
                });
            }
            for _ in 0..1000 {
                before_fork();
                assert_eq!(inside.load(SeqCst), 0);
                lock.with(|count| *count += 1);
                after_fork();
            }
            stop.store(true, SeqCst);
        });
        assert!(lock.with(|count| *count) > 0);
    }
}
