//! The eager tensor: a value in a runtime, with its place in the record and, for tracked leaves, a gradient slot.

use crate::eager::{Eager, Var};
use crate::gradients::{Entry, GradSlot, Gradients, accumulate};
use crate::mode::capturing;
use crate::node::{Kind, Node};
use crate::runtime::EagerRuntime;
use crate::sweep::{self, Wanted, compact};
use std::sync::{Arc, OnceLock, Weak};
use tenferro_runtime::{Meta, compose};
use tenferro_tensor::{Error, Result, Tensor, Variant};

/// A handle: clones share value, place in the record and gradient slot.
pub struct EagerTensor {
    value: Tensor,
    runtime: Arc<EagerRuntime>,
    node: OnceLock<Arc<Node>>,
    slot: Option<Arc<GradSlot>>,
}

impl Clone for EagerTensor {
    fn clone(&self) -> Self {
        self.node.get_or_init(|| Node::leaf(Weak::new(), false));
        EagerTensor {
            value: self.value.clone(),
            runtime: self.runtime.clone(),
            node: self.node.clone(),
            slot: self.slot.clone(),
        }
    }
}

impl EagerTensor {
    /// An untracked leaf.
    pub fn constant(value: Tensor, runtime: Arc<EagerRuntime>) -> EagerTensor {
        EagerTensor { value, runtime, node: OnceLock::new(), slot: None }
    }

    /// A tracked leaf.
    pub fn variable(value: Tensor, runtime: Arc<EagerRuntime>) -> EagerTensor {
        let slot = GradSlot::new(value.clone());
        runtime.register(&slot);
        let node = Node::leaf(Arc::downgrade(&slot), true);
        EagerTensor { value, runtime, node: OnceLock::from(node), slot: Some(slot) }
    }

    /// The result of an op.
    #[inline]
    pub fn from_var(var: Var, runtime: Arc<EagerRuntime>) -> EagerTensor {
        let node = match var.node {
            Some(node) => OnceLock::from(node),
            None => OnceLock::new(),
        };
        EagerTensor { value: var.value, runtime, node, slot: None }
    }

    /// A handle of a leaf that a backward pass reached.
    pub fn from_entry(entry: &Entry, runtime: Arc<EagerRuntime>) -> EagerTensor {
        EagerTensor {
            value: entry.slot.value().clone(),
            runtime,
            node: OnceLock::from(entry.leaf.clone()),
            slot: Some(entry.slot.clone()),
        }
    }

    /// As an operand. While traces are captured, an untracked value becomes a leaf of the record.
    #[inline]
    pub fn var(&self) -> Var {
        let node = match self.node.get() {
            Some(node) => Some(node.clone()),
            None if capturing() => Some(self.leaf_node().clone()),
            None => None,
        };
        Var { value: self.value.clone(), node }
    }

    fn leaf_node(&self) -> &Arc<Node> {
        self.node.get_or_init(|| Node::leaf(Weak::new(), false))
    }

    /// The value.
    pub fn value(&self) -> &Tensor {
        &self.value
    }

    /// The runtime.
    pub fn runtime(&self) -> &Arc<EagerRuntime> {
        &self.runtime
    }

    /// The number of this value's node; clones share it, no other live value has it.
    pub fn key(&self) -> u64 {
        self.leaf_node().seq
    }

    /// The node, if the value has a place in a record.
    pub fn node(&self) -> Option<&Arc<Node>> {
        self.node.get()
    }

    /// Whether gradients are wanted through this value.
    pub fn tracks_grad(&self) -> bool {
        self.node.get().is_some_and(|node| node.tracked)
    }

    /// Whether this is a leaf.
    pub fn is_leaf(&self) -> bool {
        self.node.get().is_none_or(|node| node.is_leaf())
    }

    /// The gradient slot of a tracked leaf.
    pub fn slot(&self) -> Option<&Arc<GradSlot>> {
        self.slot.as_ref()
    }

