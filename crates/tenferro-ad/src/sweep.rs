//! Forward and reverse sweeps over what was recorded, by node number.

use crate::eager::{Eager, Var};
use crate::linear::{Lin, Linear};
use crate::node::{Kind, Node, Recorded, Saved};
use smallvec::SmallVec;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use tenferro_runtime::cpu::interrupt;
use tenferro_runtime::{At, Interp, Meta, OutMeta, Primitive, Rule, Slot, compose::Build};
use tenferro_tensor::{Result, Tensor};

/// Steps between two looks at the interrupt flag.
const POLL_EVERY: u32 = 256;

fn at(node: &Arc<Node>, recorded: &Recorded, out: OutMeta) -> At<Var> {
    At {
        ins: recorded
            .ins
            .iter()
            .map(|input| match &input.saved {
                Saved::Value(value) => Slot::Value(Var { value: value.clone(), node: input.edge.clone() }),
                Saved::Meta(meta) => Slot::Meta(meta.unpack()),
            })
            .collect(),
        out: match &recorded.out {
            Some(value) => Slot::Value(Var { value: value.clone(), node: Some(node.clone()) }),
            None => Slot::Meta(out),
        },
    }
}

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

/// Which leaves a reverse sweep is for.
pub(crate) enum Wanted<'a> {
    /// Tracked leaves with a living handle.
    Live,
    /// Nodes on a path to the leaves of interest, by number.
    Paths(&'a HashMap<u64, bool>),
}

impl Wanted<'_> {
    fn has(&self, node: &Node) -> bool {
        match self {
            Wanted::Live => match &node.kind {
                Kind::Leaf(slot) => node.tracked && slot.strong_count() > 0,
                Kind::Op(_) => node.tracked,
            },
            Wanted::Paths(on_path) => on_path.get(&node.seq).copied().unwrap_or(false),
        }
    }
}

/// Cotangents of the wanted leaves that `seed` at `out` reaches, in descending order of their numbers.
pub(crate) fn reverse(
    cx: &mut Eager,
    out: &Arc<Node>,
    seed: Var,
    wanted: &Wanted<'_>,
) -> Result<Vec<(Arc<Node>, Var)>> {
    let mut pending: BTreeMap<u64, (Arc<Node>, Var)> = BTreeMap::new();
    let mut leaves = Vec::new();
    if wanted.has(out) {
        pending.insert(out.seq, (out.clone(), seed));
    }
    let mut steps = 0u32;
    while let Some((_, (node, ct))) = pending.pop_last() {
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(POLL_EVERY) {
            interrupt::poll("backward")?;
        }
        let Kind::Op(recorded) = &node.kind else {
            leaves.push((node, ct));
            continue;
        };
        let at = at(&node, recorded, cx.meta(&ct).owned());
        for (i, input) in recorded.ins.iter().enumerate() {
            let Some(edge) = input.edge.as_ref().filter(|edge| wanted.has(edge)) else {
                continue;
            };
            let Some(part) = pull(cx, recorded, i, &ct, &at)? else {
                continue;
            };
            match pending.entry(edge.seq) {
                std::collections::btree_map::Entry::Vacant(slot) => {
                    slot.insert((edge.clone(), part));
                }
                std::collections::btree_map::Entry::Occupied(mut slot) => {
                    let sum = cx.add(&slot.get().1, &part)?;
                    slot.get_mut().1 = sum;
                }
            }
        }
    }
    Ok(leaves)
}

/// The tangent of an op's output for the tangents of its inputs that have one.
fn push(cx: &mut Eager, recorded: &Recorded, ts: &[Option<Var>], at: &At<Var>) -> Result<Option<Var>> {
    let rules: SmallVec<[Rule; 4]> = (0..ts.len()).map(|i| recorded.op.rule(i, at.dtype(cx, i))).collect();
    let has = |i: usize, rule: Rule| ts[i].is_some() && rules[i] == rule;
    if recorded.op.additive() && (0..ts.len()).any(|i| has(i, Rule::Linear)) {
        return joint(cx, recorded, ts, &rules, at).map(Some);
    }
    let mut total: Option<Var> = None;
    for (i, t) in ts.iter().enumerate() {
        let Some(t) = t else { continue };
        let part = match rules[i] {
            Rule::Inactive => continue,
            Rule::Zero => {
                let meta = at.out_meta(cx);
                cx.zeros(meta.as_meta())?
            }
            Rule::Tangent => recorded.op.tangent(cx, i, t, at)?,
            Rule::Linear => {
                let mut ins: SmallVec<[&Var; 4]> = SmallVec::new();
                for j in 0..ts.len() {
                    ins.push(if i == j { t } else { at.x(j)? });
                }
                cx.bind(recorded.op.clone(), &ins)?
            }
        };
        total = Some(match total {
            Some(sum) => cx.add(&sum, &part)?,
            None => part,
        });
    }
    Ok(total)
}

