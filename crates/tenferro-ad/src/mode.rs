//! Per-thread modes: recording off, and recording of untracked values.

use std::cell::Cell;

thread_local! {
    /// How often each mode is entered: one cell, so that an op looks once.
    static DEPTHS: Cell<[u32; 2]> = const { Cell::new([0, 0]) };
}

/// Whether recording is off, and whether untracked values are recorded, in this thread.
#[inline]
pub(crate) fn modes() -> (bool, bool) {
    let [no_grad, capture] = DEPTHS.with(Cell::get);
    (no_grad > 0, capture > 0)
}

macro_rules! guard {
    ($(#[$doc:meta])* $name:ident, $mode:literal, $query:ident) => {
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
                DEPTHS.with(|depths| {
                    let mut now = depths.get();
                    now[$mode] += 1;
                    depths.set(now);
                });
            }

            /// Leaves one level.
            pub fn pop() {
                DEPTHS.with(|depths| {
                    let mut now = depths.get();
                    now[$mode] = now[$mode].saturating_sub(1);
                    depths.set(now);
                });
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                Self::pop();
            }
        }

        /// Whether the mode is on in this thread.
        pub fn $query() -> bool {
            DEPTHS.with(Cell::get)[$mode] > 0
        }
    };
}

guard! {
    /// While alive, nothing is recorded on this thread, in no runtime.
    NoGradGuard, 0, no_grad_active
}
guard! {
    /// While alive, ops on untracked values are recorded too, so that functional transforms can reach untracked leaves.
    CaptureGuard, 1, capturing
}

thread_local! {
    /// The depths of `no_grad` around the transforms that are running.
    static OUTER: std::cell::RefCell<Vec<u32>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// While entered, `no_grad` further out does not count: a functional transform records what its function does.
pub struct Recording;

impl Recording {
    /// Enters; pair with `pop`.
    pub fn push() {
        let [no_grad, capture] = DEPTHS.get();
        DEPTHS.set([0, capture]);
        OUTER.with_borrow_mut(|outer| outer.push(no_grad));
    }

    /// Leaves, and puts the outer state back.
    pub fn pop() {
        if let Some(no_grad) = OUTER.with_borrow_mut(Vec::pop) {
            DEPTHS.set([no_grad, DEPTHS.get()[1]]);
        }
    }
}