    /// The same value as an untracked leaf.
    pub fn detach(&self) -> EagerTensor {
        EagerTensor::constant(self.value.clone(), self.runtime.clone())
    }

    /// Handles and views of the value that are not this handle.
    pub fn is_sole_owner(&self) -> bool {
        match &self.slot {
            None => self.value.is_unique(),
            Some(slot) => Arc::strong_count(slot) == 1 && self.value.is_shared_by(2),
        }
    }

    /// Moves the value out.
    pub fn into_tensor(self) -> Tensor {
        self.value
    }

    /// Both tensors must be of one runtime.
    pub fn check_same(&self, other: &EagerTensor, op: &'static str) -> Result<()> {
        same_runtime(&self.runtime, &other.runtime, op)
    }

    /// Runs a backward pass with a seed of one; the tensor must be a scalar.
    pub fn backward(&self) -> Result<Gradients> {
        if self.value.rank() != 0 {
            return Err(non_scalar("backward", self.value.shape()));
        }
        let seed = compose::ones(Meta::of(&self.value))?;
        self.reverse(Var::constant(seed), "backward")
    }

    /// Runs a backward pass with a seed of the tensor's dtype and shape.
    pub fn backward_with(&self, cotangent: &EagerTensor) -> Result<Gradients> {
        self.check_same(cotangent, "backward_with")?;
        check_seed("backward_with", "argument 'cotangent'", &self.value, &cotangent.value)?;
        self.reverse(Var::constant(cotangent.value.clone()), "backward_with")
    }

    fn reverse(&self, seed: Var, op: &'static str) -> Result<Gradients> {
        let Some(node) = self.node.get().filter(|node| node.tracked) else {
            return Err(Error::new(
                Variant::RuntimeState,
                op,
                "the tensor does not depend on a tracked leaf; make one with requires_grad=True \
                 (and compute outside no_grad)",
            ));
        };
        let mut cx = Eager::silent();
        let reached = sweep::reverse(&mut cx, node, seed, &Wanted::Live)?;
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
    if primal.dtype() != seed.dtype() {
        return Err(Error::dtype(op, what, primal.dtype(), seed.dtype()));
    }
    if primal.shape() != seed.shape() {
        return Err(Error::shape(op, what, primal.shape(), seed.shape())
            .with("lhs", primal.shape())
            .with("rhs", seed.shape()));
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
        check_seed(op, "argument 'cotangent'", &self.value, &seed.value)?;
        let mut cx = Eager::current();
        let leaves: Vec<_> = wrt.iter().map(|t| t.node.get().cloned()).collect();
        let parts = sweep::vjp(&mut cx, &self.var(), &leaves, seed.var())?;
        parts.into_iter().map(|p| p.map(|v| self.result(v)).transpose()).collect()
    }

    /// The tangent of this output for tangents of `wrt`.
    pub fn jvp(&self, wrt: &[(&EagerTensor, &EagerTensor)]) -> Result<Option<EagerTensor>> {
        for (leaf, t) in wrt {
            self.check_same(leaf, "jvp")?;
            self.check_same(t, "jvp")?;
            check_seed("jvp", "argument 'tangent'", &leaf.value, &t.value)?;
        }
        let mut cx = Eager::current();
        let pairs: Vec<_> = wrt.iter().map(|(leaf, t)| (leaf.node.get().cloned(), t.var())).collect();
        sweep::jvp(&mut cx, &self.var(), &pairs)?.map(|v| self.result(v)).transpose()
    }

    /// Gradients of a scalar output.
    pub fn grad(&self, wrt: &[&EagerTensor]) -> Result<Vec<Option<EagerTensor>>> {
        if self.value.rank() != 0 {
            return Err(non_scalar("grad", self.value.shape()));
        }
        let seed = EagerTensor::constant(compose::ones(Meta::of(&self.value))?, self.runtime.clone());
        self.vjp(wrt, &seed, "grad")
    }

    fn result(&self, var: Var) -> Result<EagerTensor> {
        Ok(EagerTensor::from_var(compact(var)?, self.runtime.clone()))
    }
}
