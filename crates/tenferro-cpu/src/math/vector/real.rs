//! Real functions. Each is a straight-line core, right where `usual` holds, and the standard library's elsewhere.

use super::{Cos, Cosh, Exp, Expm1, Log, Log1p, Rsqrt, Sin, Sinh, Sqrt, Tan, Tanh};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, LOG2_E, PI, SQRT_2};

/// A real function of several numbers.
pub(crate) trait RealLanes {
    fn real<const N: usize>(x: &[f64; N]) -> [f64; N];
}

/// Adding this rounds to an integer, which then stands in the low bits.
const TO_INTEGER: f64 = 1.5 * (1u64 << 52) as f64;
/// ln 2 in two parts; the first has 33 bits, so that its product with an exponent is exact.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
/// The digits of pi/2 after the first double.
const PI_2_LOW: [f64; 2] = [6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
/// Beyond this, the reduction by pi/2 is left to the standard library.
pub(super) const LARGEST_ANGLE: f64 = (1u64 << 30) as f64;
/// Beyond this, exponentials leave the normal numbers.
pub(super) const LARGEST_EXPONENT: f64 = 708.0;

/// `core` of all, then `rare` of those that are not `usual`.
#[inline(always)]
pub(super) fn with_exceptions<A: Copy, R: Copy + Default, const N: usize>(
    x: &[A; N],
    core: impl Fn(A) -> R,
    usual: impl Fn(A) -> bool,
    rare: impl Fn(A) -> R,
) -> [R; N] {
    let mut y = [R::default(); N];
    let mut exceptions = 0;
    for i in 0..N {
        y[i] = core(x[i]);
        exceptions += u64::from(!usual(x[i]));
    }
    if exceptions > 0 {
        for i in 0..N {
            if !usual(x[i]) {
                y[i] = rare(x[i]);
            }
        }
    }
    y
}

/// `c[0] + x c[1] + x² c[2] + …` for the reciprocals `c[k] = 1 / d[k]`.
#[inline(always)]
fn series<const K: usize>(x: f64, d: [f64; K]) -> f64 {
    let mut sum = 1.0 / d[K - 1];
    for k in (0..K - 1).rev() {
        sum = sum.mul_add(x, 1.0 / d[k]);
    }
    sum
}

/// `x = k ln 2 + r` with `|r| < 0.35`; then `e^r - 1` as the sum of two doubles, and `2^k` as bits to add to an exponent.
#[inline(always)]
fn exp_parts(x: f64) -> ([f64; 2], u64) {
    let shifted = x.mul_add(LOG2_E, TO_INTEGER);
    let k = shifted - TO_INTEGER;
    let high = k.mul_add(-LN_2[0], x);
    let low = k * LN_2[1];
    let r = high - low;
    let rest = (high - r) - low;
    let factorials = [
        2.0,
        6.0,
        24.0,
        120.0,
        720.0,
        5_040.0,
        40_320.0,
        362_880.0,
        3_628_800.0,
        39_916_800.0,
        479_001_600.0,
        6_227_020_800.0,
    ];
    let w = (r * r).mul_add(series(r, factorials), rest.mul_add(r, rest));
    let sum = r + w;
    ([sum, (r - sum) + w], shifted.to_bits() << 52)
}

/// `e^x` where it is a normal number.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    let ([high, low], k) = exp_parts(x);
    let one = 1.0 + high;
    let y = one + (((1.0 - one) + high) + low);
    f64::from_bits(y.to_bits().wrapping_add(k))
}

/// `e^x - 1` as the sum of two doubles, for `|x|` up to the largest exponent.
#[inline(always)]
pub(super) fn expm1(x: f64) -> [f64; 2] {
    let ([high, low], k) = exp_parts(x);
    let power = f64::from_bits(1f64.to_bits().wrapping_add(k));
    let rest = power - 1.0;
    let scaled = power * high;
    let sum = rest + scaled;
    [sum, power.mul_add(low, scaled - (sum - rest))]
}

/// `x = 2^k m` with `m` between sqrt 1/2 and sqrt 2, for normal positive `x`: `[k, m]`.
#[inline(always)]
fn split(x: f64) -> [f64; 2] {
    let offset = 1f64.to_bits() - (SQRT_2 / 2.0).to_bits();
    let biased = x.to_bits().wrapping_add(offset) >> 52;
    let two_52 = (1u64 << 52) as f64;
    let k = f64::from_bits(two_52.to_bits() | biased) - (two_52 + 1023.0);
    let m = f64::from_bits(x.to_bits().wrapping_sub(biased.wrapping_sub(1023) << 52));
    [k, m]
}

