//! The eager interpreter: computes at once, and records if an input is tracked.

use crate::mode::modes;
use crate::node::{Input, Kind, Node, Recorded, Saved};
use smallvec::SmallVec;
use std::sync::Arc;
use tenferro_runtime::{Interp, Meta, Op, PackedMeta, Primitive, Rule, Saves};
use tenferro_tensor::{Error, Result, Tensor, Variant};

/// A value and its place in the record, if it has one.
#[derive(Clone)]
pub struct Var {
    /// The value.
    pub value: Tensor,
    /// Where it came from.
    pub node: Option<Arc<Node>>,
}

impl Var {
    /// A value nothing depends on.
    pub fn constant(value: Tensor) -> Var {
        Var { value, node: None }
    }

    /// Whether it is an item that stands for a batch, or depends on one.
    pub fn is_example(&self) -> bool {
        self.node.as_ref().is_some_and(|n| n.example)
    }

    /// The value, if it is one: not an item that stands for a batch.
    pub fn concrete(&self, op: &'static str) -> Result<&Tensor> {
        if !self.is_example() {
            return Ok(&self.value);
        }
        let message = "inside vmap the value is another one for every item, so it cannot be read; use tf.where for \
                       choices that depend on it, and positions and shapes that do not";
        Err(Error::new(Variant::RuntimeState, op, message))
    }

    /// Whether gradients are wanted through it.
    pub fn tracked(&self) -> bool {
        self.node.as_ref().is_some_and(|n| n.tracked)
    }
}

/// Computes ops at once; records them as the thread's modes say.
#[derive(Clone, Copy, Debug)]
pub struct Eager {
    record: bool,
    capture: bool,
}

impl Eager {
    /// As the modes of this thread say now.
    pub fn current() -> Eager {
        let (no_grad, capture) = modes();
        Eager { record: !no_grad, capture }
    }

    /// Records nothing.
    pub fn silent() -> Eager {
        Eager { record: false, capture: false }
    }

    /// Whether anything is recorded.
    #[inline]
    pub fn records(&self) -> bool {
        self.record
    }

    /// Whether untracked values are recorded too.
    #[inline]
    pub fn captures(&self) -> bool {
        self.capture
    }

    /// Keeps everything, also of inputs without derivative, so that the op can be repeated for the whole batch.
    #[cold]
    fn example(&self, op: Op, ins: &[&Var], value: &Tensor) -> Arc<Node> {
        let active = |(i, var): (usize, &&Var)| var.tracked() && op.rule(i, var.value.dtype()) != Rule::Inactive;
        let tracked = self.record && ins.iter().enumerate().any(active);
        let keep = |var: &&Var| Input { edge: var.node.clone(), saved: Saved::Value(var.value.clone()) };
        let recorded = Recorded { op, ins: ins.iter().map(keep).collect(), out: Some(value.clone()) };
        Node::of_items(Kind::Op(recorded), tracked, !self.record)
    }

    #[inline(never)]
    fn node(&self, op: Op, ins: &[&Var], value: &Tensor) -> Option<Arc<Node>> {
        if ins.iter().any(|var| var.is_example()) {
            return Some(self.example(op, ins, value));
        }
        if !self.record {
            return None;
        }
        let mut saves = Saves::NONE;
        let (mut any, mut tracked) = (false, false);
        let active = |i: usize, v: &Var| match v.node {
            Some(_) => op.rule(i, v.value.dtype()),
            None => Rule::Inactive,
        };
        // Bit `i`: a derivative flows to input `i`; inputs beyond the bits are asked again.
        let mut flows = 0u64;
        for (i, var) in ins.iter().enumerate() {
            let rule = active(i, var);
            if rule != Rule::Inactive {
                any = true;
                flows |= 1u64.checked_shl(i as u32).unwrap_or(0);
                tracked |= var.tracked();
            }
            if matches!(rule, Rule::Linear | Rule::Tangent) {
                saves = saves.and(op.saves(i));
            }
        }
        if !any || !(tracked || self.capture) {
            return None;
        }
        let mut inputs = SmallVec::with_capacity(ins.len());
        for (i, var) in ins.iter().enumerate() {
            inputs.push(Input {
                edge: if i < 64 && flows >> i & 1 != 0 || i >= 64 && active(i, var) != Rule::Inactive {
                    var.node.clone()
                } else {
                    None
                },
                saved: if saves.has(i) {
                    Saved::Value(var.value.clone())
                } else {
                    Saved::Meta(PackedMeta::new(Meta::of(&var.value)))
                },
            });
        }
        Some(Node::op(op, inputs, saves.has_out().then(|| value.clone()), tracked))
    }
}

#[inline(always)]
fn evaluate<const N: usize>(op: &Op, ins: [&Tensor; N]) -> Result<Tensor> {
    op.check(&ins.map(Meta::of))?;
    op.eval(&ins)
}

impl Interp for Eager {
    type V = Var;

    #[inline]
    fn bind(&mut self, op: Op, ins: &[&Var]) -> Result<Var> {
        let value = match ins {
            [x] => evaluate(&op, [&x.value])?,
            [x, y] => evaluate(&op, [&x.value, &y.value])?,
            [x, y, z] => evaluate(&op, [&x.value, &y.value, &z.value])?,
            _ => {
                let metas: Vec<Meta<'_>> = ins.iter().map(|v| Meta::of(&v.value)).collect();
                op.meta(&metas)?;
                op.eval(&ins.iter().map(|v| &v.value).collect::<Vec<_>>())?
            }
        };
        let node = match ins.iter().any(|v| v.node.is_some()) {
            true => self.node(op, ins, &value),
            false => None,
        };
        Ok(Var { value, node })
    }

    fn meta<'a>(&'a self, value: &'a Var) -> Meta<'a> {
        Meta::of(&value.value)
    }

    fn constant(&mut self, tensor: Tensor) -> Var {
        Var::constant(tensor)
    }
}
