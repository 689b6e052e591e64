//! What this machine can do at most: fused multiply-adds and copies per second. Built with the CPU's own features.

use std::hint::black_box;
use std::time::Instant;

const LANES: usize = 8;
const ROUNDS: usize = 1 << 22;

/// The best of some runs, in units per second.
fn best(units: f64, mut run: impl FnMut()) -> f64 {
    (0..9)
        .map(|_| {
            let start = Instant::now();
            run();
            units / start.elapsed().as_secs_f64()
        })
        .fold(0.0, f64::max)
}

macro_rules! fused {
    ($name:ident, $t:ty, $lanes:expr) => {
        /// Twelve independent accumulators hide the latency of an addition.
        fn $name() -> f64 {
            best((2 * 12 * $lanes * ROUNDS) as f64, || {
                let (a, b) = (black_box(0.999_999 as $t), black_box(1e-6 as $t));
                let mut sums = [1.0 as $t; 12 * $lanes];
                for _ in 0..ROUNDS {
                    for sum in &mut sums {
                        *sum = sum.mul_add(a, b);
                    }
                }
                black_box(sums);
            })
        }
    };
}
fused!(fused_f64, f64, LANES);
fused!(fused_f32, f32, 2 * LANES);

/// Bytes read and written per second by copies into a buffer that is there already.
fn copy(bytes: usize) -> f64 {
    let (from, mut to) = (vec![1u8; bytes], vec![2u8; bytes]);
    let times = ((1 << 28) / bytes).max(1);
    best((2 * bytes * times) as f64, || {
        for _ in 0..times {
            to.copy_from_slice(black_box(&from));
            black_box(&mut to);
        }
    })
}

fn main() {
    let giga = |x: f64| (x / 1e7).round() / 1e2;
    println!("{{");
    println!("  \"fused f64 GFLOP/s\": {},", giga(fused_f64()));
    println!("  \"fused f32 GFLOP/s\": {},", giga(fused_f32()));
    for (name, bytes) in [("16 KiB", 1 << 14), ("256 KiB", 1 << 18), ("4 MiB", 1 << 22)] {
        println!("  \"copy {name} GB/s\": {},", giga(copy(bytes)));
    }
    println!("  \"copy 160 MB GB/s\": {}", giga(copy(160_000_000)));
    println!("}}");
}
