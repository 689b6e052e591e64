//! Special functions by their definitions: series of positive terms, and integrals by the double-exponential rule
//! (Takahasi and Mori, 1974), good for a few roundings at the tester's inputs.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, SQRT_2};
use tenferro_ad::ops::cpu::OrderedFn;

/// ∫ f over the positive numbers, for f that falls exponentially.
fn integral(f: impl Fn(f64) -> f64) -> f64 {
    let step = 1.0 / 32.0;
    let node = |k: i32| {
        let u = f64::from(k) * step;
        let t = (u - (-u).exp()).exp();
        f(t) * t * (1.0 + (-u).exp())
    };
    (-128..=160).map(node).sum::<f64>() * step
}

/// The sum of a series that starts with `first`, each term being the last one times `ratio(k)`.
fn series(first: f64, ratio: impl Fn(f64) -> f64) -> f64 {
    let (mut term, mut sum, mut k) = (first, first, 1.0);
    while term.abs() > 1e-18 * sum.abs() {
        term *= ratio(k);
        sum += term;
        k += 1.0;
    }
    sum
}

fn factorial(n: u32) -> f64 {
    (1..=n).map(f64::from).product()
}

/// 2x/√π·e^{−x²}·Σ (2x²)ᵏ/(2k + 1)!!
pub fn erf(x: f64) -> f64 {
    FRAC_2_SQRT_PI * (-x * x).exp() * series(x, |k| 2.0 * x * x / (2.0 * k + 1.0))
}

pub fn erfc(x: f64) -> f64 {
    (-x * x).exp() * scaled_erfc(0, x)
}

/// 2/√π·∫ tⁿ/n!·e^{−t² − 2xt} dt
fn scaled_erfc(n: u32, x: f64) -> f64 {
    FRAC_2_SQRT_PI * integral(|t| t.powi(n as i32) * (-t * t - 2.0 * x * t).exp()) / factorial(n)
}

/// Newton's method on the series.
pub fn erfinv(y: f64) -> f64 {
    (0..12).fold(y, |x, _| x - (erf(x) - y) * (x * x).exp() / FRAC_2_SQRT_PI)
}

pub fn ndtr(x: f64) -> f64 {
    0.5 * erfc(-x * FRAC_1_SQRT_2)
}

pub fn ndtri(p: f64) -> f64 {
    SQRT_2 * erfinv(2.0 * p - 1.0)
}

pub fn gamma(x: f64) -> f64 {
    integral(|t| t.powf(x - 1.0) * (-t).exp())
}

/// ψ⁽ⁿ⁾(x), from x + k > 0 by ψ⁽ⁿ⁾(x + 1) = ψ⁽ⁿ⁾(x) + (−1)ⁿ·n!/xⁿ⁺¹.
fn polygamma(n: u32, x: f64) -> f64 {
    let sign = if n.is_multiple_of(2) { 1.0 } else { -1.0 };
    if x < if n == 0 { 9.0 } else { 0.0 } {
        return polygamma(n, x + 1.0) - sign * factorial(n) / x.powi(n as i32 + 1);
    }
    if n > 0 {
        return -sign * integral(|t| t.powi(n as i32) * (-x * t).exp() / -(-t).exp_m1());
    }
    let terms = [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
    let tail: f64 = terms.iter().enumerate().map(|(k, b)| b * x.powi(-2 * (k as i32 + 1))).sum();
    x.ln() - 0.5 / x - tail
}

/// Σ (x/2)^{n + 2k}/(k!·(n + k)!)
fn bessel(n: u32, x: f64) -> f64 {
    let first = (0.5 * x).powi(n as i32) / factorial(n);
    series(first, |k| 0.25 * x * x / (k * (k + f64::from(n))))
}

pub fn ordered(function: OrderedFn, n: u32, x: f64) -> f64 {
    match function {
        OrderedFn::Polygamma => polygamma(n, x),
        OrderedFn::ScaledErfc => scaled_erfc(n, x),
        OrderedFn::BesselI => bessel(n, x),
        OrderedFn::ScaledBesselI => (-x.abs()).exp() * bessel(n, x),
    }
}
