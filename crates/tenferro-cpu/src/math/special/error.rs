//! The error function's relatives: the normal distribution, inverses, and integrals of erfc.

use super::HUGE;
use crate::math::double_double::Dd;
use pxfm::{f_erfc, f_erfcinv, f_erfcx, f_erfinv, f_exp, f_log, f_log1p};
use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

/// √2 − `SQRT_2`.
const SQRT_2_LOW: f64 = -9.667_293_313_452_913e-17;
/// 1/√2 as a sum.
const FRAC_1_SQRT_2: Dd = Dd { hi: std::f64::consts::FRAC_1_SQRT_2, lo: -4.833_646_656_726_457e-17 };

/// x·√2, rounded about once.
fn times_sqrt_2(x: f64) -> f64 {
    if x.is_infinite() { x } else { x.mul_add(SQRT_2, x * SQRT_2_LOW) }
}

/// x/√2 as a sum.
fn over_sqrt_2(x: f64) -> Dd {
    Dd::from(x) * FRAC_1_SQRT_2
}

/// The inverse of erfc. Deep in the tail two Newton steps, (1 − p/erfc y)·erfcx(y)·√π/2, refine what the library gives.
pub(crate) fn erfcinv(p: f64) -> f64 {
    let mut y = f_erfcinv(p);
    if p > 0.0 && p < 1e-3 {
        for _ in 0..2 {
            y += (1.0 - p / f_erfc(y)) * f_erfcx(y) / FRAC_2_SQRT_PI;
        }
    }
    y
}

/// Φ(x) = ½·erfc(−x/√2). The tail is steep, so what rounding takes from the argument is put back at first order.
pub(crate) fn ndtr(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() > 40.0 {
        return if x < 0.0 { 0.0 } else { 1.0 };
    }
    let z = over_sqrt_2(-x);
    let tail = f_erfc(z.hi);
    let slope = if z.hi > 0.0 { tail / f_erfcx(z.hi) } else { f_exp(-z.hi * z.hi) };
    0.5 * (-slope * FRAC_2_SQRT_PI).mul_add(z.lo, tail)
}

/// The inverse of Φ.
pub(crate) fn ndtri(p: f64) -> f64 {
    if (0.25..=0.75).contains(&p) { times_sqrt_2(f_erfinv(2.0 * p - 1.0)) } else { -times_sqrt_2(erfcinv(2.0 * p)) }
}

/// log Φ(x); in the tail −x²/2 + log(½·erfcx(−x/√2)), a sum of negative numbers.
pub(crate) fn log_ndtr(x: f64) -> f64 {
    if x > 0.0 {
        f_log1p(-ndtr(-x))
    } else if x > -1.0 {
        f_log(ndtr(x))
    } else if x < -1e10 {
        // The logarithm is less than half a unit in the last place of x²/2.
        -0.5 * x * x
    } else {
        let square = Dd::product(0.5 * x, -x);
        square.hi + (square.lo + f_log(0.5 * f_erfcx(over_sqrt_2(-x).hi)))
    }
}

/// e^{x²}·erfc(x); at both ends of the range the library's function overflows inside.
fn erfcx(x: f64) -> f64 {
    if x > HUGE {
        0.5 * FRAC_2_SQRT_PI / x
    } else if x < -26.0 {
        if x < -27.0 {
            return f64::INFINITY;
        }
        let square = Dd::product(x, x);
        let power = f_exp(square.hi);
        2.0 * power.mul_add(square.lo, power)
    } else {
        f_erfcx(x)
    }
}

/// e^{x²}·iⁿerfc(x), with iⁿerfc the n-fold integral of erfc from x to ∞; n = 0 is erfcx. Its derivative is −2(n + 1) times
/// that of order n + 1, and 2n·Rₙ = Rₙ₋₂ − 2x·Rₙ₋₁ (Abramowitz and Stegun 7.2.5).
pub(crate) fn scaled_erfc_integral(order: u32, x: f64) -> f64 {
    let mut current = erfcx(x);
    if order == 0 || x.is_nan() {
        return current;
    }
    if x == f64::INFINITY {
        return 0.0;
    }
    if x < 0.5 {
        let mut before = FRAC_2_SQRT_PI;
        for n in 1..=order {
            let next = (-2.0 * x).mul_add(current, before) / f64::from(2 * n);
            (before, current) = (current, next);
        }
        return current;
    }
    // Rₙ/Rₙ₋₁ = 1/(2x + 2(n + 1)·Rₙ₊₁/Rₙ): a continued fraction of positive terms.
    let terms = order + 12 + (200.0 / (x * x)) as u32;
    let mut ratio = 0.0;
    for n in (1..=order + terms).rev() {
        ratio = 1.0 / 2f64.mul_add(x, f64::from(2 * (n + 1)) * ratio);
        if n <= order {
            current *= ratio;
        }
    }
    current
}
