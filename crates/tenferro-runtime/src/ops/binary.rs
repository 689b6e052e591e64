//! Elementwise functions of two operands of one dtype, broadcast as in NumPy.

use super::special;
use super::unary::accepted;
use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{BinaryOp, CompareOp, UnaryOp, binary, binary_output, cast, compare, compare_supports};
use crate::sample::{Sample, elementwise, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule, Saves};
use tenferro_tensor::{DType, Error, Result, Tensor, broadcast_shapes};

/// y = f(a, b), element by element.
#[derive(Clone, Copy, Debug)]
pub struct Binary(pub BinaryOp);

/// Truth values of an elementwise comparison.
#[derive(Clone, Copy, Debug)]
pub struct Compare(pub CompareOp);

const A: Saves = Saves::input(0);
const B: Saves = Saves::input(1);

impl Binary {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        use BinaryOp::*;
        let mut all = whole_powers();
        all.extend(mixed_signs());
        let list = [
            (Add, (-2.0, 2.0)),
            (Sub, (-2.0, 2.0)),
            (Mul, (-2.0, 2.0)),
            (Scale, (0.3, 2.0)),
            (Div, (0.4, 2.0)),
            (Pow, (0.4, 2.0)),
            (Maximum, (-2.0, 2.0)),
            (Minimum, (-2.0, 2.0)),
            (Rem, (1.1, 1.9)),
            (Remainder, (1.1, 1.9)),
            (FloorDivide, (1.1, 1.9)),
            (BitAnd, (1.0, 9.0)),
            (BitOr, (1.0, 9.0)),
            (BitXor, (1.0, 9.0)),
            (ShiftLeft, (0.0, 2.0)),
            (ShiftRight, (0.0, 2.0)),
            (Atan2, (0.5, 1.9)),
            (Hypot, (0.5, 1.6)),
            (Copysign, (0.4, 2.0)),
            (Nextafter, (0.4, 2.0)),
            (LogAddExp, (0.2, 2.0)),
            (LogAddExp2, (-2.5, 2.5)),
        ];
        all.extend(list.into_iter().flat_map(|(op, domain)| elementwise(Binary(op).into(), 2, domain)));
        all
    }
}

/// Remainders whose quotient is negative, where truncating and flooring differ.
fn mixed_signs() -> Vec<Sample> {
    let sample = |(op, dtype): (BinaryOp, DType)| {
        let (positive, negative) = (values(dtype, &[3], (1.1, 1.9), 10), values(dtype, &[3], (-1.9, -1.1), 11));
        [vec![positive.clone(), negative.clone()], vec![negative, positive]].map(|ins| Sample::new(Binary(op), ins))
    };
    let ops = [BinaryOp::Rem, BinaryOp::Remainder, BinaryOp::FloorDivide];
    ops.into_iter().flat_map(|op| [DType::F32, DType::F64].map(|dtype| (op, dtype))).flat_map(sample).collect()
}

/// Powers with the exponents 0, 1, 2 and 3, where slopes have special cases.
fn whole_powers() -> Vec<Sample> {
    let exponents = |dtype| cast(&Tensor::from_slice("sample", &[4], &[0.0, 1.0, 2.0, 3.0])?, dtype);
    let sample = |dtype| {
        let exponents = exponents(dtype).unwrap_or_else(|e: Error| panic!("{e}"));
        Sample::new(Binary(BinaryOp::Pow), vec![values(dtype, &[4], (0.4, 2.0), 9), exponents])
    };
    DType::ALL.iter().filter(|&&d| d != DType::Bool).map(|&d| sample(d)).collect()
}

fn same_dtype(op: &'static str, ins: &[Meta<'_>]) -> Result<()> {
    if ins[0].dtype != ins[1].dtype {
        return Err(Error::dtype(op, "second operand", ins[0].dtype, ins[1].dtype));
    }
    Ok(())
}

