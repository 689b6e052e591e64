//! Forward and reverse sweeps over what was recorded, by node number.

mod forward;
mod paths;
mod reverse;

pub use forward::jvp;
pub(crate) use forward::push_all;
pub(crate) use paths::{Paths, has_live_leaf};
pub use reverse::vjp;
pub(crate) use reverse::{Wanted, pull_all, reverse};

use crate::eager::Var;
use crate::node::{Node, Recorded, Saved};
use std::sync::Arc;
use tenferro_runtime::{At, OutMeta, Slot};
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

/// The value without gaps: gradients are always compact.
pub(crate) fn compact(var: Var) -> Result<Var> {
    let value: Tensor = tenferro_runtime::cpu::compact(&var.value)?;
    Ok(Var { value, node: var.node })
}
