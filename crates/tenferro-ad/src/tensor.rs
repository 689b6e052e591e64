//! The eager tensor: a value in a runtime, with its place in the record and, for tracked leaves, a gradient slot.

use crate::eager::{Eager, Var};
use crate::gradients::{Entry, GradSlot, Gradients, accumulate};
use crate::node::{Kind, Node};
use crate::runtime::EagerRuntime;
use crate::sweep::{self, Wanted, compact};
use std::sync::{Arc, OnceLock, Weak};
use tenferro_runtime::{Interp, Meta, compose};
use tenferro_tensor::{Error, Result, Tensor, Variant};

/// A handle: clones share value, place in the record and gradient slot.
pub struct EagerTensor {
    var: Var,
    runtime: Arc<EagerRuntime>,
    slot: Option<Arc<GradSlot>>,
    /// The value as an untracked leaf of a record, made when something first needs that identity.
    leaf: OnceLock<Box<Var>>,
}

impl Clone for EagerTensor {
    fn clone(&self) -> Self {
        self.node();
        EagerTensor {
            var: self.var.clone(),
            runtime: self.runtime.clone(),
            slot: self.slot.clone(),
            leaf: self.leaf.clone(),
        }
    }
}

impl EagerTensor {
    /// An untracked leaf.
    pub fn constant(value: Tensor, runtime: Arc<EagerRuntime>) -> EagerTensor {
        EagerTensor::from_var(Var::constant(value), runtime)
    }

    /// A tracked leaf.
    pub fn variable(value: Tensor, runtime: Arc<EagerRuntime>) -> EagerTensor {
        let slot = GradSlot::new(value.clone());
        runtime.register(&slot);
        let node = Node::leaf(Arc::downgrade(&slot), true);
        EagerTensor { var: Var { value, node: Some(node) }, runtime, slot: Some(slot), leaf: OnceLock::new() }
    }

    /// The result of an op.
    #[inline]
    pub fn from_var(var: Var, runtime: Arc<EagerRuntime>) -> EagerTensor {
        EagerTensor { var, runtime, slot: None, leaf: OnceLock::new() }
    }

    /// A handle of a leaf that a backward pass reached.
    pub fn from_entry(entry: &Entry, runtime: Arc<EagerRuntime>) -> EagerTensor {
        EagerTensor {
            var: Var { value: entry.slot.value().clone(), node: Some(entry.leaf.clone()) },
            runtime,
            slot: Some(entry.slot.clone()),
            leaf: OnceLock::new(),
        }
    }

    /// As an operand of `cx`. While traces are captured, an untracked value becomes a leaf of the record.
    #[inline]
    pub fn operand(&self, cx: &Eager) -> &Var {
        if self.var.node.is_some() || !cx.captures() { &self.var } else { self.as_leaf_var() }
    }

    /// As an operand under the modes of this thread.
    pub fn var(&self) -> Var {
        self.operand(&Eager::current()).clone()
    }

    fn as_leaf_var(&self) -> &Var {
        self.leaf.get_or_init(|| {
            let node = Node::leaf(Weak::new(), false);
            Box::new(Var { value: self.var.value.clone(), node: Some(node) })
        })
    }

    /// The value.
    pub fn value(&self) -> &Tensor {
        &self.var.value
    }

    /// The value, to be read; an error if it is an item that stands for a batch.
    pub fn concrete(&self, op: &'static str) -> Result<&Tensor> {
        self.var.concrete(op)
    }

    /// Whether the value is an item that stands for a batch, or depends on one.
    pub fn is_example(&self) -> bool {
        self.var.is_example()
    }

    /// The runtime.
    pub fn runtime(&self) -> &Arc<EagerRuntime> {
        &self.runtime
    }

    /// The number of this value's node; clones share it, no other live value has it.
    pub fn key(&self) -> u64 {
        self.node().map_or(0, |node| node.seq)
    }

    /// The value's node; an untracked value without one becomes a leaf.
    fn node(&self) -> Option<&Arc<Node>> {
        self.var.node.as_ref().or_else(|| self.as_leaf_var().node.as_ref())
    }

