//! Inverse circular and hyperbolic functions of one complex number, and their derivatives.
//!
//! Arcsine and arccosine follow Hull, Fairgrieve and Tang (ACM TOMS 23, 299, 1997), the hyperbolic arctangent Kahan
//! ("Branch cuts for complex elementary functions", 1987). On the cuts the sign of a zero says which side is meant.
//! Special values follow C99 Annex G; errors are at most 4 eps of the result's magnitude.

use super::analytic::{reciprocal, rsqrt};
use super::complex::ComplexMath;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};
use tenferro_tensor::C128;

/// `i z`.
#[inline]
pub(super) fn times_i(z: C128) -> C128 {
    C128::new(-z.im, z.re)
}

/// `-i z`.
#[inline]
pub(super) fn over_i(z: C128) -> C128 {
    C128::new(z.im, -z.re)
}

/// For `z` in the first quadrant: arcsine and arccosine of `b`, the real parts, and `acosh a`, the imaginary one; `a`
/// and `b` are the half-axes of the ellipse and the hyperbola through `z` with foci ±1.
fn confocal(x: f64, y: f64) -> [f64; 3] {
    let below = (x - 1.0).abs();
    if below.max(y) < 1e-75 {
        let root = y.sqrt();
        return [FRAC_PI_2 - root, root, root];
    }
    // `z` lies on the axis as far as its size goes.
    if y <= f64::EPSILON * below {
        if x < 1.0 {
            return [libm::asin(x), libm::acos(x), y / ((1.0 - x) * (1.0 + x)).sqrt()];
        }
        let root = (x - 1.0).sqrt() * (x + 1.0).sqrt();
        return [FRAC_PI_2, y / root, acosh_large(x - 1.0, root, x)];
    }
    if x.max(y) > 1e150 {
        let half = (0.5 * x).hypot(0.5 * y);
        return [x.atan2(y), y.atan2(x), 2.0 * LN_2 + half.ln()];
    }
    let r = C128::new(x + 1.0, y).magnitude();
    let s = C128::new(below, y).magnitude();
    let a = 0.5 * (r + s);
    let b = x / a;
    let up = r + (x + 1.0);
    // `a - 1` without cancellation.
    let excess =
        if x < 1.0 { 0.5 * (y * (y / up) + y * (y / (s + below))) } else { 0.5 * (y * (y / up) + (s + below)) };
    let im = if a < 1.5 {
        (excess + (excess * (a + 1.0)).sqrt()).ln_1p()
    } else {
        (a + ((a - 1.0) * (a + 1.0)).sqrt()).ln()
    };
    if b < 0.6417 {
        return [libm::asin(b), libm::acos(b), im];
    }
    // The other half-axis of the hyperbola: sqrt(a² - x²).
    let height = if x < 1.0 {
        (0.5 * (a + x) * (y * (y / up) + (s + below))).sqrt()
    } else {
        y * (0.5 * ((a + x) / up + (a + x) / (s + below))).sqrt()
    };
    [x.atan2(height), height.atan2(x), im]
}

/// `acosh x` from `x - 1` and `sqrt(x² - 1)`.
fn acosh_large(minus: f64, root: f64, x: f64) -> f64 {
    if x > 1e150 { LN_2 + x.ln() } else { (minus + root).ln_1p() }
}

/// Arcsine, cut along the real axis beyond ±1.
#[inline(never)]
pub(crate) fn asin(z: C128) -> C128 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let [re, im] = if x.is_finite() && y.is_finite() {
        let [asin, _, im] = confocal(x, y);
        [asin, im]
    } else if z.re.is_nan() || z.im.is_nan() {
        let infinite = x.is_infinite() || y.is_infinite();
        [if x == 0.0 { 0.0 } else { f64::NAN }, if infinite { f64::INFINITY } else { f64::NAN }]
    } else {
        [x.atan2(y), f64::INFINITY]
    };
    C128::new(re.copysign(z.re), im.copysign(z.im))
}

/// Arccosine, cut along the real axis beyond ±1.
#[inline(never)]
pub(crate) fn acos(z: C128) -> C128 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let [re, im] = if x.is_finite() && y.is_finite() {
        let [_, acos, im] = confocal(x, y);
        [acos, im]
    } else if z.re.is_nan() || z.im.is_nan() {
        let infinite = x.is_infinite() || y.is_infinite();
        [if x == 0.0 { FRAC_PI_2 } else { f64::NAN }, if infinite { f64::INFINITY } else { f64::NAN }]
    } else {
        [y.atan2(x), f64::INFINITY]
    };
    C128::new(if z.re.is_sign_negative() { PI - re } else { re }, im.copysign(-z.im))
}