/// `k ln 2 + ln(1 + f) + correction`, by `ln(1 + f) = 2 atanh(s)` with `s = f / (2 + f)`, arranged so that `f` itself
/// enters last.
#[inline(always)]
fn log_sum(k: f64, f: f64, correction: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let tail = z * series(z, [3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0, 21.0, 23.0].map(|odd| odd / 2.0));
    let half = 0.5 * f * f;
    let small = s.mul_add(half + tail, k.mul_add(LN_2[1], correction));
    k.mul_add(LN_2[0], f - (half - small))
}

#[inline(always)]
fn log(x: f64) -> f64 {
    let [k, m] = split(x);
    log_sum(k, m - 1.0, 0.0)
}

/// `1 / sqrt x`, with the errors of root and reciprocal put right.
#[inline(always)]
fn rsqrt(x: f64) -> f64 {
    let root = x.sqrt();
    let y = 1.0 / root;
    let root_rest = (-root).mul_add(root, x);
    let rest = (-root).mul_add(y, 1.0) - 0.5 * root_rest * y * y;
    rest.mul_add(y, y)
}

/// Arctangent of numbers from 0 to 1, given as a quotient.
#[inline(always)]
fn atan_quotient(a: f64, b: f64) -> f64 {
    let far = a > (SQRT_2 - 1.0) * b;
    let t = if far { (a - b) / (a + b) } else { a / b };
    let signs_and_odds: [f64; 20] =
        std::array::from_fn(|k| if k % 2 == 0 { -3.0 - 2.0 * k as f64 } else { 3.0 + 2.0 * k as f64 });
    let z = t * t;
    let angle = (t * z).mul_add(series(z, signs_and_odds), t);
    if far { FRAC_PI_4 + angle } else { angle }
}

/// The angle of `x + iy`, both of moderate size.
#[inline(always)]
pub(super) fn angle(x: f64, y: f64) -> f64 {
    let (across, up) = (x.abs(), y.abs());
    let steep = up > across;
    let (a, b) = if steep { (across, up) } else { (up, across) };
    let low = atan_quotient(a, b);
    let first = if steep { FRAC_PI_2 - low } else { low };
    let angle = if x < 0.0 { PI - first } else { first };
    angle.copysign(y)
}

/// `ln(1 + v)` where `near`, else `ln(other)`.
#[inline(always)]
pub(super) fn log_either(near: bool, v: f64, other: f64) -> f64 {
    let sum = if near { 1.0 + v } else { other };
    let [k, m] = split(sum);
    let lost = if v < 1.0 { v - (sum - 1.0) } else { 1.0 - (sum - v) };
    let exact = near && k == 0.0;
    let f = if exact { v } else { m - 1.0 };
    log_sum(k, f, if near && k != 0.0 { lost / sum } else { 0.0 })
}

/// `ln(1 + x)` for finite `x` above -1.
#[inline(always)]
fn log1p(x: f64) -> f64 {
    log_either(true, x, 0.0)
}

/// `sin x` and `cos x`, each as the sum of two doubles, up to the largest angle.
#[inline(always)]
fn sin_cos_sums(x: f64) -> [[f64; 2]; 2] {
    let shifted = x.mul_add(FRAC_2_PI, TO_INTEGER);
    let n = shifted - TO_INTEGER;
    let quadrant = shifted.to_bits();
    let coarse = (-n).mul_add(FRAC_PI_2, x);
    let turn = n * PI_2_LOW[0];
    let turn_rest = n.mul_add(PI_2_LOW[0], -turn) + n * PI_2_LOW[1];
    let r = coarse - turn;
    let part = coarse - r;
    let rest = ((coarse - (r + part)) + (part - turn)) - turn_rest;
    let z = r * r;

    let odd = [-6.0, 120.0, -5_040.0, 362_880.0, -39_916_800.0, 6_227_020_800.0, -1_307_674_368e3, 355_687_428_096e3];
    let bend = (r * z).mul_add(series(z, odd), rest.mul_add(-0.5 * z, rest));
    let sin = r + bend;
    let sin = [sin, (r - sin) + bend];

    let even = [24.0, -720.0, 40_320.0, -3_628_800.0, 479_001_600.0, -87_178_291_200.0, 20_922_789_888e3];
    let half = 0.5 * z;
    let one = 1.0 - half;
    let bend = ((1.0 - one) - half) + (z * z).mul_add(series(z, even), -r * rest);
    let cos = one + bend;
    let cos = [cos, (one - cos) + bend];

    let swap = quadrant & 1 != 0;
    let (s, c) = if swap { (cos, sin) } else { (sin, cos) };
    let negate = |v: f64, when: u64| f64::from_bits(v.to_bits() ^ ((when & 2) << 62));
    let next = quadrant.wrapping_add(1);
    [[negate(s[0], quadrant), negate(s[1], quadrant)], [negate(c[0], next), negate(c[1], next)]]
}

