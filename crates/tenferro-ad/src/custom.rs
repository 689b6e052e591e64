//! Functions with derivative rules of their own: one node for the call, one for each of its results.

use crate::eager::{Eager, Var};
use crate::node::{Kind, Node};
use crate::tensor::check_seed_meta;
use std::sync::Arc;
use tenferro_runtime::{Interp, Meta, OutMeta, PackedMeta};
use tenferro_tensor::{Error, Result, Tensor, Variant};

/// The rules of such a function. `None` among cotangents and tangents is a zero; what a rule returns is checked against
/// dtypes and shapes of what it belongs to. `outs` are the results that were kept, as parts of the call.
pub trait CustomRule: Send + Sync {
    /// The function's name in messages.
    fn name(&self) -> &str;

    /// Cotangents of the inputs.
    fn pull(&self, cx: &Eager, outs: &[Var], cts: &[Option<Var>]) -> Result<Vec<Option<Var>>>;

    /// Tangents of the results.
    fn push(&self, cx: &Eager, outs: &[Var], ts: &[Option<Var>]) -> Result<Vec<Option<Var>>>;

    /// The results for `size` items, along the last axis, for inputs that have the items along theirs; `None` stands for
    /// the inputs of the call that all items share.
    fn batched(&self, cx: &Eager, ins: &[Option<Var>], size: usize) -> Result<Vec<Var>>;
}

/// The error of a rule that does not exist.
pub fn missing_rule(name: &str, transform: &'static str) -> Error {
    let message = format!("the function has no rule for {transform}");
    Error::new(Variant::UnsupportedAdRule, name.to_owned(), message).with("transform", transform)
}

/// An input of a call: its place in the record, and dtype and shape where a rule's results can be compared with them.
pub(crate) struct CallInput {
    pub edge: Option<Arc<Node>>,
    meta: Option<PackedMeta>,
}

struct CallOutput {
    meta: PackedMeta,
    kept: Option<Tensor>,
}

pub(crate) struct Call {
    pub ins: Vec<CallInput>,
    outs: Vec<CallOutput>,
    rule: Arc<dyn CustomRule>,
}

/// Records a call with the results `outs`. `ins` are its inputs, and places of values it used otherwise; `kept` says which
/// results its rules read. Without an input that is recorded the results are constants.
pub fn record_call(
    cx: &Eager,
    rule: Arc<dyn CustomRule>,
    ins: Vec<(Option<Arc<Node>>, Option<OutMeta>)>,
    outs: Vec<Tensor>,
    kept: &[bool],
) -> Vec<Var> {
    let tracked = ins.iter().any(|(edge, _)| edge.as_ref().is_some_and(|node| node.tracked));
    let any = ins.iter().any(|(edge, _)| edge.is_some());
    let example = ins.iter().any(|(edge, _)| edge.as_ref().is_some_and(|node| node.is_example()));
    if !example && (!cx.records() || !(tracked || any && cx.captures())) {
        return outs.into_iter().map(Var::constant).collect();
    }
    let call = Call {
        ins: ins
            .into_iter()
            .map(|(edge, meta)| CallInput { edge, meta: meta.map(|meta| PackedMeta::new(meta.as_meta())) })
            .collect(),
        outs: outs
            .iter()
            .enumerate()
            .map(|(k, out)| CallOutput {
                meta: PackedMeta::new(Meta::of(out)),
                kept: kept.get(k).copied().unwrap_or(false).then(|| out.clone()),
            })
            .collect(),
        rule,
    };
    // Of items all results are, whatever their dtype.
    let new = |kind: Kind| match example {
        true => Node::of_items(kind, tracked && cx.records(), !cx.records()),
        false => Node::new(kind, tracked),
    };
    let node = new(Kind::Call(Box::new(call)));
    let part = |(k, value): (usize, Tensor)| match example || value.dtype().is_inexact() {
        true => Var { value, node: Some(new(Kind::Part(node.clone(), k))) },
        false => Var::constant(value),
    };
    outs.into_iter().enumerate().map(part).collect()
}

impl Call {
    pub fn name(&self) -> &str {
        self.rule.name()
    }

    pub fn outputs(&self) -> usize {
        self.outs.len()
    }

    /// The kept results; made anew for each sweep, because a call that held its parts would never be freed.
    fn parts(&self, node: &Arc<Node>) -> Vec<Var> {
        let part = |(k, out): (usize, &CallOutput)| {
            let value = out.kept.clone()?;
            Some(Var { value, node: Some(Node::new(Kind::Part(node.clone(), k), node.tracked)) })
        };
        self.outs.iter().enumerate().filter_map(part).collect()
    }

    /// The results for `size` items, whose values are along the last axis of `ins`.
    pub fn batched(&self, cx: &Eager, ins: &[Option<Var>], size: usize) -> Result<Vec<Var>> {
        let found = self.rule.batched(cx, ins, size)?;
        let name = self.name();
        if found.len() != self.outs.len() {
            let message = format!("expected {} results, as for one item, got {}", self.outs.len(), found.len());
            return Err(Error::argument(name.to_owned(), "f", message));
        }
        for (k, (batch, out)) in found.iter().zip(&self.outs).enumerate() {
            let mut expected = out.meta.unpack().as_meta().owned();
            expected.shape.push(size);
            check_seed_meta(name, &format!("batch of result {k}"), expected.as_meta(), cx.meta(batch))?;
        }
        Ok(found)
    }

    pub fn pull(&self, cx: &Eager, node: &Arc<Node>, cts: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let parts = self.rule.pull(cx, &self.parts(node), cts)?;
        let metas = self.ins.iter().map(|input| input.meta.as_ref());
        self.checked(cx, parts, metas, "cotangent", "input")
    }

    pub fn push(&self, cx: &Eager, node: &Arc<Node>, ts: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let parts = self.rule.push(cx, &self.parts(node), ts)?;
        let metas = self.outs.iter().map(|out| Some(&out.meta));
        self.checked(cx, parts, metas, "tangent", "result")
    }

    fn checked<'a>(
        &self,
        cx: &Eager,
        parts: Vec<Option<Var>>,
        metas: impl ExactSizeIterator<Item = Option<&'a PackedMeta>>,
        what: &str,
        whose: &str,
    ) -> Result<Vec<Option<Var>>> {
        let name = self.rule.name();
        if parts.len() != metas.len() {
            let message = format!("expected {} {what}s from the rule, got {}", metas.len(), parts.len());
            return Err(Error::argument(name.to_owned(), what, message));
        }
        for (k, (part, meta)) in parts.iter().zip(metas).enumerate() {
            if let (Some(part), Some(meta)) = (part, meta) {
                let expected = meta.unpack();
                check_seed_meta(name, &format!("{what} of {whose} {k}"), expected.as_meta(), cx.meta(part))?;
            }
        }
        Ok(parts)
    }
}
