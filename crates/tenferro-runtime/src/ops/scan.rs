//! Running sums, products and log-sum-exps along an axis.

use super::unary::accepted;
use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{BinaryOp, CompareOp, ScanOp, UnaryOp, scan, scan_output};
use crate::sample::{Sample, values, with_zeros};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule, Saves};
use tenferro_tensor::{DType, Error, Result, Tensor};

/// What has accumulated up to each place of `axis`, from the end if `reverse`.
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    /// What to accumulate.
    pub op: ScanOp,
    /// Along which axis.
    pub axis: usize,
    /// From the end towards the start.
    pub reverse: bool,
}

impl Scan {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for op in [ScanOp::Sum, ScanOp::Prod, ScanOp::LogSumExp] {
            for &dtype in DType::ALL.iter().filter(|&&d| scan_output(op, d).is_some()) {
                for (shape, axis, reverse) in [
                    (&[5][..], 0, false),
                    (&[2, 3], 1, false),
                    (&[3, 2], 0, true),
                    (&[2, 4, 2], 1, true),
                    (&[1, 2], 0, false),
                    (&[0, 2], 0, false),
                    (&[2, 0], 0, true),
                ] {
                    all.push(Sample::new(Scan { op, axis, reverse }, vec![values(dtype, shape, (-1.5, 2.0), 51)]));
                }
                if op == ScanOp::Prod {
                    let x = with_zeros(values(dtype, &[5, 2], (0.3, 2.0), 52));
                    all.push(Sample::new(Scan { op, axis: 0, reverse: false }, vec![x]));
                }
            }
        }
        all
    }
}

impl Primitive for Scan {
    fn name(&self) -> &'static str {
        self.op.name()
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        if scan_output(self.op, ins[0].dtype).is_none() {
            let advice = accepted(|d| scan_output(self.op, d));
            return Err(Error::unsupported_dtype(self.name(), ins[0].dtype, &advice));
        }
        match self.axis < ins[0].shape.len() {
            true => Ok(ins[0].owned()),
            false => Err(Error::axis(self.name(), self.axis as i64, ins[0].shape.len())),
        }
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        scan(self.op, ins[0], self.axis, self.reverse)
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        match self.op {
            ScanOp::Sum => Rule::Linear,
            _ if dtype.is_inexact() => Rule::Tangent,
            _ => Rule::Inactive,
        }
    }

    fn saves(&self, _: usize) -> Saves {
        match self.op {
            ScanOp::Sum => Saves::NONE,
            _ => Saves::input(0),
        }
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, _: &At<I::V>) -> Result<I::V> {
        cx.bind(Scan { reverse: !self.reverse, ..*self }.into(), &[ct])
    }

    // Pairs (x, dx) under an associative rule, accumulated over stretches of doubling length: no division, so exact also
    // where factors are zero; no exponential above 1.
    fn tangent<I: Interp>(&self, cx: &mut I, _: usize, t: &I::V, at: &At<I::V>) -> Result<I::V> {
        let (mut x, mut t) = (at.x(0)?.clone(), t.clone());
        let extent = cx.meta(&x).shape[self.axis];
        let mut reach = 1;
        while reach < extent {
            let (far, near) = (self.part(cx, &x, reach, false)?, self.part(cx, &x, reach, true)?);
            let (t_far, t_near) = (self.part(cx, &t, reach, false)?, self.part(cx, &t, reach, true)?);
            let (joined, moved) = self.join(cx, [&far, &t_far], [&near, &t_near])?;
            let (x_end, t_end) = (self.ends(cx, &x, reach)?, self.ends(cx, &t, reach)?);
            x = self.attach(cx, &x_end, &joined)?;
            t = self.attach(cx, &t_end, &moved)?;
            reach *= 2;
        }
        Ok(t)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, *self)
    }
}

impl Scan {
    /// All but `reach` places: those that lie `reach` behind another one, or those that another one lies behind.
    fn part<I: Interp>(&self, cx: &mut I, v: &I::V, reach: usize, near: bool) -> Result<I::V> {
        let extent = cx.meta(v).shape[self.axis];
        match near != self.reverse {
            true => cx.slice_axis(v, self.axis, reach, extent),
            false => cx.slice_axis(v, self.axis, 0, extent - reach),
        }
    }

    /// The places within `reach` of where the scan starts, which are complete.
    fn ends<I: Interp>(&self, cx: &mut I, v: &I::V, reach: usize) -> Result<I::V> {
        let extent = cx.meta(v).shape[self.axis];
        match self.reverse {
            true => cx.slice_axis(v, self.axis, extent - reach, extent),
            false => cx.slice_axis(v, self.axis, 0, reach),
        }
    }

    fn attach<I: Interp>(&self, cx: &mut I, end: &I::V, rest: &I::V) -> Result<I::V> {
        let pieces = if self.reverse { [rest, end] } else { [end, rest] };
        cx.bind(super::Concatenate(self.axis).into(), &pieces)
    }

    /// Value and tangent of the operation on two stretches.
    fn join<I: Interp>(&self, cx: &mut I, [a, ta]: [&I::V; 2], [b, tb]: [&I::V; 2]) -> Result<(I::V, I::V)> {
        if self.op == ScanOp::Prod {
            let (left, right) = (cx.mul(ta, b)?, cx.mul(tb, a)?);
            return Ok((cx.mul(a, b)?, cx.add(&left, &right)?));
        }
        let (total, shares) = log_add_exp(cx, a, b)?;
        let (left, right) = (cx.scale(ta, &shares[0])?, cx.scale(tb, &shares[1])?);
        Ok((total, cx.add(&left, &right)?))
    }
}

/// log(eᵃ + eᵇ), and the shares of both in the sum; of −∞ and −∞ the shares are 0.
fn log_add_exp<I: Interp>(cx: &mut I, a: &I::V, b: &I::V) -> Result<(I::V, [I::V; 2])> {
    let dtype = cx.meta(a).dtype;
    let high = cx.binary(BinaryOp::Maximum, a, b)?;
    let zero = cx.number(dtype, 0.0)?;
    let finite = cx.unary(UnaryOp::Isfinite, &high)?;
    let base = cx.select(&finite, &high, &zero)?;
    let (a_off, b_off) = (cx.sub(a, &base)?, cx.sub(b, &base)?);
    let (ea, eb) = (cx.unary(UnaryOp::Exp, &a_off)?, cx.unary(UnaryOp::Exp, &b_off)?);
    let sum = cx.add(&ea, &eb)?;
    let log = cx.unary(UnaryOp::Log, &sum)?;
    let total = cx.add(&log, &base)?;
    let nothing = cx.compare(CompareOp::Eq, &sum, &zero)?;
    let one = cx.number(dtype, 1.0)?;
    let safe = cx.select(&nothing, &one, &sum)?;
    let inverse = cx.unary(UnaryOp::Reciprocal, &safe)?;
    Ok((total, [cx.mul(&ea, &inverse)?, cx.mul(&eb, &inverse)?]))
}
