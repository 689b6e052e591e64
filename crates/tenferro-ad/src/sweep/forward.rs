//! Forward sweeps.

use super::{POLL_EVERY, Paths, at};
use crate::eager::{Eager, Var};
use crate::node::{Kind, Node, Recorded, Saved};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tenferro_runtime::cpu::interrupt;
use tenferro_runtime::{At, Interp, Meta, OutMeta, Primitive, Rule, Slot, compose::Build};
use tenferro_tensor::Result;

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

/// Tangents of outputs for tangents of the nodes where `paths` end; `None` where no differentiable path exists.
pub(crate) fn push_all(
    cx: &mut Eager,
    outs: &[Option<Arc<Node>>],
    seeds: &[(Arc<Node>, Var)],
    paths: &Paths,
) -> Result<Vec<Option<Var>>> {
    let mut tangents: HashMap<u64, Var> = HashMap::new();
    for (end, t) in seeds {
        tangents.insert(end.seq, t.clone());
    }
    let mut calls: HashMap<u64, Vec<Option<Var>>> = HashMap::new();
    let mut steps = 0u32;
    for (&seq, node) in &paths.found {
        if !paths.has(seq) || paths.ends.contains(&seq) {
            continue;
        }
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(POLL_EVERY) {
            interrupt::poll("jvp")?;
        }
        let of = |edge: &Arc<Node>| tangents.get(&edge.seq).cloned();
        let found = match &node.kind {
            Kind::Leaf(_) => None,
            Kind::Op(recorded) => {
                let ts: SmallVec<[Option<Var>; 4]> =
                    recorded.ins.iter().map(|input| input.edge.as_ref().and_then(of)).collect();
                match ts.iter().any(Option::is_some) {
                    true => push(cx, recorded, &ts, &at(node, recorded, out_meta(recorded)?))?,
                    false => None,
                }
            }
            Kind::Gate(outer) => of(outer),
            Kind::Call(call) => {
                let ts: Vec<_> = call.ins.iter().map(|input| input.edge.as_ref().and_then(of)).collect();
                if ts.iter().any(Option::is_some) {
                    calls.insert(seq, call.push(cx, node, &ts)?);
                }
                None
            }
            Kind::Part(call, k) => calls.get(&call.seq).and_then(|parts| parts.get(*k).cloned().flatten()),
        };
        if let Some(t) = found {
            tangents.insert(seq, t);
        }
    }
    Ok(outs.iter().map(|out| tangents.get(&out.as_ref()?.seq).cloned()).collect())
}

/// The tangent of `out` for tangents of leaves, recorded as `cx` says; `None` where no differentiable path exists.
pub fn jvp(cx: &mut Eager, out: &Var, wrt: &[(Option<Arc<Node>>, Var)]) -> Result<Option<Var>> {
    let seeds: Vec<_> =
        wrt.iter().filter_map(|(node, t)| Some((node.clone().filter(|node| node.is_leaf())?, t.clone()))).collect();
    let ends: HashSet<u64> = seeds.iter().map(|(node, _)| node.seq).collect();
    let Some(node) = out.node.as_ref().filter(|_| !ends.is_empty()) else {
        return Ok(None);
    };
    let paths = Paths::between(std::iter::once(node), ends);
    Ok(push_all(cx, &[Some(node.clone())], &seeds, &paths)?.pop().flatten())
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
