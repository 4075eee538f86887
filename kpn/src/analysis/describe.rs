//! From a model to an [`Analysis`].

use super::balance::{Balance, Unbalanced, balance};
use super::bound::bound;
use super::live::{self, Fit, Settled, grow, least_ahead, progress, settle, shortages, shrink};
use super::model::Model;
use super::sim::{Budget, MOST_RUNS, Sim, Spent};
use super::taint::downstream;
use super::{Analysis, EdgeAnalysis, Fitness, Liveness, NodeAnalysis, NodeKind, Part, Rates, Schedule, Shortage};

/// Steps that each question may take over a whole network: seconds at most.
const MOST_STEPS: u64 = 1 << 22;

/// What a model doesn't say of a node.
#[derive(Clone, Debug)]
pub(crate) struct NodeLabel {
    pub(crate) name: String,
    pub(crate) kind: NodeKind,
}

/// What a model doesn't say of an edge.
#[derive(Clone, Debug)]
pub(crate) struct EdgeLabel {
    pub(crate) name: String,
    pub(crate) gives: Rates,
    pub(crate) takes: Rates,
    /// The capacity that it has.
    pub(crate) capacity: usize,
    /// A token's size.
    pub(crate) size: usize,
}

/// What a model doesn't say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    pub(crate) nodes: Vec<NodeLabel>,
    pub(crate) edges: Vec<EdgeLabel>,
    pub(crate) taps: Vec<String>,
}

/// Says all that is known of a model.
pub(crate) fn describe(model: &Model<'_>, labels: Labels) -> Analysis {
    let balance = balance(model);
    let named: Vec<bool> = labels.nodes.iter().map(|node| node.kind == NodeKind::Nondeterminate).collect();
    let mut edges: Vec<EdgeAnalysis> = model.edges.iter().zip(labels.edges).map(edge_analysis).collect();
    let node = |(i, label): (usize, NodeLabel)| NodeAnalysis {
        name: label.name,
        kind: label.kind,
        part: balance.part_of[i],
        firings: Some(balance.repetitions[i]).filter(|&firings| firings > 0),
    };
    let nodes = labels.nodes.into_iter().enumerate().map(node).collect();
    let mut examiner = Examiner {
        model,
        balance: &balance,
        edges: &mut edges,
        number: vec![0; model.nodes],
        budgets: std::array::from_fn(|_| Budget::new(MOST_STEPS)),
    };
    let parts = (0..balance.parts.len()).map(|part| examiner.part(part)).collect();
    Analysis {
        nodes,
        edges,
        parts,
        nondeterminate: (0..model.nodes).filter(|&node| named[node]).collect(),
        downstream: downstream(model, &named),
        taps: labels.taps,
    }
}

