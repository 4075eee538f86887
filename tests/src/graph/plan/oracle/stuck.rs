//! When nothing can go on: loops that have drained.

use super::{End, Oracle, Wait};

impl Oracle<'_> {
    /// Ends the loops that have drained: everything that feeds them has ended, all of it was taken, and each of their nodes
    /// waits for a token of another. Nothing can ever come there any more, so their edges end. False where there is none.
    pub(super) fn close_drained(&mut self) -> bool {
        let component = self.components();
        let count = component.iter().copied().max().map_or(0, |most| most + 1);
        let mut drained = vec![true; count];
        let mut starts = vec![false; count];
        for (node, &own) in component.iter().enumerate().filter(|&(node, _)| self.ends[node] == End::Not) {
            let waits_inside = |edge: usize| component[self.edges.plan.edges[edge].from.node] == own;
            if !matches!(self.waits[node], Some(Wait::Token(edge)) if waits_inside(edge)) {
                drained[own] = false;
            }
            for &edge in &self.edges.wiring.inputs[node] {
                let inside = component[self.edges.plan.edges[edge].from.node] == own;
                let over = self.edges.closed[edge] && self.edges.queues[edge].is_empty();
                drained[own] &= inside || over;
                starts[own] |= inside && self.edges.plan.edges[edge].initial.is_some();
            }
        }
        let mut any = false;
        for (i, edge) in self.edges.plan.edges.iter().enumerate() {
            let (from, to) = (edge.from.node, edge.to.node);
            let own = component[to];
            let alive = self.ends[to] == End::Not && self.ends[from] == End::Not;
            if component[from] == own && alive && drained[own] && starts[own] {
                self.edges.closed[i] = true;
                self.edges.dry[i] = true;
                self.edges.stirred.push(to);
                any = true;
            }
        }
        any
    }

    /// The edges inside loops whose nodes have not ended.
    pub fn on_cycles(&self) -> Vec<usize> {
        let component = self.components();
        let inside = |edge: &usize| {
            let edge = &self.edges.plan.edges[*edge];
            component[edge.from.node] == component[edge.to.node] && self.ends[edge.to.node] == End::Not
        };
        (0..self.edges.plan.edges.len()).filter(inside).collect()
    }

    /// The strongly connected component of each node among those that have not ended (Kosaraju; see Sharir 1981).
    fn components(&self) -> Vec<usize> {
        let nodes = self.actors.len();
        let lives = |&node: &usize| self.ends[node] == End::Not;
        let next = |node: usize| {
            let edges = self.edges.wiring.outputs[node].iter().flatten();
            edges.map(|&edge| self.edges.plan.edges[edge].to.node).filter(lives)
        };
        let before = |node: usize| {
            let edges = self.edges.wiring.inputs[node].iter();
            edges.map(|&edge| self.edges.plan.edges[edge].from.node).filter(lives)
        };
        let mut seen = vec![false; nodes];
        let mut finished = Vec::new();
        for root in (0..nodes).filter(lives) {
            let mut open = vec![(root, false)];
            while let Some((node, left)) = open.pop() {
                if left {
                    finished.push(node);
                } else if !std::mem::replace(&mut seen[node], true) {
                    open.push((node, true));
                    open.extend(next(node).map(|node| (node, false)));
                }
            }
        }
        const NONE: usize = usize::MAX;
        let mut component = vec![NONE; nodes];
        let mut count = 0;
        for &root in finished.iter().rev() {
            let mut open = vec![root];
            while let Some(node) = open.pop() {
                if component[node] == NONE {
                    component[node] = count;
                    open.extend(before(node));
                }
            }
            count += 1;
        }
        // Nodes that have ended are alone.
        for own in component.iter_mut().filter(|own| **own == NONE) {
            *own = count;
            count += 1;
        }
        component
    }
}