    /// Whether gradients are wanted through this value.
    #[inline]
    pub fn tracks_grad(&self) -> bool {
        self.var.tracked()
    }

    /// Whether this is a leaf.
    pub fn is_leaf(&self) -> bool {
        self.var.node.as_ref().is_none_or(|node| node.is_leaf())
    }

    /// The gradient slot of a tracked leaf.
    pub fn slot(&self) -> Option<&Arc<GradSlot>> {
        self.slot.as_ref()
    }

    /// The same value as an untracked leaf.
    pub fn detach(&self) -> EagerTensor {
        if self.is_example()
            && let Ok(var) = Eager::silent().bind(tenferro_runtime::Stop.into(), &[&self.var])
        {
            return EagerTensor::from_var(var, self.runtime.clone());
        }
        EagerTensor::constant(self.var.value.clone(), self.runtime.clone())
    }

    /// How often this handle itself refers to the value.
    fn own_references(&self) -> usize {
        1 + usize::from(self.leaf.get().is_some()) + usize::from(self.slot.is_some())
    }

    /// Whether no other handle, view or record holds the value.
    pub fn is_sole_owner(&self) -> bool {
        let unshared = self.slot.as_ref().is_none_or(|slot| Arc::strong_count(slot) == 1);
        unshared && self.var.value.is_shared_by(self.own_references())
    }

    /// From now on this handle does not count as an owner of the value; to be taken back when it is dropped.
    pub fn retire(&self) {
        self.var.value.retire(self.own_references() as isize);
    }

    /// Takes `retire` back.
    pub fn unretire(&self) {
        self.var.value.retire(-(self.own_references() as isize));
    }

    /// Both tensors must be of one runtime.
    pub fn check_same(&self, other: &EagerTensor, op: &'static str) -> Result<()> {
        same_runtime(&self.runtime, &other.runtime, op)
    }

    /// Runs a backward pass with a seed of one; the tensor must be a scalar.
    pub fn backward(&self) -> Result<Gradients> {
        if self.var.value.rank() != 0 {
            return Err(non_scalar("backward", self.var.value.shape()));
        }
        let seed = compose::ones(Meta::of(&self.var.value))?;
        self.reverse(Var::constant(seed), "backward")
    }

    /// Runs a backward pass with a seed of the tensor's dtype and shape.
    pub fn backward_with(&self, cotangent: &EagerTensor) -> Result<Gradients> {
        self.check_same(cotangent, "backward_with")?;
        check_seed("backward_with", "argument 'cotangent'", &self.var.value, &cotangent.var.value)?;
        self.reverse(Var::constant(cotangent.var.value.clone()), "backward_with")
    }

    fn reverse(&self, seed: Var, op: &'static str) -> Result<Gradients> {
        let Some(node) = self.var.node.as_ref().filter(|node| node.tracked) else {
            return Err(Error::new(
                Variant::RuntimeState,
                op,
                "the tensor does not depend on a tracked leaf; make one with requires_grad=True \
                 (and compute outside no_grad)",
            ));
        };
        self.concrete(op)?;
        seed.concrete(op)?;
        let mut cx = Eager::silent();
        let reached = sweep::reverse(&mut cx, [(node.clone(), seed)], &Wanted::Live)?;
        let mut entries = Vec::with_capacity(reached.len());
        for (leaf, ct) in reached.into_iter().rev() {
            let Kind::Leaf(slot) = &leaf.kind else { continue };
            if let Some(slot) = slot.upgrade() {
                entries.push(Entry { slot, grad: compact(ct)?.value, leaf });
            }
        }
        if entries.is_empty() && sweep::has_live_leaf(node) {
            return Err(Error::argument(op, "wrt", "no tracked leaf has a differentiable path to this tensor"));
        }
        accumulate(&entries)?;
        Ok(Gradients::new(entries))
    }
}

/// The error for a gradient of something that is not a scalar.
pub fn non_scalar(op: &'static str, shape: &[usize]) -> Error {
    let message = format!(
        "expected a scalar (rank 0), got shape {}; reduce it first, or give a cotangent",
        tenferro_tensor::show_shape(shape)
    );
    Error::new(Variant::NonScalarGrad, op, message).with("shape", shape)
}

