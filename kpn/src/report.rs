//! What a run came to: figures a node and an edge, and a table of them.

use std::fmt;

use crate::runtime::life::Net;
use crate::runtime::shuffle::Shuffle;
use crate::stall::Growth;
use crate::sync::Duration;
use crate::table::table;

/// The figures of a run, or of a running network so far.
///
/// Times of nodes are sampled: exact for nodes of 10 µs a firing and more, estimates below. Without the
/// feature `stats` a report has the tokens of each edge and the time, and no nodes.
#[derive(Clone, Debug)]
pub struct Report {
    /// How long the network ran.
    pub elapsed: Duration,
    /// Each node, in the order in which it was declared. Empty without the feature `stats`.
    pub nodes: Vec<NodeReport>,
    /// Each edge, in the order in which it was declared.
    pub edges: Vec<EdgeReport>,
    /// The edges that grew, in order; see [`Stall::Grow`](crate::Stall::Grow).
    pub growths: Vec<Growth>,
    /// Processes, or their ports `node.port`, that saw more than their tokens: by [`nondet`](crate::nondet), or since an operation
    /// on the port was dropped while it waited. Empty where the result depends on the tokens alone.
    pub not_determinate: Vec<String>,
    /// What the order of activations hashes to, on [`Deterministic`](crate::Deterministic): the same for the same seed.
    pub schedule: Option<u64>,
}

/// The figures of one node.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeReport {
    /// Its name.
    pub name: String,
    /// How often it fired.
    pub firings: u64,
    /// How often it got a worker.
    pub activations: u64,
    /// How many of these did nothing.
    pub empty_activations: u64,
    /// Time spent in firings.
    pub busy: Duration,
    /// Time waiting for a token.
    pub blocked_on_input: Duration,
    /// Time waiting for space.
    pub blocked_on_output: Duration,
    /// Time waiting for an inlet's or outlet's other side.
    pub blocked_on_outside: Duration,
    /// Time ready to fire, waiting for a worker.
    pub waiting_for_worker: Duration,
}

/// The figures of one edge.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EdgeReport {
    /// Its name: `from.port -> to.port`.
    pub name: String,
    /// Tokens that passed, or were published and not yet read.
    pub tokens: u64,
    /// The most tokens it can hold.
    pub capacity: usize,
    /// The most tokens seen in it at the end of an activation of either side; never above the capacity.
    pub high_water: usize,
    /// Tokens in it now; what was left when the network ended: tokens too few for another firing of their reader, for example.
    pub len: usize,
}

impl Report {
    pub(crate) fn of(net: &Net) -> Self {
        let members = net.members();
        let nodes = members.tasks().filter_map(|task| {
            let reading = task.figures.read()?;
            Some(NodeReport {
                name: task.name.to_string(),
                firings: reading.firings,
                activations: reading.activations,
                empty_activations: reading.empty,
                busy: reading.busy,
                blocked_on_input: reading.on_input,
                blocked_on_output: reading.on_output,
                blocked_on_outside: reading.on_outside,
                waiting_for_worker: reading.for_worker,
            })
        });
        let edges = members.edges.iter().map(|edge| EdgeReport {
            name: edge.name.to_string(),
            tokens: edge.link.count() as u64,
            capacity: edge.link.capacity(),
            high_water: edge.link.high_water(),
            len: edge.link.len(),
        });
        Self {
            elapsed: net.elapsed(),
            nodes: nodes.collect(),
            edges: edges.collect(),
            growths: net.growths(),
            not_determinate: net.doubts(),
            schedule: net.shuffle().and_then(Shuffle::trace),
        }
    }

    /// The figures of the node with this name.
    pub fn node(&self, name: &str) -> Option<&NodeReport> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// The figures of the edge with this name.
    pub fn edge(&self, name: &str) -> Option<&EdgeReport> {
        self.edges.iter().find(|edge| edge.name == name)
    }

    /// The most tokens that any edge delivered: what passed through the network.
    pub fn items(&self) -> u64 {
        self.edges.iter().map(|edge| edge.tokens).max().unwrap_or(0)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed.as_secs_f64();
        let rate = if seconds > 0.0 { self.items() as f64 / seconds } else { 0.0 };
        writeln!(f, "{} items in {:.3} s: {:.0} items/s", self.items(), seconds, rate)?;
        let share = |time: Duration| {
            let percent = if seconds > 0.0 { 100.0 * time.as_secs_f64() / seconds } else { 0.0 };
            format!("{:.1} %", percent.min(100.0))
        };
        if !self.nodes.is_empty() {
            let header = ["node", "firings", "activations", "busy", "no input", "no space", "outside", "no worker"];
            let rows = self.nodes.iter().map(|node| {
                [
                    node.name.clone(),
                    node.firings.to_string(),
                    node.activations.to_string(),
                    share(node.busy),
                    share(node.blocked_on_input),
                    share(node.blocked_on_output),
                    share(node.blocked_on_outside),
                    share(node.waiting_for_worker),
                ]
            });
            table(f, header, &rows.collect::<Vec<_>>())?;
        }
        let header = ["edge", "tokens", "capacity", "high water", "left"];
        let rows = self.edges.iter().map(|edge| {
            [
                edge.name.clone(),
                edge.tokens.to_string(),
                edge.capacity.to_string(),
                edge.high_water.to_string(),
                edge.len.to_string(),
            ]
        });
        table(f, header, &rows.collect::<Vec<_>>())?;
        for Growth { edge, from, to } in &self.growths {
            writeln!(f, "grown: {edge} from {from} to {to}")?;
        }
        for port in &self.not_determinate {
            writeln!(f, "not determinate: {port} saw more than its tokens")?;
        }
        Ok(())
    }
}
