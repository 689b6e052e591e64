//! What a recorded op keeps.

use crate::custom::Call;
use crate::gradients::GradSlot;
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use tenferro_runtime::{Op, PackedMeta};
use tenferro_tensor::Tensor;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A value's place in the record: a leaf, or an op with its inputs and what its rules will read.
///
/// Inputs always have smaller numbers than the node, so sweeps go by number and never recurse.
pub struct Node {
    pub(crate) seq: u64,
    pub(crate) tracked: bool,
    /// Whether the value is an example that stands for many: an item of a batch.
    pub(crate) example: bool,
    /// Whether an example was recorded while nothing else is: it is a constant, of every item its own.
    pub(crate) quiet: bool,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    Leaf(Weak<GradSlot>),
    Op(Recorded),
    /// Where the record of a functional transform begins: a leaf inside it, from outside the value of an older node.
    Gate(Arc<Node>),
    /// A function with derivative rules of its own; it has no value, its results are parts.
    Call(Box<Call>),
    /// One result of a call.
    Part(Arc<Node>, usize),
}

pub(crate) struct Recorded {
    pub op: Op,
    pub ins: SmallVec<[Input; 2]>,
    pub out: Option<Tensor>,
}

pub(crate) struct Input {
    /// The input's node, if a derivative flows there.
    pub edge: Option<Arc<Node>>,
    pub saved: Saved,
}

pub(crate) enum Saved {
    Value(Tensor),
    Meta(PackedMeta),
}

impl Node {
    pub(crate) fn new(kind: Kind, tracked: bool) -> Arc<Node> {
        let mut node = Node { seq: NEXT.fetch_add(1, Relaxed), tracked, example: false, quiet: false, kind };
        let mut example = false;
        node.each_edge(|edge| example |= edge.example);
        node.example = example;
        Arc::new(node)
    }

    /// What depends on an item of a batch; `quiet` where nothing else would be recorded.
    pub(crate) fn of_items(kind: Kind, tracked: bool, quiet: bool) -> Arc<Node> {
        Arc::new(Node { seq: NEXT.fetch_add(1, Relaxed), tracked, example: true, quiet, kind })
    }

    /// A leaf whose value is an item of a batch.
    pub(crate) fn item() -> Arc<Node> {
        Node::of_items(Kind::Leaf(Weak::new()), false, false)
    }

    /// Whether the value is an item that stands for a batch, or depends on one.
    pub fn is_example(&self) -> bool {
        self.example
    }

    pub(crate) fn leaf(slot: Weak<GradSlot>, tracked: bool) -> Arc<Node> {
        Node::new(Kind::Leaf(slot), tracked)
    }

    pub(crate) fn op(op: Op, ins: SmallVec<[Input; 2]>, out: Option<Tensor>, tracked: bool) -> Arc<Node> {
        Node::new(Kind::Op(Recorded { op, ins, out }), tracked)
    }

    /// No node that is made from now on has a smaller number.
    pub fn mark() -> u64 {
        NEXT.load(Relaxed)
    }

    /// The number that orders nodes and identifies leaves.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Whether gradients are wanted through this node.
    pub fn tracked(&self) -> bool {
        self.tracked
    }

    /// Whether this is a leaf, at least of a transform's record.
    pub fn is_leaf(&self) -> bool {
        matches!(self.kind, Kind::Leaf(_) | Kind::Gate(_))
    }

    pub(crate) fn each_edge<'a>(&'a self, mut visit: impl FnMut(&'a Arc<Node>)) {
        match &self.kind {
            Kind::Leaf(_) => {}
            Kind::Op(recorded) => recorded.ins.iter().filter_map(|input| input.edge.as_ref()).for_each(visit),
            Kind::Gate(outer) => visit(outer),
            Kind::Call(call) => call.ins.iter().filter_map(|input| input.edge.as_ref()).for_each(visit),
            Kind::Part(call, _) => visit(call),
        }
    }
}

thread_local! {
    /// Inputs of nodes that are being dropped: a worklist, so that a long chain never recurses.
    static DROPPING: RefCell<Option<Vec<Arc<Node>>>> = const { RefCell::new(None) };
}

impl Drop for Node {
    fn drop(&mut self) {
        let mut last: SmallVec<[Arc<Node>; 2]> = match &mut self.kind {
            Kind::Leaf(_) => return,
            Kind::Op(recorded) => {
                recorded.ins.iter_mut().filter_map(|i| i.edge.take()).filter(|e| Arc::strong_count(e) == 1).collect()
            }
            Kind::Call(call) => call.ins.iter_mut().filter_map(|input| input.edge.take()).collect(),
            Kind::Gate(_) | Kind::Part(..) => match std::mem::replace(&mut self.kind, Kind::Leaf(Weak::new())) {
                Kind::Gate(edge) | Kind::Part(edge, _) => smallvec![edge],
                _ => return,
            },
        };
        let Some(first) = last.pop() else { return };
        // `try_with` fails only while the thread ends; what is left then is dropped by recursion.
        let _ = DROPPING.try_with(move |cell| {
            let outermost = {
                let mut list = cell.borrow_mut();
                let outermost = list.is_none();
                let list = list.get_or_insert_with(Vec::new);
                list.push(first);
                list.extend(last);
                outermost
            };
            if outermost {
                loop {
                    let next = cell.borrow_mut().as_mut().and_then(Vec::pop);
                    match next {
                        Some(node) => drop(node),
                        None => break,
                    }
                }
                *cell.borrow_mut() = None;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_node_is_small() {
        assert!(size_of::<super::Op>() <= 64, "{}", size_of::<super::Op>());
        assert!(size_of::<super::Node>() <= 208, "{}", size_of::<super::Node>());
    }
}