/// Tensors of two runtimes do not mix.
pub fn same_runtime(lhs: &Arc<EagerRuntime>, rhs: &Arc<EagerRuntime>, op: &'static str) -> Result<()> {
    if Arc::ptr_eq(lhs, rhs) {
        return Ok(());
    }
    let message = format!(
        "expected tensors of one runtime, got ctx {} and ctx {}; move one with detach_into(runtime)",
        lhs.id(),
        rhs.id()
    );
    Err(Error::new(Variant::ContextMismatch, op, message).with("lhs", lhs.id() as i64).with("rhs", rhs.id() as i64))
}

/// A seed must have the primal's dtype and shape.
pub fn check_seed(op: &'static str, what: &str, primal: &Tensor, seed: &Tensor) -> Result<()> {
    check_seed_meta(op, what, Meta::of(primal), Meta::of(seed))
}

pub(crate) fn check_seed_meta(op: &str, what: &str, primal: Meta<'_>, seed: Meta<'_>) -> Result<()> {
    if primal.dtype != seed.dtype {
        return Err(Error::dtype(op.to_owned(), what, primal.dtype, seed.dtype));
    }
    if primal.shape != seed.shape {
        return Err(Error::shape(op.to_owned(), what, primal.shape, seed.shape)
            .with("lhs", primal.shape)
            .with("rhs", seed.shape));
    }
    Ok(())
}

/// grad, vjp and jvp of a recorded value: results are recorded themselves and touch no slot.
impl EagerTensor {
    /// Cotangents of `wrt` for `seed` at this output.
    pub fn vjp(&self, wrt: &[&EagerTensor], seed: &EagerTensor, op: &'static str) -> Result<Vec<Option<EagerTensor>>> {
        for leaf in wrt {
            self.check_same(leaf, op)?;
        }
        self.check_same(seed, op)?;
        check_seed(op, "argument 'cotangent'", &self.var.value, &seed.var.value)?;
        let mut cx = Eager::current();
        let leaves: Vec<_> = wrt.iter().map(|t| t.any_node()).collect();
        let parts = sweep::vjp(&mut cx, &self.output(), &leaves, seed.var())?;
        parts.into_iter().map(|p| p.map(|v| self.result(v)).transpose()).collect()
    }

    /// The tangent of this output for tangents of `wrt`.
    pub fn jvp(&self, wrt: &[(&EagerTensor, &EagerTensor)]) -> Result<Option<EagerTensor>> {
        for (leaf, t) in wrt {
            self.check_same(leaf, "jvp")?;
            self.check_same(t, "jvp")?;
            check_seed("jvp", "argument 'tangent'", &leaf.var.value, &t.var.value)?;
        }
        let mut cx = Eager::current();
        let pairs: Vec<_> = wrt.iter().map(|(leaf, t)| (leaf.any_node(), t.var())).collect();
        sweep::jvp(&mut cx, &self.output(), &pairs)?.map(|v| self.result(v)).transpose()
    }

    /// Gradients of a scalar output.
    pub fn grad(&self, wrt: &[&EagerTensor]) -> Result<Vec<Option<EagerTensor>>> {
        if self.var.value.rank() != 0 {
            return Err(non_scalar("grad", self.var.value.shape()));
        }
        let seed = EagerTensor::constant(compose::ones(Meta::of(&self.var.value))?, self.runtime.clone());
        self.vjp(wrt, &seed, "grad")
    }

    pub(crate) fn any_node(&self) -> Option<Arc<Node>> {
        self.var.node.clone().or_else(|| self.leaf.get().and_then(|leaf| leaf.node.clone()))
    }

    /// As an output whose record is to be swept: also an untracked value that was captured.
    fn output(&self) -> Var {
        Var { value: self.var.value.clone(), node: self.any_node() }
    }

    fn result(&self, var: Var) -> Result<EagerTensor> {
        Ok(EagerTensor::from_var(compact(var)?, self.runtime.clone()))
    }
}
