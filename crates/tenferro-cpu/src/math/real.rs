//! Real and integer functions that the standard library lacks.

/// Functions of the real dtypes.
pub(crate) trait RealMath: Copy {
    /// -1, 0 (with its sign), 1 or NaN.
    fn sign(self) -> Self;
    /// The larger number; NaN if either is.
    fn larger(self, other: Self) -> Self;
    /// The smaller number; NaN if either is.
    fn smaller(self, other: Self) -> Self;
    /// `self - other * floor(self / other)`, with the sign of `other`.
    fn remainder(self, other: Self) -> Self;
    /// `floor(self / other)`, consistent with `remainder`.
    fn floor_divide(self, other: Self) -> Self;
    /// IEEE power; the exponents 2, 3, -1 and 1/2 are what they say.
    fn power(self, exponent: Self) -> Self;
}

macro_rules! real_math {
    ($($ty:ty),*) => {$(
        impl RealMath for $ty {
            #[inline(always)]
            fn sign(self) -> Self {
                if self > 0.0 {
                    1.0
                } else if self < 0.0 {
                    -1.0
                } else {
                    self
                }
            }

            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                if self >= other || self.is_nan() { self } else { other }
            }

            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                if self <= other || self.is_nan() { self } else { other }
            }

            #[inline]
            fn remainder(self, other: Self) -> Self {
                let rest = self % other;
                if rest == 0.0 {
                    (0.0 as $ty).copysign(other)
                } else if (rest < 0.0) != (other < 0.0) {
                    rest + other
                } else {
                    rest
                }
            }

            #[inline]
            fn floor_divide(self, other: Self) -> Self {
                if other == 0.0 {
                    return self / other;
                }
                let rest = self % other;
                let mut quotient = (self - rest) / other;
                if rest != 0.0 && (rest < 0.0) != (other < 0.0) {
                    quotient -= 1.0;
                }
                if quotient == 0.0 {
                    return (0.0 as $ty).copysign(self / other);
                }
                let floor = quotient.floor();
                if quotient - floor > 0.5 { floor + 1.0 } else { floor }
            }

            #[inline(always)]
            fn power(self, exponent: Self) -> Self {
                if exponent == 2.0 {
                    self * self
                } else if exponent == 3.0 {
                    self * self * self
                } else if exponent == -1.0 {
                    1.0 / self
                } else if exponent == 0.5 {
                    // IEEE: the power of -0 is 0, that of -inf is inf.
                    if self == <$ty>::NEG_INFINITY { <$ty>::INFINITY } else { (self + 0.0).sqrt() }
                } else {
                    self.powf(exponent)
                }
            }
        }
    )*};
}
real_math!(f32, f64);

/// Functions of the integer dtypes; divisors are not zero, exponents and counts are not negative.
pub(crate) trait IntMath: Copy {
    /// Remainder with the sign of `other`.
    fn remainder(self, other: Self) -> Self;
    /// `floor(self / other)`.
    fn floor_divide(self, other: Self) -> Self;
    /// Power, wrapping.
    fn power(self, exponent: Self) -> Self;
    /// Bits moved up by a count that is not negative; all of them leave from the width on.
    fn shift_left(self, count: Self) -> Self;
    /// Bits moved down by a count that is not negative, filled with the sign.
    fn shift_right(self, count: Self) -> Self;
}

macro_rules! int_math {
    ($($ty:ty),*) => {$(
        impl IntMath for $ty {
            #[inline(always)]
            fn remainder(self, other: Self) -> Self {
                let rest = self.wrapping_rem(other);
                if rest != 0 && (rest < 0) != (other < 0) { rest + other } else { rest }
            }

            #[inline(always)]
            fn floor_divide(self, other: Self) -> Self {
                let quotient = self.wrapping_div(other);
                let rest = self.wrapping_rem(other);
                if rest != 0 && (rest < 0) != (other < 0) { quotient - 1 } else { quotient }
            }

            #[inline]
            fn power(self, exponent: Self) -> Self {
                let (mut base, mut left, mut out): ($ty, $ty, $ty) = (self, exponent, 1);
                while left > 0 {
                    if left & 1 == 1 {
                        out = out.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    left >>= 1;
                }
                out
            }

            #[inline(always)]
            fn shift_left(self, count: Self) -> Self {
                if count < <$ty>::BITS as $ty { self << count } else { 0 }
            }

            #[inline(always)]
            fn shift_right(self, count: Self) -> Self {
                self >> count.min(<$ty>::BITS as $ty - 1)
            }
        }
    )*};
}
int_math!(i32, i64);

/// Degrees to radians; the factor is a sum of two doubles.
#[inline(always)]
pub(crate) fn to_radians(x: f64) -> f64 {
    x.mul_add(1.745_329_251_994_329_5e-2, x * 2.948_652_270_870_168_7e-19)
}

/// Radians to degrees; the factor is a sum of two doubles.
#[inline(always)]
pub(crate) fn to_degrees(x: f64) -> f64 {
    if x == 0.0 || x.is_infinite() { x } else { x.mul_add(57.295_779_513_082_32, x * -1.987_849_567_057_628_3e-15) }
}
