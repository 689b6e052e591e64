//! Distributions with parameters, drawn by rejection: trial `n` of element `i` depends on the key, `i` and `n` only. All are
//! exact up to the rounding of densities.

use super::{Key, filled, normal_pair, unit};
use std::f64::consts::TAU;
use tenferro_tensor::{Error, Result, Tensor};

/// In (0, 1), odd multiples of 2^-54.
fn open_unit(bits: u64) -> f64 {
    unit(bits) + f64::EPSILON / 4.0
}

/// A float64 parameter of every element: one for all, or one each, in column-major order.
#[derive(Clone, Copy)]
struct Parameter<'a>(&'a [f64]);

impl<'a> Parameter<'a> {
    fn new(op: &'static str, x: &'a Tensor, shape: &[usize]) -> Result<Parameter<'a>> {
        if x.rank() != 0 && x.shape() != shape {
            return Err(Error::shape(op, "a parameter", shape, x.shape()));
        }
        Ok(Parameter(x.as_slice::<f64>()?))
    }

    fn at(self, index: u64) -> f64 {
        if let &[one] = self.0 { one } else { self.0[index as usize] }
    }
}

/// log of numbers with the density xᵃ⁻¹ e⁻ˣ/Γ(a), for float64 `a` > 0 of rank 0 or of this shape. In logarithms nothing
/// underflows, however small `a` is.
///
/// For a ≥ 1 by Marsaglia and Tsang ("A simple method for generating gamma variables", 2000): (1 + z/√(9d))³·d with
/// d = a − 1/3 and z normal, accepted with a probability near 1. For a < 1: x of a + 1, times u^(1/a).
pub fn log_gamma(key: Key, a: &Tensor, shape: &[usize]) -> Result<Tensor> {
    let a = Parameter::new("gamma", a, shape)?;
    filled("gamma", shape, |index| [log_gamma_of(key, index, a.at(index))])
}

fn log_gamma_of(key: Key, index: u64, a: f64) -> f64 {
    if a < 1.0 {
        // The words of the trial that is accepted are spoken for, those of this one are not used otherwise.
        let u = open_unit(key.trial(index, u64::MAX)[0]);
        return log_gamma_of(key, index, a + 1.0) + u.ln() / a;
    }
    let d = a - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    let mut number = 0;
    loop {
        let [w0, w1, w2, _] = key.trial(index, number);
        let (z, _) = normal_pair(w0, w1);
        let root = 1.0 + c * z;
        if root > 0.0 {
            let log_cube = 3.0 * root.ln();
            let bound = 0.5 * z * z + d * (1.0 - log_cube.exp() + log_cube);
            if open_unit(w2).ln() < bound {
                return d.ln() + log_cube;
            }
        }
        number += 1;
    }
}

/// log n! − [log √(2πn) + n·log n − n], the remainder of Stirling's series.
fn stirling_remainder(n: f64) -> f64 {
    if n < 16.0 {
        return libm::lgamma(n + 1.0) - ((n + 0.5) * n.ln() - n + 0.5 * TAU.ln());
    }
    let s = 1.0 / (n * n);
    (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s / 1680.0))) / n
}

