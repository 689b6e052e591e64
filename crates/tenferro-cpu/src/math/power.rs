//! Principal complex power. The logarithm is taken in double-double arithmetic, because an error in `p log z` is one in
//! the digits of its exponential.

use super::analytic::{exp, log, times_exp};
use super::complex::{ComplexMath, scale, to_unit_range};
use super::double_double::Dd;
use tenferro_tensor::C128;

/// Integer exponents up to this size are multiplied out.
const MULTIPLIED: f64 = 64.0;

/// `z^p = exp(p log z)`; `z^0 = 1`, and `0^p = 0` for Re p > 0. The error is at most 4 eps of the result's magnitude
/// while |Im(p log z)| < 2^20.
#[inline(never)]
pub(super) fn complex_power(z: C128, p: C128) -> C128 {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "fma")]
        fn fused(z: C128, p: C128) -> C128 {
            power(z, p)
        }
        if std::is_x86_feature_detected!("fma") {
            // SAFETY: the processor has the feature.
            return unsafe { fused(z, p) };
        }
    }
    power(z, p)
}

#[inline(always)]
fn power(z: C128, p: C128) -> C128 {
    let finite = z.re.is_finite() && z.im.is_finite();
    if p.im == 0.0 && p.re.fract() == 0.0 && p.re.abs() <= MULTIPLIED && (finite || p.re == 0.0) {
        return integer_power(z, p.re as i32);
    }
    if z.re == 0.0 && z.im == 0.0 {
        return match p.re {
            re if re > 0.0 => C128::new(0.0, 0.0),
            re if re < 0.0 => C128::new(f64::INFINITY, f64::NAN),
            _ => C128::new(f64::NAN, f64::NAN),
        };
    }
    let (size, angle) = if finite {
        let [size, angle] = log_extended(z);
        let re = Dd::from(p.re);
        if p.im == 0.0 {
            (re * size, re * angle)
        } else {
            let im = Dd::from(p.im);
            (re * size - im * angle, re * angle + im * size)
        }
    } else {
        let l = log(z);
        let w = if p.im == 0.0 { C128::new(p.re * l.re, p.re * l.im) } else { p * l };
        (w.re.into(), w.im.into())
    };
    if !(size.hi.is_finite() && angle.hi.is_finite() && size.lo.is_finite() && angle.lo.is_finite()) {
        return exp(C128::new(size.hi, angle.hi));
    }
    let (sin, cos) = angle.hi.sin_cos();
    let (turn, keep) = if angle.lo.abs() < 1e-9 { (angle.lo, 1.0) } else { angle.lo.sin_cos() };
    let part = |x: f64| times_exp(1.0 + size.lo, size.hi, x);
    C128::new(part(cos * keep - sin * turn), part(sin * keep + cos * turn))
}

/// `z^n` by repeated squaring, with the exponent of two apart so that nothing on the way overflows.
#[inline(always)]
fn integer_power(z: C128, n: i32) -> C128 {
    match n {
        0 => return C128::new(1.0, 0.0),
        1 => return z,
        -1 => return C128::new(1.0, 0.0).divide(z),
        2 => {
            let square = z * z;
            let size = square.re.abs() + square.im.abs();
            if size > 1e-290 && size < 1e300 {
                return square;
            }
        }
        _ => {}
    }
    if z.re == 0.0 && z.im == 0.0 {
        return if n > 0 { C128::new(0.0, 0.0) } else { C128::new(f64::INFINITY, f64::NAN) };
    }
    let (unit, k) = to_unit_range(z);
    let mut base = [Dd::from(unit.re), Dd::from(unit.im)];
    let mut left = n.unsigned_abs();
    let mut out: Option<[Dd; 2]> = None;
    loop {
        if left & 1 == 1 {
            out = Some(out.map_or(base, |out| product(out, base)));
        }
        left >>= 1;
        if left == 0 {
            break;
        }
        base = product(base, base);
    }
    let [re, im] = out.unwrap_or(base);
    let power = C128::new(re.hi, im.hi);
    let power = if n < 0 { C128::new(1.0, 0.0).divide(power) } else { power };
    C128::new(scale(power.re, k * n), scale(power.im, k * n))
}

