//! Counter-based random numbers: element `i` of a draw depends on the key and on `i` only, so results do not depend on
//! threads or on the order of evaluation. The generator is Philox4x64-10 (Salmon, Moraes, Dror, Shaw: "Parallel random
//! numbers: as easy as 1, 2, 3", 2011).

use crate::threads;
use std::f64::consts::TAU;
use tenferro_tensor::{C64, C128, DType, Error, Result, Scalar, Tensor, Variant};

/// Elements per block of parallel work; a multiple of the numbers per counter.
const GRAIN: usize = 1 << 12;

/// The state from which a stream of random numbers is computed; never changed, only split.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key(pub [u64; 2]);

/// What a counter is used for; streams of different use never share a counter.
#[derive(Clone, Copy)]
enum Use {
    Draw = 0,
    Split = 1,
    Fold = 2,
    Trial = 3,
}

impl Key {
    /// The key of a seed.
    pub const fn from_seed(seed: u64) -> Key {
        Key([seed, 0])
    }

    /// The key with these two words.
    pub const fn from_words(words: [u64; 2]) -> Key {
        Key(words)
    }

    /// The two words.
    pub const fn words(self) -> [u64; 2] {
        self.0
    }

    /// `n` independent keys.
    pub fn split(self, n: usize) -> Vec<Key> {
        (0..n as u64).map(|i| self.derived(Use::Split, i)).collect()
    }

    /// The key of item `data`.
    pub fn fold_in(self, data: u64) -> Key {
        self.derived(Use::Fold, data)
    }

    fn derived(self, purpose: Use, index: u64) -> Key {
        let [a, b, ..] = philox([index, 0, 0, purpose as u64], self.0);
        Key([a, b])
    }

    /// The words for one trial of an element that is drawn by rejection.
    fn trial(self, index: u64, number: u64) -> [u64; 4] {
        philox([index, number, 0, Use::Trial as u64], self.0)
    }

    fn block(self, index: u64) -> [u64; 4] {
        philox([index, 0, 0, Use::Draw as u64], self.0)
    }
}

/// Ten rounds of Philox4x64.
fn philox(counter: [u64; 4], key: [u64; 2]) -> [u64; 4] {
    const MULTIPLIERS: [u64; 2] = [0xD2E7_470E_E14C_6C93, 0xCA5A_8263_9512_1157];
    const WEYL: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];
    let (mut c, mut k) = (counter, key);
    for _ in 0..10 {
        let p0 = u128::from(MULTIPLIERS[0]) * u128::from(c[0]);
        let p1 = u128::from(MULTIPLIERS[1]) * u128::from(c[2]);
        c = [(p1 >> 64) as u64 ^ c[1] ^ k[0], p1 as u64, (p0 >> 64) as u64 ^ c[3] ^ k[1], p0 as u64];
        k = [k[0].wrapping_add(WEYL[0]), k[1].wrapping_add(WEYL[1])];
    }
    c
}

/// In [0, 1), a multiple of 2^-53.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * f64::EPSILON / 2.0
}

/// Two independent standard normal numbers (Box and Muller, 1958).
fn normal_pair(a: u64, b: u64) -> (f64, f64) {
    let radius = (-2.0 * ((a as f64 + 1.0) * (0.5f64).powi(64)).min(1.0).ln()).sqrt();
    let (sin, cos) = (TAU * unit(b)).sin_cos();
    (radius * cos, radius * sin)
}

/// Fills a tensor from blocks: `f` maps the four words of a block to `PER` elements.
fn from_blocks<T: Scalar, const PER: usize>(
    op: &'static str,
    key: Key,
    shape: &[usize],
    f: impl Fn([u64; 4]) -> [T; PER] + Sync,
) -> Result<Tensor> {
    filled(op, shape, |block| f(key.block(block)))
}

/// Fills a tensor from blocks of `PER` elements.
fn filled<T: Scalar, const PER: usize>(
    op: &'static str,
    shape: &[usize],
    f: impl Fn(u64) -> [T; PER] + Sync,
) -> Result<Tensor> {
    struct Out<T>(*mut T);
    // SAFETY: blocks write disjoint elements.
    unsafe impl<T> Sync for Out<T> {}
    // SAFETY: every element is written, by the block it belongs to.
    unsafe {
        Tensor::build(op, shape, |out: *mut T, n| {
            let out = Out(out);
            let out = &out;
            threads::try_for_each_block(op, n, GRAIN, |range| {
                let mut i = range.start;
                while i < range.end {
                    for value in f((i / PER) as u64).into_iter().take(range.end - i) {
                        out.0.add(i).write(value);
                        i += 1;
                    }
                }
            })
        })
    }
}

