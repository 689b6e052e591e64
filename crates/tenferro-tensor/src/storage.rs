//! Shared immutable storage: small values inline, large ones in pooled 64-byte aligned blocks, foreign memory by its owner.

use crate::{DType, Error, Result, Variant, reserve, show_shape};
use std::alloc::{GlobalAlloc, Layout as MemLayout, System};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed};

/// Values up to this many bytes live in the buffer's own allocation.
const INLINE_BYTES: usize = 64;
const ALIGN: usize = 64;
/// Blocks from this size on go back to the pool.
const POOLED_FROM: usize = 4096;
/// Requests from this size on are compared with the memory that is really there, because an overcommitting kernel
/// grants them and kills the process at the first touch.
const CHECKED_FROM: usize = 64 << 20;

static LIVE: AtomicIsize = AtomicIsize::new(0);
static LIVE_HEAP: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Keeps foreign memory alive; dropped when the last tensor over it is.
pub trait ForeignOwner: Send + Sync {}

enum Memory {
    Inline,
    Heap { block: NonNull<u8>, capacity: usize },
    Foreign { start: NonNull<u8>, _owner: Box<dyn ForeignOwner> },
}

/// A block of memory that tensors share.
pub struct Buffer {
    inline: std::cell::UnsafeCell<MaybeUninit<[u128; INLINE_BYTES / 16]>>,
    memory: Memory,
    bytes: usize,
}

// SAFETY: a buffer is written only by the one that made it, before it is shared (`Arc::get_mut`); afterwards it is read only.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Uninitialised memory for `count` elements of `dtype`; `shape` is for the message when there is not enough.
    #[inline]
    pub fn new(op: &'static str, dtype: DType, shape: &[usize], count: usize) -> Result<Buffer> {
        let bytes = count * dtype.itemsize();
        if reserve::exhausted() {
            return Err(out_of_memory(Variant::OutOfMemory, op, dtype, shape, bytes, "the system has nothing left"));
        }
        let memory = if bytes <= INLINE_BYTES {
            Memory::Inline
        } else {
            let capacity = pool::class(bytes);
            check_limits(op, dtype, shape, bytes, capacity)?;
            let block = pool::take(capacity)
                .or_else(|| allocate(capacity))
                .ok_or_else(|| out_of_memory(Variant::OutOfMemory, op, dtype, shape, bytes, "the allocation failed"))?;
            LIVE_HEAP.fetch_add(capacity, Relaxed);
            Memory::Heap { block, capacity }
        };
        LIVE.fetch_add(1, Relaxed);
        Ok(Buffer { inline: std::cell::UnsafeCell::new(MaybeUninit::uninit()), memory, bytes })
    }

    /// Memory of somebody else, read only.
    ///
    /// # Safety
    /// `start` must be valid for reads of `bytes` bytes, and nobody may write there, while `owner` lives.
    pub unsafe fn foreign(start: NonNull<u8>, bytes: usize, owner: Box<dyn ForeignOwner>) -> Buffer {
        LIVE.fetch_add(1, Relaxed);
        Buffer {
            inline: std::cell::UnsafeCell::new(MaybeUninit::uninit()),
            memory: Memory::Foreign { start, _owner: owner },
            bytes,
        }
    }

    /// First byte.
    pub fn as_ptr(&self) -> *const u8 {
        match &self.memory {
            Memory::Inline => self.inline.get().cast(),
            Memory::Heap { block, .. } => block.as_ptr(),
            Memory::Foreign { start, .. } => start.as_ptr(),
        }
    }

    /// First byte, for the one owner to write; null for foreign memory.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        match &self.memory {
            Memory::Inline => self.inline.get().cast(),
            Memory::Heap { block, .. } => block.as_ptr(),
            Memory::Foreign { .. } => std::ptr::null_mut(),
        }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the memory belongs to somebody else.
    pub fn is_foreign(&self) -> bool {
        matches!(self.memory, Memory::Foreign { .. })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Relaxed);
        if let Memory::Heap { block, capacity } = self.memory {
            LIVE_HEAP.fetch_sub(capacity, Relaxed);
            if !pool::give(block, capacity) {
                release(block, capacity);
            }
        }
    }
}

fn allocate(capacity: usize) -> Option<NonNull<u8>> {
    let layout = MemLayout::from_size_align(capacity, ALIGN).ok()?;
    // SAFETY: the size is not zero (inline values never come here).
    NonNull::new(unsafe { System.alloc(layout) })
}

fn release(block: NonNull<u8>, capacity: usize) {
    // SAFETY: `block` came from `allocate(capacity)`, whose layout is the same and valid.
    unsafe { System.dealloc(block.as_ptr(), MemLayout::from_size_align_unchecked(capacity, ALIGN)) }
}

fn out_of_memory(variant: Variant, op: &'static str, dtype: DType, shape: &[usize], bytes: usize, why: &str) -> Error {
    let message = format!("a {dtype} result of shape {} needs {bytes} bytes: {why}", show_shape(shape));
    Error::new(variant, op, message).with("bytes", bytes).with("shape", shape).with("dtype", dtype)
}