/// Hyperbolic arcsine, `-i asin(iz)`, cut along the imaginary axis beyond ±i.
pub(crate) fn asinh(z: C128) -> C128 {
    over_i(asin(times_i(z)))
}

/// Hyperbolic arccosine, cut along the real axis below 1.
pub(crate) fn acosh(z: C128) -> C128 {
    let w = acos(z);
    C128::new(w.im.abs(), w.re.copysign(z.im))
}

/// Hyperbolic arctangent, cut along the real axis beyond ±1:
/// `log1p(4x / ((1 - x)² + y²)) / 4 + i atan2(2y, (1 - x)(1 + x) - y²) / 2` for positive `x`.
#[inline(never)]
pub(crate) fn atanh(z: C128) -> C128 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let [re, im] = if x.is_nan() || y.is_nan() {
        let vanishes = x == 0.0 || x.is_infinite() || y.is_infinite();
        [if vanishes { 0.0 } else { f64::NAN }, if y.is_infinite() { FRAC_PI_2 } else { f64::NAN }]
    } else if x.max(y) > 1e150 {
        let size = (0.5 * x).hypot(0.5 * y);
        [if x.is_infinite() || y.is_infinite() { 0.0 } else { 0.25 * (x / size) / size }, FRAC_PI_2]
    } else if x == 1.0 && y < 1e-75 {
        [if y == 0.0 { f64::INFINITY } else { 0.5 * (LN_2 - y.ln()) }, if y == 0.0 { 0.0 } else { FRAC_PI_4 }]
    } else {
        let beside = 1.0 - x;
        let square = beside.mul_add(beside, y * y);
        [0.25 * (4.0 * x / square).ln_1p(), 0.5 * (2.0 * y).atan2((-y).mul_add(y, beside * (1.0 + x)))]
    };
    C128::new(re.copysign(z.re), im.copysign(z.im))
}

/// Arctangent, `-i atanh(iz)`, cut along the imaginary axis beyond ±i.
pub(crate) fn atan(z: C128) -> C128 {
    over_i(atanh(times_i(z)))
}

/// The derivative of arcsine, `1 / sqrt(1 - z²)`; a zero imaginary part keeps its sign in the factors.
pub(crate) fn asin_slope(z: C128) -> C128 {
    rsqrt(C128::new(1.0 - z.re, -z.im)) * rsqrt(C128::new(1.0 + z.re, z.im))
}

/// That of the hyperbolic arcsine, `1 / sqrt(1 + z²)`.
pub(crate) fn asinh_slope(z: C128) -> C128 {
    asin_slope(times_i(z))
}

/// That of the hyperbolic arccosine, `1 / (sqrt(z - 1) sqrt(z + 1))`.
pub(crate) fn acosh_slope(z: C128) -> C128 {
    rsqrt(C128::new(z.re - 1.0, z.im)) * rsqrt(C128::new(z.re + 1.0, z.im))
}

/// That of the hyperbolic arctangent, `1 / ((1 - z)(1 + z))`.
pub(crate) fn atanh_slope(z: C128) -> C128 {
    reciprocal(C128::new(1.0 - z.re, -z.im)) * reciprocal(C128::new(1.0 + z.re, z.im))
}

/// That of the arctangent, `1 / (1 + z²)`.
pub(crate) fn atan_slope(z: C128) -> C128 {
    atanh_slope(times_i(z))
}

/// The same of real numbers.
pub(crate) mod real {
    /// `1 / sqrt(1 - x²)`.
    #[inline(always)]
    pub(crate) fn asin_slope(x: f64) -> f64 {
        1.0 / ((1.0 - x) * (1.0 + x)).sqrt()
    }

    /// `1 / sqrt(1 + x²)`.
    #[inline(always)]
    pub(crate) fn asinh_slope(x: f64) -> f64 {
        if x.abs() < 1e150 { 1.0 / (1.0 + x * x).sqrt() } else { 1.0 / x.abs() }
    }

    /// `1 / sqrt(x² - 1)` beyond 1.
    #[inline(always)]
    pub(crate) fn acosh_slope(x: f64) -> f64 {
        1.0 / ((x - 1.0).sqrt() * (x + 1.0).sqrt())
    }

    /// `1 / (1 - x²)` inside ±1, where the function is.
    #[inline(always)]
    pub(crate) fn atanh_slope(x: f64) -> f64 {
        1.0 / ((1.0 - x) * (1.0 + x))
    }

    /// `1 / (1 + x²)`.
    #[inline(always)]
    pub(crate) fn atan_slope(x: f64) -> f64 {
        1.0 / (1.0 + x * x)
    }
}

#[cfg(test)]
mod tests;
