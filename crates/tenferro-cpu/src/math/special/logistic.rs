//! Functions of logits and probabilities.

use pxfm::{f_exp, f_log, f_log1p};
use std::f64::consts::LN_2;

/// 1/(1 + e⁻ˣ); the library's function is for moderate arguments only.
pub(crate) fn sigmoid(x: f64) -> f64 {
    if x < -40.0 {
        f_exp(x)
    } else if x > 40.0 {
        1.0
    } else {
        pxfm::f_logistic(x)
    }
}

/// log(1 + eˣ).
pub(crate) fn softplus(x: f64) -> f64 {
    if x > 0.0 { x + f_log1p(f_exp(-x)) } else { f_log1p(f_exp(x)) }
}

/// log(x/(1 − x)); every branch adds numbers of one sign.
pub(crate) fn logit(x: f64) -> f64 {
    if (0.25..=0.75).contains(&x) {
        f_log1p((2.0 * x - 1.0) / (1.0 - x))
    } else if x < 0.5 {
        f_log(x) - f_log1p(-x)
    } else {
        let rest = 1.0 - x;
        f_log1p(-rest) - f_log(rest)
    }
}

/// −x·log x, 0 at 0 and −∞ below.
pub(crate) fn entropy(x: f64) -> f64 {
    if x == 0.0 {
        0.0
    } else if x < 0.0 {
        f64::NEG_INFINITY
    } else {
        0.0 - x * f_log(x)
    }
}

/// log(eᵃ + eᵇ).
pub(crate) fn log_add_exp(a: f64, b: f64) -> f64 {
    let larger = if a > b { a } else { b };
    if a == b { a + LN_2 } else { larger + f_log1p(f_exp(-(a - b).abs())) }
}

/// log₂(2ᵃ + 2ᵇ).
pub(crate) fn log_add_exp2(a: f64, b: f64) -> f64 {
    let larger = if a > b { a } else { b };
    if a == b { a + 1.0 } else { larger + f_log1p(pxfm::f_exp2(-(a - b).abs())) / LN_2 }
}