/// An op that is linear in all its linear inputs together is its own derivative; missing tangents are zeros, and where no
/// active input declares that its rule reads a value, that value does not matter.
fn joint(cx: &mut Eager, recorded: &Recorded, ts: &[Option<Var>], rules: &[Rule], at: &At<Var>) -> Result<Var> {
    let mut ins: SmallVec<[Var; 4]> = SmallVec::new();
    for (i, t) in ts.iter().enumerate() {
        ins.push(match t {
            Some(t) if rules[i] == Rule::Linear => t.clone(),
            _ if rules[i] == Rule::Linear => {
                let meta = at.meta(cx, i);
                cx.zeros(meta.as_meta())?
            }
            _ => match &at.ins[i] {
                Slot::Value(value) => value.clone(),
                Slot::Meta(meta) => cx.zeros(meta.as_meta())?,
            },
        });
    }
    let refs: SmallVec<[&Var; 4]> = ins.iter().collect();
    cx.bind(recorded.op.clone(), &refs)
}

/// All nodes below `out`, by number, and whether a leaf of `wrt` lies on a path below each.
fn paths(out: &Arc<Node>, wrt: &HashSet<u64>) -> (BTreeMap<u64, Arc<Node>>, HashMap<u64, bool>) {
    let lowest = wrt.iter().copied().min().unwrap_or(u64::MAX);
    let mut found: BTreeMap<u64, Arc<Node>> = BTreeMap::new();
    let mut stack = vec![out.clone()];
    while let Some(node) = stack.pop() {
        if node.seq < lowest || found.contains_key(&node.seq) {
            continue;
        }
        stack.extend(node.edges().cloned());
        found.insert(node.seq, node);
    }
    let mut on_path = HashMap::with_capacity(found.len());
    for (&seq, node) in &found {
        let here = node.is_leaf() && wrt.contains(&seq);
        let below = node.edges().any(|edge| on_path.get(&edge.seq).copied().unwrap_or(false));
        on_path.insert(seq, here || below);
    }
    (found, on_path)
}

/// Vector–Jacobian products with respect to leaves, recorded as `cx` says; `None` where no differentiable path exists.
pub fn vjp(cx: &mut Eager, out: &Var, wrt: &[Option<Arc<Node>>], seed: Var) -> Result<Vec<Option<Var>>> {
    let numbers: HashSet<u64> = wrt.iter().flatten().filter(|n| n.is_leaf()).map(|n| n.seq).collect();
    let Some(node) = out.node.as_ref().filter(|_| !numbers.is_empty()) else {
        return Ok(vec![None; wrt.len()]);
    };
    let (_, on_path) = paths(node, &numbers);
    let leaves = reverse(cx, node, seed, &Wanted::Paths(&on_path))?;
    let leaves: HashMap<u64, Var> = leaves.into_iter().map(|(leaf, ct)| (leaf.seq, ct)).collect();
    Ok(wrt.iter().map(|w| leaves.get(&w.as_ref()?.seq).cloned()).collect())
}

/// The tangent of `out` for tangents of leaves, recorded as `cx` says; `None` where no differentiable path exists.
pub fn jvp(cx: &mut Eager, out: &Var, wrt: &[(Option<Arc<Node>>, Var)]) -> Result<Option<Var>> {
    let numbers: HashSet<u64> =
        wrt.iter().filter_map(|(n, _)| n.as_ref()).filter(|n| n.is_leaf()).map(|n| n.seq).collect();
    let Some(node) = out.node.as_ref().filter(|_| !numbers.is_empty()) else {
        return Ok(None);
    };
    let (found, on_path) = paths(node, &numbers);
    let mut tangents: HashMap<u64, Var> = HashMap::new();
    for (leaf, t) in wrt {
        if let Some(leaf) = leaf {
            tangents.insert(leaf.seq, t.clone());
        }
    }
    let mut steps = 0u32;
    for (seq, node) in found {
        let Kind::Op(recorded) = &node.kind else { continue };
        if !on_path.get(&seq).copied().unwrap_or(false) {
            continue;
        }
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(POLL_EVERY) {
            interrupt::poll("jvp")?;
        }
        let ts: SmallVec<[Option<Var>; 4]> = recorded
            .ins
            .iter()
            .map(|input| input.edge.as_ref().and_then(|edge| tangents.get(&edge.seq).cloned()))
            .collect();
        if ts.iter().all(Option::is_none) {
            continue;
        }
        let at = at(&node, recorded, out_meta(recorded)?);
        if let Some(t) = push(cx, recorded, &ts, &at)? {
            tangents.insert(seq, t);
        }
    }
    Ok(tangents.remove(&node.seq))
}

fn out_meta(recorded: &Recorded) -> Result<OutMeta> {
    let ins: SmallVec<[OutMeta; 4]> = recorded
        .ins
        .iter()
        .map(|input| match &input.saved {
            Saved::Value(v) => Meta::of(v).owned(),
            Saved::Meta(m) => m.unpack(),
        })
        .collect();
    let metas: SmallVec<[Meta<'_>; 4]> = ins.iter().map(OutMeta::as_meta).collect();
    recorded.op.meta(&metas)
}

/// The value without gaps: gradients are always compact.
pub(crate) fn compact(var: Var) -> Result<Var> {
    let value: Tensor = tenferro_runtime::cpu::compact(&var.value)?;
    Ok(Var { value, node: var.node })
}

/// Whether a tracked leaf with a living handle lies below `out`.
pub(crate) fn has_live_leaf(out: &Arc<Node>) -> bool {
    let (found, _) = paths(out, &HashSet::from([0]));
    found.values().any(|node| node.is_leaf() && Wanted::Live.has(node))
}
