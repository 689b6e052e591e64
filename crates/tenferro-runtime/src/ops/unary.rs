//! Elementwise functions of one operand. The kernel of a row is in `tenferro-cpu`; its derivative is here.

use super::special;
use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{CompareOp, UnaryOp, unary, unary_output};
use crate::sample::{Sample, elementwise};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule, Saves};
use std::f64::consts::{LN_2, LOG2_E, LOG10_E, PI};
use tenferro_tensor::{DType, Error, Result, Tensor};

/// y = f(x), element by element.
#[derive(Clone, Copy, Debug)]
pub struct Unary(pub UnaryOp);

const X: Saves = Saves::input(0);
const Y: Saves = Saves::OUT;

/// How each function is differentiated, and on which interval the tester samples it. `Slope(reads, d)`: dy = t·d(x, y),
/// where `reads` says which of x and y the slope needs.
macro_rules! rules {
    ($($op:ident in ($low:literal, $high:literal) $rule:ident $(($reads:expr, |$cx:ident, $at:ident| $d:expr))?;)*) => {
        fn domain(op: UnaryOp) -> (f64, f64) {
            match op { $(UnaryOp::$op => ($low, $high)),* }
        }

        fn saves(op: UnaryOp) -> Saves {
            match op { $($(UnaryOp::$op => $reads,)?)* _ => Saves::NONE }
        }

        fn kind(op: UnaryOp) -> Rule {
            match op { $(UnaryOp::$op => rules!(@kind $rule)),* }
        }

        fn slope<I: Interp>(op: UnaryOp, cx: &mut I, at: &At<I::V>) -> Result<I::V> {
            match op {
                $($(UnaryOp::$op => { let ($cx, $at) = (cx, at); $d })?)*
                _ => Err(Error::internal(op.name(), "no slope")),
            }
        }

        const ALL: &[UnaryOp] = &[$(UnaryOp::$op),*];
    };
    (@kind Linear) => { Rule::Linear };
    (@kind Slope) => { Rule::Tangent };
    (@kind Special) => { Rule::Tangent };
    (@kind Zero) => { Rule::Zero };
    (@kind Inactive) => { Rule::Inactive };
}

