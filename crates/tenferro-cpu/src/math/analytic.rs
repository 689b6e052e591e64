//! Analytic functions of one complex number in double precision; the narrow dtype goes through them and rounds once.
//!
//! Special values follow C99 Annex G (which the array API adopts). Errors are at most 4 eps of the result's magnitude.

use super::complex::{ComplexMath, exponent, scale, to_unit_range};
use super::double_double::Dd;
use super::inverse::{over_i, times_i};
use std::f64::consts::{LN_2, LOG2_E, LOG10_E, TAU};
use tenferro_tensor::C128;

/// The digits of ln 2 after the first double.
const LN_2_LOW: f64 = 2.319_046_813_846_299_6e-17;
/// The digits of pi after the first double.
pub(super) const PI_LOW: f64 = 1.224_646_799_147_353_2e-16;

/// `1 / z`.
#[inline]
pub(crate) fn reciprocal(z: C128) -> C128 {
    C128::new(1.0, 0.0).divide(z)
}

/// `factor * exp(x) * s` where `exp(x)` alone may overflow or underflow, and `s` may be subnormal.
#[inline]
pub(super) fn times_exp(factor: f64, x: f64, s: f64) -> f64 {
    if x < 709.0 {
        return factor * x.exp() * s;
    }
    let half = 704.0;
    let rest = (x - 2.0 * half).clamp(-half, 709.0);
    let once = if x < 2.0 * half { (x - half).exp() * s } else { half.exp() * s * rest.exp() };
    once * (factor * half.exp())
}

/// `e^z`.
#[inline(never)]
pub(crate) fn exp(z: C128) -> C128 {
    if z.im == 0.0 {
        return C128::new(z.re.exp(), z.im);
    }
    if z.re == 0.0 {
        let (sin, cos) = z.im.sin_cos();
        return C128::new(cos, sin);
    }
    if !z.im.is_finite() {
        return match z.re {
            f64::INFINITY => C128::new(f64::INFINITY, f64::NAN),
            f64::NEG_INFINITY => C128::new(0.0, 0.0),
            _ => C128::new(f64::NAN, f64::NAN),
        };
    }
    let (sin, cos) = z.im.sin_cos();
    if z.re.is_infinite() {
        let size = z.re.exp();
        return C128::new(size * cos, size * sin);
    }
    C128::new(times_exp(1.0, z.re, cos), times_exp(1.0, z.re, sin))
}

/// `e^z - 1` without cancellation near 0 and its periods.
#[inline(never)]
pub(crate) fn expm1(z: C128) -> C128 {
    if z.im == 0.0 {
        return C128::new(z.re.exp_m1(), z.im);
    }
    if z.re > 40.0 || z.re.is_nan() {
        return exp(z);
    }
    if z.re == f64::NEG_INFINITY {
        let (sin, _) = if z.im.is_finite() { z.im.sin_cos() } else { (0.0, 0.0) };
        return C128::new(-1.0, 0.0 * sin);
    }
    if !z.im.is_finite() {
        return C128::new(f64::NAN, f64::NAN);
    }
    let (sin, cos) = z.im.sin_cos();
    let half = (0.5 * z.im).sin();
    let grown = z.re.exp_m1();
    C128::new(grown * cos - 2.0 * half * half, z.re.exp() * sin)
}

/// `ln |z|`, accurate relative to `|log z|`.
fn log_magnitude(z: C128) -> f64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (a, b) = if x >= y { (x, y) } else { (y, x) };
    let square = a * a + b * b;
    if square > 0.5 && square < 3.0 {
        return 0.5 * ((a - 1.0) * (a + 1.0) + b * b).ln_1p();
    }
    if square > 1e-280 && square < 1e300 {
        return 0.5 * square.ln();
    }
    if a == 0.0 || !(a.is_finite() && b.is_finite()) {
        return z.re.hypot(z.im).ln();
    }
    let (w, k) = to_unit_range(z);
    0.5 * (w.re * w.re + w.im * w.im).ln() + f64::from(k) * LN_2
}

/// Principal logarithm.
#[inline(never)]
pub(crate) fn log(z: C128) -> C128 {
    C128::new(log_magnitude(z), z.im.atan2(z.re))
}

/// `log(1 + z)` without cancellation near 0.
#[inline(never)]
pub(crate) fn log1p(z: C128) -> C128 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 && x >= -1.0 {
        return C128::new(x.ln_1p(), y);
    }
    let arg = y.atan2(1.0 + x);
    if x.abs() < 0.5 && y.abs() < 0.5 {
        return C128::new(0.5 * (x * (2.0 + x) + y * y).ln_1p(), arg);
    }
    C128::new(log_magnitude(C128::new(1.0 + x, y)), arg)
}

