//! Choice between operands: select and clamp. A branch that is not taken gets a true zero.

use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{BinaryOp, CompareOp, binary, clamp, select};
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule, Saves};
use tenferro_tensor::{DType, Error, Result, Tensor, broadcast_shapes};

/// `a` where the condition holds, else `b`; all three broadcast.
#[derive(Clone, Copy, Debug)]
pub struct Select;

/// min(max(x, lower), upper); all three broadcast.
#[derive(Clone, Copy, Debug)]
pub struct Clamp;

impl Select {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &dtype in DType::ALL {
            for shapes in [[&[3][..], &[3], &[3]], [&[2, 1], &[3], &[2, 3]], [&[], &[2], &[]], [&[0, 2], &[2], &[1]]] {
                let ins = (0..3)
                    .map(|i| values(if i == 0 { DType::Bool } else { dtype }, shapes[i], (-2.0, 2.0), i as u64 + 3));
                all.push(Sample::new(Select, ins.collect()));
            }
        }
        all
    }
}

impl Primitive for Select {
    fn name(&self) -> &'static str {
        "select"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        if ins[0].dtype != DType::Bool {
            return Err(Error::dtype(self.name(), "argument 'condition'", DType::Bool, ins[0].dtype));
        }
        if ins[1].dtype != ins[2].dtype {
            return Err(Error::dtype(self.name(), "second branch", ins[1].dtype, ins[2].dtype));
        }
        let branches = broadcast_shapes(self.name(), ins[1].shape, ins[2].shape)?;
        let shape = broadcast_shapes(self.name(), ins[0].shape, &branches)?;
        Ok(OutMeta { dtype: ins[1].dtype, shape })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        select(ins[0], ins[1], ins[2])
    }

    fn rule(&self, i: usize, dtype: DType) -> Rule {
        if i == 0 || dtype == DType::Bool { Rule::Inactive } else { Rule::Linear }
    }

    fn saves(&self, _: usize) -> Saves {
        Saves::input(0)
    }

    fn additive(&self) -> bool {
        true
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, i: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let meta = at.meta(cx, i);
        let zero = cx.number(meta.dtype, 0.0)?;
        let cond = at.x(0)?;
        let masked = if i == 1 { cx.select(cond, ct, &zero)? } else { cx.select(cond, &zero, ct)? };
        cx.sum_to(&masked, &meta.shape)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.elementwise(cx, *self)
    }
}

impl Clamp {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for dtype in [DType::F32, DType::F64, DType::I32, DType::I64] {
            for shapes in [[&[4][..], &[4], &[4]], [&[2, 3], &[], &[3]], [&[], &[], &[]], [&[0], &[], &[]]] {
                let domains = [(-2.0, 2.0), (-1.2, -0.4), (0.4, 1.2)];
                let ins = (0..3).map(|i| values(dtype, shapes[i], domains[i], i as u64 + 11));
                all.push(Sample::new(Clamp, ins.collect()));
            }
        }
        all
    }
}

impl Primitive for Clamp {
    fn name(&self) -> &'static str {
        "clamp"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        for (meta, what) in ins.iter().zip(["argument 'x'", "argument 'lower'", "argument 'upper'"]) {
            if matches!(meta.dtype, DType::Bool | DType::C64 | DType::C128) {
                let advice = "float32, float64, int32 or int64 (complex numbers have no order)";
                return Err(Error::unsupported_dtype(self.name(), meta.dtype, advice));
            }
            if meta.dtype != ins[0].dtype {
                return Err(Error::dtype(self.name(), what, ins[0].dtype, meta.dtype));
            }
        }
        let shape = broadcast_shapes(self.name(), ins[0].shape, ins[1].shape)?;
        let shape = broadcast_shapes(self.name(), &shape, ins[2].shape)?;
        Ok(OutMeta { dtype: ins[0].dtype, shape })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        match ins[0].dtype().is_inexact() {
            true => clamp(ins[0], ins[1], ins[2]),
            false => binary(BinaryOp::Minimum, &binary(BinaryOp::Maximum, ins[0], ins[1])?, ins[2]),
        }
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        if dtype.is_inexact() { Rule::Tangent } else { Rule::Inactive }
    }

    fn saves(&self, _: usize) -> Saves {
        Saves(0b111)
    }

    // Strict masks: x where lower < x < upper; lower where x < lower < upper; upper where upper < max(x, lower).
    fn tangent<I: Interp>(&self, cx: &mut I, i: usize, t: &I::V, at: &At<I::V>) -> Result<I::V> {
        let (x, lower, upper) = (at.x(0)?, at.x(1)?, at.x(2)?);
        let active = match i {
            0 => {
                let above = cx.compare(CompareOp::Lt, lower, x)?;
                let below = cx.compare(CompareOp::Lt, x, upper)?;
                cx.binary(BinaryOp::BitAnd, &above, &below)?
            }
            1 => {
                let raised = cx.compare(CompareOp::Lt, x, lower)?;
                let inside = cx.compare(CompareOp::Lt, lower, upper)?;
                cx.binary(BinaryOp::BitAnd, &raised, &inside)?
            }
            _ => {
                let raised = cx.binary(BinaryOp::Maximum, x, lower)?;
                cx.compare(CompareOp::Lt, upper, &raised)?
            }
        };
        let zero = cx.number(at.dtype(cx, 0), 0.0)?;
        cx.select(&active, t, &zero)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.elementwise(cx, *self)
    }
}
