//! Joining along an axis.

use super::layout::linear;
use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::concatenate;
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule};
use tenferro_tensor::{DType, Error, Result, Tensor, checked_size};

/// The inputs one behind the other along an axis.
#[derive(Clone, Copy, Debug)]
pub struct Concatenate(pub usize);

impl Concatenate {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &d in DType::ALL {
            let v = |shape: &[usize], seed| values(d, shape, (-2.0, 2.0), seed);
            all.push(Sample::new(Concatenate(0), vec![v(&[2], 51), v(&[3], 52)]));
            all.push(Sample::new(Concatenate(1), vec![v(&[2, 1], 53), v(&[2, 0], 54), v(&[2, 2], 55)]));
            all.push(Sample::new(Concatenate(0), vec![v(&[2, 2], 56)]));
        }
        all
    }
}

impl Primitive for Concatenate {
    fn name(&self) -> &'static str {
        "concatenate"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let Some(first) = ins.first() else {
            return Err(Error::argument(self.name(), "inputs", "expected at least one tensor, got none"));
        };
        let mut out = first.owned();
        if self.0 >= out.shape.len() {
            return Err(Error::axis(self.name(), self.0 as i64, out.shape.len()));
        }
        for other in &ins[1..] {
            if other.dtype != out.dtype {
                return Err(Error::dtype(self.name(), "argument 'inputs'", out.dtype, other.dtype));
            }
            if other.shape.len() != out.shape.len() {
                return Err(Error::rank(self.name(), "argument 'inputs'", out.shape.len(), other.shape.len()));
            }
            let differs = |a: usize| a != self.0 && other.shape[a] != first.shape[a];
            if (0..out.shape.len()).any(differs) {
                return Err(Error::shapes(self.name(), first.shape, other.shape));
            }
            out.shape[self.0] = out.shape[self.0].saturating_add(other.shape[self.0]);
        }
        checked_size(self.name(), &out.shape, out.dtype.itemsize())?;
        Ok(out)
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        concatenate(ins, self.0)
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    fn additive(&self) -> bool {
        true
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, i: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let start: usize = (0..i).map(|j| at.meta(cx, j).shape[self.0]).sum();
        let extent = at.meta(cx, i).shape[self.0];
        cx.slice_axis(ct, self.0, start, start + extent)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, *self)
    }
}
