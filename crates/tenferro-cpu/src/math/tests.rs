use super::analytic as complex;
use super::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};
use tenferro_tensor::{C64, C128};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn c(re: f64, im: f64) -> C128 {
    C128::new(re, im)
}

/// Equal to a few eps of the magnitude; zeros by sign, NaN matches NaN.
fn same(x: f64, y: f64, size: f64) -> bool {
    (x.is_nan() && y.is_nan()) || x == y && x.is_sign_negative() == y.is_sign_negative() || {
        x != y && (x - y).abs() <= 4.0 * f64::EPSILON * size
    }
}

#[track_caller]
fn check(actual: C128, expected: C128) {
    let size = expected.re.abs().max(expected.im.abs()).min(f64::MAX);
    assert!(
        same(actual.re, expected.re, size) && same(actual.im, expected.im, size),
        "got {actual:?}, expected {expected:?}"
    );
}

type Rows = [((f64, f64), (f64, f64))];

#[track_caller]
fn check_all(f: impl Fn(C128) -> C128, rows: &Rows) {
    for &((x, y), (re, im)) in rows {
        check(f(c(x, y)), c(re, im));
        check(f(c(x, -y)), c(re, -im));
    }
}

#[test]
fn special_values_of_exp() {
    check_all(
        complex::exp,
        &[
            ((0.0, 0.0), (1.0, 0.0)),
            ((-0.0, 0.0), (1.0, 0.0)),
            ((1.0, INF), (NAN, NAN)),
            ((1.0, NAN), (NAN, NAN)),
            ((INF, 0.0), (INF, 0.0)),
            ((-INF, 2.0), (-0.0, 0.0)),
            ((INF, 2.0), (-INF, INF)),
            ((INF, INF), (INF, NAN)),
            ((INF, NAN), (INF, NAN)),
            ((NAN, 0.0), (NAN, 0.0)),
            ((NAN, 1.0), (NAN, NAN)),
            ((NAN, NAN), (NAN, NAN)),
        ],
    );
    check(complex::exp(c(-INF, INF)), c(0.0, 0.0));
    check(complex::exp(c(-INF, NAN)), c(0.0, 0.0));
    check(complex::exp(c(710.0, 0.8)), c(1.556439142231316e308, 1.6025697525437586e308));
}

#[test]
fn special_values_of_expm1() {
    check_all(
        complex::expm1,
        &[
            ((0.0, 0.0), (0.0, 0.0)),
            ((-0.0, 0.0), (-0.0, 0.0)),
            ((1.0, INF), (NAN, NAN)),
            ((1.0, NAN), (NAN, NAN)),
            ((INF, 0.0), (INF, 0.0)),
            ((-INF, 2.0), (-1.0, 0.0)),
            ((INF, 2.0), (-INF, INF)),
            ((INF, INF), (INF, NAN)),
            ((INF, NAN), (INF, NAN)),
            ((NAN, 0.0), (NAN, 0.0)),
            ((NAN, 1.0), (NAN, NAN)),
            ((1e-300, 1e-300), (1e-300, 1e-300)),
            ((0.0, 1e-12), (-5e-25, 1e-12)),
        ],
    );
    check(complex::expm1(c(-INF, INF)), c(-1.0, 0.0));
    check(complex::expm1(c(-INF, NAN)), c(-1.0, 0.0));
}

#[test]
fn special_values_of_log_and_log1p() {
    let shared: &Rows = &[
        ((1.0, INF), (INF, FRAC_PI_2)),
        ((1.0, NAN), (NAN, NAN)),
        ((-INF, 1.0), (INF, PI)),
        ((INF, 1.0), (INF, 0.0)),
        ((-INF, INF), (INF, 3.0 * FRAC_PI_4)),
        ((INF, INF), (INF, FRAC_PI_4)),
        ((INF, NAN), (INF, NAN)),
        ((-INF, NAN), (INF, NAN)),
        ((NAN, 1.0), (NAN, NAN)),
        ((NAN, INF), (INF, NAN)),
        ((NAN, NAN), (NAN, NAN)),
    ];
    check_all(complex::log, shared);
    check_all(complex::log1p, shared);
    check_all(
        complex::log,
        &[
            ((-0.0, 0.0), (-INF, PI)),
            ((0.0, 0.0), (-INF, 0.0)),
            ((1.0, 0.0), (0.0, 0.0)),
            ((-1.0, 0.0), (0.0, PI)),
            ((5e-324, 5e-324), (-1074.0 * LN_2 + 0.5 * LN_2, FRAC_PI_4)),
            ((f64::MAX, f64::MAX), (1024.5 * LN_2, FRAC_PI_4)),
        ],
    );
    check_all(
        complex::log1p,
        &[
            ((0.0, 0.0), (0.0, 0.0)),
            ((-0.0, 0.0), (-0.0, 0.0)),
            ((-1.0, 0.0), (-INF, 0.0)),
            ((-2.0, 0.0), (0.0, PI)),
            ((1e-20, 1e-20), (1e-20, 1e-20)),
        ],
    );
}

