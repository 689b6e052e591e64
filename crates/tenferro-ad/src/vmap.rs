//! Functions mapped over a batch: run once, on one item, and what was recorded is repeated on all items at once.
//!
//! The items that stand for a batch are leaves of their own, and whatever depends on one is marked and keeps its inputs.
//! Nobody can read a marked value, so the function cannot take another way for another item.

use crate::eager::{Eager, Var};
use crate::node::{Kind, Node, Saved};
use crate::runtime::EagerRuntime;
use crate::tensor::EagerTensor;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tenferro_runtime::batch::Items;
use tenferro_runtime::compose::{Build, zeros};
use tenferro_runtime::cpu::interrupt;
use tenferro_runtime::{Interp, OutMeta, Primitive};
use tenferro_tensor::{Error, Result};

/// A batch, with its axis last, and the item that stands for it.
pub struct Mapped {
    batch: Var,
    item: EagerTensor,
}

impl Mapped {
    /// A batch along `axis` of a tensor.
    pub fn new(tensor: &EagerTensor, axis: usize) -> Result<Mapped> {
        let mut cx = Eager::current();
        let rank = tensor.value().rank();
        let perm: Vec<usize> = (0..rank).filter(|&a| a != axis).chain([axis]).collect();
        let batch = cx.transpose(&tensor.var(), &perm)?;
        let mut meta = cx.meta(&batch).owned();
        let size = meta.shape.pop().unwrap_or(0);
        // An item of an empty batch does not exist; zeros have its dtype and shape.
        let value = match size {
            0 => zeros(meta.as_meta())?,
            _ => {
                let first = cx.slice_axis(&Var::constant(batch.value.clone()), rank - 1, 0, 1)?;
                cx.reshape(&first, &meta.shape)?.value
            }
        };
        let item = Var { value, node: Some(Node::item()) };
        Ok(Mapped { batch, item: EagerTensor::from_var(item, tensor.runtime().clone()) })
    }

    /// What the function is called with.
    pub fn item(&self) -> &EagerTensor {
        &self.item
    }

    /// Number of items.
    pub fn size(&self) -> usize {
        self.batch.value.shape().last().copied().unwrap_or(0)
    }
}

/// The nodes below `outs` that depend on examples, by number.
fn marked(outs: &[&EagerTensor]) -> BTreeMap<u64, Arc<Node>> {
    let mut found = BTreeMap::new();
    let mut stack: Vec<Arc<Node>> = outs.iter().filter_map(|out| out.var().node).collect();
    while let Some(node) = stack.pop() {
        if node.is_example() && !found.contains_key(&node.seq) {
            node.each_edge(|edge| stack.push(edge.clone()));
            found.insert(node.seq, node);
        }
    }
    found
}

/// The results of a whole batch, with its axis at `axes`, for results `outs` of its items.
pub fn repeat(
    mapped: &[Mapped],
    size: usize,
    outs: &[&EagerTensor],
    axes: &[i64],
    runtime: &Arc<EagerRuntime>,
) -> Result<Vec<EagerTensor>> {
    let current = Eager::current();
    let mut batches: HashMap<u64, Var> = HashMap::new();
    let mut calls: HashMap<u64, Vec<Var>> = HashMap::new();
    for one in mapped {
        if let Some(node) = one.item.var().node {
            batches.insert(node.seq, one.batch.clone());
        }
    }
    for (seq, node) in marked(outs) {
        interrupt::poll("vmap")?;
        // What was recorded as a constant is one for the batch, too.
        let mut cx = if node.quiet { Eager::silent() } else { current };
        let batch = match &node.kind {
            Kind::Leaf(_) => continue,
            Kind::Gate(outer) => batches.get(&outer.seq).cloned(),
            Kind::Op(recorded) => {
                let found: Vec<Option<Var>> = recorded
                    .ins
                    .iter()
                    .map(|input| input.edge.as_ref().and_then(|edge| batches.get(&edge.seq).cloned()))
                    .collect();
                let batched: Vec<bool> = found.iter().map(Option::is_some).collect();
                if batched.contains(&true) {
                    let mut values = Vec::with_capacity(found.len());
                    for (batch, input) in found.into_iter().zip(&recorded.ins) {
                        values.push(match (batch, &input.saved) {
                            (Some(batch), _) => batch,
                            (None, Saved::Value(value)) => Var { value: value.clone(), node: input.edge.clone() },
                            (None, Saved::Meta(_)) => return Err(Error::internal("vmap", "an input was not kept")),
                        });
                    }
                    let items = Items { values: &values, batched: &batched, size };
                    Some(recorded.op.batched(&mut cx, &items).map_err(|e| e.in_op(recorded.op.name()))?)
                } else {
                    None
                }
            }
            Kind::Call(call) => {
                let batch = |edge: &Arc<Node>| batches.get(&edge.seq).cloned();
                let found: Vec<_> = call.ins.iter().map(|input| input.edge.as_ref().and_then(batch)).collect();
                if found.iter().any(Option::is_some) {
                    calls.insert(seq, call.batched(&cx, &found, size)?);
                }
                None
            }
            Kind::Part(call, k) => calls.get(&call.seq).and_then(|parts| parts.get(*k).cloned()),
        };
        if let Some(batch) = batch {
            batches.insert(seq, batch);
        }
    }
    let mut cx = current;
    let mut results = Vec::with_capacity(outs.len());
    for (out, &axis) in outs.iter().zip(axes) {
        let var = out.var();
        let found = var.node.as_ref().and_then(|node| batches.get(&node.seq).cloned());
        let rank = var.value.rank();
        let place = if axis < 0 { axis + rank as i64 + 1 } else { axis };
        if !(0..=rank as i64).contains(&place) {
            return Err(Error::axis("vmap", axis, rank + 1));
        }
        let batch = match found {
            Some(batch) => batch,
            None => {
                let OutMeta { mut shape, .. } = cx.meta(&var).owned();
                let dims: Vec<usize> = (0..rank).collect();
                shape.push(size);
                cx.broadcast_in_dim(&var, &shape, &dims)?
            }
        };
        let mut perm: Vec<usize> = (0..rank).collect();
        perm.insert(place as usize, rank);
        results.push(EagerTensor::from_var(cx.transpose(&batch, &perm)?, runtime.clone()));
    }
    Ok(results)
}
