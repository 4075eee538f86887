//! Cycles that no initial token starts.

use std::collections::VecDeque;

use super::{EdgeSpec, End, Graph};

/// Successors of each node, those of node `i` at `targets[start[i]..start[i + 1]]`.
pub(super) struct Successors {
    start: Vec<usize>,
    targets: Vec<usize>,
}

impl Successors {
    fn of(&self, node: usize) -> &[usize] {
        &self.targets[self.start[node]..self.start[node + 1]]
    }
}

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
        let component = components(&successors, self.nodes.len());
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
                cycles.push(shortest(&successors, &component, node, &mut before));
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
        let pairs = || {
            let lasting = self.edges.iter().filter(is_dead);
            lasting.filter_map(|edge| Some((edge.from?.0, edge.to?.0)))
        };
        let mut start = vec![0; self.nodes.len() + 1];
        for (from, _) in pairs() {
            start[from + 1] += 1;
        }
        for i in 0..self.nodes.len() {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut targets = vec![0; start[self.nodes.len()]];
        for (from, to) in pairs() {
            targets[next[from]] = to;
            next[from] += 1;
        }
        Successors { start, targets }
    }
}

/// The strongly connected component of each node (Tarjan 1972, with a stack of its own for the recursion).
pub(super) fn components(successors: &Successors, nodes: usize) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
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
            if let Some(&to) = successors.of(node).get(next) {
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

/// The shortest way from a node back to itself inside its component, by breadth first search.
fn shortest(successors: &Successors, component: &[usize], start: usize, before: &mut [usize]) -> Vec<usize> {
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &to in successors.of(node) {
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
