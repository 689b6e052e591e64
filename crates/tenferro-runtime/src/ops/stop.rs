//! The identity through which no derivative flows.

use crate::batch::Items;
use crate::sample::{Sample, values};
use crate::{Interp, Meta, OutMeta, Primitive, Rule};
use tenferro_tensor::{DType, Result, Tensor};

/// y = x as a constant.
#[derive(Clone, Copy, Debug)]
pub struct Stop;

impl Stop {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let shapes: [&[usize]; 3] = [&[2, 3], &[], &[0, 2]];
        let of = |d| shapes.map(|shape| Sample::new(Stop, vec![values(d, shape, (-2.0, 2.0), 91)]));
        DType::ALL.iter().flat_map(|&d| of(d)).collect()
    }
}

impl Primitive for Stop {
    fn name(&self) -> &'static str {
        "stop_gradient"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        Ok(ins[0].owned())
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        Ok(ins[0].clone())
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Inactive
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.elementwise(cx, *self)
    }
}
