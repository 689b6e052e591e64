//! The library's own thread pool. Work is split into blocks that do not depend on the number of threads, so neither do
//! results. The calling thread works too, and waits only for blocks of its own work, so callers never wait for each
//! other.

use crate::interrupt;
use std::any::Any;
use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::*};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tenferro_tensor::{Error, Result};

/// How often the calling thread asks whether to stop.
const POLL_EVERY: Duration = Duration::from_millis(10);
const MOST_THREADS: usize = 1024;

/// 0 stands for the default.
static REQUESTED: AtomicUsize = AtomicUsize::new(0);
static DEFAULT: AtomicUsize = AtomicUsize::new(0);
/// Whether anybody has begun to make a pool.
static STARTED: AtomicBool = AtomicBool::new(false);
/// Never freed once it is here: a fork or a larger successor leaks it, because its threads may be anywhere.
static POOL: AtomicPtr<Pool> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    static WORKING: Cell<bool> = const { Cell::new(false) };
    /// Set while work of a backend with a number of its own runs; 0 stands for none.
    static LIMIT: Cell<usize> = const { Cell::new(0) };
}

/// Runs `work` with another number of threads for the kernels that this thread calls.
pub fn with_limit<T>(threads: Option<usize>, work: impl FnOnce() -> T) -> T {
    struct Restore(usize);
    impl Drop for Restore {
        fn drop(&mut self) {
            LIMIT.set(self.0);
        }
    }
    let Some(threads) = threads else { return work() };
    let _restore = Restore(LIMIT.replace(threads.min(MOST_THREADS)));
    work()
}

struct Pool {
    workers: rayon::ThreadPool,
    size: usize,
    created_pid: u32,
}

/// Sets how many threads may work on one kernel, the calling one included; 0 restores the default.
pub fn set_num_threads(threads: usize) {
    REQUESTED.store(threads.min(MOST_THREADS), Relaxed);
}

/// How many threads may work on one kernel, the calling one included. The default comes from `TENFERRO_NUM_THREADS`,
/// `RAYON_NUM_THREADS`, or the processor.
pub fn num_threads() -> usize {
    match LIMIT.get() {
        0 => {}
        limit => return limit,
    }
    match REQUESTED.load(Relaxed) {
        0 => default_threads(),
        requested => requested,
    }
}

fn default_threads() -> usize {
    let known = DEFAULT.load(Relaxed);
    if known != 0 {
        return known;
    }
    let from_env = |name| std::env::var(name).ok()?.trim().parse::<usize>().ok().filter(|&n| n > 0);
    let threads = from_env("TENFERRO_NUM_THREADS")
        .or_else(|| from_env("RAYON_NUM_THREADS"))
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
        .min(MOST_THREADS);
    DEFAULT.store(threads, Relaxed);
    threads
}

/// To be called before a fork: what libraries set up at their first use (the processor's caches, the queues of the pool)
/// must not be half set up by another thread, because a child would wait for that thread for ever. Using it here waits.
pub fn before_fork() {
    crate::gemm::set_up();
    if STARTED.load(Acquire)
        && let Some(pool) = pool(1)
    {
        pool.workers.install(|| ());
    }
}

/// To be called in a forked child, where the pool's threads do not exist: the next use builds a new pool.
pub fn after_fork_in_child() {
    POOL.store(std::ptr::null_mut(), Release);
    WORKING.set(false);
}

/// A pool of at least `size` threads; `None` if the system gives no threads. No lock is taken, since a fork could leave
/// it locked for ever.
fn pool(size: usize) -> Option<&'static Pool> {
    STARTED.store(true, Release);
    let pid = std::process::id();
    loop {
        let current = POOL.load(Acquire);
        // SAFETY: pools that were ever stored are never freed.
        if let Some(pool) = unsafe { current.as_ref() }
            && pool.created_pid == pid
            && pool.size >= size
        {
            return Some(pool);
        }
        let size = size.max(default_threads() - 1);
        let workers = rayon::ThreadPoolBuilder::new()
            .num_threads(size)
            .thread_name(|i| format!("tenferro-{i}"))
            .panic_handler(|_| {})
            .build()
            .ok()?;
        let fresh = Box::into_raw(Box::new(Pool { workers, size, created_pid: pid }));
        if POOL.compare_exchange(current, fresh, AcqRel, Acquire).is_err() {
            // SAFETY: `fresh` came from a box just now and was not shared.
            drop(unsafe { Box::from_raw(fresh) });
        }
    }
}

type Payload = Box<dyn Any + Send>;

/// One call's blocks, which several threads take one by one.
struct Task {
    /// Valid while the task is open or has helpers.
    run: *const (dyn Fn(usize) + Sync),
    blocks: usize,
    next: AtomicUsize,
    stop: AtomicBool,
    crew: Mutex<Crew>,
    empty: Condvar,
}

struct Crew {
    open: bool,
    helpers: usize,
    panic: Option<Payload>,
}