#[inline(always)]
fn product(a: [Dd; 2], b: [Dd; 2]) -> [Dd; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

const fn dd(hi: f64, lo: f64) -> Dd {
    Dd { hi, lo }
}

const LN_2: Dd = dd(std::f64::consts::LN_2, 2.3190468138462996e-17);
const PI: Dd = dd(std::f64::consts::PI, 1.2246467991473532e-16);
/// `ln(k / 8)` for k from 6 to 11.
const LN_EIGHTHS: [Dd; 6] = [
    dd(-0.2876820724517809, -2.607160616442564e-17),
    dd(-0.13353139262452263, 3.664457663660085e-18),
    dd(0.0, 0.0),
    dd(0.11778303565638346, -1.1971685747593677e-18),
    dd(0.22314355131420976, -9.091270597324799e-18),
    dd(0.3184537311185346, 2.7114779367326236e-17),
];
/// `atan(k / 8)` for k from 0 to 8.
const ATAN_EIGHTHS: [Dd; 9] = [
    dd(0.0, 0.0),
    dd(0.12435499454676144, -3.1253241424539383e-18),
    dd(0.24497866312686414, 1.0698755618734451e-17),
    dd(0.35877067027057225, -2.4623815582638635e-17),
    dd(0.4636476090008061, 2.2698777452961687e-17),
    dd(0.5585993153435624, -5.4556305485916264e-18),
    dd(0.6435011087932844, 1.5834785051444286e-17),
    dd(0.7188299996216245, -2.1478388444456983e-17),
    dd(std::f64::consts::FRAC_PI_4, 3.061616997868383e-17),
];

/// `1 + v/3 + v²/5 + …`: with `v = u²`, `u` times this is `atanh u`; with `v = -u²`, `atan u`. |v| is below 2^-7, and the
/// terms from `v³/7` on are small enough for plain doubles.
#[inline(always)]
fn odd_series(v: Dd) -> Dd {
    let x = v.hi;
    let mut tail = 1.0 / 19.0;
    for k in [17.0, 15.0, 13.0, 11.0, 9.0, 7.0] {
        tail = x.mul_add(tail, 1.0 / k);
    }
    let fifth = dd(0.2, -1.1102230246251566e-17) + Dd::product(x, tail);
    let third = dd(0.3333333333333333, 1.850371707708594e-17) + v * fifth;
    Dd::from(1.0) + v * third
}

/// `[ln |z|, arg z]` for finite `z` other than 0, to about 80 bits.
#[inline(always)]
fn log_extended(z: C128) -> [Dd; 2] {
    let (unit, k) = to_unit_range(z);
    let (x, y) = (unit.re.abs(), unit.im.abs());

    let square = Dd::product(x, x) + Dd::product(y, y);
    let mut half_powers = 2 * k;
    let mut t = square;
    while t.hi > std::f64::consts::SQRT_2 {
        t = t.scaled(0.5);
        half_powers += 1;
    }
    let eighths = (8.0 * t.hi).round();
    let c = Dd::from(eighths / 8.0);
    let u = (t - c) / (t + c);
    let rest = u * odd_series(u * u);
    let size = (Dd::from(f64::from(half_powers)) * LN_2 + LN_EIGHTHS[eighths as usize - 6]).scaled(0.5) + rest;

    let (a, b) = if x >= y { (y, x) } else { (x, y) };
    let eighths = (8.0 * (a / b)).round();
    let c = eighths / 8.0;
    let v = (Dd::from(a) - Dd::product(c, b)) / (Dd::from(b) + Dd::product(c, a));
    let mut angle = ATAN_EIGHTHS[eighths as usize] + v * odd_series(-(v * v));
    if x < y {
        angle = PI.scaled(0.5) - angle;
    }
    if z.re.is_sign_negative() {
        angle = PI - angle;
    }
    if z.im.is_sign_negative() {
        angle = -angle;
    }
    [size, angle]
}

#[cfg(test)]
mod tests;
