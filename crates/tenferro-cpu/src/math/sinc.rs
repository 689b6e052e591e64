//! The normalised sinc, `sin(πz) / (πz)`, and its derivatives, which have no singularity at 0.

use super::analytic::PI_LOW;
use super::complex::{ComplexMath, to_unit_range};
use super::double_double::Dd;
use std::f64::consts::{FRAC_1_PI, PI};
use tenferro_tensor::C128;

/// Beyond this, `2 sinh` and `2 cosh` are the exponential.
const STEEP: f64 = 20.0;

/// `[sin πz, cos πz]` and a real number `p` of which both want `e^p` as a factor.
fn sin_cos_pi(z: C128) -> ([C128; 2], Dd) {
    let (sin, cos) = (pxfm::f_sinpi(z.re), pxfm::f_cospi(z.re));
    let p = Dd::from(z.im.abs().min(1e300)) * Dd { hi: PI, lo: PI_LOW };
    let (sinh, cosh, rest) = if p.hi < STEEP {
        let (sinh, cosh) = (pxfm::f_sinh(p.hi), pxfm::f_cosh(p.hi));
        (p.lo.mul_add(cosh, sinh), p.lo.mul_add(sinh, cosh), Dd::from(0.0))
    } else {
        (0.5, 0.5, p)
    };
    let sinh = sinh.copysign(z.im);
    ([C128::new(sin * cosh, cos * sinh), C128::new(cos * cosh, -(sin * sinh))], rest)
}

/// `numerator e^p / πz`, which may be in range where `e^p` is not.
fn divided(numerator: C128, z: C128, p: Dd) -> C128 {
    // Exponentials that outgrow any divisor leave the direction only.
    let outgrown = p.hi > 1420.0;
    let quotient = numerator.divide(if outgrown { to_unit_range(z).0 } else { z }) * FRAC_1_PI;
    if p.hi == 0.0 {
        return quotient;
    }
    let half = (0.5 * p.hi).exp();
    let rest = if outgrown { 1.0 } else { 1.0 + p.lo };
    let grown = |v: f64| if v == 0.0 { v } else { v * rest * half * half };
    C128::new(grown(quotient.re), grown(quotient.im))
}

/// `numerator e^p`, which may be in range where `e^p` is not.
fn scaled(numerator: C128, p: Dd) -> C128 {
    if p.hi == 0.0 {
        return numerator;
    }
    let half = (0.5 * p.hi).exp();
    // Where the result overflows, the low part of p may be large, and says nothing.
    let rest = if p.hi > 1420.0 { 1.0 } else { 1.0 + p.lo };
    let grown = |v: f64| if v == 0.0 { v } else { v * rest * half * half };
    C128::new(grown(numerator.re), grown(numerator.im))
}

/// sin πz.
#[inline(never)]
pub(crate) fn sin_pi(z: C128) -> C128 {
    let ([sin, _], p) = sin_cos_pi(z);
    scaled(sin, p)
}

/// cos πz.
#[inline(never)]
pub(crate) fn cos_pi(z: C128) -> C128 {
    let ([_, cos], p) = sin_cos_pi(z);
    scaled(cos, p)
}

/// Sinc of a real number.
#[inline]
pub(crate) fn sinc(x: f64) -> f64 {
    pxfm::f_sincpi(x)
}

/// Sinc of a complex number.
#[inline(never)]
pub(crate) fn sinc_complex(z: C128) -> C128 {
    if z.im == 0.0 {
        // The first term of the derivative gives a zero part its sign.
        return C128::new(sinc(z.re), -z.re * z.im);
    }
    if z.re.abs().max(z.im.abs()) < 1e-5 {
        let square = z * z * (PI * PI / 6.0);
        return C128::new(1.0 - square.re, -square.im);
    }
    if !(z.re.is_finite() && z.im.is_finite()) {
        return C128::new(f64::NAN, f64::NAN);
    }
    let ([sin, _], p) = sin_cos_pi(z);
    divided(sin, z, p)
}

/// The derivative of this order: from its power series near 0, elsewhere by
/// `πz s⁽ⁿ⁾ = πⁿ sin(πz + nπ/2) - n π s⁽ⁿ⁻¹⁾`.
#[inline(never)]
pub(crate) fn sinc_derivative(order: u32, z: C128) -> C128 {
    if !(z.re.is_finite() && z.im.is_finite()) {
        return C128::new(f64::NAN, f64::NAN);
    }
    let w = z * PI;
    let n = f64::from(order);
    if w.re.abs() + w.im.abs() < 2.0 + 0.5 * n {
        return series(order, w) * PI.powf(n);
    }
    let ([sin, cos], p) = sin_cos_pi(z);
    let mut numerator = sin;
    for k in 1..=order {
        let turned = [sin, cos, -sin, -cos][k as usize % 4];
        numerator = turned - numerator.divide(w) * f64::from(k);
    }
    divided(numerator, z, p) * PI.powf(n)
}

/// `Σ (-1)^((m+n)/2) w^m / (m! (m + n + 1))` over the `m` that have the parity of `n`.
fn series(order: u32, w: C128) -> C128 {
    let n = f64::from(order);
    let mut m = f64::from(order % 2);
    let minus_square = -(w * w);
    let mut term = if order.is_multiple_of(2) { C128::new(1.0, 0.0) } else { w };
    if order.div_ceil(2) % 2 == 1 {
        term = -term;
    }
    let mut sum = C128::default();
    let last = 40.0 + 3.0 * n;
    while m < last {
        sum += term / (m + n + 1.0);
        term = term * minus_square / ((m + 1.0) * (m + 2.0));
        m += 2.0;
    }
    sum
}