// SAFETY: `run` points to a `Sync` function; it is only called by the owner and by helpers, while the owner waits.
unsafe impl Send for Task {}
// SAFETY: as above; all other fields are `Sync`.
unsafe impl Sync for Task {}

impl Task {
    fn crew(&self) -> MutexGuard<'_, Crew> {
        self.crew.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Takes blocks until there are none; `between` is asked after each one whether to go on.
    fn take_blocks(&self, mut between: impl FnMut() -> bool) {
        while !self.stop.load(Relaxed) {
            let block = self.next.fetch_add(1, Relaxed);
            if block >= self.blocks {
                return;
            }
            // SAFETY: the caller is the owner or a counted helper, so the function is alive.
            let run = unsafe { &*self.run };
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| run(block))) {
                self.stop.store(true, Relaxed);
                self.crew().panic.get_or_insert(payload);
            }
            if !between() {
                self.stop.store(true, Relaxed);
            }
        }
    }

    fn help(&self) {
        {
            let mut crew = self.crew();
            if !crew.open {
                return;
            }
            crew.helpers += 1;
        }
        let working = Working::enter();
        self.take_blocks(|| true);
        drop(working);
        let mut crew = self.crew();
        crew.helpers -= 1;
        if crew.helpers == 0 {
            self.empty.notify_all();
        }
    }

    /// Lets no helper in any more and waits for those inside.
    fn close(&self) -> Option<Payload> {
        let mut crew = self.crew();
        crew.open = false;
        while crew.helpers > 0 {
            crew = self.empty.wait(crew).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        crew.panic.take()
    }
}

/// Marks this thread as working on a block, so that calls from inside it stay on it.
struct Working;

impl Working {
    fn enter() -> Working {
        WORKING.set(true);
        Working
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        WORKING.set(false);
    }
}

/// Runs `run` for each number below `blocks`, on several threads where that is possible.
fn distribute(blocks: usize, run: &(dyn Fn(usize) + Sync), mut between: impl FnMut() -> bool) -> Option<Payload> {
    let helpers = if blocks < 2 || WORKING.get() { 0 } else { num_threads().min(blocks) - 1 };
    let pool = if helpers > 0 { pool(helpers) } else { None };
    let Some(pool) = pool else {
        let all = || {
            (0..blocks).all(|block| {
                run(block);
                between()
            })
        };
        return catch_unwind(AssertUnwindSafe(all)).err();
    };
    // SAFETY: only the lifetime changes. Helpers are let in while the task is open, and this function closes it and waits
    // for them before it returns; nothing in between unwinds.
    let run = unsafe { std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), *const (dyn Fn(usize) + Sync)>(run) };
    let task = Arc::new(Task {
        run,
        blocks,
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        crew: Mutex::new(Crew { open: true, helpers: 0, panic: None }),
        empty: Condvar::new(),
    });
    for _ in 0..helpers {
        let task = task.clone();
        pool.workers.spawn(move || task.help());
    }
    let working = Working::enter();
    let own = catch_unwind(AssertUnwindSafe(|| task.take_blocks(between)));
    task.stop.fetch_or(own.is_err(), Relaxed);
    drop(working);
    task.close().or(own.err())
}

fn block(index: usize, total: usize, grain: usize) -> Range<usize> {
    let start = index * grain;
    start..total.min(start.saturating_add(grain))
}

/// Calls `work` for every block of `grain` elements of `0..total`; the blocks do not depend on the number of threads.
/// A panic in a block reaches the caller after all threads have left.
pub fn for_each_block(total: usize, grain: usize, work: impl Fn(Range<usize>) + Sync) {
    let grain = grain.max(1);
    let run = |index| work(block(index, total, grain));
    if let Some(payload) = distribute(total.div_ceil(grain), &run, || true) {
        resume_unwind(payload);
    }
}

/// As [`for_each_block`], but stops when the user asks, and a panic in a block becomes an error.
pub fn try_for_each_block(
    op: &'static str,
    total: usize,
    grain: usize,
    work: impl Fn(Range<usize>) + Sync,
) -> Result<()> {
    let grain = grain.max(1);
    let run = |index| work(block(index, total, grain));
    let nested = WORKING.get();
    if total == 0 {
        return Ok(());
    }
    if total <= grain {
        let alone = catch_unwind(AssertUnwindSafe(|| work(0..total)));
        return alone.map_err(|payload| panicked(op, &*payload));
    }
    let mut polled = Instant::now();
    let mut outcome = Ok(());
    let panic = distribute(total.div_ceil(grain), &run, || {
        if !nested && polled.elapsed() >= POLL_EVERY {
            outcome = interrupt::poll(op);
            polled = Instant::now();
        }
        outcome.is_ok()
    });
    match panic {
        Some(payload) => Err(panicked(op, &*payload)),
        None => outcome,
    }
}

fn panicked(op: &'static str, payload: &(dyn Any + Send)) -> Error {
    let text = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "without a message",
    };
    Error::internal(op, format!("a panic: {text}"))
}

#[cfg(test)]
mod tests;