#[test]
fn special_values_of_sqrt() {
    check_all(
        complex::sqrt,
        &[
            ((0.0, 0.0), (0.0, 0.0)),
            ((-0.0, 0.0), (0.0, 0.0)),
            ((1.0, INF), (INF, INF)),
            ((NAN, INF), (INF, INF)),
            ((INF, INF), (INF, INF)),
            ((-INF, INF), (INF, INF)),
            ((1.0, NAN), (NAN, NAN)),
            ((-INF, 1.0), (0.0, INF)),
            ((INF, 1.0), (INF, 0.0)),
            ((INF, NAN), (INF, NAN)),
            ((NAN, 1.0), (NAN, NAN)),
            ((-4.0, 0.0), (0.0, 2.0)),
            ((3.0, 4.0), (2.0, 1.0)),
            ((3e-300, 4e-300), (2e-150, 1e-150)),
        ],
    );
    assert!(complex::sqrt(c(-INF, NAN)).im.is_infinite());
    check(complex::rsqrt(c(3.0, 4.0)), c(0.4, -0.2));
    check(complex::rsqrt(c(INF, 1.0)), c(0.0, -0.0));
    let pole = complex::rsqrt(c(0.0, 0.0));
    assert!(pole.re == INF && pole.im.is_nan());
}

#[test]
fn special_values_of_hyperbolic_functions() {
    check_all(
        complex::sinh,
        &[
            ((0.0, 0.0), (0.0, 0.0)),
            ((0.0, INF), (0.0, NAN)),
            ((0.0, NAN), (0.0, NAN)),
            ((1.0, INF), (NAN, NAN)),
            ((INF, 0.0), (INF, 0.0)),
            ((INF, 2.0), (-INF, INF)),
            ((INF, INF), (INF, NAN)),
            ((INF, NAN), (INF, NAN)),
            ((NAN, 0.0), (NAN, 0.0)),
            ((NAN, 1.0), (NAN, NAN)),
        ],
    );
    check_all(
        complex::cosh,
        &[
            ((0.0, 0.0), (1.0, 0.0)),
            ((1.0, INF), (NAN, NAN)),
            ((INF, 0.0), (INF, 0.0)),
            ((INF, 2.0), (-INF, INF)),
            ((INF, INF), (INF, NAN)),
            ((INF, NAN), (INF, NAN)),
            ((NAN, 0.0), (NAN, 0.0)),
            ((NAN, 1.0), (NAN, NAN)),
        ],
    );
    check_all(
        complex::tanh,
        &[
            ((0.0, 0.0), (0.0, 0.0)),
            ((1.0, INF), (NAN, NAN)),
            ((0.0, INF), (0.0, NAN)),
            ((INF, 1.0), (1.0, 0.0)),
            ((INF, 2.0), (1.0, -0.0)),
            ((INF, INF), (1.0, 0.0)),
            ((INF, NAN), (1.0, 0.0)),
            ((NAN, 0.0), (NAN, 0.0)),
            ((NAN, 1.0), (NAN, NAN)),
            ((400.0, 1.0), (1.0, 0.0)),
        ],
    );
    check_all(complex::sin, &[((INF, 0.0), (NAN, 0.0)), ((0.0, INF), (0.0, INF)), ((1.0, INF), (INF, INF))]);
    check_all(complex::cos, &[((0.0, INF), (INF, -0.0)), ((0.0, 0.0), (1.0, -0.0)), ((INF, 1.0), (NAN, NAN))]);
}

#[test]
fn division_by_zero_and_by_infinity() {
    check(c(1.0, 2.0).divide(c(0.0, 0.0)), c(INF, INF));
    check(c(1.0, -2.0).divide(c(-0.0, 0.0)), c(-INF, INF));
    let nothing = c(0.0, 0.0).divide(c(0.0, 0.0));
    assert!(nothing.re.is_nan() && nothing.im.is_nan());
    check(c(1.0, 1.0).divide(c(INF, 3.0)), c(0.0, 0.0));
    check(c(INF, 1.0).divide(c(2.0, 0.0)), c(INF, 0.0 * INF));
    check(c(0.0, 0.0).divide(c(2.0, 3.0)), c(0.0, 0.0));
    check(c(NAN, 0.0).divide(c(1.0, 0.0)), c(NAN, NAN));
}

