//! Stopping long work on request: the binding sets a hook that says whether the user asked to stop.

use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use tenferro_tensor::{Error, Result};

static HOOK: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Sets the function that says whether to stop; it is called on the thread that called the kernel.
pub fn set_hook(hook: fn() -> bool) {
    HOOK.store(hook as *mut (), Relaxed);
}

/// An error that says `op` was interrupted, when the hook says so.
pub fn poll(op: &'static str) -> Result<()> {
    let hook = HOOK.load(Relaxed);
    if hook.is_null() {
        return Ok(());
    }
    // SAFETY: the only non-null values stored are pointers of this function type.
    let stop = unsafe { std::mem::transmute::<*mut (), fn() -> bool>(hook) };
    if stop() { Err(Error::interrupted(op)) } else { Ok(()) }
}