rules! {
    Neg in (-2.0, 2.0) Linear;
    Conj in (-2.0, 2.0) Linear;
    Real in (-2.0, 2.0) Linear;
    Imag in (-2.0, 2.0) Linear;
    Abs in (0.3, 2.0) Special (X, |cx, at| cx.unary(UnaryOp::Sign, at.x(0)?));
    Sign in (0.3, 2.0) Special (X.and(Y), |cx, at| cx.unary(UnaryOp::Abs, at.x(0)?));
    Exp in (-1.5, 1.5) Slope (Y, |cx, at| { let _ = &cx; at.y().cloned() });
    Expm1 in (-1.5, 1.5) Slope (X, |cx, at| cx.unary(UnaryOp::Exp, at.x(0)?));
    Log in (0.3, 3.0) Slope (X, |cx, at| cx.unary(UnaryOp::Reciprocal, at.x(0)?));
    Log1p in (-0.6, 2.0) Slope (X, |cx, at| {
        let one = cx.number(at.dtype(cx, 0), 1.0)?;
        let shifted = cx.add(at.x(0)?, &one)?;
        cx.unary(UnaryOp::Reciprocal, &shifted)
    });
    Sqrt in (0.3, 3.0) Slope (Y, |cx, at| {
        let half = cx.number(at.dtype(cx, 0), 0.5)?;
        cx.div(&half, at.y()?)
    });
    Rsqrt in (0.3, 3.0) Slope (X.and(Y), |cx, at| {
        let ratio = cx.div(at.y()?, at.x(0)?)?;
        cx.times(&ratio, -0.5)
    });
    Sin in (-2.0, 2.0) Slope (X, |cx, at| cx.unary(UnaryOp::Cos, at.x(0)?));
    Cos in (-2.0, 2.0) Slope (X, |cx, at| {
        let sin = cx.unary(UnaryOp::Sin, at.x(0)?)?;
        cx.neg(&sin)
    });
    Tanh in (-1.2, 1.2) Slope (Y, |cx, at| {
        let one = cx.number(at.dtype(cx, 0), 1.0)?;
        let squared = cx.unary(UnaryOp::Square, at.y()?)?;
        cx.sub(&one, &squared)
    });
    // 1/cos², which unlike 1 + tan² loses nothing where tan is close to ±i.
    Tan in (-1.2, 1.2) Slope (X, |cx, at| {
        let cos = cx.unary(UnaryOp::Cos, at.x(0)?)?;
        let secant = cx.unary(UnaryOp::Reciprocal, &cos)?;
        cx.unary(UnaryOp::Square, &secant)
    });
    Sinh in (-2.0, 2.0) Slope (X, |cx, at| cx.unary(UnaryOp::Cosh, at.x(0)?));
    Cosh in (-2.0, 2.0) Slope (X, |cx, at| cx.unary(UnaryOp::Sinh, at.x(0)?));
    Asin in (-0.8, 0.8) Slope (X, |cx, at| cx.unary(UnaryOp::AsinSlope, at.x(0)?));
    Acos in (-0.8, 0.8) Slope (X, |cx, at| {
        let slope = cx.unary(UnaryOp::AsinSlope, at.x(0)?)?;
        cx.neg(&slope)
    });
    Atan in (-0.8, 0.8) Slope (X, |cx, at| cx.unary(UnaryOp::AtanSlope, at.x(0)?));
    Asinh in (-0.8, 0.8) Slope (X, |cx, at| cx.unary(UnaryOp::AsinhSlope, at.x(0)?));
    Acosh in (1.3, 3.0) Slope (X, |cx, at| cx.unary(UnaryOp::AcoshSlope, at.x(0)?));
    Atanh in (-0.7, 0.7) Slope (X, |cx, at| cx.unary(UnaryOp::AtanhSlope, at.x(0)?));
    // With y = (1 ∓ x²)^(-1/2): y' = ±x y³, and with y = (1 ∓ x²)^(-1): y' = ±2x y²; x·y first, which stays in range.
    AsinSlope in (-0.8, 0.8) Slope (X.and(Y), |cx, at| {
        let product = cx.mul(at.x(0)?, at.y()?)?;
        let square = cx.unary(UnaryOp::Square, at.y()?)?;
        cx.mul(&product, &square)
    });
    AsinhSlope in (-0.8, 0.8) Slope (X.and(Y), |cx, at| {
        let product = cx.mul(at.x(0)?, at.y()?)?;
        let square = cx.unary(UnaryOp::Square, at.y()?)?;
        let slope = cx.mul(&product, &square)?;
        cx.neg(&slope)
    });
    AcoshSlope in (1.3, 3.0) Slope (X.and(Y), |cx, at| {
        let product = cx.mul(at.x(0)?, at.y()?)?;
        let square = cx.unary(UnaryOp::Square, at.y()?)?;
        let slope = cx.mul(&product, &square)?;
        cx.neg(&slope)
    });
    AtanSlope in (-0.8, 0.8) Slope (X.and(Y), |cx, at| {
        let product = cx.mul(at.x(0)?, at.y()?)?;
        let slope = cx.mul(&product, at.y()?)?;
        cx.times(&slope, -2.0)
    });
    AtanhSlope in (-0.7, 0.7) Slope (X.and(Y), |cx, at| {
        let product = cx.mul(at.x(0)?, at.y()?)?;
        let slope = cx.mul(&product, at.y()?)?;
        cx.times(&slope, 2.0)
    });
    Exp2 in (-1.5, 1.5) Slope (Y, |cx, at| cx.times(at.y()?, LN_2));
    Log2 in (0.3, 3.0) Slope (X, |cx, at| {
        let inverse = cx.unary(UnaryOp::Reciprocal, at.x(0)?)?;
        cx.times(&inverse, LOG2_E)
    });
    Log10 in (0.3, 3.0) Slope (X, |cx, at| {
        let inverse = cx.unary(UnaryOp::Reciprocal, at.x(0)?)?;
        cx.times(&inverse, LOG10_E)
    });
    Cbrt in (0.3, 3.0) Slope (Y, |cx, at| {
        let square = cx.unary(UnaryOp::Square, at.y()?)?;
        let third = cx.number(at.dtype(cx, 0), 1.0 / 3.0)?;
        cx.div(&third, &square)
    });
    Sinpi in (-0.9, 0.8) Slope (X, |cx, at| {
        let cos = cx.unary(UnaryOp::Cospi, at.x(0)?)?;
        cx.times(&cos, PI)
    });
    Cospi in (-0.9, 0.8) Slope (X, |cx, at| {
        let sin = cx.unary(UnaryOp::Sinpi, at.x(0)?)?;
        cx.times(&sin, -PI)
    });
    Deg2rad in (-90.0, 90.0) Linear;
    Rad2deg in (-2.0, 2.0) Linear;
    Angle in (0.3, 2.0) Special (X, |cx, at| {
        // 1/z, and 0 at 0.
        let z = at.x(0)?;
        let dtype = cx.meta(z).dtype;
        let (zero, one) = (cx.number(dtype, 0.0)?, cx.number(dtype, 1.0)?);
        let at_zero = cx.compare(CompareOp::Eq, z, &zero)?;
        let safe = cx.select(&at_zero, &one, z)?;
        let inverse = cx.unary(UnaryOp::Reciprocal, &safe)?;
        cx.select(&at_zero, &zero, &inverse)
    });
    Square in (-2.0, 2.0) Slope (X, |cx, at| cx.times(at.x(0)?, 2.0));
    Reciprocal in (0.4, 2.0) Slope (Y, |cx, at| {
        let squared = cx.unary(UnaryOp::Square, at.y()?)?;
        cx.neg(&squared)
    });
    Floor in (0.2, 0.8) Zero;
    Ceil in (0.2, 0.8) Zero;
    Trunc in (0.2, 0.8) Zero;
    Round in (0.1, 0.4) Zero;
    Not in (-3.0, 3.0) Inactive;
    Isnan in (-2.0, 2.0) Inactive;
    Isinf in (-2.0, 2.0) Inactive;
    Isfinite in (-2.0, 2.0) Inactive;
    Signbit in (-2.0, 2.0) Inactive;
    Erf in (-1.5, 1.5) Slope (X, |cx, at| special::gaussian(cx, at.x(0)?, special::TWO_OVER_SQRT_PI, -1.0));
    Erfc in (-1.5, 1.0) Slope (X, |cx, at| special::gaussian(cx, at.x(0)?, -special::TWO_OVER_SQRT_PI, -1.0));
    Erfinv in (-0.7, 0.7) Slope (Y, |cx, at| special::gaussian(cx, at.y()?, special::HALF_SQRT_PI, 1.0));
    Erfcinv in (0.3, 0.9) Slope (Y, |cx, at| special::gaussian(cx, at.y()?, -special::HALF_SQRT_PI, 1.0));
    Ndtr in (-1.5, 1.5) Slope (X, |cx, at| special::gaussian(cx, at.x(0)?, special::NORMAL, -0.5));
    Ndtri in (0.15, 0.45) Slope (Y, |cx, at| special::gaussian(cx, at.y()?, special::SQRT_2_PI, 0.5));
    LogNdtr in (-1.5, 1.0) Slope (X, |cx, at| special::log_ndtr(cx, at.x(0)?));
    Lgamma in (2.6, 5.0) Slope (X, |cx, at| special::digamma(cx, at.x(0)?));
    Gamma in (0.5, 4.0) Slope (X.and(Y), |cx, at| {
        let digamma = special::digamma(cx, at.x(0)?)?;
        cx.mul(at.y()?, &digamma)
    });
    Sigmoid in (-2.0, 2.0) Slope (X, |cx, at| special::sigmoid(cx, at.x(0)?));
    Softplus in (-2.0, 2.0) Slope (X, |cx, at| cx.unary(UnaryOp::Sigmoid, at.x(0)?));
    Logit in (0.55, 0.8) Slope (X, |cx, at| special::logit(cx, at.x(0)?));
    Entr in (0.3, 0.9) Slope (X, |cx, at| special::entropy(cx, at.x(0)?));
}

