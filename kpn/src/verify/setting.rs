//! How a run is done: where, and with which capacities.

use std::fmt;

use crate::config::{Deterministic, Private, Shared};
use crate::failure::RunError;
use crate::net::Network;
use crate::report::Report;
use crate::runtime::dice::Dice;
use crate::stall::Stall;

/// Where a run was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// On [`Deterministic`](crate::Deterministic), with this seed: it can be repeated.
    Seed(u64),
    /// On a pool of so many workers.
    Workers(usize),
    /// On a pool of so many workers, which share nodes without state by single firings whenever there is a token.
    Elastic(usize),
    /// The same, and the pool makes choices by chance.
    Shuffled(usize),
    /// On a thread a node.
    Private,
}

/// The capacities of a run's edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Capacity {
    /// As the network was built.
    AsBuilt,
    /// All the same, where the ports of an edge need no more for a firing.
    Each(usize),
    /// Up to 8 more than an edge's ports need, by the seed.
    Mixed,
}

/// How a run was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Where.
    pub place: Place,
    /// With which capacities.
    pub capacity: Capacity,
}

impl Setting {
    /// The run that all others are compared with.
    pub(super) const FIRST: Self = Self { place: Place::Seed(0), capacity: Capacity::AsBuilt };

    /// The run of a seed, which chooses among these capacities as well.
    pub(super) fn of_seed(seed: u64, capacities: &[usize]) -> Self {
        let choices = capacities.len() as u64 + 2;
        let capacity = match seed % choices {
            0 => Capacity::AsBuilt,
            i => capacities.get(i as usize - 1).map_or(Capacity::Mixed, |each| Capacity::Each(*each)),
        };
        Self { place: Place::Seed(seed), capacity }
    }

    pub(super) fn run(&self, mut net: Network<'static>) -> Result<Report, RunError> {
        self.apply(&mut net);
        match self.place {
            Place::Seed(seed) => net.run_on(Deterministic::new(seed)),
            Place::Workers(workers) => net.run_on(Shared::new().workers(workers)),
            Place::Shuffled(workers) => {
                net.run_on(Shared::new().workers(workers).shuffled(workers as u64).always_elastic())
            }
            Place::Elastic(workers) => net.run_on(Shared::new().workers(workers).always_elastic()),
            Place::Private => net.run_on(Private::new()),
        }
    }

    fn apply(&self, net: &mut Network<'static>) {
        let seed = match self.place {
            Place::Seed(seed) => seed,
            _ => 0,
        };
        let (mut dice, graph) = (Dice::of(seed, u64::MAX), net.graph_mut());
        for edge in 0..graph.edges.len() {
            let least = graph.least(edge);
            match self.capacity {
                Capacity::AsBuilt => return,
                Capacity::Each(tokens) => graph.set_capacity(edge, least.max(tokens)),
                Capacity::Mixed => graph.set_capacity(edge, least + dice.below(9)),
            }
        }
        // Less room than the network was built for must not stall it.
        net.set_stall(Stall::Grow { max_bytes: usize::MAX });
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Seed(seed) => write!(f, "seed {seed}")?,
            Place::Workers(workers) => write!(f, "{}", of("worker", workers))?,
            Place::Elastic(workers) => write!(f, "{} that share every node without state", of("worker", workers))?,
            Place::Shuffled(workers) => write!(f, "{} by chance", of("worker", workers))?,
            Place::Private => f.write_str("a thread a node")?,
        }
        match self.capacity {
            Capacity::AsBuilt => f.write_str(", capacities as built"),
            Capacity::Each(tokens) => write!(f, ", capacities of {tokens}"),
            Capacity::Mixed => f.write_str(", mixed capacities"),
        }
    }
}

/// So many of them.
pub(super) fn of(what: &str, count: usize) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