/// `[sin x, cos x]` up to the largest angle.
#[inline(always)]
pub(super) fn sin_cos(x: f64) -> [f64; 2] {
    let [sin, cos] = sin_cos_sums(x);
    [sin[0], cos[0]]
}

/// Quotient of sine and cosine, with the rounding of both put right.
#[inline(always)]
fn tan(x: f64) -> f64 {
    let [[sin, sin_rest], [cos, cos_rest]] = sin_cos_sums(x);
    let q = sin / cos;
    let rest = (-q).mul_add(cos, sin) + (-q).mul_add(cos_rest, sin_rest);
    q + rest / cos
}

/// For `E = e^|x|` as the sum of two doubles: `[E - 1, E, 1 / E]` likewise, in this order.
#[inline(always)]
fn exp_and_inverse(x: f64) -> [[f64; 2]; 3] {
    let [e, e_rest] = expm1(x.abs());
    let d = e + 1.0;
    let part = d - e;
    let d_rest = (e - (d - part)) + (1.0 - part) + e_rest;
    let inverse = 1.0 / d;
    let rest = (-inverse).mul_add(d, 1.0) - inverse * d_rest;
    [[e, e_rest], [d, d_rest], [inverse, inverse * rest]]
}

/// `(E - 1 + (E - 1) / E) / 2` with `E = e^|x|`.
#[inline(always)]
fn sinh(x: f64) -> f64 {
    let [[e, e_rest], _, [inverse, inverse_rest]] = exp_and_inverse(x);
    let q = e * inverse;
    let q_rest = e.mul_add(inverse, -q) + e.mul_add(inverse_rest, e_rest * inverse);
    let sum = e + q;
    (0.5 * (sum + ((q - (sum - e)) + (e_rest + q_rest)))).copysign(x)
}

/// `(E + 1 / E) / 2` with `E = e^|x|`.
#[inline(always)]
fn cosh(x: f64) -> f64 {
    let [_, [d, d_rest], [inverse, inverse_rest]] = exp_and_inverse(x);
    let sum = d + inverse;
    0.5 * (sum + ((inverse - (sum - d)) + (d_rest + inverse_rest)))
}

/// Quotient `e / (e + 2)` of `e = e^(2|x|) - 1`, with the roundings of both sides put right.
#[inline(always)]
fn tanh(x: f64) -> f64 {
    let [e, e_rest] = expm1(2.0 * x.abs().min(20.0));
    let d = e + 2.0;
    let part = d - e;
    let d_rest = (e - (d - part)) + (2.0 - part) + e_rest;
    let inverse = 1.0 / d;
    let q = e * inverse;
    let rest = (-q).mul_add(d, e) + (-q).mul_add(d_rest, e_rest);
    rest.mul_add(inverse, q).copysign(x)
}

macro_rules! real_lanes {
    ($($name:ident: $core:expr, $usual:expr, $rare:expr;)*) => {$(
        impl RealLanes for $name {
            #[inline(always)]
            fn real<const N: usize>(x: &[f64; N]) -> [f64; N] {
                with_exceptions(x, $core, $usual, $rare)
            }
        }
    )*};
}
real_lanes! {
    Exp: exp, |x| x.abs() < LARGEST_EXPONENT, f64::exp;
    Expm1: |x| {
        let [high, low] = expm1(x);
        (high + low).copysign(x)
    }, |x| x.abs() < LARGEST_EXPONENT, f64::exp_m1;
    Log: log, |x| (f64::MIN_POSITIVE..f64::INFINITY).contains(&x), f64::ln;
    Log1p: log1p, |x| x > -1.0 && x < f64::INFINITY && x != 0.0, f64::ln_1p;
    Sqrt: f64::sqrt, |_| true, f64::sqrt;
    Rsqrt: rsqrt, |x| (1e-290..f64::INFINITY).contains(&x), |x| 1.0 / x.sqrt();
    Sin: |x| if x == 0.0 { x } else { sin_cos(x)[0] }, |x| x.abs() < LARGEST_ANGLE, f64::sin;
    Cos: |x| sin_cos(x)[1], |x| x.abs() < LARGEST_ANGLE, f64::cos;
    Tan: |x| if x == 0.0 { x } else { tan(x) }, |x| x.abs() < LARGEST_ANGLE, libm::tan;
    Sinh: sinh, |x| x.abs() < LARGEST_EXPONENT, pxfm::f_sinh;
    Cosh: cosh, |x| x.abs() < LARGEST_EXPONENT, pxfm::f_cosh;
    Tanh: tanh, |x| !x.is_nan(), f64::tanh;
}
