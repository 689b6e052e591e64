//! Contraction of two tensors: bilinear, and its adjoints are contractions again.

use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{DotDims, dot_general, dot_shape};
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule, Saves};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor};

/// Sums over the contracting axes; the result's axes are [lhs free…, rhs free…, batch…].
#[derive(Clone, Debug)]
pub struct Dot(pub Box<DotDims>);

impl Dot {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let op = |lc: &[usize], rc: &[usize], lb: &[usize], rb: &[usize]| {
            Dot(Box::new(DotDims {
                lhs_contracting: Dims::from_slice(lc),
                rhs_contracting: Dims::from_slice(rc),
                lhs_batch: Dims::from_slice(lb),
                rhs_batch: Dims::from_slice(rb),
            }))
        };
        let mut all = Vec::new();
        for &d in DType::ALL.iter().filter(|&&d| d != DType::Bool) {
            let mut push = |op: Dot, a: &[usize], b: &[usize]| {
                let ins = vec![values(d, a, (-2.0, 2.0), 81), values(d, b, (-2.0, 2.0), 82)];
                all.push(Sample::new(op, ins));
            };
            push(op(&[1], &[0], &[], &[]), &[2, 3], &[3, 4]);
            push(op(&[0], &[1], &[], &[]), &[3, 2], &[4, 3]);
            push(op(&[0], &[0], &[], &[]), &[3], &[3]);
            push(op(&[], &[], &[], &[]), &[2], &[3]);
            push(op(&[1], &[0], &[2], &[2]), &[2, 3, 2], &[3, 2, 2]);
            push(op(&[2, 0], &[0, 1], &[1], &[3]), &[2, 3, 2], &[2, 2, 2, 3]);
            push(op(&[1], &[0], &[], &[]), &[2, 0], &[0, 3]);
            push(op(&[1], &[0], &[], &[]), &[0, 2], &[2, 3]);
        }
        all
    }
}

impl Primitive for Dot {
    fn name(&self) -> &'static str {
        "dot_general"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        if ins[0].dtype == DType::Bool {
            return Err(Error::unsupported_dtype(self.name(), ins[0].dtype, "numbers; convert to float64 first"));
        }
        if ins[0].dtype != ins[1].dtype {
            return Err(Error::dtype(self.name(), "second operand", ins[0].dtype, ins[1].dtype));
        }
        Ok(OutMeta { dtype: ins[0].dtype, shape: dot_shape(ins[0].shape, ins[1].shape, &self.0)? })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        dot_general(ins[0], ins[1], &self.0)
    }

    fn rule(&self, _: usize, _: DType) -> Rule {
        Rule::Linear
    }

    fn saves(&self, i: usize) -> Saves {
        Saves::input(1 - i)
    }

    // C[f g b] = Σ_c A[f c b]·B[g c b], so Ā[f c b] = Σ_g C̄[f g b]·conj B[g c b], and likewise for B.
    fn adjoint<I: Interp>(&self, cx: &mut I, i: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let dims = &*self.0;
        let (contracting, batch) = match i {
            0 => ([&dims.lhs_contracting, &dims.rhs_contracting], [&dims.lhs_batch, &dims.rhs_batch]),
            _ => ([&dims.rhs_contracting, &dims.lhs_contracting], [&dims.rhs_batch, &dims.lhs_batch]),
        };
        let mine = at.meta(cx, i).shape.len();
        let other = at.meta(cx, 1 - i).shape.len();
        let free = |rank: usize, side: usize| -> Dims {
            (0..rank).filter(|a| !contracting[side].contains(a) && !batch[side].contains(a)).collect()
        };
        let (my_free, other_free) = (free(mine, 0), free(other, 1));
        let (first, count) = if i == 0 { (my_free.len(), other_free.len()) } else { (0, other_free.len()) };
        let batches = my_free.len() + other_free.len()..my_free.len() + other_free.len() + batch[0].len();
        let adjoint = DotDims {
            lhs_contracting: (first..first + count).collect(),
            rhs_contracting: other_free,
            lhs_batch: batches.collect(),
            rhs_batch: batch[1].clone(),
        };
        let conj = cx.conj(at.x(1 - i)?)?;
        let product = cx.dot(ct, &conj, adjoint)?;
        // The product's axes are [my free, contracted in the other's order, batch]: bring them to mine.
        let mut contracted: smallvec::SmallVec<[(usize, usize); 5]> =
            contracting[1].iter().copied().zip(contracting[0].iter().copied()).collect();
        contracted.sort_unstable();
        let order = my_free.iter().copied().chain(contracted.iter().map(|&(_, m)| m)).chain(batch[0].iter().copied());
        let mut perm = Dims::from_elem(0, mine);
        for (place, axis) in order.enumerate() {
            perm[axis] = place;
        }
        cx.transpose(&product, &perm)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        let mut dims = self.0.clone();
        let ranks = [items.item(cx, 0).shape.len(), items.item(cx, 1).shape.len()];
        if let [true, true] = *items.batched {
            dims.lhs_batch.push(ranks[0]);
            dims.rhs_batch.push(ranks[1]);
            return cx.bind(Dot(dims).into(), &[&items.values[0], &items.values[1]]);
        }
        // The axis of the batch is the last free one of its operand; it moves behind all others.
        let free = |side: usize, contracted: usize, batch: usize| ranks[side] - contracted - batch;
        let left = free(0, dims.lhs_contracting.len(), dims.lhs_batch.len());
        let right = free(1, dims.rhs_contracting.len(), dims.rhs_batch.len());
        let place = if items.batched[0] { left } else { left + right };
        let rank = left + right + dims.lhs_batch.len();
        let product = cx.bind(Dot(dims).into(), &[&items.values[0], &items.values[1]])?;
        let perm: Dims = (0..=rank).filter(|&axis| axis != place).chain([place]).collect();
        cx.transpose(&product, &perm)
    }
}
