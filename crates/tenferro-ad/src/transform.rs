//! What functional transforms are made of: records of their own, and sweeps over several outputs at once.

use crate::eager::{Eager, Var};
use crate::mode::no_grad_active;
use crate::node::{Kind, Node};
use crate::sweep::{Paths, compact, pull_all, push_all};
use crate::tensor::{EagerTensor, check_seed, same_runtime};
use std::collections::HashSet;
use std::sync::{Arc, Weak};
use tenferro_tensor::Result;

/// The same value as a tracked leaf of a transform's record. Seen from outside the record, it is still the outer value, so
/// derivatives flow on to what that depends on.
pub fn inner(outer: &EagerTensor) -> EagerTensor {
    let var = outer.var();
    let node = match var.node {
        Some(node)
            if node.is_example() || Eager::current().records() && (node.tracked || Eager::current().captures()) =>
        {
            let tracked = node.tracked || node.is_example();
            Node::new(Kind::Gate(node), tracked)
        }
        _ => Node::leaf(Weak::new(), true),
    };
    EagerTensor::from_var(Var { value: var.value, node: Some(node) }, outer.runtime().clone())
}

/// Whether an op on these tensors would be recorded now.
pub fn recorded(tensors: &[&EagerTensor]) -> bool {
    let cx = Eager::current();
    let counts = |tensor: &&EagerTensor| {
        tensor.tracks_grad() || tensor.is_example() || cx.captures() && tensor.operand(&cx).node.is_some()
    };
    cx.records() && tensors.iter().any(counts)
}

/// For each tensor, whether it depends on anything but those of `own` that have no outer value.
fn escapes(outs: &[Option<Arc<Node>>], own: &[&EagerTensor]) -> Vec<bool> {
    if no_grad_active() {
        return vec![false; outs.len()];
    }
    let own: HashSet<u64> = own.iter().filter_map(|t| t.any_node()).map(|node| node.seq).collect();
    let start = own.iter().copied().min().unwrap_or(u64::MAX);
    let mut seen: HashSet<u64> = HashSet::new();
    let mut escapes = |out: &Arc<Node>| {
        let mut stack = vec![out.clone()];
        while let Some(node) = stack.pop() {
            if node.seq < start {
                seen.clear();
                return true;
            }
            if !seen.insert(node.seq) {
                continue;
            }
            match &node.kind {
                Kind::Leaf(_) if own.contains(&node.seq) => {}
                Kind::Leaf(_) | Kind::Gate(_) => {
                    seen.clear();
                    return true;
                }
                _ => node.each_edge(|edge| stack.push(edge.clone())),
            }
        }
        false
    };
    outs.iter().map(|out| out.as_ref().is_some_and(&mut escapes)).collect()
}

/// Results as they leave a transform whose leaves are `own`: constants, unless they depend on something outside.
pub fn outer(outs: &[&EagerTensor], own: &[&EagerTensor]) -> Vec<EagerTensor> {
    let nodes: Vec<_> = outs.iter().map(|out| out.any_node()).collect();
    let kept = escapes(&nodes, own);
    outs.iter()
        .zip(kept)
        .map(|(out, keep)| if keep || !out.tracks_grad() || out.is_example() { (*out).clone() } else { out.detach() })
        .collect()
}

/// The places of older values that `outs` depend on other than through `own`: what a function closes over. `start` is a
/// number from before the function ran.
pub fn closed_over(outs: &[&EagerTensor], own: &[&EagerTensor], start: u64) -> Vec<Arc<Node>> {
    let own: HashSet<u64> = own.iter().filter_map(|t| t.any_node()).map(|node| node.seq).collect();
    let mut seen: HashSet<u64> = HashSet::new();
    let mut found = Vec::new();
    let mut stack: Vec<_> = outs.iter().filter_map(|out| out.any_node()).collect();
    while let Some(node) = stack.pop() {
        if own.contains(&node.seq) || !seen.insert(node.seq) {
            continue;
        }
        if node.seq < start || matches!(node.kind, Kind::Leaf(_)) {
            found.push(node);
        } else {
            node.each_edge(|edge| stack.push(edge.clone()));
        }
    }
    found
}

