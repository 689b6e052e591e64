//! Ops on a whole batch at once. A batched value has one more axis than its items, the last one; in column-major order
//! that is the natural place, because an item is contiguous and reshaping works as it stands.
//!
//! Every op says how it is batched, by one of the rules here or by its own parameters with the axis added.

use crate::compose::Build;
use crate::ops::Concatenate;
use crate::{Interp, Meta, Op, OutMeta, Primitive};
use tenferro_tensor::{Dims, Result};

/// The inputs of an op: which of them are batched, and the number of items.
pub struct Items<'a, V> {
    /// The values; batched ones have the axis of the batch last.
    pub values: &'a [V],
    /// Which are batched; one of them is.
    pub batched: &'a [bool],
    /// Number of items.
    pub size: usize,
}

impl<V: Clone> Items<'_, V> {
    /// Dtype and shape of one item of input `i`.
    pub fn item<I: Interp<V = V>>(&self, cx: &I, i: usize) -> OutMeta {
        let mut meta = cx.meta(&self.values[i]).owned();
        if self.batched[i] {
            meta.shape.pop();
        }
        meta
    }

    /// Input `i`, repeated along the batch if it is not batched.
    pub fn all<I: Interp<V = V>>(&self, cx: &mut I, i: usize) -> Result<V> {
        let value = &self.values[i];
        if self.batched[i] {
            return Ok(value.clone());
        }
        let mut shape = Dims::from_slice(cx.meta(value).shape);
        let dims: Dims = (0..shape.len()).collect();
        shape.push(self.size);
        cx.broadcast_in_dim(value, &shape, &dims)
    }

    /// The op on inputs that all have the axis of the batch.
    pub fn bind_all<I: Interp<V = V>>(&self, cx: &mut I, op: impl Into<Op>) -> Result<V> {
        let all = (0..self.values.len()).map(|i| self.all(cx, i)).collect::<Result<Vec<_>>>()?;
        cx.bind(op.into(), &all.iter().collect::<Vec<_>>())
    }

    /// An elementwise op: ranks are made equal, so that the axis of the batch is the last one of all.
    pub fn elementwise<I: Interp<V = V>>(&self, cx: &mut I, op: impl Into<Op>) -> Result<V> {
        let rank = (0..self.values.len()).map(|i| self.item(cx, i).shape.len()).max().unwrap_or(0);
        let mut aligned = Vec::with_capacity(self.values.len());
        for (i, value) in self.values.iter().enumerate() {
            let item = self.item(cx, i);
            let mut shape = Dims::from_elem(1, rank - item.shape.len());
            shape.extend_from_slice(&item.shape);
            shape.push(if self.batched[i] { self.size } else { 1 });
            aligned.push(cx.reshape(value, &shape)?);
        }
        cx.bind(op.into(), &aligned.iter().collect::<Vec<_>>())
    }

    /// Item after item: for the few ops and arguments that have no rule of their own.
    pub fn one_by_one<I: Interp<V = V>>(&self, cx: &mut I, op: impl Into<Op>) -> Result<V> {
        let op = op.into();
        let metas: Vec<OutMeta> = (0..self.values.len()).map(|i| self.item(cx, i)).collect();
        let mut shape = op.meta(&metas.iter().map(OutMeta::as_meta).collect::<Vec<Meta<'_>>>())?;
        let mut results = Vec::with_capacity(self.size);
        for at in 0..self.size {
            let mut items = Vec::with_capacity(self.values.len());
            for (i, value) in self.values.iter().enumerate() {
                items.push(if self.batched[i] {
                    let axis = metas[i].shape.len();
                    let item = cx.slice_axis(value, axis, at, at + 1)?;
                    cx.reshape(&item, &metas[i].shape)?
                } else {
                    value.clone()
                });
            }
            let result = cx.bind(op.clone(), &items.iter().collect::<Vec<_>>())?;
            let mut wide = shape.shape.clone();
            wide.push(1);
            results.push(cx.reshape(&result, &wide)?);
        }
        let axis = shape.shape.len();
        shape.shape.push(self.size);
        match results.is_empty() {
            true => cx.zeros(shape.as_meta()),
            false => cx.bind(Concatenate(axis).into(), &results.iter().collect::<Vec<_>>()),
        }
    }
}
