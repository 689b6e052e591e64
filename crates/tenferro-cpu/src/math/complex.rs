//! Complex arithmetic without overflow on the way. Special values follow C99 Annex G (which the array API adopts).

use tenferro_tensor::{C64, C128};

/// To double precision.
#[inline(always)]
pub(crate) fn widen(z: C64) -> C128 {
    C128::new(z.re.into(), z.im.into())
}

/// To single precision.
#[inline(always)]
pub(crate) fn narrow(z: C128) -> C64 {
    C64::new(z.re as f32, z.im as f32)
}

/// Functions that exist for both complex dtypes.
pub(crate) trait ComplexMath: Copy {
    /// The type of the parts.
    type Real;
    /// Absolute value, without overflow or underflow on the way.
    fn magnitude(self) -> Self::Real;
    /// `z / |z|`; 0 at 0.
    fn sign(self) -> Self;
    /// Both parts rounded to the nearest integer, ties to even.
    fn round(self) -> Self;
    /// `z²`; its parts lose nothing to cancellation.
    fn squared(self) -> Self;
    /// Quotient without overflow or underflow on the way.
    fn divide(self, divisor: Self) -> Self;
    /// Principal power.
    fn power(self, exponent: Self) -> Self;
}

macro_rules! squared {
    () => {
        #[inline(always)]
        fn squared(self) -> Self {
            let half = self.re * self.im;
            Self::new((self.re - self.im) * (self.re + self.im), half + half)
        }
    };
}

impl ComplexMath for C64 {
    type Real = f32;

    squared!();

    #[inline(always)]
    fn magnitude(self) -> f32 {
        let z = widen(self);
        let square = z.re * z.re + z.im * z.im;
        if square.is_nan() && (self.re.is_infinite() || self.im.is_infinite()) {
            return f32::INFINITY;
        }
        square.sqrt() as f32
    }

    #[inline]
    fn sign(self) -> Self {
        narrow(widen(self).sign())
    }

    #[inline(always)]
    fn round(self) -> Self {
        C64::new(self.re.round_ties_even(), self.im.round_ties_even())
    }

    #[inline]
    fn divide(self, divisor: Self) -> Self {
        narrow(widen(self).divide(widen(divisor)))
    }

    #[inline]
    fn power(self, exponent: Self) -> Self {
        narrow(widen(self).power(widen(exponent)))
    }
}

impl ComplexMath for C128 {
    type Real = f64;

    squared!();

    #[inline]
    fn magnitude(self) -> f64 {
        let square = self.re * self.re + self.im * self.im;
        if square > 1e-280 && square < 1e300 { square.sqrt() } else { self.re.hypot(self.im) }
    }

    fn sign(self) -> Self {
        if self.re == 0.0 && self.im == 0.0 {
            return C128::new(0.0, 0.0);
        }
        if self.re.is_nan() || self.im.is_nan() {
            return C128::new(f64::NAN, f64::NAN);
        }
        let z = if self.re.is_infinite() || self.im.is_infinite() {
            let unit = |x: f64| {
                if x.is_infinite() { 1f64.copysign(x) } else { 0f64.copysign(x) }
            };
            C128::new(unit(self.re), unit(self.im))
        } else {
            to_unit_range(self).0
        };
        z / (z.re * z.re + z.im * z.im).sqrt()
    }

    #[inline(always)]
    fn round(self) -> Self {
        C128::new(self.re.round_ties_even(), self.im.round_ties_even())
    }

    #[inline]
    fn divide(self, divisor: Self) -> Self {
        let d = divisor.re * divisor.re + divisor.im * divisor.im;
        let n = self.re * self.re + self.im * self.im;
        let safe = |x: f64| x > 1e-140 && x < 1e140;
        if safe(d) && safe(n) {
            let re = self.re * divisor.re + self.im * divisor.im;
            let im = self.im * divisor.re - self.re * divisor.im;
            return C128::new(re / d, im / d);
        }
        divide_scaled(self, divisor)
    }

    fn power(self, exponent: Self) -> Self {
        super::power::complex_power(self, exponent)
    }
}

/// `x * 2^k`, rounded at most once.
#[inline]
pub(super) fn scale(x: f64, k: i32) -> f64 {
    if (-1022..1024).contains(&k) {
        return x * f64::from_bits(((k + 1023) as u64) << 52);
    }
    libm::scalbn(x, k)
}

/// Exponent of the larger part: `2^k <= max < 2^(k+1)`; the number is finite and not zero.
#[inline]
pub(super) fn exponent(z: C128) -> i32 {
    let max = z.re.abs().max(z.im.abs());
    match (max.to_bits() >> 52) as i32 {
        0 => libm::ilogb(max),
        biased => biased - 1023,
    }
}

/// `z = w * 2^k` with the larger part of `w` in [1, 2).
#[inline]
pub(super) fn to_unit_range(z: C128) -> (C128, i32) {
    let k = exponent(z);
    (C128::new(scale(z.re, -k), scale(z.im, -k)), k)
}

#[cold]
#[inline(never)]
fn divide_scaled(a: C128, b: C128) -> C128 {
    let zero = |z: C128| z.re == 0.0 && z.im == 0.0;
    let infinite = |z: C128| z.re.is_infinite() || z.im.is_infinite();
    let nan = |z: C128| z.re.is_nan() || z.im.is_nan();
    if zero(b) {
        let pole = f64::INFINITY.copysign(b.re);
        return C128::new(pole * a.re, pole * a.im);
    }
    if infinite(a) && !infinite(b) && !nan(b) {
        let unit = |x: f64| {
            if x.is_infinite() { 1f64.copysign(x) } else { 0f64.copysign(x) }
        };
        let (x, y) = (unit(a.re), unit(a.im));
        return C128::new(f64::INFINITY * (x * b.re + y * b.im), f64::INFINITY * (y * b.re - x * b.im));
    }
    if infinite(b) && !infinite(a) && !nan(a) {
        let unit = |x: f64| {
            if x.is_infinite() { 1f64.copysign(x) } else { 0f64.copysign(x) }
        };
        let (x, y) = (unit(b.re), unit(b.im));
        return C128::new(0.0 * (a.re * x + a.im * y), 0.0 * (a.im * x - a.re * y));
    }
    if nan(a) || nan(b) || infinite(a) {
        return C128::new(f64::NAN, f64::NAN);
    }
    if zero(a) {
        let d = to_unit_range(b).0;
        return C128::new(a.re * d.re + a.im * d.im, a.im * d.re - a.re * d.im);
    }
    let (n, up) = to_unit_range(a);
    let (d, down) = to_unit_range(b);
    let square = d.re * d.re + d.im * d.im;
    let re = (n.re * d.re + n.im * d.im) / square;
    let im = (n.im * d.re - n.re * d.im) / square;
    C128::new(scale(re, up - down), scale(im, up - down))
}
