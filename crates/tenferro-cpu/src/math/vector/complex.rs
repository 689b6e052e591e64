//! Complex functions, put together from the real cores; numbers out of their range go to the scalar functions.

use super::real::{LARGEST_ANGLE, LARGEST_EXPONENT, angle, exp, expm1, log_either, sin_cos, with_exceptions};
use super::{Cos, Cosh, Exp, Expm1, Log, Log1p, Rsqrt, Sin, Sinh, Sqrt, Tan, Tanh};
use crate::math::analytic;
use tenferro_tensor::C128;

/// A complex function of several numbers.
pub(crate) trait ComplexLanes {
    fn complex<const N: usize>(z: &[C128; N]) -> [C128; N];
}

/// `[sinh x, cosh x]`.
#[inline(always)]
fn sinh_cosh(x: f64) -> [f64; 2] {
    let [high, low] = expm1(x.abs());
    let minus = high + low;
    let plus = minus + 1.0;
    let inverse = 1.0 / plus;
    [(0.5 * minus.mul_add(inverse, minus)).copysign(x), 0.5 * (plus + inverse)]
}

/// Both parts of `tanh(x + iy)`.
#[inline(always)]
fn tanh(x: f64, y: f64) -> [f64; 2] {
    let [sinh, cosh] = sinh_cosh(x);
    let [sin, cos] = sin_cos(y);
    let inverse = 1.0 / sinh.mul_add(sinh, cos * cos);
    [sinh * cosh * inverse, sin * cos * inverse]
}

/// Whether `e^x` and the angle `y` are in the range of the real cores.
#[inline(always)]
fn in_range(x: f64, y: f64) -> bool {
    (x.abs() < LARGEST_EXPONENT) & (y.abs() < LARGEST_ANGLE)
}

macro_rules! complex_lanes {
    ($($name:ident: |$z:ident| $core:expr, $usual:expr, $rare:path;)*) => {$(
        impl ComplexLanes for $name {
            #[inline(always)]
            fn complex<const N: usize>(z: &[C128; N]) -> [C128; N] {
                with_exceptions(z, #[inline(always)] |$z: C128| $core, $usual, $rare)
            }
        }
    )*};
}
complex_lanes! {
    Exp: |z| {
        let size = exp(z.re);
        let [sin, cos] = sin_cos(z.im);
        C128::new(size * cos, size * sin)
    }, |z| in_range(z.re, z.im) && z.im != 0.0, analytic::exp;
    // With h = y/2: e^x cos y - 1 = (e^x - 1) cos y - 2 sin² h.
    Expm1: |z| {
        let [high, low] = expm1(z.re);
        let minus = high + low;
        let [sin, cos] = sin_cos(0.5 * z.im);
        let double = 2.0 * sin * sin;
        C128::new((-minus).mul_add(double, minus) - double, (minus + 1.0) * (2.0 * sin * cos))
    }, |z| in_range(z.re, z.im) && z.im != 0.0, analytic::expm1;
    Sin: |z| {
        let [sinh, cosh] = sinh_cosh(z.im);
        let [sin, cos] = sin_cos(z.re);
        C128::new(sin * cosh, cos * sinh)
    }, |z| in_range(z.im, z.re) && z.re != 0.0 && z.im != 0.0, analytic::sin;
    Cos: |z| {
        let [sinh, cosh] = sinh_cosh(z.im);
        let [sin, cos] = sin_cos(z.re);
        C128::new(cos * cosh, -(sin * sinh))
    }, |z| in_range(z.im, z.re) && z.re != 0.0 && z.im != 0.0, analytic::cos;
    Sinh: |z| {
        let [sinh, cosh] = sinh_cosh(z.re);
        let [sin, cos] = sin_cos(z.im);
        C128::new(sinh * cos, cosh * sin)
    }, |z| in_range(z.re, z.im) && z.re != 0.0 && z.im != 0.0, analytic::sinh;
    Cosh: |z| {
        let [sinh, cosh] = sinh_cosh(z.re);
        let [sin, cos] = sin_cos(z.im);
        C128::new(cosh * cos, sinh * sin)
    }, |z| in_range(z.re, z.im) && z.re != 0.0 && z.im != 0.0, analytic::cosh;
    Tan: |z| {
        let [im, re] = tanh(z.im, z.re);
        C128::new(re, im)
    }, |z| z.im.abs() < 20.0 && z.re.abs() < LARGEST_ANGLE && z.re != 0.0, analytic::tan;
    Tanh: |z| {
        let [re, im] = tanh(z.re, z.im);
        C128::new(re, im)
    }, |z| z.re.abs() < 20.0 && z.im.abs() < LARGEST_ANGLE && z.im != 0.0, analytic::tanh;
}

/// Whether `|z|²` is far from overflow and underflow.
#[inline(always)]
fn moderate(z: C128) -> bool {
    let square = z.re.mul_add(z.re, z.im * z.im);
    (square > 1e-280) & (square < 1e300)
}

/// `ln |z|` for moderate `z`: near the unit circle from `|z|² - 1`, in a form that does not cancel.
#[inline(always)]
fn log_size(z: C128) -> f64 {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (a, b) = if x >= y { (x, y) } else { (y, x) };
    let square = a * a + b * b;
    0.5 * log_either((square > 0.5) & (square < 3.0), (a - 1.0) * (a + 1.0) + b * b, square)
}

complex_lanes! {
    Log: |z| C128::new(log_size(z), angle(z.re, z.im)), moderate, analytic::log;
    Log1p: |z| {
        let (x, y) = (z.re, z.im);
        let w = C128::new(1.0 + x, y);
        let small = (x.abs() < 0.5) & (y.abs() < 0.5);
        let size = if small { 0.5 * log_either(true, x * (2.0 + x) + y * y, 1.0) } else { log_size(w) };
        C128::new(size, angle(w.re, y))
    }, |z| moderate(C128::new(1.0 + z.re, z.im)) && z.im != 0.0, analytic::log1p;
    Sqrt: |z| {
        let size = (z.re * z.re + z.im * z.im).sqrt();
        let t = (0.5 * (z.re.abs() + size)).sqrt();
        let u = z.im.abs() / (2.0 * t);
        let (re, im) = if z.re >= 0.0 { (t, u) } else { (u, t) };
        C128::new(re, im.copysign(z.im))
    }, moderate, analytic::sqrt;
    // The conjugate of the root divided by |z|.
    Rsqrt: |z| {
        let size = (z.re * z.re + z.im * z.im).sqrt();
        let t = (0.5 * (z.re.abs() + size)).sqrt();
        let u = z.im.abs() / (2.0 * t);
        let (re, im) = if z.re >= 0.0 { (t, u) } else { (u, t) };
        C128::new(re / size, -(im.copysign(z.im) / size))
    }, moderate, analytic::rsqrt;
}