/// Where a derivative is taken: a tensor, or the place of one.
pub enum Point {
    /// A tensor.
    Tensor(EagerTensor),
    /// A place in the record.
    Place(Arc<Node>),
}

impl Point {
    fn node(&self) -> Option<Arc<Node>> {
        match self {
            Point::Tensor(tensor) => tensor.any_node(),
            Point::Place(node) => Some(node.clone()),
        }
    }
}

fn paths(outs: &[&EagerTensor], wrt: &[Option<Arc<Node>>]) -> (Vec<Option<Arc<Node>>>, Paths) {
    let nodes: Vec<_> = outs.iter().map(|out| out.any_node()).collect();
    let paths = Paths::between(nodes.iter().flatten(), wrt.iter().flatten().map(|node| node.seq).collect());
    (nodes, paths)
}

/// Records only if the result can depend on something outside; a place in the record is.
fn interpreter(paths: &Paths, wrt: &[Point], seeds: &[Option<EagerTensor>]) -> Eager {
    let places = wrt.iter().any(|point| matches!(point, Point::Place(_)));
    let outside = places || paths.outside || seeds.iter().flatten().any(|seed| seed.var().node.is_some());
    if outside { Eager::current() } else { Eager::silent() }
}

/// Cotangents at the points `wrt` for cotangents of `outs`; `None` is a zero, also in the result.
pub fn pull_back(
    outs: &[&EagerTensor],
    cotangents: &[Option<EagerTensor>],
    wrt: &[Point],
) -> Result<Vec<Option<EagerTensor>>> {
    let Some(first) = outs.first() else { return Ok(wrt.iter().map(|_| None).collect()) };
    let ends: Vec<_> = wrt.iter().map(Point::node).collect();
    let (nodes, paths) = paths(outs, &ends);
    let mut cx = interpreter(&paths, wrt, cotangents);
    let mut seeds = Vec::new();
    for ((out, node), ct) in outs.iter().zip(nodes).zip(cotangents) {
        if let (Some(node), Some(ct)) = (node, ct) {
            same_runtime(out.runtime(), ct.runtime(), "vjp")?;
            check_seed("vjp", "argument 'cotangent'", out.value(), ct.value())?;
            seeds.push((node, ct.var()));
        }
    }
    let parts = pull_all(&mut cx, seeds, &ends, &paths)?;
    finish(parts, first, wrt)
}

/// Tangents of `outs` for tangents at the points `wrt`; `None` is a zero, also in the result.
pub fn push_forward(
    outs: &[&EagerTensor],
    wrt: &[Point],
    tangents: &[Option<EagerTensor>],
) -> Result<Vec<Option<EagerTensor>>> {
    let Some(first) = outs.first() else { return Ok(Vec::new()) };
    let ends: Vec<_> = wrt.iter().map(Point::node).collect();
    let (nodes, paths) = paths(outs, &ends);
    let mut cx = interpreter(&paths, wrt, tangents);
    let mut seeds = Vec::new();
    for ((point, node), t) in wrt.iter().zip(ends).zip(tangents) {
        if let (Some(node), Some(t)) = (node, t) {
            if let Point::Tensor(primal) = point {
                same_runtime(primal.runtime(), t.runtime(), "jvp")?;
                check_seed("jvp", "argument 'tangents'", primal.value(), t.value())?;
            }
            seeds.push((node, t.var()));
        }
    }
    let parts = push_all(&mut cx, &nodes, &seeds, &paths)?;
    finish(parts, first, wrt)
}

fn finish(parts: Vec<Option<Var>>, one: &EagerTensor, wrt: &[Point]) -> Result<Vec<Option<EagerTensor>>> {
    let mut found = Vec::with_capacity(parts.len());
    for part in parts {
        found.push(match part {
            Some(var) => Some(EagerTensor::from_var(compact(var)?, one.runtime().clone())),
            None => None,
        });
    }
    let own: Vec<&EagerTensor> =
        wrt.iter().filter_map(|point| if let Point::Tensor(tensor) = point { Some(tensor) } else { None }).collect();
    let present: Vec<&EagerTensor> = found.iter().flatten().collect();
    let mut outer = outer(&present, &own).into_iter();
    Ok(found.iter().map(|part| part.as_ref().and_then(|_| outer.next())).collect())
}