/// Principal square root.
#[inline(never)]
pub(crate) fn sqrt(z: C128) -> C128 {
    let (x, y) = (z.re, z.im);
    if y.is_infinite() {
        return C128::new(f64::INFINITY, y);
    }
    if x.is_nan() {
        return C128::new(f64::NAN, f64::NAN);
    }
    if x == f64::INFINITY {
        return C128::new(x, if y.is_nan() { y } else { 0f64.copysign(y) });
    }
    if x == f64::NEG_INFINITY {
        return if y.is_nan() { C128::new(y, x.abs()) } else { C128::new(0.0, x.abs().copysign(y)) };
    }
    if y.is_nan() {
        return C128::new(y, y);
    }
    if x == 0.0 && y == 0.0 {
        return C128::new(0.0, y);
    }
    let k = exponent(z);
    if (-400..400).contains(&k) {
        return sqrt_in_range(z);
    }
    let even = k & !1;
    let root = sqrt_in_range(C128::new(scale(x, -even), scale(y, -even)));
    C128::new(scale(root.re, even / 2), scale(root.im, even / 2))
}

#[inline]
fn sqrt_in_range(z: C128) -> C128 {
    let t = (0.5 * (z.re.abs() + (z.re * z.re + z.im * z.im).sqrt())).sqrt();
    if z.re >= 0.0 { C128::new(t, z.im / (2.0 * t)) } else { C128::new(z.im.abs() / (2.0 * t), t.copysign(z.im)) }
}

/// `1 / sqrt(z)`.
#[inline(never)]
pub(crate) fn rsqrt(z: C128) -> C128 {
    if z.re == 0.0 && z.im == 0.0 {
        return C128::new(f64::INFINITY, f64::NAN);
    }
    if z.re.is_infinite() || z.im.is_infinite() {
        return C128::new(0.0, 0f64.copysign(-z.im));
    }
    if z.re.is_nan() || z.im.is_nan() {
        return C128::new(f64::NAN, f64::NAN);
    }
    let k = exponent(z) & !1;
    let w = C128::new(scale(z.re, -k), scale(z.im, -k));
    let root = sqrt_in_range(w);
    let size = (w.re * w.re + w.im * w.im).sqrt();
    C128::new(scale(root.re / size, -k / 2), scale(-root.im / size, -k / 2))
}

/// Hyperbolic sine.
#[inline(never)]
pub(crate) fn sinh(z: C128) -> C128 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return C128::new(x.sinh(), y);
    }
    if !y.is_finite() {
        return match x {
            0.0 => C128::new(x, f64::NAN),
            _ if x.is_infinite() => C128::new(x, f64::NAN),
            _ => C128::new(f64::NAN, f64::NAN),
        };
    }
    let (sin, cos) = y.sin_cos();
    if x.abs() > 40.0 {
        return C128::new(times_exp(0.5f64.copysign(x), x.abs(), cos), times_exp(0.5, x.abs(), sin));
    }
    C128::new(x.sinh() * cos, x.cosh() * sin)
}

/// Hyperbolic cosine.
#[inline(never)]
pub(crate) fn cosh(z: C128) -> C128 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return C128::new(x.cosh(), if x.is_nan() { y } else { y * 1f64.copysign(x) });
    }
    if !y.is_finite() {
        return match x {
            0.0 => C128::new(f64::NAN, 0.0),
            _ if x.is_infinite() => C128::new(f64::INFINITY, f64::NAN),
            _ => C128::new(f64::NAN, f64::NAN),
        };
    }
    let (sin, cos) = y.sin_cos();
    if x.abs() > 40.0 {
        return C128::new(times_exp(0.5, x.abs(), cos), times_exp(0.5f64.copysign(x), x.abs(), sin));
    }
    C128::new(x.cosh() * cos, x.sinh() * sin)
}

/// Sine: `-i sinh(iz)`.
pub(crate) fn sin(z: C128) -> C128 {
    let w = sinh(C128::new(-z.im, z.re));
    C128::new(w.im, -w.re)
}

/// Cosine: `cosh(iz)`.
pub(crate) fn cos(z: C128) -> C128 {
    cosh(C128::new(-z.im, z.re))
}

