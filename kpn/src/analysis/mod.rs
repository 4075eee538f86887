//! What is known of a network before it runs, from the rates of its ports.
//!
//! Where both ends of an edge have a fixed rate (one token, an array written out, phases, a window), the balance
//! equations say how often each node fires in one iteration, after which all edges hold what they held before (Lee and
//! Messerschmitt 1987; with phases Bilsen et al. 1996). Firing one iteration on paper then shows whether the network
//! can go on for ever, with which capacities, and in which order. `Option`, `Many` and processes depend on the tokens:
//! their edges impose nothing and are left out.
//!
//! [`Builder::build`](crate::Builder::build) refuses what can't work; [`Network::analysis`](crate::Network::analysis)
//! says the rest.

mod balance;
mod bound;
mod check;
mod describe;
mod live;
mod model;
mod schedule;
mod sim;
mod taint;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use balance::{Balance, Unbalanced, balance};
pub(crate) use bound::bound;
pub(crate) use check::{enlarge, starved};
pub(crate) use describe::{EdgeLabel, Labels, NodeLabel, describe};
pub(crate) use live::Starved;
pub(crate) use model::{Edge, Flow, Model};
pub use schedule::{Schedule, Term};

/// What is known of a network before it runs; prints as tables. Made by
/// [`Network::analysis`](crate::Network::analysis).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Analysis {
    /// Each node, in the order in which it was declared.
    pub nodes: Vec<NodeAnalysis>,
    /// Each edge, in the order in which it was declared.
    pub edges: Vec<EdgeAnalysis>,
    /// The pieces of the network that edges with fixed rates hold together, by their first node.
    pub parts: Vec<Part>,
    /// The nodes that are not determinate and say so: indices of `nodes`.
    pub nondeterminate: Vec<usize>,
    /// What lies behind these, so that it depends on time, too: indices of `nodes`.
    pub downstream: Vec<usize>,
    /// The outputs that a latest value is taken of, as `node.port`. Whoever looks sees a token or misses it, as time
    /// has it; the network itself doesn't notice.
    pub taps: Vec<String>,
}

impl Analysis {
    /// Whether every edge carries the same tokens whatever the schedule, the machine and the capacities.
    pub fn is_determinate(&self) -> bool {
        self.nondeterminate.is_empty()
    }

    /// Whether all parts can go on for ever with the capacities they have; `None` where that isn't known of one and
    /// all others can.
    pub fn is_live(&self) -> Option<bool> {
        let verdicts = || self.parts.iter().map(Part::is_live);
        if verdicts().any(|live| live == Some(false)) {
            return Some(false);
        }
        verdicts().all(|live| live == Some(true)).then_some(true)
    }

    /// The memory of all edges in bytes, without what their tokens point to.
    pub fn bytes(&self) -> u64 {
        self.edges.iter().fold(0, |sum, edge| edge.bytes.saturating_add(sum))
    }

    /// The node with this name.
    pub fn node(&self, name: &str) -> Option<&NodeAnalysis> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// The edge with this name, `from.port -> to.port`.
    pub fn edge(&self, name: &str) -> Option<&EdgeAnalysis> {
        self.edges.iter().find(|edge| edge.name == name)
    }

    /// A schedule as text: `3 a, 2 (b, 4 c)` is a three times, then twice b and four times c.
    pub fn notation(&self, schedule: &Schedule) -> String {
        schedule.text(|node| self.nodes.get(node).map_or("?", |node| &node.name))
    }
}

/// What is known of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NodeAnalysis {
    /// Its name.
    pub name: String,
    /// What is fixed of it.
    pub kind: NodeKind,
    /// The part that it belongs to: an index of [`Analysis::parts`].
    pub part: Option<usize>,
    /// Its entry of the repetition vector: firings in one iteration of its part. `None` where it is in none, or where
    /// the part has no such vector.
    pub firings: Option<u64>,
}

/// What is fixed of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum NodeKind {
    /// All its rates.
    Fixed,
    /// Not all: some port takes or gives as many tokens as the data ask for.
    Dynamic,
    /// It is a process, which reads and writes in an order of its own. What it gives depends on its tokens alone.
    Process,
    /// What it gives depends on time or on the order of arrivals.
    Nondeterminate,
}

