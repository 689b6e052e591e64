//! Reductions over axes, which are removed.

use super::unary::accepted;
use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{BinaryOp, CompareOp, ReduceOp, UnaryOp, reduce, reduce_output};
use crate::sample::{Sample, values, with_zeros};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule, Saves};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor};

/// Sum, product, maximum, minimum, all or any over `axes` (distinct, in range).
#[derive(Clone, Debug)]
pub struct Reduce {
    /// What to accumulate.
    pub op: ReduceOp,
    /// Over which axes.
    pub axes: Dims,
}

impl Reduce {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::All, ReduceOp::Any] {
            for &dtype in DType::ALL.iter().filter(|&&d| reduce_output(op, d).is_some()) {
                for (shape, axes) in
                    [(&[4][..], &[0][..]), (&[2, 3], &[0]), (&[2, 3], &[1]), (&[2, 3, 2], &[0, 2]), (&[5, 1], &[0, 1])]
                {
                    let x = values(dtype, shape, (0.3, 2.0), 21);
                    all.push(Sample::new(Reduce { op, axes: Dims::from_slice(axes) }, vec![x]));
                }
                let signed = values(dtype, &[3, 2, 2], (-2.0, 2.0), 23);
                all.push(Sample::new(Reduce { op, axes: Dims::from_slice(&[2, 0]) }, vec![signed]));
                if !matches!(op, ReduceOp::Max | ReduceOp::Min) {
                    let x = values(dtype, &[0, 2], (0.3, 2.0), 22);
                    all.push(Sample::new(Reduce { op, axes: Dims::from_slice(&[0]) }, vec![x.clone()]));
                    all.push(Sample::new(Reduce { op, axes: Dims::from_slice(&[1]) }, vec![x]));
                }
                if op == ReduceOp::Prod {
                    for (shape, axes) in [(&[3][..], &[0][..]), (&[2, 3], &[1]), (&[5], &[0])] {
                        let x = with_zeros(values(dtype, shape, (0.3, 2.0), 24));
                        all.push(Sample::new(Reduce { op, axes: Dims::from_slice(axes) }, vec![x]));
                    }
                }
            }
        }
        all
    }
}

impl Primitive for Reduce {
    fn name(&self) -> &'static str {
        self.op.name()
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let Some(dtype) = reduce_output(self.op, ins[0].dtype) else {
            let advice = accepted(|d| reduce_output(self.op, d));
            return Err(Error::unsupported_dtype(self.name(), ins[0].dtype, &advice));
        };
        check_axes(self.name(), &self.axes, ins[0].shape.len(), "axes")?;
        if matches!(self.op, ReduceOp::Max | ReduceOp::Min)
            && let Some(&axis) = self.axes.iter().find(|&&a| ins[0].shape[a] == 0)
        {
            let message =
                format!("expected axes with elements, got axis {axis} of extent 0 (an empty set has no extremum)");
            return Err(Error::argument(self.name(), "axes", message));
        }
        let kept = ins[0].shape.iter().enumerate().filter(|(a, _)| !self.axes.contains(a)).map(|(_, &n)| n);
        Ok(OutMeta { dtype, shape: kept.collect() })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        reduce(self.op, ins[0], &self.axes)
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        match self.op {
            ReduceOp::Sum => Rule::Linear,
            ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min if dtype.is_inexact() => Rule::Tangent,
            _ => Rule::Inactive,
        }
    }

    fn saves(&self, _: usize) -> Saves {
        match self.op {
            ReduceOp::Prod => Saves::input(0),
            ReduceOp::Max | ReduceOp::Min => Saves::input(0).and(Saves::OUT),
            _ => Saves::NONE,
        }
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let shape = at.meta(cx, 0).shape;
        spread(cx, ct, &shape, &self.axes)
    }

    fn tangent<I: Interp>(&self, cx: &mut I, _: usize, t: &I::V, at: &At<I::V>) -> Result<I::V> {
        match self.op {
            ReduceOp::Prod => product_tangent(cx, t, at.x(0)?, &self.axes),
            _ => self.extremum_tangent(cx, t, at.x(0)?, at.y()?),
        }
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, self.clone())
    }
}

