use super::super::ComplexMath;
use tenferro_tensor::C128;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn c(re: f64, im: f64) -> C128 {
    C128::new(re, im)
}

/// Equal to 4 eps of the magnitude; NaN matches NaN.
#[track_caller]
fn check(actual: C128, expected: C128) {
    let size = expected.re.abs().max(expected.im.abs()).min(f64::MAX);
    let same = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= 4.0 * f64::EPSILON * size;
    assert!(same(actual.re, expected.re) && same(actual.im, expected.im), "got {actual:?}, expected {expected:?}");
}

#[test]
fn integer_powers_are_exact_where_they_can_be() {
    let z = c(2.0, -3.0);
    let mut product = c(1.0, 0.0);
    for n in 0..13 {
        assert_eq!(z.power(c(f64::from(n), 0.0)), product);
        product *= z;
    }
    assert_eq!(c(1.0, 1.0).power(c(64.0, 0.0)), c(4294967296.0, 0.0));
    assert_eq!(c(1.0, 1.0).power(c(-2.0, 0.0)), c(0.0, -0.5));
    assert_eq!(c(0.0, 2.0).power(c(-3.0, 0.0)), c(0.0, 0.125));
    check(c(1e-200, 1e-200).power(c(-1.0, 0.0)), c(5e199, -5e199));
    check(c(3e160, 4e160).power(c(2.0, 0.0)), c(-INF, INF));
    check(c(3e100, 4e100).power(c(-3.0, 0.0)), c(-117.0 / 15625e300, -44.0 / 15625e300));
}

#[test]
fn powers_of_zero_and_infinity() {
    let zero = c(0.0, 0.0);
    check(zero.power(zero), c(1.0, 0.0));
    check(c(NAN, NAN).power(zero), c(1.0, 0.0));
    check(zero.power(c(2.0, 0.0)), zero);
    check(zero.power(c(0.5, 0.0)), zero);
    check(zero.power(c(0.5, 3.0)), zero);
    for exponent in [c(-1.0, 0.0), c(-2.0, 0.0), c(-0.5, 0.0), c(-0.5, 1.0)] {
        assert_eq!(zero.power(exponent).re, INF);
    }
    check(zero.power(c(0.0, 1.0)), c(NAN, NAN));
    check(c(INF, 0.0).power(c(2.0, 0.0)), c(INF, 0.0));
    check(c(2.0, 0.0).power(c(0.5, 0.0)), c(std::f64::consts::SQRT_2, 0.0));
    check(c(-1.0, 0.0).power(c(0.5, 0.0)), c(6.123233995736766e-17, 1.0));
    check(c(1.0, 0.0).power(c(1e300, 1e300)), c(1.0, 0.0));
}

#[test]
fn powers_keep_their_digits_when_the_exponential_is_large() {
    for (z, p, expected) in POWERS {
        let (actual, expected) = (c(z.0, z.1).power(c(p.0, p.1)), c(expected.0, expected.1));
        assert!((actual - expected).norm() <= 4.0 * f64::EPSILON * expected.norm(), "{z:?} {p:?} {actual} {expected}");
    }
}

/// Base, exponent and power, by mpmath with 300 bits.
const POWERS: [((f64, f64), (f64, f64), (f64, f64)); 8] = [
    ((0.3, 0.4), (250.5, -310.25), (1.1466141799594165e+49, 3.235377522810725e+49)),
    ((-1.7, 1e-09), (33.3, 44.4), (-1.0068115894555713e-53, 7.346504878270659e-54)),
    ((0.99999, -0.0012), (3000.0, 250000.0), (1.7709488721397517e+130, 6.729504285390806e+129)),
    ((1.0000000001, 0.0), (3000000000000.0, 1000000.0), (1.9424745721143375e+130, 1.9424747392131973e+126)),
    ((1e-300, 2e-300), (0.77, -0.31), (1.1525265341929e-231, 2.351941199405939e-231)),
    ((7.0, -0.5), (300.0, 0.0), (-5.996385497147373e+253, -4.09275239988449e+253)),
    ((-3.0, 0.0), (0.5, 0.25), (-0.21417909898729298, 0.760109230709164)),
    ((100000.0, 300000.0), (0.3333333333333333, -20.0), (145313012571.65985, -4810708342792.593)),
];