impl Primitive for Binary {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        same_dtype(self.name(), ins)?;
        let Some(dtype) = binary_output(self.0, ins[0].dtype) else {
            let advice = accepted(|d| binary_output(self.0, d));
            return Err(Error::unsupported_dtype(self.name(), ins[0].dtype, &advice));
        };
        Ok(OutMeta { dtype, shape: broadcast_shapes(self.name(), ins[0].shape, ins[1].shape)? })
    }

    #[inline]
    fn check(&self, ins: &[Meta<'_>]) -> Result<()> {
        let [a, b] = ins else { return self.meta(ins).map(drop) };
        if a.dtype == b.dtype && a.shape == b.shape && binary_output(self.0, a.dtype).is_some() {
            return Ok(());
        }
        self.meta(ins).map(drop)
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        binary(self.0, ins[0], ins[1])
    }

    fn rule(&self, i: usize, dtype: DType) -> Rule {
        use BinaryOp::*;
        match self.0 {
            Add | Sub | Mul | Scale => Rule::Linear,
            Div if !dtype.is_inexact() => Rule::Inactive,
            Div if i == 0 => Rule::Linear,
            FloorDivide if dtype.is_inexact() => Rule::Zero,
            Copysign | Nextafter if i == 1 && dtype.is_inexact() => Rule::Zero,
            Atan2 | Hypot | Copysign | Nextafter | LogAddExp | LogAddExp2 if dtype.is_inexact() => Rule::Tangent,
            Div | Pow | Maximum | Minimum | Rem | Remainder if dtype.is_inexact() => Rule::Tangent,
            _ => Rule::Inactive,
        }
    }

    fn saves(&self, i: usize) -> Saves {
        use BinaryOp::*;
        match (self.0, i) {
            (Mul | Scale | Div, 0) => B,
            (Mul | Scale, _) => A,
            (Div, _) => B.and(Saves::OUT),
            (Pow, 0) => A.and(B),
            (Pow, _) => A.and(Saves::OUT),
            (Hypot, _) => Saves::input(i).and(Saves::OUT),
            (Copysign, 0) => A.and(Saves::OUT),
            (Atan2 | LogAddExp | LogAddExp2, _) => A.and(B),
            (Rem | Remainder, 0) => Saves::NONE,
            (Maximum | Minimum | Rem | Remainder, _) => A.and(B),
            _ => Saves::NONE,
        }
    }

    fn additive(&self) -> bool {
        matches!(self.0, BinaryOp::Add | BinaryOp::Sub)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, i: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        use BinaryOp::*;
        let back = match (self.0, i) {
            (Add, _) | (Sub, 0) => ct.clone(),
            (Sub, _) => cx.neg(ct)?,
            (Mul | Scale, _) => {
                let other = at.x(1 - i)?;
                match at.dtype(cx, i).is_complex() {
                    true => {
                        let other = cx.conj(other)?;
                        cx.scale(ct, &other)?
                    }
                    false => cx.scale(ct, other)?,
                }
            }
            _ => {
                let inverse = cx.unary(UnaryOp::Reciprocal, at.x(1)?)?;
                let inverse = cx.conj(&inverse)?;
                cx.scale(ct, &inverse)?
            }
        };
        if at.fits(cx, i, &back) {
            return Ok(back);
        }
        let shape = at.meta(cx, i).shape;
        cx.sum_to(&back, &shape)
    }

    fn tangent<I: Interp>(&self, cx: &mut I, i: usize, t: &I::V, at: &At<I::V>) -> Result<I::V> {
        use BinaryOp::*;
        match (self.0, i) {
            (Pow, 0) => {
                let slope = power_slope(cx, at.x(0)?, at.x(1)?)?;
                cx.scale(t, &slope)
            }
            (Pow, _) => {
                let slope = exponent_slope(cx, at.x(0)?, at.y()?)?;
                cx.scale(t, &slope)
            }
            (Maximum | Minimum, _) => extremum_tangent(cx, self.0, i, t, at),
            (Atan2 | Hypot | Copysign | LogAddExp | LogAddExp2, _) => {
                let slope = special::pair(cx, self.0, i, at)?;
                cx.scale(t, &slope)
            }
            (Rem | Remainder | Nextafter, 0) => {
                let shape = at.out_meta(cx).shape;
                cx.broadcast_to(t, &shape)
            }
            (Rem, _) => {
                let ratio = cx.div(at.x(0)?, at.x(1)?)?;
                let whole = cx.unary(UnaryOp::Trunc, &ratio)?;
                let slope = cx.neg(&whole)?;
                cx.scale(t, &slope)
            }
            (Remainder, _) => {
                let whole = cx.binary(FloorDivide, at.x(0)?, at.x(1)?)?;
                let slope = cx.neg(&whole)?;
                cx.scale(t, &slope)
            }
            _ => {
                let ratio = cx.div(at.y()?, at.x(1)?)?;
                let slope = cx.neg(&ratio)?;
                cx.scale(t, &slope)
            }
        }
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.elementwise(cx, *self)
    }
}