/// What is known of an edge. Figures are tokens where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct EdgeAnalysis {
    /// Its name: `from.port -> to.port`.
    pub name: String,
    /// The node that writes: an index of [`Analysis::nodes`].
    pub from: usize,
    /// The node that reads.
    pub to: usize,
    /// What a firing of `from` gives.
    pub gives: Rates,
    /// What a firing of `to` takes.
    pub takes: Rates,
    /// Tokens on it before the start.
    pub initial: usize,
    /// The least capacity that the two ends need by themselves.
    pub bound: usize,
    /// The capacity that suffices in the whole part where all other edges have no more than this either; no edge's
    /// figure can be lowered by itself. `None` where the edge is in no part, the part isn't live, or this took too
    /// long.
    pub least: Option<usize>,
    /// The capacity that it has.
    pub capacity: usize,
    /// Whether it was asked for.
    pub chosen: bool,
    /// The memory that it takes in bytes, without what its tokens point to.
    pub bytes: u64,
}

/// How many tokens a port moves a firing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Rates {
    /// So many, in turn.
    Phases(Vec<usize>),
    /// It sees `peek` tokens, of which it takes `consume`.
    Window {
        /// Tokens seen.
        peek: usize,
        /// Tokens taken.
        consume: usize,
    },
    /// It depends on the tokens.
    Dynamic,
}

/// A piece of a network that edges with fixed rates hold together. Nodes and edges are indices of
/// [`Analysis::nodes`] and [`Analysis::edges`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Part {
    /// Its nodes.
    pub nodes: Vec<usize>,
    /// Its edges: those both of whose ends have fixed rates.
    pub edges: Vec<usize>,
    /// Firings of all its nodes in one iteration; `None` where that is beyond counting.
    pub firings: Option<u64>,
    /// Whether it can go on for ever where its edges are large enough.
    pub liveness: Liveness,
    /// Whether it can with the capacities that they have.
    pub fit: Fitness,
    /// An iteration with edges large enough for it: where the part has no cycle, each node stands in it once. `None`
    /// where the part isn't live, or the schedule is too long to be written down.
    pub schedule: Option<Schedule>,
    /// An iteration within [`EdgeAnalysis::least`].
    pub tight: Option<Schedule>,
}

impl Part {
    fn is_live(&self) -> Option<bool> {
        match (&self.liveness, &self.fit) {
            (Liveness::Deadlock(_), _) | (_, Fitness::Deadlock { .. }) => Some(false),
            (Liveness::Live { .. }, Fitness::Fits) => Some(true),
            _ => None,
        }
    }
}

/// Whether a part can go on for ever where its edges are large enough.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Liveness {
    /// It can.
    Live {
        /// Firings of each node, in the order of [`Part::nodes`], before the first iteration of the schedule: they
        /// fill the windows. Empty where none are needed.
        ahead: Vec<u64>,
    },
    /// It can't, whatever the capacities: a true deadlock for want of these tokens.
    Deadlock(Vec<Shortage>),
    /// Its rates don't agree, so that some edge fills up or runs dry.
    Inconsistent,
    /// An iteration has too many firings to try it out.
    Unknown,
}

/// Whether a part can go on for ever with the capacities that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Fitness {
    /// It can.
    Fits,
    /// It can't: an artificial deadlock.
    Deadlock {
        /// Nodes that come to wait for one another, each for the next, the last one for the first.
        nodes: Vec<usize>,
        /// The edges that are full then: one of them needs a larger capacity.
        full: Vec<usize>,
    },
    /// An iteration has too many firings to try it out, or the part isn't live anyway.
    Unknown,
}

/// Nodes that wait for one another's tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Shortage {
    /// The nodes in flow order, the last one before the first.
    pub nodes: Vec<usize>,
    /// The edge of their cycle to put initial tokens on.
    pub edge: usize,
    /// How many lie there.
    pub tokens: usize,
    /// How many are needed; `None` where that took too long to find out.
    pub needed: Option<usize>,
}
