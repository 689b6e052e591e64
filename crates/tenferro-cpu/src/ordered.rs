use crate::elementwise::map1;
use crate::math::special;
use tenferro_tensor::{DType, Error, Result, Tensor};

/// Families of functions of a real number that have an integer order, and derivatives in the family.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OrderedFn {
    /// ψ⁽ⁿ⁾(x), the nth derivative of the digamma function.
    Polygamma,
    /// e^{x²} times the n-fold integral of erfc from x to ∞.
    ScaledErfc,
    /// The modified Bessel function Iₙ(x).
    BesselI,
    /// e^{−|x|}·Iₙ(x).
    ScaledBesselI,
}

impl OrderedFn {
    /// All of them.
    pub const ALL: &'static [OrderedFn] =
        &[OrderedFn::Polygamma, OrderedFn::ScaledErfc, OrderedFn::BesselI, OrderedFn::ScaledBesselI];

    /// The function's name in messages.
    pub const fn name(self, order: u32) -> &'static str {
        match (self, order) {
            (OrderedFn::Polygamma, 0) => "digamma",
            (OrderedFn::Polygamma, _) => "polygamma",
            (OrderedFn::ScaledErfc, 0) => "erfcx",
            (OrderedFn::ScaledErfc, _) => "scaled_erfc_integral",
            (OrderedFn::BesselI, 0) => "i0",
            (OrderedFn::BesselI, 1) => "i1",
            (OrderedFn::BesselI, _) => "bessel_i",
            (OrderedFn::ScaledBesselI, 0) => "i0e",
            (OrderedFn::ScaledBesselI, 1) => "i1e",
            (OrderedFn::ScaledBesselI, _) => "scaled_bessel_i",
        }
    }
}

/// The function of the given order, of every element of `x`.
pub fn ordered(function: OrderedFn, order: u32, x: &Tensor) -> Result<Tensor> {
    let name = function.name(order);
    match function {
        OrderedFn::Polygamma => apply(name, x, |x| special::polygamma(order, x)),
        OrderedFn::ScaledErfc => apply(name, x, |x| special::scaled_erfc_integral(order, x)),
        OrderedFn::BesselI => apply(name, x, |x| special::bessel_i(order, x)),
        OrderedFn::ScaledBesselI => apply(name, x, |x| special::bessel_i_scaled(order, x)),
    }
}

fn apply(name: &'static str, x: &Tensor, f: impl Fn(f64) -> f64 + Copy + Sync) -> Result<Tensor> {
    match x.dtype() {
        DType::F32 => map1::<f32, f32>(name, x, |x| f(f64::from(x)) as f32),
        DType::F64 => map1::<f64, f64>(name, x, f),
        other => Err(Error::unsupported_dtype(name, other, "float32 or float64")),
    }
}