/// x·log(x/m) + m − x, without cancellation where x is close to m (Loader, "Fast and accurate computation of binomial
/// probabilities", 2000).
fn deviance(x: f64, m: f64) -> f64 {
    if (x - m).abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() + m - x;
    }
    // With v = (x − m)/(x + m): (x − m)·v + 2x·(v³/3 + v⁵/5 + …).
    let v = (x - m) / (x + m);
    let (mut sum, mut term) = ((x - m) * v, 2.0 * x * v);
    for j in 1..1000 {
        term *= v * v;
        let next = sum + term / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// log of the probability of k for a Poisson distribution of mean m.
fn log_poisson(k: f64, m: f64) -> f64 {
    if k == 0.0 {
        return -m;
    }
    -stirling_remainder(k) - deviance(k, m) - 0.5 * (TAU * k).ln()
}

/// log of the probability of k successes in n trials.
fn log_binomial(k: f64, n: f64, p: f64) -> f64 {
    if k == 0.0 {
        return n * (-p).ln_1p();
    }
    if k == n {
        return n * p.ln();
    }
    let rest = n - k;
    stirling_remainder(n)
        - stirling_remainder(k)
        - stirling_remainder(rest)
        - deviance(k, n * p)
        - deviance(rest, n * (1.0 - p))
        + 0.5 * (n / (TAU * k * rest)).ln()
}

/// Below this mean distribution functions are inverted term by term.
const INVERTED: f64 = 10.0;

/// int64 counts with the probabilities mᵏ e⁻ᵐ/k!, for float64 means m ≥ 0 of rank 0 or of this shape.
///
/// From m = 10 on by Hörmann's transformed rejection ("The transformed rejection method for generating Poisson random
/// variables", 1993), below by inversion.
pub fn poisson(key: Key, mean: &Tensor, shape: &[usize]) -> Result<Tensor> {
    let mean = Parameter::new("poisson", mean, shape)?;
    filled("poisson", shape, |index| {
        let m = mean.at(index);
        [if m < INVERTED { small_poisson(key, index, m) } else { large_poisson(key, index, m) } as i64]
    })
}

fn small_poisson(key: Key, index: u64, m: f64) -> f64 {
    let mut u = unit(key.trial(index, 0)[0]);
    let (mut k, mut p) = (0.0, (-m).exp());
    // Behind k = 200 there is less than the rounding of u.
    while u >= p && k < 200.0 {
        u -= p;
        k += 1.0;
        p *= m / k;
    }
    k
}

/// The constants of transformed rejection: with u uniform around 0 and s = ½ − |u|, k is the floor of (2a/s + b)·u + centre;
/// `squeeze` bounds a region where k is accepted at once.
struct Hat {
    a: f64,
    b: f64,
    centre: f64,
    scale: f64,
    squeeze: f64,
}

/// The k that is accepted: where v·scale/(a/s² + b) is at most the probability of k (over that which `scale` is made for).
fn transformed(key: Key, index: u64, hat: &Hat, most: f64, log_probability: impl Fn(f64) -> f64) -> f64 {
    let mut number = 0;
    loop {
        let [w0, w1, ..] = key.trial(index, number);
        number += 1;
        let (u, v) = (open_unit(w0) - 0.5, open_unit(w1));
        let s = 0.5 - u.abs();
        let k = ((2.0 * hat.a / s + hat.b) * u + hat.centre).floor();
        if s >= 0.07 && v <= hat.squeeze {
            return k;
        }
        let inside = (0.0..=most).contains(&k);
        if inside && (v * hat.scale / (hat.a / (s * s) + hat.b)).ln() <= log_probability(k) {
            return k;
        }
    }
}

/// With the published constants probabilities rise above the hat by up to 0.5 % (mean 10, k = 16), and would come out too small
/// by that; with one per cent more the method is exact.
fn poisson_hat(m: f64) -> Hat {
    const ROOM: f64 = 1.01;
    let b = 0.931 + 2.53 * m.sqrt();
    let a = -0.059 + 0.02483 * b;
    let scale = ROOM * (1.1239 + 1.1328 / (b - 3.4));
    Hat { a, b, centre: m + 0.43, scale, squeeze: (0.9277 - 3.6224 / (b - 2.0)) / ROOM }
}

fn large_poisson(key: Key, index: u64, m: f64) -> f64 {
    transformed(key, index, &poisson_hat(m), f64::INFINITY, |k| log_poisson(k, m))
}

/// int64 counts of successes in n trials that succeed with probability p, for float64 whole n ≥ 0 and 0 ≤ p ≤ 1 of rank 0 or
/// of this shape.
///
/// Where n·min(p, 1 − p) ≥ 10 by Hörmann's transformed rejection ("The generation of binomial random variates", 1993), else by
/// inversion.
pub fn binomial(key: Key, n: &Tensor, p: &Tensor, shape: &[usize]) -> Result<Tensor> {
    let (n, p) = (Parameter::new("binomial", n, shape)?, Parameter::new("binomial", p, shape)?);
    filled("binomial", shape, |index| {
        let (n, p) = (n.at(index), p.at(index));
        let rarer = p.min(1.0 - p);
        let k = match n * rarer < INVERTED {
            true => small_binomial(key, index, n, rarer),
            false => large_binomial(key, index, n, rarer),
        };
        [if p > 0.5 { n - k } else { k } as i64]
    })
}

fn small_binomial(key: Key, index: u64, n: f64, p: f64) -> f64 {
    let mut u = unit(key.trial(index, 0)[0]);
    let odds = p / (1.0 - p);
    let (mut k, mut probability) = (0.0, (n * (-p).ln_1p()).exp());
    while u >= probability && k < n.min(200.0) {
        u -= probability;
        k += 1.0;
        probability *= (n - k + 1.0) / k * odds;
    }
    k
}

fn binomial_hat(n: f64, p: f64) -> Hat {
    let deviation = (n * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    Hat { a, b, centre: n * p + 0.5, scale: (2.83 + 5.1 / b) * deviation, squeeze: 0.92 - 4.2 / b }
}

fn large_binomial(key: Key, index: u64, n: f64, p: f64) -> f64 {
    let mode = ((n + 1.0) * p).floor();
    let highest = log_binomial(mode, n, p);
    transformed(key, index, &binomial_hat(n, p), n, |k| log_binomial(k, n, p) - highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_factorial(k: f64) -> f64 {
        (1..=k as u64).map(|j| (j as f64).ln()).sum()
    }

    #[test]
    fn remainders_of_stirlings_series() {
        for n in [1.0, 2.0, 5.0, 15.0, 16.0, 40.0, 100.0] {
            let exact = log_factorial(n) - ((n + 0.5) * n.ln() - n + 0.5 * TAU.ln());
            assert!((stirling_remainder(n) - exact).abs() < 2e-13, "{n}");
        }
    }

    #[test]
    fn deviances_agree_on_both_sides_of_the_series() {
        for m in [1.0f64, 30.0, 1e4] {
            for ratio in [0.5f64, 0.82, 0.9, 0.999, 1.0, 1.001, 1.2, 1.23, 3.0] {
                let x = m * ratio;
                let plain = x * (x / m).ln() + m - x;
                assert!((deviance(x, m) - plain).abs() <= 1e-15 * m * (1.0 + x.ln().abs()), "{x} {m}");
            }
        }
        // The series has digits where the formula has none: (x − m)²/2m.
        assert!((deviance(1e12 + 1.0, 1e12) * 2e12 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn probabilities_sum_to_one() {
        for m in [10.0, 37.5, 200.0] {
            let total: f64 = (0..1000).map(|k| log_poisson(f64::from(k), m).exp()).sum();
            assert!((total - 1.0).abs() < 1e-12, "{m} {total}");
        }
        for (n, p) in [(40.0, 0.5), (200.0, 0.06), (1000.0, 0.3)] {
            let total: f64 = (0..=n as u32).map(|k| log_binomial(f64::from(k), n, p).exp()).sum();
            assert!((total - 1.0).abs() < 1e-12, "{n} {p} {total}");
        }
        let exact =
            log_factorial(40.0) - log_factorial(13.0) - log_factorial(27.0) + 13.0 * 0.3f64.ln() + 27.0 * 0.7f64.ln();
        assert!((log_binomial(13.0, 40.0, 0.3) - exact).abs() < 1e-12);
    }

    /// Rejection is exact if no probability rises above the hat, and none that is accepted at once is below the squeeze.
    fn check_hat(hat: &Hat, most: f64, log_probability: impl Fn(f64) -> f64) {
        for step in 1..=4000 {
            let s = 0.5 * f64::from(step) / 4000.0;
            for u in [0.5 - s, s - 0.5] {
                let k = ((2.0 * hat.a / s + hat.b) * u + hat.centre).floor();
                let inside = (0.0..=most).contains(&k);
                let accepted = if inside { log_probability(k).exp() } else { 0.0 };
                let accepted = accepted * (hat.a / (s * s) + hat.b) / hat.scale;
                assert!(accepted <= 1.0, "{k}: {accepted}");
                assert!(s < 0.07 || accepted >= hat.squeeze, "{k}: {accepted} {}", hat.squeeze);
            }
        }
    }

    #[test]
    fn hats_cover_the_probabilities() {
        for m in [10.0, 10.3, 11.5, 13.0, 20.0, 50.0, 200.0, 1e4, 1e8] {
            check_hat(&poisson_hat(m), f64::INFINITY, |k| log_poisson(k, m));
        }
        for (n, p) in [(20.0, 0.5), (40.0, 0.3), (100.0, 0.1), (1000.0, 0.01), (1000.0, 0.5), (1e5, 0.3), (1e9, 1e-8)] {
            let highest = log_binomial(f64::floor((n + 1.0) * p), n, p);
            check_hat(&binomial_hat(n, p), n, |k| log_binomial(k, n, p) - highest);
        }
    }

    #[test]
    fn parameters_of_another_shape_are_refused() {
        let a = Tensor::from_slice("test", &[2], &[1.0, 2.0]).unwrap();
        let key = Key::from_seed(0);
        let errors = [log_gamma(key, &a, &[3]), poisson(key, &a, &[3]), binomial(key, &a, &a, &[1, 2])];
        for (error, op) in errors.into_iter().zip(["gamma", "poisson", "binomial"]) {
            assert_eq!(error.unwrap_err().op(), op);
        }
    }
}