impl Reduce {
    // Ties share equally: dy = Σ t over the winners / their number. Where there are NaNs, they are the winners.
    fn extremum_tangent<I: Interp>(&self, cx: &mut I, t: &I::V, x: &I::V, y: &I::V) -> Result<I::V> {
        let meta = cx.meta(x).owned();
        let best = spread(cx, y, &meta.shape, &self.axes)?;
        let equal = cx.compare(CompareOp::Eq, x, &best)?;
        let nan = cx.unary(UnaryOp::Isnan, x)?;
        let wins = cx.binary(BinaryOp::BitOr, &equal, &nan)?;
        let count = cx.convert(&wins, meta.dtype)?;
        let count = cx.reduce(ReduceOp::Sum, &count, &self.axes)?;
        let share = cx.unary(UnaryOp::Reciprocal, &count)?;
        let zero = cx.number(meta.dtype, 0.0)?;
        let won = cx.select(&wins, t, &zero)?;
        let total = cx.reduce(ReduceOp::Sum, &won, &self.axes)?;
        cx.mul(&total, &share)
    }
}

/// The value of a reduction laid back along the reduced axes.
fn spread<I: Interp>(cx: &mut I, y: &I::V, shape: &[usize], axes: &[usize]) -> Result<I::V> {
    let kept: Dims = (0..shape.len()).filter(|a| !axes.contains(a)).collect();
    cx.broadcast_in_dim(y, shape, &kept)
}

// Products by halves, as pairs (x, dx) with d(ab) = da·b + a·db: no division, so exact also where factors are zero,
// and differentiable again because the halves of x are ops themselves.
fn product_tangent<I: Interp>(cx: &mut I, t: &I::V, x: &I::V, axes: &[usize]) -> Result<I::V> {
    let shape = Dims::from_slice(cx.meta(x).shape);
    let kept: Dims = (0..shape.len()).filter(|a| !axes.contains(a)).collect();
    let mut perm = Dims::from_slice(axes);
    perm.extend_from_slice(&kept);
    let mut length: usize = axes.iter().map(|&a| shape[a]).product();
    let mut flat: Dims = Dims::from_elem(length, 1);
    flat.extend(kept.iter().map(|&a| shape[a]));
    let front = |cx: &mut I, v: &I::V| -> Result<I::V> {
        let v = cx.transpose(v, &perm)?;
        cx.reshape(&v, &flat)
    };
    let (mut x, mut t) = (front(cx, x)?, front(cx, t)?);
    if length == 0 {
        return cx.reduce(ReduceOp::Sum, &t, &[0]);
    }
    while length > 1 {
        let half = length / 2;
        let (x1, x2) = (cx.slice_axis(&x, 0, 0, half)?, cx.slice_axis(&x, 0, half, 2 * half)?);
        let (t1, t2) = (cx.slice_axis(&t, 0, 0, half)?, cx.slice_axis(&t, 0, half, 2 * half)?);
        let (a, b) = (cx.mul(&t1, &x2)?, cx.mul(&t2, &x1)?);
        let (mut product, mut moved) = (cx.mul(&x1, &x2)?, cx.add(&a, &b)?);
        if length % 2 == 1 {
            let (x3, t3) = (cx.slice_axis(&x, 0, 2 * half, length)?, cx.slice_axis(&t, 0, 2 * half, length)?);
            product = cx.bind(super::Concatenate(0).into(), &[&product, &x3])?;
            moved = cx.bind(super::Concatenate(0).into(), &[&moved, &t3])?;
        }
        (x, t) = (product, moved);
        length = length.div_ceil(2);
    }
    cx.reshape(&t, &flat[1..])
}

/// Axes must be in range and distinct.
pub(crate) fn check_axes(op: &'static str, axes: &[usize], rank: usize, role: &str) -> Result<()> {
    for (i, &axis) in axes.iter().enumerate() {
        if axis >= rank {
            return Err(Error::axis(op, axis as i64, rank));
        }
        if axes[..i].contains(&axis) {
            return Err(Error::duplicate_axis(op, axis, role));
        }
    }
    Ok(())
}