/// Hyperbolic tangent: `(sinh x cosh x + i sin y cos y) / (sinh² x + cos² y)`, a form without cancellation.
#[inline(never)]
pub(crate) fn tanh(z: C128) -> C128 {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return C128::new(x.tanh(), y);
    }
    if x.is_infinite() {
        let sign = if y.is_finite() { (2.0 * y).sin() } else { y };
        return C128::new(1f64.copysign(x), 0f64.copysign(sign));
    }
    if !y.is_finite() || x.is_nan() {
        return C128::new(if x == 0.0 { x } else { f64::NAN }, f64::NAN);
    }
    let (sin, cos) = y.sin_cos();
    if x.abs() > 20.0 {
        return C128::new(1f64.copysign(x), 4.0 * sin * cos * (-2.0 * x.abs()).exp());
    }
    let (s, c) = (x.sinh(), x.cosh());
    let d = s * s + cos * cos;
    C128::new(s * c / d, sin * cos / d)
}

/// Tangent: `-i tanh(iz)`.
pub(crate) fn tan(z: C128) -> C128 {
    over_i(tanh(times_i(z)))
}

/// `2^z`.
#[inline(never)]
pub(crate) fn exp2(z: C128) -> C128 {
    if z.im == 0.0 {
        return C128::new(libm::exp2(z.re), z.im);
    }
    if !z.im.is_finite() || !z.re.is_finite() {
        return exp(z);
    }
    let [sin, cos] = sin_cos_of(turn_by_ln_2(z.im));
    // Two factors, because the power alone may overflow where its product with a small sine does not.
    let half = (0.5 * z.re).clamp(-1100.0, 1100.0).trunc();
    let (low, high) = (libm::exp2(z.re - half), libm::exp2(half));
    C128::new(low * cos * high, low * sin * high)
}

/// The binary digits of ln 2 / 2 pi, behind 64 zeros.
#[rustfmt::skip]
const LN_2_IN_TURNS: [u64; 19] = [
    0, 0x1c3d_c98f_7e96_9bbb, 0x2d82_160b_957f_bcf7, 0x6384_efb3_4752_570d, 0x875c_804e_baa7_e3f2,
    0x9dba_19bf_26d2_2f92, 0x057d_72db_f62f_b884, 0x40e5_36cc_0835_bad4, 0x8c3f_ea6b_a432_f1cd, 0x544d_633b_59f0_36cf,
    0x1243_456f_7646_8a7d, 0x5a09_00ab_d7a3_e708, 0xeffc_572f_1c7c_17fb, 0x7f82_ec18_8aa3_23d9, 0xdcc2_7116_9d40_8a0a,
    0xbab4_3090_d715_49ee, 0xdd67_cd17_8b41_8a3a, 0x2c69_58e8_94f9_8a46, 0x3a97_ff6a_fab0_351e,
];

/// `y ln 2` as a sum; of large `y`, that less a multiple of 2 pi.
pub(super) fn turn_by_ln_2(y: f64) -> Dd {
    if y.abs() < 4096.0 {
        return Dd::from(y) * Dd { hi: LN_2, lo: LN_2_LOW };
    }
    // |y| = m 2^e; the digits of the factor that make whole turns are left out, and 128 after them are enough.
    let place = (y.abs().to_bits() >> 52) as usize - (1075 - 64);
    let m = (y.to_bits() & ((1 << 52) - 1)) | (1 << 52);
    let word = |i: usize| u128::from(LN_2_IN_TURNS[i]);
    let (first, shift) = (place / 64, place % 64);
    let window = (word(first) << 64 | word(first + 1)) << shift | (word(first + 2) << shift) >> 64;
    let turns = window.wrapping_mul(u128::from(m)).cast_signed();
    let high = turns as f64;
    let turns = Dd { hi: high, lo: (turns - high as i128) as f64 }.scaled(2f64.powi(-128).copysign(y));
    turns * Dd { hi: TAU, lo: 2.0 * PI_LOW }
}

/// `[sin, cos]` of a sum of two doubles.
#[inline]
pub(super) fn sin_cos_of(angle: Dd) -> [f64; 2] {
    let (sin, cos) = angle.hi.sin_cos();
    [angle.lo.mul_add(cos, sin), angle.lo.mul_add(-sin, cos)]
}

/// Logarithm to the base whose natural logarithm is `1 / factor`; `real` is that of a real number.
#[inline]
fn log_to_base(z: C128, factor: f64, real: fn(f64) -> f64) -> C128 {
    let w = log(z);
    C128::new(if z.im == 0.0 { real(z.re.abs()) } else { w.re * factor }, w.im * factor)
}

/// Principal logarithm to base 2.
pub(crate) fn log2(z: C128) -> C128 {
    log_to_base(z, LOG2_E, libm::log2)
}

/// Principal logarithm to base 10.
pub(crate) fn log10(z: C128) -> C128 {
    log_to_base(z, LOG10_E, libm::log10)
}
