//! Numbers as unevaluated sums of two doubles, good for about 104 bits (Dekker, 1971; Knuth's two-sum).

/// `hi + lo` with `|lo| <= ulp(hi) / 2`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dd {
    pub hi: f64,
    pub lo: f64,
}

impl From<f64> for Dd {
    #[inline(always)]
    fn from(hi: f64) -> Dd {
        Dd { hi, lo: 0.0 }
    }
}

impl Dd {
    /// `a + b` with `|a| >= |b|`.
    #[inline(always)]
    fn quick(a: f64, b: f64) -> Dd {
        let hi = a + b;
        Dd { hi, lo: b - (hi - a) }
    }

    /// The exact sum.
    #[inline(always)]
    pub fn sum(a: f64, b: f64) -> Dd {
        let hi = a + b;
        let part = hi - a;
        Dd { hi, lo: (a - (hi - part)) + (b - part) }
    }

    /// The exact product.
    #[inline(always)]
    pub fn product(a: f64, b: f64) -> Dd {
        let hi = a * b;
        Dd { hi, lo: a.mul_add(b, -hi) }
    }

    /// Times a power of two.
    #[inline(always)]
    pub fn scaled(self, factor: f64) -> Dd {
        Dd { hi: self.hi * factor, lo: self.lo * factor }
    }
}

impl std::ops::Add for Dd {
    type Output = Dd;

    #[inline(always)]
    fn add(self, other: Dd) -> Dd {
        let (high, low) = (Dd::sum(self.hi, other.hi), Dd::sum(self.lo, other.lo));
        let once = Dd::quick(high.hi, high.lo + low.hi);
        Dd::quick(once.hi, once.lo + low.lo)
    }
}

impl std::ops::Neg for Dd {
    type Output = Dd;

    #[inline(always)]
    fn neg(self) -> Dd {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}

impl std::ops::Sub for Dd {
    type Output = Dd;

    #[inline(always)]
    fn sub(self, other: Dd) -> Dd {
        self + -other
    }
}

impl std::ops::Mul for Dd {
    type Output = Dd;

    #[inline(always)]
    fn mul(self, other: Dd) -> Dd {
        let product = Dd::product(self.hi, other.hi);
        Dd::quick(product.hi, product.lo + self.hi.mul_add(other.lo, self.lo * other.hi))
    }
}

impl std::ops::Div for Dd {
    type Output = Dd;

    #[inline(always)]
    fn div(self, other: Dd) -> Dd {
        let hi = self.hi / other.hi;
        let rest = self - other * Dd::from(hi);
        Dd::quick(hi, rest.hi / other.hi)
    }
}
