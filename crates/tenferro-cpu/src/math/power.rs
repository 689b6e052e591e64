//! Principal complex power.

use super::complex::{ComplexMath, exp, log};
use tenferro_tensor::C128;

/// Exponents up to this size are multiplied out.
const MULTIPLIED: f64 = 64.0;

/// `z^p = exp(p log z)`; `0^0 = 1`, `0^p = 0` for Re p > 0.
pub(super) fn complex_power(z: C128, p: C128) -> C128 {
    if p.im == 0.0 && p.re.fract() == 0.0 && p.re.abs() <= MULTIPLIED {
        let power = integer_power(z, p.re.abs() as u32);
        return if p.re < 0.0 { C128::new(1.0, 0.0).divide(power) } else { power };
    }
    if z.re == 0.0 && z.im == 0.0 {
        if p.re > 0.0 {
            return C128::new(0.0, 0.0);
        }
        return C128::new(f64::NAN, f64::NAN);
    }
    exp(p * log(z))
}

fn integer_power(z: C128, mut n: u32) -> C128 {
    let (mut base, mut out) = (z, C128::new(1.0, 0.0));
    while n > 0 {
        if n & 1 == 1 {
            out *= base;
        }
        n >>= 1;
        if n > 0 {
            base = base * base;
        }
    }
    out
}
