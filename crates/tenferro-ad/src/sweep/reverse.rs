//! Reverse sweeps.

use super::{POLL_EVERY, Paths, at};
use crate::eager::{Eager, Var};
use crate::linear::{Lin, Linear};
use crate::node::{Kind, Node, Recorded};
use smallvec::SmallVec;
use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tenferro_runtime::cpu::interrupt;
use tenferro_runtime::{At, Interp, Primitive, Rule, Slot, compose::Build};
use tenferro_tensor::Result;

/// The contribution of input `i` of an op to the reverse sweep.
fn pull(cx: &mut Eager, recorded: &Recorded, i: usize, ct: &Var, at: &At<Var>) -> Result<Option<Var>> {
    match recorded.op.rule(i, at.dtype(cx, i)) {
        Rule::Linear => recorded.op.adjoint(cx, i, ct, at).map(Some),
        Rule::Zero => cx.zeros(at.meta(cx, i).as_meta()).map(Some),
        Rule::Inactive => Ok(None),
        Rule::Tangent => {
            let input = at.meta(cx, i);
            let known = |slot: &Slot<Var>| match slot {
                Slot::Value(v) => Slot::Value(Lin::Known(v.clone())),
                Slot::Meta(m) => Slot::Meta(m.clone()),
            };
            let lin_at = At { ins: at.ins.iter().map(known).collect(), out: known(&at.out) };
            let mut linear = Linear::new(cx);
            let out = recorded.op.tangent(&mut linear, i, &Lin::Row(0, input.clone()), &lin_at)?;
            match linear.transpose(out, ct)? {
                Some(part) => Ok(Some(part)),
                None => cx.zeros(input.as_meta()).map(Some),
            }
        }
    }
}

/// Which nodes a reverse sweep is for.
pub(crate) enum Wanted<'a> {
    /// Tracked leaves with a living handle.
    Live,
    /// The nodes where paths end.
    Paths(&'a Paths),
}

impl Wanted<'_> {
    pub fn has(&self, node: &Node) -> bool {
        match self {
            Wanted::Live => match &node.kind {
                Kind::Leaf(slot) => node.tracked && slot.strong_count() > 0,
                _ => node.tracked,
            },
            Wanted::Paths(paths) => paths.has(node.seq),
        }
    }

    fn ends_at(&self, node: &Node) -> bool {
        match self {
            Wanted::Live => matches!(node.kind, Kind::Leaf(_)),
            Wanted::Paths(paths) => paths.ends.contains(&node.seq),
        }
    }
}

/// The cotangents that have reached a node so far: one, or one for each result of a call.
enum Cts {
    One(Var),
    Each(SmallVec<[Option<Var>; 2]>),
}

/// Nodes whose cotangents are still growing, by number.
#[derive(Default)]
struct Pending(BTreeMap<u64, (Arc<Node>, Cts)>);

impl Pending {
    fn add(&mut self, cx: &mut Eager, node: &Arc<Node>, part: Var) -> Result<()> {
        match self.0.entry(node.seq) {
            Entry::Vacant(place) => {
                place.insert((node.clone(), Cts::One(part)));
            }
            Entry::Occupied(mut place) => {
                if let Cts::One(sum) = &mut place.get_mut().1 {
                    *sum = cx.add(sum, &part)?;
                }
            }
        }
        Ok(())
    }

    /// Result `k` of a call; each has one node in a record, and kept results may have more.
    fn add_part(&mut self, cx: &mut Eager, call: &Arc<Node>, k: usize, part: Var) -> Result<()> {
        let Kind::Call(made) = &call.kind else { return Ok(()) };
        let empty = || (call.clone(), Cts::Each(SmallVec::from_elem(None, made.outputs())));
        if let (_, Cts::Each(parts)) = self.0.entry(call.seq).or_insert_with(empty)
            && let Some(place) = parts.get_mut(k)
        {
            *place = Some(match place.take() {
                Some(sum) => cx.add(&sum, &part)?,
                None => part,
            });
        }
        Ok(())
    }
}

/// Cotangents of the wanted nodes that the seeds reach, in descending order of their numbers.
pub(crate) fn reverse(
    cx: &mut Eager,
    seeds: impl IntoIterator<Item = (Arc<Node>, Var)>,
    wanted: &Wanted<'_>,
) -> Result<Vec<(Arc<Node>, Var)>> {
    let mut pending = Pending::default();
    let mut ends = Vec::new();
    for (out, seed) in seeds {
        if wanted.has(&out) {
            pending.add(cx, &out, seed)?;
        }
    }
    let mut steps = 0u32;
    while let Some((_, (node, cts))) = pending.0.pop_last() {
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(POLL_EVERY) {
            interrupt::poll("backward")?;
        }
        let ct = match cts {
            Cts::One(ct) => ct,
            Cts::Each(cts) => {
                let Kind::Call(call) = &node.kind else { continue };
                let parts = call.pull(cx, &node, &cts)?;
                for (input, part) in call.ins.iter().zip(parts) {
                    if let (Some(edge), Some(part)) = (input.edge.as_ref().filter(|edge| wanted.has(edge)), part) {
                        pending.add(cx, edge, part)?;
                    }
                }
                continue;
            }
        };
        if wanted.ends_at(&node) {
            ends.push((node, ct));
            continue;
        }
        match &node.kind {
            Kind::Op(recorded) => {
                let at = at(&node, recorded, cx.meta(&ct).owned());
                for (i, input) in recorded.ins.iter().enumerate() {
                    let Some(edge) = input.edge.as_ref().filter(|edge| wanted.has(edge)) else {
                        continue;
                    };
                    if let Some(part) = pull(cx, recorded, i, &ct, &at)? {
                        pending.add(cx, edge, part)?;
                    }
                }
            }
            Kind::Gate(outer) if wanted.has(outer) => pending.add(cx, outer, ct)?,
            Kind::Part(call, k) if wanted.has(call) => pending.add_part(cx, call, *k, ct)?,
            _ => {}
        }
    }
    Ok(ends)
}

/// Cotangents of `wrt`, where `paths` end, for seeds at outputs; `None` where no differentiable path exists.
pub(crate) fn pull_all(
    cx: &mut Eager,
    seeds: Vec<(Arc<Node>, Var)>,
    wrt: &[Option<Arc<Node>>],
    paths: &Paths,
) -> Result<Vec<Option<Var>>> {
    let ends = reverse(cx, seeds, &Wanted::Paths(paths))?;
    let ends: HashMap<u64, Var> = ends.into_iter().map(|(end, ct)| (end.seq, ct)).collect();
    Ok(wrt.iter().map(|w| ends.get(&w.as_ref()?.seq).cloned()).collect())
}

/// Vector–Jacobian products with respect to leaves, recorded as `cx` says; `None` where no differentiable path exists.
pub fn vjp(cx: &mut Eager, out: &Var, wrt: &[Option<Arc<Node>>], seed: Var) -> Result<Vec<Option<Var>>> {
    let wrt: Vec<_> = wrt.iter().map(|w| w.clone().filter(|node| node.is_leaf())).collect();
    let ends: HashSet<u64> = wrt.iter().flatten().map(|node| node.seq).collect();
    let Some(node) = out.node.as_ref().filter(|_| !ends.is_empty()) else {
        return Ok(vec![None; wrt.len()]);
    };
    let paths = Paths::between(std::iter::once(node), ends);
    pull_all(cx, vec![(node.clone(), seed)], &wrt, &paths)
}
