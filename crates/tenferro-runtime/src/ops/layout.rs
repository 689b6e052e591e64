//! Structure without arithmetic: results are views where the layout allows it.

use super::reduce::check_axes;
use crate::batch::Items;
use crate::compose::Build;
use crate::cpu::{ReduceOp, compact};
use crate::sample::{Sample, values};
use crate::{At, Interp, Meta, OutMeta, Primitive, Rule};
use tenferro_tensor::{DType, Dims, Error, Result, Tensor, checked_size, show_shape};

/// Axis `i` of the result is axis `perm[i]` of the input.
#[derive(Clone, Debug)]
pub struct Transpose(pub Dims);

/// The same elements in column-major order under another shape.
#[derive(Clone, Debug)]
pub struct Reshape(pub Dims);

/// Input axis `i` becomes output axis `dims[i]`; extents are equal or 1, other axes are repeated.
#[derive(Clone, Debug)]
pub struct Broadcast {
    /// Output shape.
    pub shape: Dims,
    /// Where each input axis goes.
    pub dims: Dims,
}

/// The listed axes backwards.
#[derive(Clone, Debug)]
pub struct Reverse(pub Dims);

fn over_dtypes(make: impl Fn(DType) -> Vec<Sample>) -> Vec<Sample> {
    DType::ALL.iter().flat_map(|&dtype| make(dtype)).collect()
}

fn one<O: Into<crate::Op>>(op: O, dtype: DType, shape: &[usize]) -> Sample {
    Sample::new(op, vec![values(dtype, shape, (-2.0, 2.0), 31)])
}

impl Transpose {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        over_dtypes(|d| {
            vec![
                one(Transpose(Dims::from_slice(&[1, 0])), d, &[2, 3]),
                one(Transpose(Dims::from_slice(&[2, 0, 1])), d, &[2, 3, 2]),
                one(Transpose(Dims::from_slice(&[5, 0, 3, 1, 4, 2])), d, &[1, 2, 1, 2, 3, 1]),
                one(Transpose(Dims::new()), d, &[]),
                one(Transpose(Dims::from_slice(&[1, 0])), d, &[0, 2]),
            ]
        })
    }
}

impl Primitive for Transpose {
    fn name(&self) -> &'static str {
        "transpose"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let rank = ins[0].shape.len();
        if self.0.len() != rank {
            return Err(Error::rank(self.name(), "argument 'perm' (one entry per axis)", rank, self.0.len()));
        }
        check_axes(self.name(), &self.0, rank, "perm")?;
        Ok(OutMeta { dtype: ins[0].dtype, shape: self.0.iter().map(|&p| ins[0].shape[p]).collect() })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        Ok(ins[0].with_layout(ins[0].layout().permuted(&self.0)))
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, _: &At<I::V>) -> Result<I::V> {
        let mut inverse = Dims::from_elem(0, self.0.len());
        for (i, &p) in self.0.iter().enumerate() {
            inverse[p] = i;
        }
        cx.transpose(ct, &inverse)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        let mut perm = self.0.clone();
        perm.push(perm.len());
        cx.bind(Transpose(perm).into(), &[&items.values[0]])
    }
}

impl Reshape {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        over_dtypes(|d| {
            vec![
                one(Reshape(Dims::from_slice(&[3, 2])), d, &[2, 3]),
                one(Reshape(Dims::from_slice(&[6])), d, &[3, 2]),
                one(Reshape(Dims::from_slice(&[2, 3])), d, &[1, 3, 1, 1, 2, 1]),
                one(Reshape(Dims::new()), d, &[1, 1]),
                one(Reshape(Dims::from_slice(&[5, 0])), d, &[0, 2]),
            ]
        })
    }
}

impl Primitive for Reshape {
    fn name(&self) -> &'static str {
        "reshape"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let size = checked_size(self.name(), &self.0, ins[0].dtype.itemsize())?;
        let from: usize = ins[0].shape.iter().product();
        if size != from {
            let message = format!(
                "argument 'shape': expected {from} elements as in {}, got {} with {size}",
                show_shape(ins[0].shape),
                show_shape(&self.0)
            );
            return Err(Error::new(tenferro_tensor::Variant::ShapeMismatch, self.name(), message)
                .with("expected", ins[0].shape)
                .with("actual", &self.0[..]));
        }
        Ok(OutMeta { dtype: ins[0].dtype, shape: self.0.clone() })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        match ins[0].layout().reshaped(&self.0) {
            Some(layout) => Ok(ins[0].with_layout(layout)),
            None => {
                let copy = compact(ins[0])?;
                let layout = copy.layout().reshaped(&self.0);
                let layout =
                    layout.ok_or_else(|| Error::internal(self.name(), "a compact value has a layout for any shape"))?;
                Ok(copy.with_layout(layout))
            }
        }
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let shape = at.meta(cx, 0).shape;
        cx.reshape(ct, &shape)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        let mut shape = self.0.clone();
        shape.push(items.size);
        cx.bind(Reshape(shape).into(), &[&items.values[0]])
    }
}

