//! Cycles that no initial token starts.

use super::{EdgeSpec, End, Graph};
use crate::digraph::Successors;

/// Which edges can't start a cycle, so that they count.
#[derive(Clone, Copy)]
pub(super) enum Dead {
    /// Those of which nothing was said.
    Silent,
    /// Those without a token, between nodes that fire: `initial: []` says that a process sends first, so there has to be one.
    Empty,
    /// All: any cycle counts.
    All,
}

impl Graph {
    /// One cycle that can't start for each strongly connected component of such: the shortest one through its first
    /// node, in flow order.
    pub(super) fn cycles(&self) -> Vec<Vec<usize>> {
        let mut cycles = self.dead_cycles(Dead::Silent);
        if cycles.is_empty() {
            cycles = self.dead_cycles(Dead::Empty);
        }
        cycles
    }

    fn dead_cycles(&self, dead: Dead) -> Vec<Vec<usize>> {
        let successors = self.successors(dead);
        let component = successors.components();
        let mut size = vec![0; self.nodes.len()];
        for &c in &component {
            size[c] += 1;
        }

        let mut seen = vec![false; self.nodes.len()];
        let mut before = vec![usize::MAX; self.nodes.len()];
        let mut cycles = Vec::new();
        for node in 0..self.nodes.len() {
            let c = component[node];
            if std::mem::replace(&mut seen[c], true) {
                continue;
            }
            if size[c] > 1 || successors.of(node).contains(&node) {
                cycles.push(successors.shortest_cycle(&component, node, &mut before));
            }
        }
        cycles
    }

    pub(super) fn successors(&self, dead: Dead) -> Successors {
        let fires = |end: Option<End>| end.is_some_and(|(node, _)| !self.nodes[node].process);
        let is_dead = |edge: &&EdgeSpec| match dead {
            Dead::All => true,
            Dead::Silent => edge.initial.is_none(),
            Dead::Empty => edge.initial.unwrap_or(0) == 0 && fires(edge.from) && fires(edge.to),
        };
        Successors::new(self.nodes.len(), || {
            let lasting = self.edges.iter().filter(is_dead);
            lasting.filter_map(|edge| Some((edge.from?.0, edge.to?.0)))
        })
    }
}