fn check_limits(op: &'static str, dtype: DType, shape: &[usize], bytes: usize, capacity: usize) -> Result<()> {
    let limit = LIMIT.load(Relaxed);
    if limit != usize::MAX && LIVE_HEAP.load(Relaxed).saturating_add(capacity) > limit {
        let why = format!("the limit is {limit} bytes, {} are in use", live_bytes());
        return Err(out_of_memory(Variant::MemoryLimit, op, dtype, shape, bytes, &why).with("limit", limit));
    }
    if bytes >= CHECKED_FROM
        && let Some(available) = available_memory()
        && bytes / 10 * 11 > available.saturating_add(pool_stats().bytes)
    {
        pool_clear();
        let why = format!("about {available} are available");
        return Err(out_of_memory(Variant::OutOfMemory, op, dtype, shape, bytes, &why));
    }
    Ok(())
}

/// Free memory of this machine or container, where the system tells it.
fn available_memory() -> Option<usize> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let machine = line.split_whitespace().nth(1)?.parse::<usize>().ok()?.saturating_mul(1024);
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<usize>().ok();
    let group = number("/sys/fs/cgroup/memory.max")
        .and_then(|max| Some(max.saturating_sub(number("/sys/fs/cgroup/memory.current")?)));
    Some(group.map_or(machine, |g| g.min(machine)))
}

/// Buffers alive in this process.
pub fn live_buffers() -> usize {
    LIVE.load(Relaxed).max(0) as usize
}

/// Bytes of storage that live tensors hold outside their inline space.
pub fn live_bytes() -> usize {
    LIVE_HEAP.load(Relaxed)
}

/// Refuses results that would take the live bytes above `limit`; `None` lifts the limit.
pub fn set_memory_limit(limit: Option<usize>) {
    LIMIT.store(limit.unwrap_or(usize::MAX), Relaxed);
}

/// Counters of the block pool.
#[derive(Clone, Copy, Default, Debug)]
pub struct PoolStats {
    /// Blocks kept for reuse.
    pub blocks: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Requests served from the pool.
    pub hits: usize,
    /// Requests that had to allocate.
    pub misses: usize,
}

pub use pool::{clear as pool_clear, limit as pool_limit, set_limit as set_pool_limit, stats as pool_stats};

mod pool {
    use super::*;
    use crate::fork::ForkSafe;

    struct Pool {
        free: Vec<(usize, Vec<usize>)>,
        stats: PoolStats,
        limit: usize,
    }

    static POOL: ForkSafe<Pool> = ForkSafe::new(Pool {
        free: Vec::new(),
        stats: PoolStats { blocks: 0, bytes: 0, hits: 0, misses: 0 },
        limit: 100 << 20,
    });

    /// Capacity for a request: four classes per power of two from `POOLED_FROM` on, so at most 25 % is unused.
    pub fn class(bytes: usize) -> usize {
        if bytes < POOLED_FROM {
            return bytes;
        }
        let step = (bytes.next_power_of_two() / 8).max(ALIGN);
        bytes.div_ceil(step).checked_mul(step).unwrap_or(bytes)
    }

    pub fn take(capacity: usize) -> Option<NonNull<u8>> {
        if capacity < POOLED_FROM {
            return None;
        }
        POOL.with(|pool| {
            match pool.free.iter_mut().find(|(size, _)| *size == capacity).and_then(|(_, list)| list.pop()) {
                Some(address) => {
                    pool.stats.hits += 1;
                    pool.stats.blocks -= 1;
                    pool.stats.bytes -= capacity;
                    NonNull::new(address as *mut u8)
                }
                None => {
                    pool.stats.misses += 1;
                    None
                }
            }
        })
    }

    pub fn give(block: NonNull<u8>, capacity: usize) -> bool {
        if capacity < POOLED_FROM {
            return false;
        }
        POOL.with(|pool| {
            if pool.stats.bytes.saturating_add(capacity) > pool.limit {
                return false;
            }
            pool.stats.blocks += 1;
            pool.stats.bytes += capacity;
            let address = block.as_ptr() as usize;
            match pool.free.iter_mut().find(|(size, _)| *size == capacity) {
                Some((_, list)) => list.push(address),
                None => pool.free.push((capacity, vec![address])),
            }
            true
        })
    }

    /// Counters of the pool.
    pub fn stats() -> PoolStats {
        POOL.with(|pool| pool.stats)
    }

    /// Bytes the pool may keep.
    pub fn limit() -> usize {
        POOL.with(|pool| pool.limit)
    }

    /// Sets the bytes the pool may keep; 0 turns reuse off.
    pub fn set_limit(bytes: usize) {
        let too_many = POOL.with(|pool| {
            pool.limit = bytes;
            pool.stats.bytes > bytes
        });
        if too_many {
            clear();
        }
    }

    /// Gives all kept blocks back to the system.
    pub fn clear() {
        let free = POOL.with(|pool| {
            pool.stats.blocks = 0;
            pool.stats.bytes = 0;
            std::mem::take(&mut pool.free)
        });
        for (capacity, list) in free {
            for address in list {
                if let Some(block) = NonNull::new(address as *mut u8) {
                    release(block, capacity);
                }
            }
        }
    }
}
