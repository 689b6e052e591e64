//! What lies below an output, and which of it leads to the nodes of interest.

use super::Wanted;
use crate::node::{Kind, Node};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Everything between outputs and the nodes with respect to which they are differentiated.
pub(crate) struct Paths {
    /// The nodes that were looked at, by number.
    pub found: BTreeMap<u64, Arc<Node>>,
    /// Whether a node of interest lies on a path below each.
    pub on_path: HashMap<u64, bool>,
    /// The numbers of the nodes of interest; sweeps end there.
    pub ends: HashSet<u64>,
    /// Whether the outputs depend on more than the nodes of interest that are leaves of their own.
    pub outside: bool,
}

impl Paths {
    pub fn between<'a>(outs: impl Iterator<Item = &'a Arc<Node>>, ends: HashSet<u64>) -> Paths {
        let lowest = ends.iter().copied().min().unwrap_or(u64::MAX);
        let mut found: BTreeMap<u64, Arc<Node>> = BTreeMap::new();
        let mut outside = false;
        let mut stack: Vec<Arc<Node>> = outs.cloned().collect();
        while let Some(node) = stack.pop() {
            if node.seq < lowest {
                outside = true;
                continue;
            }
            if found.contains_key(&node.seq) {
                continue;
            }
            let end = ends.contains(&node.seq);
            match node.kind {
                Kind::Leaf(_) => outside |= !end,
                _ if end => outside = true,
                _ => node.each_edge(|edge| stack.push(edge.clone())),
            }
            found.insert(node.seq, node);
        }
        let mut on_path = HashMap::with_capacity(found.len());
        for (&seq, node) in &found {
            let mut below = ends.contains(&seq);
            if !below {
                node.each_edge(|edge| below |= on_path.get(&edge.seq).copied().unwrap_or(false));
            }
            on_path.insert(seq, below);
        }
        Paths { found, on_path, ends, outside }
    }

    pub fn has(&self, seq: u64) -> bool {
        self.on_path.get(&seq).copied().unwrap_or(false)
    }
}

/// Whether a tracked leaf with a living handle lies below `out`.
pub(crate) fn has_live_leaf(out: &Arc<Node>) -> bool {
    let paths = Paths::between(std::iter::once(out), HashSet::from([0]));
    paths.found.values().any(|node| matches!(node.kind, Kind::Leaf(_)) && Wanted::Live.has(node))
}