fn edge_analysis((edge, label): (&super::Edge<'_>, EdgeLabel)) -> EdgeAnalysis {
    // The ring's size is a power of two.
    let slots = (label.capacity as u128).next_power_of_two();
    EdgeAnalysis {
        name: label.name,
        from: edge.from,
        to: edge.to,
        gives: label.gives,
        takes: label.takes,
        initial: edge.initial,
        bound: bound(edge),
        least: None,
        capacity: label.capacity,
        chosen: edge.capacity.is_some(),
        bytes: u64::try_from(slots * label.size as u128).unwrap_or(u64::MAX),
    }
}

struct Examiner<'a, 'm> {
    model: &'a Model<'m>,
    balance: &'a Balance,
    edges: &'a mut [EdgeAnalysis],
    number: Vec<usize>,
    /// For liveness, for the capacities at hand, for the least ones.
    budgets: [Budget; 3],
}

impl Examiner<'_, '_> {
    fn part(&mut self, index: usize) -> Part {
        let found = &self.balance.parts[index];
        let mut part = Part {
            nodes: found.nodes.clone(),
            edges: found.edges.clone(),
            firings: found.firings.as_ref().ok().copied(),
            liveness: Liveness::Unknown,
            fit: Fitness::Unknown,
            schedule: None,
            tight: None,
        };
        match found.firings {
            Ok(_) => {}
            Err(Unbalanced::TooLarge) => return part,
            Err(_) => {
                part.liveness = Liveness::Inconsistent;
                return part;
            }
        }
        let repetitions: Vec<u64> = part.nodes.iter().map(|&node| self.balance.repetitions[node]).collect();
        let mut sim = Sim::new(self.model, &part.nodes, &part.edges, &repetitions, &mut self.number);
        let Ok(before) = self.liveness(&mut sim, &mut part) else { return part };
        self.fit(&mut sim, before, &mut part);
        self.least(&mut sim, before, &mut part);
        part
    }

    /// Whether the part lives where nothing bounds it; if so, after how many iterations.
    fn liveness(&mut self, sim: &mut Sim<'_>, part: &mut Part) -> Result<u64, Spent> {
        let budget = &mut self.budgets[0];
        match settle(sim, 0, budget)? {
            Settled::Live { before } => {
                let before = least_ahead(sim, before, budget)?;
                sim.reset();
                sim.run(before, budget)?;
                let ahead = sim.fired();
                let ahead = if ahead.iter().all(|&firings| firings == 0) { Vec::new() } else { ahead };
                part.liveness = Liveness::Live { ahead };
                part.schedule = schedule(sim, before, budget);
                Ok(before)
            }
            Settled::Stuck(cycle) => {
                let public = |shortage: live::Starved| Shortage {
                    nodes: shortage.nodes,
                    edge: shortage.edge,
                    tokens: shortage.tokens,
                    needed: shortage.needed,
                };
                let found = shortages(sim, self.model, cycle, budget);
                part.liveness = Liveness::Deadlock(found.into_iter().map(public).collect());
                Err(Spent)
            }
        }
    }

    /// Whether the capacities at hand do.
    fn fit(&mut self, sim: &mut Sim<'_>, before: u64, part: &mut Part) {
        for edge in &mut sim.edges {
            edge.capacity = self.edges[edge.index].capacity as u128;
        }
        part.fit = match settle(sim, before, &mut self.budgets[1]) {
            Ok(Settled::Live { .. }) => Fitness::Fits,
            Ok(Settled::Stuck(cycle)) => {
                let full = cycle.iter().filter(|wait| wait.lack == super::sim::Lack::Space);
                Fitness::Deadlock {
                    full: full.map(|wait| sim.edges[wait.edge].index).collect(),
                    nodes: cycle.iter().map(|wait| sim.indices[wait.node]).collect(),
                }
            }
            Err(Spent) => Fitness::Unknown,
        };
    }

    /// Capacities that can't be lowered.
    fn least(&mut self, sim: &mut Sim<'_>, before: u64, part: &mut Part) {
        let budget = &mut self.budgets[2];
        let bounds: Vec<u128> = sim.edges.iter().map(|edge| self.edges[edge.index].bound as u128).collect();
        for (edge, bound) in sim.edges.iter_mut().zip(&bounds) {
            edge.capacity = *bound;
        }
        let may_grow = vec![true; bounds.len()];
        let grown = grow(sim, &may_grow, before, budget);
        if !matches!(grown, Ok(Fit::Live)) || shrink(sim, &bounds, budget).is_err() {
            return;
        }
        for edge in &sim.edges {
            self.edges[edge.index].least = usize::try_from(edge.capacity).ok();
        }
        if let Ok(Settled::Live { before }) = settle(sim, before, budget) {
            part.tight = schedule(sim, before, budget);
        }
    }
}

/// The iteration that follows the ones ahead.
fn schedule(sim: &mut Sim<'_>, before: u64, budget: &mut Budget) -> Option<Schedule> {
    progress(sim, before, budget).ok()?;
    let runs = std::mem::take(&mut sim.runs);
    let short = runs.len() <= MOST_RUNS;
    short.then(|| Schedule::new(runs.into_iter().map(|(node, times)| (sim.indices[node], times))))
}
