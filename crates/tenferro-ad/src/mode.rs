//! Per-thread modes: recording off, and recording of untracked values.

use std::cell::Cell;

thread_local! {
    static NO_GRAD: Cell<u32> = const { Cell::new(0) };
    static CAPTURE: Cell<u32> = const { Cell::new(0) };
}

macro_rules! guard {
    ($(#[$doc:meta])* $name:ident, $counter:ident, $query:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name(std::marker::PhantomData<*const ()>);

        impl $name {
            /// Enters the mode on this thread, until the guard is dropped.
            pub fn enter() -> $name {
                Self::push();
                $name(std::marker::PhantomData)
            }

            /// Enters without a guard; pair with `pop`.
            pub fn push() {
                $counter.with(|c| c.set(c.get() + 1));
            }

            /// Leaves one level.
            pub fn pop() {
                $counter.with(|c| c.set(c.get().saturating_sub(1)));
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                Self::pop();
            }
        }

        /// Whether the mode is on in this thread.
        pub fn $query() -> bool {
            $counter.with(|c| c.get() > 0)
        }
    };
}

guard! {
    /// While alive, nothing is recorded on this thread, in no runtime.
    NoGradGuard, NO_GRAD, no_grad_active
}
guard! {
    /// While alive, ops on untracked values are recorded too, so that functional transforms can reach untracked leaves.
    CaptureGuard, CAPTURE, capturing
}
