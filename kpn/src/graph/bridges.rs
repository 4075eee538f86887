//! What the search for deadlocks must know of the graph: which edges may lie on a cycle of waits, and which nodes on one of tokens.

use super::Graph;
use super::cycles::Dead;

const UNSEEN: usize = usize::MAX;

impl Graph {
    /// For each edge, whether it lies on an undirected cycle. Nodes may wait for one another along or against the arrows, so a
    /// cycle of waits is an undirected cycle; an edge on none, a bridge, needs no watch (bridges after Tarjan 1974), unless its
    /// own two ends can wait for each other, which is for its capacity to exclude.
    pub(crate) fn watched(&self) -> Vec<bool> {
        let mut around: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.nodes.len()];
        for (i, edge) in self.edges.iter().enumerate() {
            if let (Some((from, _)), Some((to, _))) = (edge.from, edge.to) {
                around[from].push((to, i));
                if from != to {
                    around[to].push((from, i));
                }
            }
        }
        let mut watched = vec![true; self.edges.len()];
        let mut order = vec![UNSEEN; self.nodes.len()];
        let mut low = vec![0; self.nodes.len()];
        let mut visited = 0;
        // Node, the edge that led to it, how many of its neighbours have been looked at.
        let mut calls: Vec<(usize, usize, usize)> = Vec::new();
        for root in 0..self.nodes.len() {
            if order[root] != UNSEEN {
                continue;
            }
            calls.push((root, UNSEEN, 0));
            while let Some((node, by, next)) = calls.pop() {
                if next == 0 {
                    order[node] = visited;
                    low[node] = visited;
                    visited += 1;
                }
                if let Some(&(to, edge)) = around[node].get(next) {
                    calls.push((node, by, next + 1));
                    if edge == by {
                        continue;
                    }
                    if order[to] == UNSEEN {
                        calls.push((to, edge, 0));
                    } else {
                        low[node] = low[node].min(order[to]);
                    }
                    continue;
                }
                if let Some(&(caller, ..)) = calls.last() {
                    low[caller] = low[caller].min(low[node]);
                    if low[node] > order[caller] {
                        watched[by] = false;
                    }
                }
            }
        }
        watched
    }

    /// The strongly connected component of each node: nodes of one lie on cycles of tokens.
    pub(crate) fn components(&self) -> Vec<usize> {
        self.successors(Dead::All).components()
    }
}