impl Broadcast {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        let op = |shape: &[usize], dims: &[usize]| Broadcast {
            shape: Dims::from_slice(shape),
            dims: Dims::from_slice(dims),
        };
        over_dtypes(|d| {
            vec![
                one(op(&[3, 2], &[0]), d, &[3]),
                one(op(&[2, 3], &[1]), d, &[3]),
                one(op(&[4, 3, 2], &[2, 1]), d, &[1, 3]),
                one(op(&[4, 3, 2], &[2, 1]), d, &[2, 3]),
                one(op(&[2, 4, 3, 2], &[3, 0, 2]), d, &[2, 2, 3]),
                one(op(&[2], &[]), d, &[]),
                one(op(&[0, 3], &[1]), d, &[3]),
            ]
        })
    }
}

impl Primitive for Broadcast {
    fn name(&self) -> &'static str {
        "broadcast_in_dim"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        let (rank, shape) = (ins[0].shape.len(), &self.shape);
        if self.dims.len() != rank {
            return Err(Error::rank(self.name(), "argument 'dims' (one entry per input axis)", rank, self.dims.len()));
        }
        check_axes(self.name(), &self.dims, shape.len(), "dims")?;
        if ins[0].shape.iter().zip(&self.dims).any(|(&n, &at)| n != shape[at] && n != 1) {
            return Err(Error::shapes(self.name(), ins[0].shape, shape));
        }
        checked_size(self.name(), shape, ins[0].dtype.itemsize())?;
        Ok(OutMeta { dtype: ins[0].dtype, shape: shape.clone() })
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        Ok(ins[0].with_layout(ins[0].layout().broadcast_in_dim(&self.shape, &self.dims)))
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, at: &At<I::V>) -> Result<I::V> {
        let from = at.meta(cx, 0).shape;
        let stretched = |a: usize| match self.dims.iter().position(|&at| at == a) {
            None => true,
            Some(i) => from[i] == 1 && self.shape[a] != 1,
        };
        let summed_axes: Dims = (0..self.shape.len()).filter(|&a| stretched(a)).collect();
        let summed = cx.reduce(ReduceOp::Sum, ct, &summed_axes)?;
        let mut kept: smallvec::SmallVec<[(usize, usize); 5]> =
            self.dims.iter().copied().enumerate().filter(|&(_, at)| !stretched(at)).map(|(i, at)| (at, i)).collect();
        kept.sort_unstable();
        // Summed axes are in output order; bring them to input order, then put the stretched extents of 1 back.
        let mut order: smallvec::SmallVec<[(usize, usize); 5]> =
            kept.iter().enumerate().map(|(place, &(_, i))| (i, place)).collect();
        order.sort_unstable();
        let perm: Dims = order.iter().map(|&(_, place)| place).collect();
        let ordered = cx.transpose(&summed, &perm)?;
        cx.reshape(&ordered, &from)
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        let (mut shape, mut dims) = (self.shape.clone(), self.dims.clone());
        dims.push(shape.len());
        shape.push(items.size);
        cx.bind(Broadcast { shape, dims }.into(), &[&items.values[0]])
    }
}

impl Reverse {
    /// The tester's inputs.
    pub fn samples() -> Vec<Sample> {
        over_dtypes(|d| {
            vec![
                one(Reverse(Dims::from_slice(&[0])), d, &[3]),
                one(Reverse(Dims::from_slice(&[1, 0])), d, &[2, 3]),
                one(Reverse(Dims::from_slice(&[0])), d, &[0, 2]),
            ]
        })
    }
}

impl Primitive for Reverse {
    fn name(&self) -> &'static str {
        "reverse"
    }

    fn meta(&self, ins: &[Meta<'_>]) -> Result<OutMeta> {
        check_axes(self.name(), &self.0, ins[0].shape.len(), "axes")?;
        Ok(ins[0].owned())
    }

    fn eval(&self, ins: &[&Tensor]) -> Result<Tensor> {
        Ok(ins[0].with_layout(ins[0].layout().reversed(&self.0)))
    }

    fn rule(&self, _: usize, dtype: DType) -> Rule {
        linear(dtype)
    }

    fn adjoint<I: Interp>(&self, cx: &mut I, _: usize, ct: &I::V, _: &At<I::V>) -> Result<I::V> {
        cx.bind(self.clone().into(), &[ct])
    }

    fn batched<I: Interp>(&self, cx: &mut I, items: &Items<'_, I::V>) -> Result<I::V> {
        items.bind_all(cx, self.clone())
    }
}

/// Structure moves numbers of any kind; truth values carry no derivative.
pub(crate) fn linear(dtype: DType) -> Rule {
    if dtype == DType::Bool { Rule::Inactive } else { Rule::Linear }
}
