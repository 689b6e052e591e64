use super::*;
use crate::math::analytic::{cos, cosh, exp, exp2, sin, sinh, tan, tanh};
use crate::math::sinc::{sinc_complex, sinc_derivative};

/// Numbers in all quadrants, on and beside the axes, near ±1 and ±i.
fn numbers() -> Vec<C128> {
    let parts = [0.0, 1e-9, 0.3, 0.999_999, 1.0, 1.000_001, 2.5];
    let both = parts.iter().flat_map(|&x| parts.iter().map(move |&y| C128::new(x, y)));
    both.flat_map(|z| [z, -z, z.conj(), -z.conj()]).collect()
}

#[track_caller]
fn close(actual: C128, expected: C128, condition: f64) {
    let off = (actual - expected).norm();
    assert!(off <= 16.0 * f64::EPSILON * condition.max(expected.norm()), "{actual} {expected}");
}

#[test]
fn inverses_are_undone() {
    let pairs: [(fn(C128) -> C128, fn(C128) -> C128); 4] = [(asin, sin), (acos, cos), (asinh, sinh), (acosh, cosh)];
    for z in numbers() {
        for (inverse, f) in pairs {
            let w = inverse(z);
            // An error of eps in w moves f(w) by |w| |f'(w)|, and |f'| is about 1 + |z|.
            close(f(w), z, w.norm() * (1.0 + z.norm()));
        }
        if (z - 1.0).norm() > 1e-5 && (z + 1.0).norm() > 1e-5 {
            close(tanh(atanh(z)), z, 4.0 * (1.0 - z * z).norm() * atanh(z).norm());
            let turned = times_i(z);
            close(tan(atan(turned)), turned, 4.0 * (1.0 - z * z).norm() * atanh(z).norm());
        }
    }
}

#[test]
fn slopes_are_the_derivatives() {
    let h = 1e-5;
    let pairs: [(fn(C128) -> C128, fn(C128) -> C128); 6] = [
        (asin, asin_slope),
        (asinh, asinh_slope),
        (acosh, acosh_slope),
        (atan, atan_slope),
        (atanh, atanh_slope),
        (sinc_complex, |z| sinc_derivative(1, z)),
    ];
    // Away from the branch points, and with both neighbours on one side of every cut.
    for z in numbers().into_iter().filter(|z| z.re.abs() == 0.3 && z.im.abs() == 2.5 || z.im.abs() == 0.3) {
        if z.re.abs() < 0.2 {
            continue;
        }
        for (f, slope) in pairs {
            let difference = (f(z + h) - f(z - h)) / (2.0 * h);
            assert!(
                (slope(z) - difference).norm() < 1e-7 * (1.0 + difference.norm()),
                "{z}: {} {difference}",
                slope(z)
            );
        }
    }
}

#[test]
fn powers_of_two_at_any_angle() {
    assert_eq!(exp2(C128::new(3.0, 0.0)), C128::new(8.0, 0.0));
    // Both ways of the angle, on either side of where they meet.
    for y in [4095.9, 4096.1, -4096.1] {
        let turned = exp(C128::new(0.0, y * LN_2));
        close(exp2(C128::new(0.0, y)), turned, 4096.0);
    }
    let doubled = |y: f64| exp2(C128::new(0.0, y)) * exp2(C128::new(0.0, y));
    for y in [1e6, 1e15, 1e100, -1e300] {
        close(exp2(C128::new(0.0, 2.0 * y)), doubled(y), 1.0);
    }
}

#[test]
fn derivatives_of_sinc_meet_where_the_series_ends() {
    for order in 1..12 {
        let edge = (2.0 + 0.5 * f64::from(order)) / PI;
        let [inside, outside] = [1.0 - 1e-12, 1.0 + 1e-12].map(|s| sinc_derivative(order, C128::new(edge * s, 0.0)));
        let size = PI.powi(order as i32);
        assert!((inside - outside).norm() < 1e-10 * size, "{order}: {inside} {outside}");
    }
}
