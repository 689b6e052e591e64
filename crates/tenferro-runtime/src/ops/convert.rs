//! Conversion of the dtype. Between floating-point dtypes it is a real-linear map of its own.

use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::cast;
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule};
use tenferro_tensor::{DType, Result, Tensor};

/// The elements as another dtype; complex to real keeps the real part.
#[derive(Clone, Copy, Debug)]
pub struct Convert(pub DType);

impl Convert {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &from in DType::ALL {
            for &to in DType::ALL {
                for shape in [&[3][..], &[], &[2, 0]] {
                    all.push(Sample::new(Convert(to), vec![values(from, shape, (0.5, 3.0), 5)]));
                }
            }
        }
        all
    }
}

impl Primitive for Convert {
    fn name(&self) -> &'static str {
        "cast"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        Ok(OutMeta::new(self.0, ins[0].shape))
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        cast(ins[0], self.0)
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        if self.0.is_inexact() && dtype.is_inexact() { Rule::Linear } else { Rule::Inactive }
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let dtype = at.dtype(cx, 0);
        cx.convert(ct, dtype)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.elementwise(cx, *self)
    }
}
