use super::*;

fn assert_close(actual: f64, expected: f64, ulps: f64) {
    let unit = (expected.abs().next_up() - expected.abs()).max(f64::MIN_POSITIVE);
    assert!((actual - expected).abs() <= ulps * unit, "{actual:e}, expected {expected:e}");
}

// Reference values: mpmath with 60 digits.
#[test]
fn polygamma_of_all_kinds_of_arguments() {
    assert_eq!(polygamma(0, 0.0), f64::NEG_INFINITY);
    assert_eq!(polygamma(0, -0.0), f64::INFINITY);
    assert_eq!(polygamma(1, -3.0), f64::INFINITY);
    assert_eq!(polygamma(2, 0.0), f64::NEG_INFINITY);
    assert_eq!(polygamma(2, -0.0), f64::INFINITY);
    assert!(polygamma(2, -3.0).is_nan());
    assert_eq!(polygamma(3, f64::INFINITY), 0.0);
    assert_eq!(polygamma(1, 1e-200), f64::INFINITY);
    assert_close(polygamma(1, 1.0), std::f64::consts::PI * std::f64::consts::PI / 6.0, 1.0);
}
