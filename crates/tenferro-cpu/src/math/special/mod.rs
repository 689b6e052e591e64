//! Special functions of real numbers. What `pxfm` has is within a unit in the last place (its own claim, measured in
//! `tests/accuracy`); the others are built from those with the roundings that count kept apart.

mod bessel;
mod error;
mod gamma;
mod logistic;

pub(crate) use bessel::{bessel_i, bessel_i_scaled};
pub(crate) use error::{erfcinv, log_ndtr, ndtr, ndtri, scaled_erfc_integral};
pub(crate) use gamma::{gamma, lgamma, polygamma};
pub(crate) use logistic::{entropy, log_add_exp, log_add_exp2, logit, sigmoid, softplus};

/// Beyond, asymptotic forms are exact to the last bit, and double-double arithmetic overflows inside.
const HUGE: f64 = 1e200;

/// The neighbour of `x` on the way to `y`.
pub(crate) trait Neighbour {
    fn next_toward(self, y: Self) -> Self;
}

macro_rules! neighbour {
    ($($ty:ty),*) => {$(
        impl Neighbour for $ty {
            #[inline(always)]
            fn next_toward(self, y: Self) -> Self {
                if self.is_nan() || y.is_nan() {
                    self + y
                } else if self < y {
                    self.next_up()
                } else if self > y {
                    self.next_down()
                } else {
                    y
                }
            }
        }
    )*};
}
neighbour!(f32, f64);

#[cfg(test)]
mod tests;
