use super::*;
use std::sync::atomic::AtomicU64;
use tenferro_tensor::Variant;

fn sum_by_blocks(total: usize, grain: usize) -> u64 {
    let sum = AtomicU64::new(0);
    for_each_block(total, grain, |range| {
        sum.fetch_add(range.map(|i| i as u64 + 1).sum(), Relaxed);
    });
    sum.into_inner()
}

fn triangle(n: u64) -> u64 {
    n * (n + 1) / 2
}

#[test]
fn every_element_is_visited_once() {
    for (total, grain) in [(0, 1), (1, 1), (1000, 7), (1000, 1), (1000, 0), (5, usize::MAX), (64, 64)] {
        assert_eq!(sum_by_blocks(total, grain), triangle(total as u64), "{total} {grain}");
    }
}

#[test]
fn nested_calls_stay_on_their_thread() {
    let wrong = AtomicUsize::new(0);
    for_each_block(16, 1, |_| {
        let me = std::thread::current().id();
        for_each_block(16, 1, |_| {
            wrong.fetch_add((std::thread::current().id() != me) as usize, Relaxed);
        });
    });
    assert_eq!(wrong.into_inner(), 0);
}

#[test]
fn a_panic_becomes_an_error_and_leaves_the_pool_usable() {
    for bad in [0, 1, 50, 99] {
        let outcome = try_for_each_block("testing", 100, 1, |range| {
            std::thread::sleep(Duration::from_micros(100));
            assert!(range.start != bad, "block {bad} is broken");
        });
        let error = outcome.unwrap_err();
        assert_eq!(error.variant(), Variant::Internal);
        assert!(error.message().contains("is broken"), "{error}");
        assert_eq!(sum_by_blocks(1000, 10), triangle(1000));
    }
    let outcome = try_for_each_block("testing", 1, 1, |_| panic!("alone"));
    assert!(outcome.unwrap_err().message().contains("alone"));
}

#[test]
fn a_panic_without_a_result_reaches_the_caller() {
    let caught = catch_unwind(|| for_each_block(64, 1, |range| assert!(range.start != 9, "nine")));
    assert!(caught.is_err());
    assert_eq!(sum_by_blocks(1000, 10), triangle(1000));
}

thread_local! {
    static STOP: Cell<bool> = const { Cell::new(false) };
}

#[test]
fn a_request_to_stop_ends_long_work() {
    interrupt::set_hook(|| STOP.get());
    STOP.set(true);
    let begin = Instant::now();
    let outcome = try_for_each_block("testing", 100_000, 1, |_| std::thread::sleep(Duration::from_millis(1)));
    STOP.set(false);
    assert!(outcome.unwrap_err().is_interrupted());
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert!(try_for_each_block("testing", 20, 1, |_| std::thread::sleep(Duration::from_millis(1))).is_ok());
}

#[test]
fn callers_on_many_threads_do_not_wait_for_each_other() {
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| for_each_block(40, 1, |_| std::thread::sleep(Duration::from_millis(20))));
        std::thread::sleep(Duration::from_millis(10));
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(sum_by_blocks(1000, 10), triangle(1000));
                }
            });
        }
        let begin = Instant::now();
        assert_eq!(sum_by_blocks(1000, 10), triangle(1000));
        assert!(slow.is_finished() || begin.elapsed() < Duration::from_millis(300));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_forked_child_gets_its_own_pool() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
        fn _exit(status: i32) -> !;
        fn alarm(seconds: u32) -> u32;
    }
    assert_eq!(sum_by_blocks(1000, 10), triangle(1000));
    for announce in [true, false] {
        // SAFETY: the child only runs the pool, allocates, and leaves; an alarm ends it if it hangs.
        let pid = unsafe { fork() };
        assert!(pid >= 0);
        if pid == 0 {
            // SAFETY: as above.
            unsafe { alarm(20) };
            if announce {
                after_fork_in_child();
            }
            let right = sum_by_blocks(1000, 10) == triangle(1000);
            // SAFETY: as above.
            unsafe { _exit(if right { 0 } else { 1 }) };
        }
        let mut status = -1;
        // SAFETY: `pid` is our child.
        assert_eq!(unsafe { waitpid(pid, &mut status, 0) }, pid);
        assert_eq!(status, 0);
    }
}
