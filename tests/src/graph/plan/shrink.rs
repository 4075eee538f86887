//! Making a plan smaller that fails.
//!
//! Nodes are left out in groups. What fed the others from there is replaced by a source that gives the same tokens, so that
//! what is left sees the same histories; what was fed from there and has no other reader is taken by a sink.

use super::oracle::{Oracle, Order, Verdict};
use super::{Edge, Kind, Node, Place, Plan, Port, Until};

/// The most plans that are tried.
const ATTEMPTS: usize = 600;

/// The smallest plan that was found that still fails. `fails` should try several times where a failure depends on the
/// schedule.
pub fn shrink(plan: Plan, mut fails: impl FnMut(&Plan) -> bool) -> Plan {
    let mut best = plan;
    let mut left = ATTEMPTS;
    loop {
        let smaller = best.smaller().filter(Plan::ends).take(left).find(|candidate| {
            left -= 1;
            fails(candidate)
        });
        match smaller {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

impl Plan {
    fn ends(&self) -> bool {
        let wiring = self.wiring();
        Oracle::new(self, &wiring, None).run(Order::Queue) == Verdict::Ended
    }

    /// Plans that are a bit smaller, the most daring ones first.
    fn smaller(&self) -> impl Iterator<Item = Self> + '_ {
        let wiring = self.wiring();
        let mut oracle = Oracle::new(self, &wiring, None);
        oracle.run(Order::Queue);
        // What each edge ever carries.
        let carried = |edge: &Edge| {
            let written = oracle.written()[edge.from.node][edge.from.port].tokens.iter();
            edge.initial.iter().flatten().chain(written).copied().collect::<Vec<u64>>()
        };
        let histories: Vec<Vec<u64>> = self.edges.iter().map(carried).collect();
        let own: Vec<usize> = (0..self.nodes.len()).filter(|&node| self.nodes[node].is_own()).collect();
        let halvings = std::iter::successors(Some(own.len().div_ceil(2)), |&size| (size > 1).then(|| size.div_ceil(2)));
        let chunks = halvings.flat_map(move |size| {
            let groups: Vec<Vec<usize>> = own.chunks(size.max(1)).map(<[usize]>::to_vec).collect();
            groups
        });
        let cut = chunks.map(move |chunk| self.without(&chunk, &histories));
        let simpler = (0..self.nodes.len()).flat_map(move |node| self.simpler(node));
        let plain = (0..self.edges.len()).filter(|&edge| self.edges[edge].capacity.is_some()).map(move |edge| {
            let mut plan = self.clone();
            plan.edges[edge].capacity = None;
            plan
        });
        cut.chain(simpler).chain(plain)
    }

    /// The plan without these nodes.
    fn without(&self, gone: &[usize], histories: &[Vec<u64>]) -> Self {
        let mut plan = Self::default();
        let kept: Vec<Option<usize>> = (0..self.nodes.len())
            .map(|node| {
                (!gone.contains(&node)).then(|| {
                    plan.nodes.push(self.nodes[node].clone());
                    plan.nodes.len() - 1
                })
            })
            .collect();
        let mut unread: Vec<Port> = Vec::new();
        for (edge, history) in self.edges.iter().zip(histories) {
            match (kept[edge.from.node], kept[edge.to.node]) {
                (Some(from), Some(to)) => {
                    let (from, to) = (Port { node: from, ..edge.from }, Port { node: to, ..edge.to });
                    plan.edges.push(Edge { from, to, ..edge.clone() });
                }
                (None, Some(to)) => {
                    let from = Port { node: plan.add(Kind::Replay(history.clone())), port: 0 };
                    let to = Port { node: to, ..edge.to };
                    plan.edges.push(Edge { from, to, capacity: edge.capacity, initial: None });
                }
                (Some(from), None) => unread.push(Port { node: from, ..edge.from }),
                (None, None) => {}
            }
        }
        unread.sort();
        unread.dedup();
        for from in unread {
            if plan.edges.iter().all(|edge| edge.from != from) {
                let to = Port { node: plan.add(Kind::Drain), port: 0 };
                plan.edges.push(Edge { from, to, capacity: None, initial: None });
            }
        }
        plan.pruned()
    }

    fn add(&mut self, kind: Kind) -> usize {
        self.nodes.push(Node { kind, salt: 0, place: Place::Shared, work: 0 });
        self.nodes.len() - 1
    }

    /// Without sources that only feed sinks, where neither is the plan's own.
    fn pruned(self) -> Self {
        let idle = |edge: &Edge| !self.nodes[edge.from.node].is_own() && !self.nodes[edge.to.node].is_own();
        let Some(edge) = self.edges.iter().position(idle) else { return self };
        let Edge { from, to, .. } = self.edges[edge];
        let gone = [from.node, to.node];
        let mut plan = Self::default();
        let moved = |node: usize| node - gone.iter().filter(|&&gone| gone < node).count();
        plan.nodes =
            (0..self.nodes.len()).filter(|node| !gone.contains(node)).map(|node| self.nodes[node].clone()).collect();
        plan.edges = self.edges.clone();
        plan.edges.remove(edge);
        for edge in &mut plan.edges {
            edge.from.node = moved(edge.from.node);
            edge.to.node = moved(edge.to.node);
        }
        plan.pruned()
    }

    /// The plan with one node that does less.
    fn simpler(&self, node: usize) -> Vec<Self> {
        let mut plans = Vec::new();
        let mut push = |change: &dyn Fn(&mut Node)| {
            let mut plan = self.clone();
            change(&mut plan.nodes[node]);
            if plan != *self {
                plans.push(plan);
            }
        };
        push(&|node| (node.work, node.place) = (0, Place::Shared));
        match &self.nodes[node].kind {
            Kind::Replay(tokens) => {
                for len in [0, tokens.len() / 2, tokens.len().saturating_sub(1)] {
                    push(&|node| node.kind = Kind::Replay(tokens[..len].to_vec()));
                }
            }
            Kind::Firing(firing) => {
                for limit in firing.limit.into_iter().flat_map(|limit| [limit / 2, limit.saturating_sub(1)]) {
                    let mut firing = firing.clone();
                    firing.limit = Some(limit);
                    push(&|node| node.kind = Kind::Firing(firing.clone()));
                }
            }
            Kind::Process(program) => {
                for (phase, at) in
                    program.phases.iter().enumerate().flat_map(|(i, phase)| (0..phase.ops.len()).map(move |at| (i, at)))
                {
                    let mut program = program.clone();
                    program.phases[phase].ops.remove(at);
                    if program.is_sound() {
                        push(&|node| node.kind = Kind::Process(program.clone()));
                    }
                }
                for phase in 0..program.phases.len() {
                    let mut program = program.clone();
                    if let Until::Rounds(n) = &mut program.phases[phase].until {
                        *n = (*n / 2).max(1);
                        push(&|node| node.kind = Kind::Process(program.clone()));
                    }
                }
            }
            Kind::Drain => {}
        }
        plans
    }
}

impl Node {
    /// Whether it is none of those that stand in for others.
    fn is_own(&self) -> bool {
        !matches!(self.kind, Kind::Replay(_) | Kind::Drain)
    }
}