#[test]
fn division_stays_in_range() {
    for k in [-1000, -600, 0, 600, 1000] {
        let s = 2f64.powi(k);
        check(c(3.0 * s, 4.0 * s).divide(c(1.0 * s, 2.0 * s)), c(2.2, -0.4));
    }
    check(c(5e-324, 0.0).divide(c(5e-324, 5e-324)), c(0.5, -0.5));
    check(c(f64::MAX, f64::MAX).divide(c(f64::MAX, -f64::MAX)), c(0.0, 1.0));
    check(c(1e-200, 1e-200).divide(c(1e-120, 0.0)), c(1e-80, 1e-80));
    let s = 2f32.powi(120);
    assert_eq!(C64::new(3.0 * s, 4.0 * s).divide(C64::new(s, 2.0 * s)), C64::new(2.2, -0.4));
}

#[test]
fn magnitude_and_sign_stay_in_range() {
    for (z, size) in [
        (c(3e300, 4e300), 5e300),
        (c(3e-310, 4e-310), 5e-310),
        (c(-INF, NAN), INF),
        (c(0.0, -0.0), 0.0),
        (c(f64::MAX, 1.0), f64::MAX),
    ] {
        assert!((z.magnitude() - size).abs() <= size.min(f64::MAX) * f64::EPSILON || z.magnitude() == size);
    }
    assert!(c(NAN, 1.0).magnitude().is_nan());
    assert_eq!(C64::new(3e38, 0.0).magnitude(), 3e38);
    assert_eq!(C64::new(0.0, -1.0568e-23).magnitude(), 1.0568e-23);
    assert_eq!(C64::new(f32::NAN, f32::INFINITY).magnitude(), f32::INFINITY);
    for scale in [5e-324, 1e-310, 1e-160, 1.0, 1e160, 1e307] {
        check(c(scale, scale).sign(), c(0.5f64.sqrt(), 0.5f64.sqrt()));
        check(c(0.0, -scale).sign(), c(0.0, -1.0));
    }
    check(c(0.0, 0.0).sign(), c(0.0, 0.0));
    check(c(INF, 7.0).sign(), c(1.0, 0.0));
    check(c(-INF, INF).sign(), c(-(0.5f64.sqrt()), 0.5f64.sqrt()));
    check(c(NAN, 1.0).sign(), c(NAN, NAN));
}

#[test]
fn real_remainder_and_floor_division_follow_python() {
    for (a, b, quotient, rest) in [
        (7.0, 3.0, 2.0, 1.0),
        (-7.0, 3.0, -3.0, 2.0),
        (7.0, -3.0, -3.0, -2.0),
        (-7.0, -3.0, 2.0, -1.0),
        (6.0, -3.0, -2.0, -0.0),
        (-0.0, 3.0, -0.0, 0.0),
        (1.0, 0.1, 9.0, 0.09999999999999995),
        (1.0, INF, 0.0, 1.0),
        (-1.0, INF, -1.0, INF),
        (1.0, 0.0, INF, NAN),
        (0.0, 0.0, NAN, NAN),
        (INF, 2.0, NAN, NAN),
        (NAN, 2.0, NAN, NAN),
    ] {
        assert!(same(a.floor_divide(b), quotient, 0.0), "{a} // {b}");
        assert!(same(a.remainder(b), rest, 0.0), "{a} % {b}");
        assert!(same((a as f32).floor_divide(b as f32).into(), quotient, 0.0) || b == 0.1);
    }
}

#[test]
fn integer_division_and_powers_wrap() {
    for (a, b, quotient, rest) in [(7, 3, 2, 1), (-7, 3, -3, 2), (7, -3, -3, -2), (-7, -3, 2, -1), (6, -3, -2, 0)] {
        assert_eq!((IntMath::floor_divide(a, b), IntMath::remainder(a, b)), (quotient, rest));
        assert_eq!(IntMath::floor_divide(i64::from(a), i64::from(b)), i64::from(quotient));
    }
    assert_eq!((IntMath::floor_divide(i32::MIN, -1), IntMath::remainder(i32::MIN, -1)), (i32::MIN, 0));
    assert_eq!(IntMath::power(3i64, 39), 4052555153018976267);
    assert_eq!(IntMath::power(3i64, 41), 3i64.wrapping_pow(41));
    assert_eq!(IntMath::power(-2i32, 31), i32::MIN);
    assert_eq!(IntMath::power(5i32, i32::MAX), 5i32.wrapping_pow(i32::MAX as u32));
    assert_eq!(IntMath::power(0i32, 0), 1);
}

#[test]
fn larger_and_smaller_propagate_nan() {
    for (a, b) in [(1.0, NAN), (NAN, 1.0), (NAN, NAN), (INF, NAN)] {
        assert!(a.larger(b).is_nan() && a.smaller(b).is_nan());
    }
    assert_eq!((2.0.larger(3.0), 2.0.smaller(3.0), 2f32.larger(-INF as f32)), (3.0, 2.0, 2.0));
}
