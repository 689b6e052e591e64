//! Derivatives of log Γ.

use super::HUGE;
use crate::math::double_double::Dd;
use smallvec::{SmallVec, smallvec};
use std::f64::consts::PI;

/// Arguments down to which the recurrence is summed up term by term; below, the reflection formula takes over.
const REFLECTED: f64 = -40.0;
/// B₂ₖ/(2k)! for k = 1, 2, …
const BERNOULLI: [f64; 12] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
    43_867.0 / 5_109_094_217_170_944_000.0,
    -174_611.0 / 802_857_662_698_291_200_000.0,
    77_683.0 / 14_101_100_039_391_805_440_000.0,
    -236_364_091.0 / 1_693_824_136_731_743_669_452_800_000.0,
];

/// ψ⁽ⁿ⁾(x); order 0 is the digamma function.
pub(crate) fn polygamma(order: u32, x: f64) -> f64 {
    if order == 0 {
        return digamma(x);
    }
    let odd = order % 2 == 1;
    if x.is_nan() || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if x <= 0.0 && x == x.floor() {
        return match (odd, x == 0.0) {
            (true, _) => f64::INFINITY,
            (false, true) => f64::INFINITY.copysign(-x),
            (false, false) => f64::NAN,
        };
    }
    if x < REFLECTED {
        // ψ⁽ⁿ⁾(x) = (−1)ⁿ·ψ⁽ⁿ⁾(1 − x) − π·dⁿ/dxⁿ cot πx
        return -hurwitz(order, Dd::sum(1.0, -x)) - cotangent_derivative(order, x);
    }
    let sum = hurwitz(order, Dd::from(x));
    if odd { sum } else { -sum }
}

/// log |Γ(x)|; for huge x, where the library's function overflows inside, Stirling's leading terms.
pub(crate) fn lgamma(x: f64) -> f64 {
    if x > HUGE { x * (pxfm::f_log(x) - 1.0) } else { pxfm::f_lgamma(x) }
}

/// Γ(x), with the sides of its pole at 0.
pub(crate) fn gamma(x: f64) -> f64 {
    if x == 0.0 { f64::INFINITY.copysign(x) } else { pxfm::f_tgamma(x) }
}

/// The digamma function, with the sides of its pole at 0.
fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        f64::INFINITY.copysign(-x)
    } else if x > HUGE {
        pxfm::f_log(x)
    } else {
        pxfm::f_digamma(x)
    }
}

/// n!·ζ(n + 1, x) = Σ n!/(x + k)ⁿ⁺¹ for n ≥ 1: the first terms one by one, the rest by Euler and Maclaurin.
fn hurwitz(order: u32, x: Dd) -> f64 {
    let n = f64::from(order);
    if x.hi == f64::INFINITY {
        return 0.0;
    }
    // Where one term is all there is, and may overflow.
    let first = (1..=order).fold(1.0 / x.hi, |power, j| power * f64::from(j) / x.hi);
    if first.abs() > 1e280 {
        return first;
    }
    let far = 16.0 + n;
    let (mut sum, mut at) = (Dd::from(0.0), x);
    while at.hi < far {
        sum = sum + reduced_power(order, at) * Dd::from(n) / at;
        at = at + Dd::from(1.0);
    }
    // (n − 1)!/Xⁿ·(1 + n/2X + Σ B₂ₖ/(2k)!·n(n + 1)…(n + 2k − 1)/X²ᵏ)
    let leading = reduced_power(order, at);
    let (inverse, mut rising, mut tail) = (1.0 / at.hi, 1.0, 0.0);
    for (k, b) in BERNOULLI.iter().enumerate() {
        let first = n + 2.0 * k as f64;
        rising *= (first * inverse) * ((first + 1.0) * inverse);
        tail += b * rising;
    }
    let factor = Dd::from(0.5 * n) / at + Dd::from(tail) + Dd::from(1.0);
    (sum + leading * factor).hi
}

/// (n − 1)!/xⁿ, factor by factor, so that neither overflows alone.
fn reduced_power(order: u32, x: Dd) -> Dd {
    let mut power = Dd::from(1.0) / x;
    for j in 1..order {
        power = power * Dd::from(f64::from(j)) / x;
    }
    power
}

/// π·dⁿ/dxⁿ cot πx as a polynomial in c = cot πx, by dc/dx = −π(1 + c²).
fn cotangent_derivative(order: u32, x: f64) -> f64 {
    let angle = PI * (x - x.round());
    let c = angle.cos() / angle.sin();
    let mut coefficients: SmallVec<[f64; 16]> = smallvec![0.0, PI];
    for _ in 0..order {
        let mut next = smallvec![0.0; coefficients.len() + 1];
        for (power, a) in coefficients.iter().enumerate().skip(1) {
            let slope = -PI * power as f64 * a;
            next[power - 1] += slope;
            next[power + 1] += slope;
        }
        coefficients = next;
    }
    coefficients.iter().rev().fold(0.0, |sum, a| sum * c + a)
}