/// Uniform in [low, high).
pub fn uniform(key: Key, shape: &[usize], dtype: DType, low: f64, high: f64) -> Result<Tensor> {
    let op = "uniform";
    if !low.is_finite() {
        return Err(Error::argument(op, "low", format!("expected a finite number, got {low}")));
    }
    if !(high.is_finite() && high >= low && (high - low).is_finite()) {
        let message = format!("expected a finite number of at least low = {low}, got {high}");
        return Err(Error::argument(op, "high", message));
    }
    let below = |x: f64| {
        if x < high || low == high { x } else { high.next_down().max(low) }
    };
    match dtype {
        DType::F64 => from_blocks(op, key, shape, |words| words.map(|w| below(low + unit(w) * (high - low)))),
        DType::F32 => {
            let (low, high) = (low as f32, high as f32);
            let below = |x: f32| {
                if x < high || low == high { x } else { high.next_down().max(low) }
            };
            from_blocks(op, key, shape, |words| {
                words.map(|w| below(low + (w >> 40) as f32 * (f32::EPSILON / 2.0) * (high - low)))
            })
        }
        other => Err(Error::unsupported_dtype(op, other, "float32 or float64")),
    }
}

/// Standard normal; complex numbers have independent parts of variance 1/2.
pub fn normal(key: Key, shape: &[usize], dtype: DType) -> Result<Tensor> {
    let four = |w: [u64; 4]| {
        let ((a, b), (c, d)) = (normal_pair(w[0], w[1]), normal_pair(w[2], w[3]));
        [a, b, c, d]
    };
    let two = |w: [u64; 4]| {
        let [a, b, c, d] = four(w).map(|x| x * std::f64::consts::FRAC_1_SQRT_2);
        [C128::new(a, b), C128::new(c, d)]
    };
    match dtype {
        DType::F64 => from_blocks("normal", key, shape, four),
        DType::F32 => from_blocks("normal", key, shape, |w| four(w).map(|x| x as f32)),
        DType::C128 => from_blocks("normal", key, shape, two),
        DType::C64 => from_blocks("normal", key, shape, |w| two(w).map(|z| C64::new(z.re as f32, z.im as f32))),
        other => Err(Error::unsupported_dtype("normal", other, "float32, float64, complex64 or complex128")),
    }
}

/// `bits` scaled to [0, span): each value's probability is off by at most 2^-64 (Lemire, 2019, without rejection).
fn below(bits: u64, span: u64) -> u64 {
    ((u128::from(bits) * u128::from(span)) >> 64) as u64
}

/// Integers, uniform in [low, high).
pub fn randint(key: Key, shape: &[usize], low: i64, high: i64, dtype: DType) -> Result<Tensor> {
    let op = "randint";
    if !matches!(dtype, DType::I32 | DType::I64) {
        return Err(Error::unsupported_dtype(op, dtype, "int32 or int64"));
    }
    if low >= high {
        let message = format!("expected an integer above low = {low}, got {high}");
        return Err(Error::argument(op, "high", message));
    }
    if dtype == DType::I32 && (i32::try_from(low).is_err() || i32::try_from(high - 1).is_err()) {
        let message = format!("expected bounds in the range of {dtype}, got {low} to {high}");
        return Err(Error::new(Variant::IntegerOverflow, op, message));
    }
    let span = high.wrapping_sub(low) as u64;
    let draw = move |w: u64| low.wrapping_add(below(w, span) as i64);
    match dtype {
        DType::I32 => from_blocks(op, key, shape, |words| words.map(|w| draw(w) as i32)),
        _ => from_blocks(op, key, shape, |words| words.map(draw)),
    }
}

/// 0 to n - 1 in random order (Fisher and Yates, Durstenfeld's form).
pub fn permutation(key: Key, n: usize) -> Result<Tensor> {
    // SAFETY: every element is written before any is read.
    unsafe {
        Tensor::build("permutation", &[n], |out: *mut i64, n| {
            for i in 0..n {
                out.add(i).write(i as i64);
            }
            let out = std::slice::from_raw_parts_mut(out, n);
            for i in (1..n).rev() {
                let word = key.block(i as u64 / 4)[i % 4];
                out.swap(i, below(word, i as u64 + 1) as usize);
            }
            Ok(())
        })
    }
}

mod variates;
pub use variates::{binomial, log_gamma, poisson};

#[cfg(test)]
mod tests;
