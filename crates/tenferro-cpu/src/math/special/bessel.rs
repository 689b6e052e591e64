//! Modified Bessel functions of the first kind and integer order.

/// Iₙ(x).
pub(crate) fn bessel_i(order: u32, x: f64) -> f64 {
    match order {
        0 => pxfm::f_i0(x),
        1 => pxfm::f_i1(x),
        _ => higher(order, x, pxfm::f_i0(x), pxfm::f_i1(x)),
    }
}

/// e^{−|x|}·Iₙ(x); for tiny negative x the library's functions lose the last bits.
pub(crate) fn bessel_i_scaled(order: u32, x: f64) -> f64 {
    match order {
        0 => pxfm::f_i0e(x.abs()),
        1 => pxfm::f_i1e(x.abs()).copysign(x),
        _ => higher(order, x, pxfm::f_i0e(x.abs()), pxfm::f_i1e(x.abs())),
    }
}

/// From the orders 0 and 1. Iₙ/Iₙ₋₁ = 1/(2n/x + Iₙ₊₁/Iₙ) is a continued fraction of positive terms, which is short for
/// moderate x; beyond, the recurrence Iₙ₊₁ = Iₙ₋₁ − (2n/x)·Iₙ hardly cancels.
fn higher(order: u32, x: f64, zeroth: f64, first: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let n = f64::from(order);
    let size = x.abs();
    let sign = if order % 2 == 1 { x.signum() } else { 1.0 };
    if size == 0.0 {
        return 0.0 * x;
    }
    if size > 2.0 * n * n + 40.0 {
        let (mut before, mut current) = (zeroth, first.abs());
        if current.is_infinite() {
            return sign * current;
        }
        for k in 1..order {
            let next = (-2.0 * f64::from(k) / size).mul_add(current, before);
            (before, current) = (current, next);
        }
        return sign * current;
    }
    let terms = order + 40 + (1.5 * size) as u32;
    let (mut ratio, mut product) = (0.0, zeroth);
    for k in (1..=terms).rev() {
        ratio = 1.0 / (2.0 * f64::from(k) / size + ratio);
        if k <= order {
            product *= ratio;
        }
    }
    sign * product
}
