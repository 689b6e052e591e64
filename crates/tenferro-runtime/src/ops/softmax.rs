//! Softmax and its logarithm, shifted by the maximum so that nothing overflows.

use crate::batch::Items;
use crate::compose::{Build, ones, zeros};
use crate::cpu::{BinaryOp, CompareOp, Number, ReduceOp, UnaryOp, binary, compare, full, reduce, select, unary};
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule, Saves};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor};

/// exp(xᵢ)/Σⱼ exp(xⱼ) along an axis, or its logarithm. Where all are −∞ it is 0, and the logarithm −∞.
#[derive(Clone, Copy, Debug)]
pub struct Softmax {
    /// Along which axis.
    pub axis: usize,
    /// The logarithm.
    pub log: bool,
}

impl Softmax {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for log in [false, true] {
            for dtype in [DType::F32, DType::F64] {
                for (shape, axis) in [(&[4][..], 0), (&[2, 3], 1), (&[3, 2], 0), (&[1], 0), (&[2, 0], 1), (&[0, 2], 1)]
                {
                    let x = values(dtype, shape, (-2.0, 2.0), 71);
                    all.push(Sample::new(Softmax { axis, log }, vec![x]));
                }
            }
        }
        all
    }
}

impl Primitive for Softmax {
    fn name(&self) -> &'static str {
        if self.log { "log_softmax" } else { "softmax" }
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        if !matches!(ins[0].dtype, DType::F32 | DType::F64) {
            let advice = "float32 or float64 (complex numbers have no order)";
            return Err(Error::unsupported_dtype(self.name(), ins[0].dtype, advice));
        }
        if self.axis >= ins[0].shape.len() {
            return Err(Error::axis(self.name(), self.axis as i64, ins[0].shape.len()));
        }
        Ok(ins[0].owned())
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        let x = ins[0];
        if x.size() == 0 {
            return zeros(Meta::of(x));
        }
        let mut kept = Dims::from_slice(x.shape());
        kept[self.axis] = 1;
        let over = |op: ReduceOp, x: &Tensor| {
            let reduced = reduce(op, x, &[self.axis])?;
            Ok::<Tensor, Error>(reduced.with_layout(tenferro_tensor::Layout::compact(&kept)))
        };
        let lowest = full(&[], x.dtype(), Number::Float(f64::NEG_INFINITY))?;
        let largest = over(ReduceOp::Max, x)?;
        let nothing = compare(CompareOp::Eq, &largest, &lowest)?;
        let shift = select(&nothing, &zeros(Meta { dtype: x.dtype(), shape: &[] })?, &largest)?;
        let shifted = binary(BinaryOp::Sub, x, &shift)?;
        let powers = unary(UnaryOp::Exp, &shifted)?;
        // Where there is nothing, every power is 0; dividing by 1 leaves that, and log 1 leaves −∞.
        let sum = over(ReduceOp::Sum, &powers)?;
        let sum = select(&nothing, &ones(Meta { dtype: x.dtype(), shape: &[] })?, &sum)?;
        match self.log {
            false => binary(BinaryOp::Div, &powers, &sum),
            true => binary(BinaryOp::Sub, &shifted, &unary(UnaryOp::Log, &sum)?),
        }
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Tangent
    }

    fn saves(&self, _: usize) -> Saves {
        Saves::OUT
    }

    // y·(t − Σ y·t); of the logarithm t − Σ exp(y)·t. Both are finite where y is 0 or its logarithm −∞.
    fn tangent<I: Interp>(&self, cx: &mut I, _: usize, t: &I::V, at: &At<I::V>) -> Result<I::V> {
        let y = at.y()?.clone();
        let y = if self.log { cx.unary(UnaryOp::Exp, &y)? } else { y };
        let mut kept = Dims::from_slice(cx.meta(&y).shape);
        kept[self.axis] = 1;
        let weighted = cx.mul(&y, t)?;
        let mean = cx.reduce(ReduceOp::Sum, &weighted, &[self.axis])?;
        let mean = cx.reshape(&mean, &kept)?;
        if self.log {
            return cx.sub(t, &mean);
        }
        let centred = cx.sub(t, &mean)?;
        cx.mul(&y, &centred)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, *self)
    }
}
