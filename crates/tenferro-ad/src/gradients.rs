//! Where gradients of leaves are kept, and the map that one backward pass returns.

use std::sync::Arc;
use tenferro_runtime::compose::Build;
use tenferro_tensor::fork::ForkSafe;
use tenferro_tensor::{Result, Tensor};

use crate::eager::{Eager, Var};

/// The accumulated gradient of a leaf, shared by all its handles.
pub struct GradSlot {
    value: Tensor,
    grad: ForkSafe<Option<Tensor>>,
}

impl GradSlot {
    pub(crate) fn new(value: Tensor) -> Arc<GradSlot> {
        Arc::new(GradSlot { value, grad: ForkSafe::new(None) })
    }

    /// The leaf's value.
    pub fn value(&self) -> &Tensor {
        &self.value
    }

    /// A snapshot of the gradient.
    pub fn get(&self) -> Option<Tensor> {
        self.grad.with(|grad| grad.clone())
    }

    /// Forgets the gradient.
    pub fn clear(&self) {
        drop(self.grad.with(Option::take));
    }

    /// Whether the slot still holds `seen`, which then gives way to `new`.
    fn replace(&self, seen: Option<&Tensor>, new: &Tensor) -> bool {
        let (same, _old) = self.grad.with(|slot| {
            let same = slot.as_ref().map(Tensor::address) == seen.map(Tensor::address);
            (same, if same { slot.replace(new.clone()) } else { None })
        });
        same
    }
}

fn sum(old: Option<&Tensor>, part: &Tensor) -> Result<Tensor> {
    match old {
        None => Ok(part.clone()),
        Some(old) => {
            let mut cx = Eager::silent();
            let total = cx.add(&Var::constant(old.clone()), &Var::constant(part.clone()))?;
            Ok(total.value)
        }
    }
}

/// Adds one pass's gradients to the slots of its leaves: all sums are computed before the first slot changes, no lock is
/// held while computing, and a slot that another thread changed meanwhile is summed again.
pub(crate) fn accumulate(parts: &[Entry]) -> Result<()> {
    let mut sums = Vec::with_capacity(parts.len());
    for entry in parts {
        let seen = entry.slot.get();
        let total = sum(seen.as_ref(), &entry.grad)?;
        sums.push((seen, total));
    }
    for (entry, (mut seen, mut total)) in parts.iter().zip(sums) {
        while !entry.slot.replace(seen.as_ref(), &total) {
            seen = entry.slot.get();
            total = sum(seen.as_ref(), &entry.grad)?;
        }
    }
    Ok(())
}

/// One leaf's gradient in one pass.
#[derive(Clone)]
pub struct Entry {
    /// The leaf's number.
    pub leaf: Arc<crate::Node>,
    /// The leaf's slot.
    pub slot: Arc<GradSlot>,
    /// This pass's gradient.
    pub grad: Tensor,
}

/// The gradients of one backward pass, by leaf.
#[derive(Clone, Default)]
pub struct Gradients {
    entries: Vec<Entry>,
}

impl Gradients {
    pub(crate) fn new(entries: Vec<Entry>) -> Gradients {
        Gradients { entries }
    }

    /// Number of leaves reached.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no leaf was reached.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The gradient of the leaf with this number.
    pub fn get(&self, leaf: u64) -> Option<&Tensor> {
        self.entries.iter().find(|e| e.leaf.seq() == leaf).map(|e| &e.grad)
    }

    /// Removes and returns the gradient of a leaf.
    pub fn take(&mut self, leaf: u64) -> Option<Tensor> {
        let at = self.entries.iter().position(|e| e.leaf.seq() == leaf)?;
        Some(self.entries.remove(at).grad)
    }

    /// All entries, oldest leaf first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}