/// ∂(xᵖ)/∂x = p·xᵖ⁻¹, and 0 where x and p are 0. For other x the product is 0 at p = 0 by itself, and keeps its own
/// derivative by p there, 1/x.
fn power_slope<I: Interp>(cx: &mut I, x: &I::V, p: &I::V) -> Result<I::V> {
    let dtype = cx.meta(x).dtype;
    let zero = cx.number(dtype, 0.0)?;
    let one = cx.number(dtype, 1.0)?;
    let constant = cx.compare(CompareOp::Eq, p, &zero)?;
    let base_zero = cx.compare(CompareOp::Eq, x, &zero)?;
    let both = cx.binary(BinaryOp::BitAnd, &constant, &base_zero)?;
    let lower = cx.sub(p, &one)?;
    let power = cx.binary(BinaryOp::Pow, x, &lower)?;
    let slope = cx.mul(p, &power)?;
    cx.select(&both, &zero, &slope)
}

/// ∂(xᵖ)/∂p = xᵖ·log x, and 0 where x = 0 and xᵖ is finite: the limit x → 0 for Re p > 0, and what PyTorch gives for p = 0.
fn exponent_slope<I: Interp>(cx: &mut I, x: &I::V, y: &I::V) -> Result<I::V> {
    let dtype = cx.meta(x).dtype;
    let zero = cx.number(dtype, 0.0)?;
    let one = cx.number(dtype, 1.0)?;
    let base_zero = cx.compare(CompareOp::Eq, x, &zero)?;
    let finite = cx.unary(UnaryOp::Isfinite, y)?;
    let vanishes = cx.binary(BinaryOp::BitAnd, &base_zero, &finite)?;
    let base = cx.select(&vanishes, &one, x)?;
    let log = cx.unary(UnaryOp::Log, &base)?;
    cx.mul(y, &log)
}

/// The winner gets t, an exact tie half of it, and a NaN passes it on.
fn extremum_tangent<I: Interp>(cx: &mut I, op: BinaryOp, i: usize, t: &I::V, at: &At<I::V>) -> Result<I::V> {
    let (mine, other) = (at.x(i)?, at.x(1 - i)?);
    let loses = if op == BinaryOp::Maximum { CompareOp::Lt } else { CompareOp::Gt };
    let lost = cx.compare(loses, mine, other)?;
    let tied = cx.compare(CompareOp::Eq, mine, other)?;
    let zero = cx.number(at.dtype(cx, i), 0.0)?;
    let half = cx.times(t, 0.5)?;
    let won = cx.select(&tied, &half, t)?;
    cx.select(&lost, &zero, &won)
}

impl Compare {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        use CompareOp::*;
        [Eq, Ne, Lt, Le, Gt, Ge].into_iter().flat_map(|op| elementwise(Compare(op).into(), 2, (-2.0, 2.0))).collect()
    }
}

impl Primitive for Compare {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        same_dtype(self.name(), ins)?;
        if !compare_supports(self.0, ins[0].dtype) {
            let advice = accepted(|d| compare_supports(self.0, d).then_some(d));
            return Err(Error::unsupported_dtype(self.name(), ins[0].dtype, &advice));
        }
        Ok(OutMeta { dtype: DType::Bool, shape: broadcast_shapes(self.name(), ins[0].shape, ins[1].shape)? })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        compare(self.0, ins[0], ins[1])
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Inactive
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.elementwise(cx, *self)
    }
}