impl Unary {
    /// The tester's inputs, for every function of the table.
    pub fn samples() -> Vec<Sample> {
        let mirrored = [UnaryOp::Abs, UnaryOp::Sign].map(|op| (op, (-2.0, -0.3)));
        let list = ALL.iter().map(|&op| (op, domain(op))).chain(mirrored);
        list.flat_map(|(op, domain)| elementwise(Unary(op).into(), 1, domain)).collect()
    }
}

impl Primitive for Unary {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        match unary_output(self.0, ins[0].dtype) {
            Some(dtype) => Ok(OutMeta::new(dtype, ins[0].shape)),
            None => Err(Error::unsupported_dtype(self.name(), ins[0].dtype, &accepted(|d| unary_output(self.0, d)))),
        }
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        unary(self.0, ins[0])
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        match kind(self.0) {
            Rule::Tangent if matches!(self.0, UnaryOp::Sign | UnaryOp::Angle) && !dtype.is_complex() => Rule::Zero,
            Rule::Tangent if !dtype.is_inexact() && self.0 != UnaryOp::Abs => Rule::Inactive,
            rule => rule,
        }
    }

    fn saves(&self, _: usize) -> Saves {
        saves(self.0)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let dtype = at.dtype(cx, 0);
        match self.0 {
            UnaryOp::Neg => cx.neg(ct),
            UnaryOp::Conj => cx.conj(ct),
            UnaryOp::Real => cx.convert(ct, dtype),
            UnaryOp::Deg2rad | UnaryOp::Rad2deg => cx.unary(self.0, ct),
            // Im z = Re(−i·z), so the adjoint is i·ct; of a real input it is zero.
            UnaryOp::Imag if dtype.is_complex() => {
                let unit = imaginary_unit(cx, dtype)?;
                let ct = cx.convert(ct, dtype)?;
                cx.mul(&ct, &unit)
            }
            UnaryOp::Imag => cx.zeros(at.meta(cx, 0).as_meta()),
            _ => Err(Error::internal(self.name(), "no adjoint")),
        }
    }

    fn tangent<I: Interp>(&self, cx: &mut I, _: usize, t: &I::V, at: &At<I::V>) -> Result<I::V> {
        let slope = slope(self.0, cx, at)?;
        match self.0 {
            UnaryOp::Abs => {
                let toward = cx.conj(&slope)?;
                let moved = cx.scale(t, &toward)?;
                cx.real(&moved)
            }
            // dθ = Im(t/z).
            UnaryOp::Angle => {
                let turned = cx.scale(t, &slope)?;
                cx.unary(UnaryOp::Imag, &turned)
            }
            UnaryOp::Sign => sign_tangent(cx, t, at.y()?, &slope),
            _ => cx.scale(t, &slope),
        }
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.elementwise(cx, *self)
    }
}

