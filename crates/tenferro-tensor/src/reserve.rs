//! Memory set aside for allocations that cannot report failure.
//!
//! Results of operations are allocated by `Buffer::new`, which returns an error. Everything else that Rust code
//! allocates (a node of the record, a list, the packing space of a matrix product) would end the process when the
//! system has nothing left. Such requests are then served from here, and the next `Buffer::new` reports the shortage.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};

/// Address space only, until it is used.
const SIZE: usize = 64 << 20;
/// While the reserve is in use, results need the system to have this much beside.
const COMFORT: usize = 1 << 20;

/// 0 before `set_aside`.
static START: AtomicUsize = AtomicUsize::new(0);
/// Blocks in use (upper half) and the offset of the first free byte (lower half): they return to 0 together.
static STATE: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: WithReserve = WithReserve;

struct WithReserve;

/// Stack that kernels may need below the deepest point so far, generously.
const STACK: usize = 256 << 10;

/// Writes to the stack far below, so that the system maps it now.
#[inline(never)]
fn grow_stack() {
    std::hint::black_box([0u8; STACK]);
}

/// Whether this is the thread that the process began with; its stack grows on demand, all others have theirs from the start.
fn is_first_thread() -> bool {
    let Ok(path) = std::fs::read_link("/proc/thread-self") else { return false };
    path.file_name().and_then(|name| name.to_str()?.parse().ok()) == Some(std::process::id())
}

/// Sets the reserve aside, if that has not been done. On the first thread the stack grows, too: with no address space left
/// it could not, and the next deep call would end the process.
pub fn set_aside() {
    if is_first_thread() {
        grow_stack();
    }
    if START.load(Acquire) == 0 {
        let layout = Layout::from_size_align(SIZE, 64).expect("a valid constant");
        // SAFETY: the size is not zero.
        let start = unsafe { System.alloc(layout) };
        if START.compare_exchange(0, start as usize, AcqRel, Acquire).is_err() && !start.is_null() {
            // SAFETY: allocated just now with this layout, and not shared.
            unsafe { System.dealloc(start, layout) };
        }
    }
}

/// Whether the system has nothing left beside the reserve.
#[inline]
pub fn exhausted() -> bool {
    STATE.load(Relaxed) != 0 && !has(COMFORT)
}

/// Whether the system grants this many bytes now.
pub fn has(bytes: usize) -> bool {
    let Ok(layout) = Layout::from_size_align(bytes.max(1), 64) else { return false };
    // SAFETY: the size is not zero; the block is given back at once.
    unsafe {
        let block = System.alloc(layout);
        if !block.is_null() {
            System.dealloc(block, layout);
        }
        !block.is_null()
    }
}

#[cold]
fn take(layout: Layout) -> *mut u8 {
    let start = START.load(Acquire);
    if start == 0 {
        return null_mut();
    }
    let mut state = STATE.load(Acquire);
    loop {
        let (live, used) = (state >> 32, state as u32 as usize);
        let first = (start + used).next_multiple_of(layout.align()) - start;
        match first.checked_add(layout.size()) {
            Some(end) if end <= SIZE => {
                match STATE.compare_exchange(state, (live + 1) << 32 | end as u64, AcqRel, Acquire) {
                    Ok(_) => return (start + first) as *mut u8,
                    Err(now) => state = now,
                }
            }
            _ => return null_mut(),
        }
    }
}

#[inline]
fn holds(block: *mut u8) -> bool {
    (block as usize).wrapping_sub(START.load(Relaxed)) < SIZE && START.load(Relaxed) != 0
}

#[cold]
fn give() {
    let less = |state: u64| if state >> 32 == 1 { 0 } else { state - (1 << 32) };
    let _ = STATE.fetch_update(AcqRel, Acquire, |state| Some(less(state)));
}

// SAFETY: blocks come from the system's allocator, or from the reserve, where no two live blocks overlap; each goes back
// to where it came from.
unsafe impl GlobalAlloc for WithReserve {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on.
        let block = unsafe { System.alloc(layout) };
        if block.is_null() { take(layout) } else { block }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            return block;
        }
        let block = take(layout);
        if !block.is_null() {
            // SAFETY: the reserve gave that many bytes.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match holds(block) {
            true => give(),
            // SAFETY: passed on; the block came from the system.
            false => unsafe { System.dealloc(block, layout) },
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: passed on; where the block moves, both have room for the smaller size.
        unsafe {
            if !holds(block) {
                let moved = System.realloc(block, layout, size);
                if !moved.is_null() {
                    return moved;
                }
            }
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, size.min(layout.size()));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_disjoint_and_all_returned() {
        set_aside();
        let layouts = [(1, 1), (100, 64), (7, 2), (4096, 4096), (3 << 20, 16)];
        let mut blocks = Vec::new();
        for (size, align) in layouts {
            let layout = Layout::from_size_align(size, align).unwrap();
            let block = take(layout);
            assert!(holds(block) && (block as usize).is_multiple_of(align));
            blocks.push((block as usize, layout));
        }
        for pair in blocks.windows(2) {
            assert!(pair[0].0 + pair[0].1.size() <= pair[1].0);
        }
        assert!(take(Layout::from_size_align(SIZE, 1).unwrap()).is_null());
        assert!(!exhausted());
        for (block, layout) in blocks {
            // SAFETY: each came from `take`.
            unsafe { WithReserve.dealloc(block as *mut u8, layout) };
        }
        assert_eq!(STATE.load(Relaxed), 0);
        let outside = Box::new(1);
        assert!(!holds(&raw const *outside as *mut u8));
    }

    #[test]
    fn a_test_runs_on_another_thread_than_the_first() {
        assert!(!std::thread::spawn(is_first_thread).join().unwrap());
    }

    #[test]
    fn nobody_has_half_of_the_address_space() {
        assert!(has(1 << 20) && !has(isize::MAX as usize / 2));
    }
}
