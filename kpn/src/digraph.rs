//! Directed graphs as plain indices: strongly connected components and shortest cycles. Nothing recurses.

use std::collections::VecDeque;

/// Successors of each node, those of node `i` at `targets[start[i]..start[i + 1]]`.
pub(crate) struct Successors {
    start: Vec<usize>,
    targets: Vec<usize>,
}

impl Successors {
    /// Of the nodes `0..nodes`; `pairs` is called twice and gives the same (from, to) both times.
    pub(crate) fn new<I: Iterator<Item = (usize, usize)>>(nodes: usize, pairs: impl Fn() -> I) -> Self {
        let mut start = vec![0; nodes + 1];
        for (from, _) in pairs() {
            start[from + 1] += 1;
        }
        for i in 0..nodes {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut targets = vec![0; start[nodes]];
        for (from, to) in pairs() {
            targets[next[from]] = to;
            next[from] += 1;
        }
        Self { start, targets }
    }

    pub(crate) fn of(&self, node: usize) -> &[usize] {
        &self.targets[self.start[node]..self.start[node + 1]]
    }

    fn nodes(&self) -> usize {
        self.start.len() - 1
    }

    /// The strongly connected component of each node (Tarjan 1972, with a stack of its own for the recursion). What
    /// a component leads to has a lower number.
    pub(crate) fn components(&self) -> Vec<usize> {
        const UNSEEN: usize = usize::MAX;
        let nodes = self.nodes();
        let mut order = vec![UNSEEN; nodes];
        let mut low = vec![0; nodes];
        let mut component = vec![UNSEEN; nodes];
        let mut open = Vec::new();
        let mut calls: Vec<(usize, usize)> = Vec::new();
        let (mut visited, mut found) = (0, 0);

        for root in 0..nodes {
            if order[root] != UNSEEN {
                continue;
            }
            calls.push((root, 0));
            while let Some((node, next)) = calls.pop() {
                if next == 0 {
                    order[node] = visited;
                    low[node] = visited;
                    visited += 1;
                    open.push(node);
                }
                if let Some(&to) = self.of(node).get(next) {
                    calls.push((node, next + 1));
                    if order[to] == UNSEEN {
                        calls.push((to, 0));
                    } else if component[to] == UNSEEN {
                        low[node] = low[node].min(order[to]);
                    }
                    continue;
                }
                if low[node] == order[node] {
                    while let Some(member) = open.pop() {
                        component[member] = found;
                        if member == node {
                            break;
                        }
                    }
                    found += 1;
                }
                if let Some(&(caller, _)) = calls.last() {
                    low[caller] = low[caller].min(low[node]);
                }
            }
        }
        component
    }

    /// The shortest way from a node back to itself inside its component, by breadth first search. `before` has
    /// `usize::MAX` for each node of that component.
    pub(crate) fn shortest_cycle(&self, component: &[usize], start: usize, before: &mut [usize]) -> Vec<usize> {
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for &to in self.of(node) {
                if to == start {
                    let mut cycle = vec![node];
                    while let Some(&node) = cycle.last().filter(|&&node| node != start) {
                        cycle.push(before[node]);
                    }
                    cycle.reverse();
                    return cycle;
                }
                if component[to] == component[start] && before[to] == usize::MAX {
                    before[to] = node;
                    queue.push_back(to);
                }
            }
        }
        vec![start]
    }
}
