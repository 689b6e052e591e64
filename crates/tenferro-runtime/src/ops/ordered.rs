//! Special functions with an integer order, whose derivatives are functions of neighbouring orders.

use super::unary::accepted;
use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{OrderedFn, UnaryOp, ordered};
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule, Saves};
use tenferro_tensor::{DType, Error, Result, Tensor};

/// y = fₙ(x), element by element, of real numbers.
#[derive(Clone, Copy, Debug)]
pub struct Ordered {
    /// The family.
    pub function: OrderedFn,
    /// n.
    pub order: u32,
}

fn output(dtype: DType) -> Option<DType> {
    matches!(dtype, DType::F32 | DType::F64).then_some(dtype)
}

impl Ordered {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &function in OrderedFn::ALL {
            let domains: &[(f64, f64)] = match function {
                OrderedFn::Polygamma => &[(2.2, 4.0), (-1.4, -1.25)],
                OrderedFn::ScaledErfc => &[(-0.8, 0.4), (0.6, 3.0)],
                OrderedFn::BesselI | OrderedFn::ScaledBesselI => &[(0.4, 3.0), (-3.0, -0.4)],
            };
            for (&domain, order) in domains.iter().flat_map(|d| (0..4).map(move |n| (d, n))) {
                for dtype in [DType::F32, DType::F64] {
                    for shape in [&[4][..], &[2, 3], &[], &[0, 3]] {
                        let x = values(dtype, shape, domain, 7 + u64::from(order));
                        all.push(Sample::new(Ordered { function, order }, vec![x]));
                    }
                }
            }
        }
        all
    }

    fn neighbour<I: Interp>(self, cx: &mut I, order: u32, x: &I::V) -> Result<I::V> {
        cx.bind(Ordered { function: self.function, order }.into(), &[x])
    }

    fn slope<I: Interp>(self, cx: &mut I, at: &At<I::V>) -> Result<I::V> {
        let (n, x) = (self.order, at.x(0)?);
        match self.function {
            OrderedFn::Polygamma => self.neighbour(cx, n + 1, x),
            OrderedFn::ScaledErfc => {
                let next = self.neighbour(cx, n + 1, x)?;
                cx.times(&next, -2.0 * f64::from(n + 1))
            }
            OrderedFn::BesselI => self.mean_of_neighbours(cx, x),
            OrderedFn::ScaledBesselI => {
                let rising = self.mean_of_neighbours(cx, x)?;
                let sign = cx.unary(UnaryOp::Sign, x)?;
                let falling = cx.mul(&sign, at.y()?)?;
                cx.sub(&rising, &falling)
            }
        }
    }

    /// Iₙ′ = (Iₙ₋₁ + Iₙ₊₁)/2 with I₋₁ = I₁.
    fn mean_of_neighbours<I: Interp>(self, cx: &mut I, x: &I::V) -> Result<I::V> {
        let above = self.neighbour(cx, self.order + 1, x)?;
        if self.order == 0 {
            return Ok(above);
        }
        let below = self.neighbour(cx, self.order - 1, x)?;
        let sum = cx.add(&below, &above)?;
        cx.times(&sum, 0.5)
    }
}

impl Primitive for Ordered {
    fn name(&self) -> &'static str {
        self.function.name(self.order)
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        match output(ins[0].dtype) {
            Some(dtype) => Ok(OutMeta::new(dtype, ins[0].shape)),
            None => Err(Error::unsupported_dtype(self.name(), ins[0].dtype, &accepted(output))),
        }
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        ordered(self.function, self.order, ins[0])
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        if dtype.is_inexact() { Rule::Tangent } else { Rule::Inactive }
    }

    fn saves(&self, _: usize) -> Saves {
        match self.function {
            OrderedFn::ScaledBesselI => Saves::input(0).and(Saves::OUT),
            _ => Saves::input(0),
        }
    }

    fn tangent<I: Interp>(&self, cx: &mut I, _: usize, t: &I::V, at: &At<I::V>) -> Result<I::V> {
        let slope = self.slope(cx, at)?;
        cx.scale(t, &slope)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.elementwise(cx, *self)
    }
}