/// s = z/|z|: ds = (t − s·Re(s̄·t))/|z|, and 0 at 0.
fn sign_tangent<I: Interp>(cx: &mut I, t: &I::V, sign: &I::V, modulus: &I::V) -> Result<I::V> {
    let dtype = cx.meta(sign).dtype;
    let zero = cx.number(dtype.real(), 0.0)?;
    let one = cx.number(dtype.real(), 1.0)?;
    let at_zero = cx.compare(CompareOp::Eq, modulus, &zero)?;
    let safe = cx.select(&at_zero, &one, modulus)?;
    let inverse = cx.unary(UnaryOp::Reciprocal, &safe)?;
    let inverse = cx.convert(&inverse, dtype)?;
    let conj = cx.conj(sign)?;
    let along = cx.scale(t, &conj)?;
    let along = cx.real(&along)?;
    let along = cx.convert(&along, dtype)?;
    let radial = cx.scale(&along, sign)?;
    let across = cx.sub(t, &radial)?;
    let scaled = cx.scale(&across, &inverse)?;
    let nothing = cx.number(dtype, 0.0)?;
    cx.select(&at_zero, &nothing, &scaled)
}

fn imaginary_unit<I: Interp>(cx: &mut I, dtype: DType) -> Result<I::V> {
    let i = crate::cpu::Number::Complex(num_complex::Complex::I);
    Ok(cx.constant(crate::cpu::full(&[], dtype, i)?))
}

/// The dtypes an op takes, for a message.
pub(crate) fn accepted(output: impl Fn(DType) -> Option<DType>) -> String {
    let names: Vec<_> = DType::ALL.iter().filter(|&&d| output(d).is_some()).map(|d| d.name()).collect();
    format!("one of {}", names.join(", "))
}
