use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{UnaryOp, sinc, unary_output};
use crate::ops::unary::accepted;
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule, Saves};
use tenferro_tensor::{DType, Error, Result, Tensor};

/// A derivative of the normalised sinc, sin(πx)/(πx); order 0 is sinc itself. As a family it is smooth at 0 to any order,
/// where the quotient that the rules of calculus give would be 0/0.
#[derive(Clone, Copy, Debug)]
pub struct Sinc {
    /// Which derivative.
    pub order: u32,
}

impl Sinc {
    /// The tester's inputs, 0 and both sides of it among them.
    pub fn samples() -> Vec<Sample> {
        let takes = |d: &&DType| output(**d).is_some();
        let mut all = Vec::new();
        for &dtype in DType::ALL.iter().filter(takes) {
            for (order, domain) in [(0, (-0.9, 0.8)), (1, (-1.4, 1.4)), (2, (0.0, 2.0))] {
                for shape in [&[3][..], &[2, 3], &[], &[0, 3]] {
                    all.push(Sample::new(Sinc { order }, vec![values(dtype, shape, domain, 3)]));
                }
            }
            all.push(Sample::new(Sinc { order: 0 }, vec![values(dtype, &[2], (0.0, 0.0), 3)]));
        }
        all
    }
}

/// As the analytic functions of the table.
fn output(dtype: DType) -> Option<DType> {
    unary_output(UnaryOp::Exp, dtype)
}

impl Primitive for Sinc {
    fn name(&self) -> &'static str {
        "sinc"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        match output(ins[0].dtype) {
            Some(dtype) => Ok(OutMeta::new(dtype, ins[0].shape)),
            None => Err(Error::unsupported_dtype(self.name(), ins[0].dtype, &accepted(output))),
        }
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        sinc(self.order, ins[0])
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Tangent
    }

    fn saves(&self, _: usize) -> Saves {
        Saves::input(0)
    }

    fn tangent<I: Interp>(&self, cx: &mut I, _: usize, t: &I::V, at: &At<I::V>) -> Result<I::V> {
        let slope = cx.bind(Sinc { order: self.order + 1 }.into(), &[at.x(0)?])?;
        cx.scale(t, &slope)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.elementwise(cx, *self)
    }
}
