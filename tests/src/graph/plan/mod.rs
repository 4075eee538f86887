//! Random networks of every kind of node, loops included, as plain data; and everything that is done with them.
//!
//! | to | see |
//! |---|---|
//! | say what a network is | [`Plan`], [`Node`], [`Firing`], [`Program`] |
//! | make one from a seed | [`Plan::random`], [`Taste`] |
//! | know every history by the theory | [`oracle`], which knows nothing of the runtime |
//! | run one and compare | [`Trial`], [`Everywhere`] |
//! | make a failing one smaller | [`shrink`] |

mod build;
mod everywhere;
mod make;
pub mod oracle;
mod program;
mod rules;
mod show;
mod shrink;
#[cfg(test)]
mod tests;
mod trial;

pub use build::{Built, Heard, Sabotage};
pub use everywhere::Everywhere;
pub use make::Taste;
pub use program::{Count, Op, Phase, Program, Until, Value};
pub use rules::{CYCLES, chain, digest};
pub use shrink::shrink;
pub use trial::{Difference, Mode, Outcome, Sort, Trial};

/// What an input of a node that fires takes in one firing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Take {
    /// One token.
    One,
    /// So many.
    Exactly(usize),
    /// It sees `peek` and takes `consume` of them.
    Window {
        /// The tokens that it sees.
        peek: usize,
        /// Those that it takes.
        consume: usize,
    },
    /// As many as the phase says; the index of its phases in [`CYCLES`].
    Cyclic(usize),
}

/// What an output of a node that fires gives in one firing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Give {
    /// One token.
    One,
    /// One or none.
    Maybe,
    /// Any number.
    Any,
    /// So many.
    Exactly(usize),
    /// As many as the phase says; the index of its phases in [`CYCLES`].
    Counted(usize),
}

/// A node that fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    /// By input.
    pub takes: Vec<Take>,
    /// By output.
    pub gives: Vec<Give>,
    /// Whether what it gives depends on all that it has ever taken, or on this firing alone.
    pub stateful: bool,
    /// Whether its tokens ascend: for sources whose streams are merged in order.
    pub ascending: bool,
    /// The firing, counted from 0, in which it says that its stream ends.
    pub limit: Option<usize>,
    /// Whether it has a last word once its inputs have ended.
    pub finishes: bool,
}

/// What a node does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It fires.
    Firing(Firing),
    /// It is a process.
    Process(Program),
    /// A source that gives these tokens; stands in for what a shrunken plan has lost.
    Replay(Vec<u64>),
    /// A sink that takes all.
    Drain,
}

/// Where a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where the network does.
    Shared,
    /// `.private()`
    Private,
    /// `.blocking()`
    Blocking,
    /// `.priority(..)`
    Priority(i32),
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it does.
    pub kind: Kind,
    /// What distinguishes it from its like.
    pub salt: u64,
    /// Where it runs.
    pub place: Place,
    /// Rounds of busy work a firing, or a receive.
    pub work: u32,
}

/// An end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port {
    /// The node.
    pub node: usize,
    /// Which of its inputs or outputs.
    pub port: usize,
}

/// An edge. Several may begin at one output: each gets every token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The output.
    pub from: Port,
    /// The input.
    pub to: Port,
    /// The most tokens that it holds; the default where nothing is said.
    pub capacity: Option<usize>,
    /// The tokens in it before anything runs. An empty list is said as such.
    pub initial: Option<Vec<u64>>,
}

/// A network. Node `i` is named `n{i}`; every input has one edge, every output at least one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
}

impl Kind {
    /// How many inputs it has.
    pub fn inputs(&self) -> usize {
        match self {
            Self::Firing(firing) => firing.takes.len(),
            Self::Process(program) => program.inputs,
            Self::Replay(_) => 0,
            Self::Drain => 1,
        }
    }

    /// How many outputs it has.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Firing(firing) => firing.gives.len(),
            Self::Process(program) => program.outputs,
            Self::Replay(_) => 1,
            Self::Drain => 0,
        }
    }

    /// Whether it is a process in the network that is built.
    pub fn is_process(&self) -> bool {
        matches!(self, Self::Process(_))
    }
}

/// The edges of each node, by port.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    /// By node and input: the edge.
    pub inputs: Vec<Vec<usize>>,
    /// By node and output: the edges, in order.
    pub outputs: Vec<Vec<Vec<usize>>>,
}

impl Plan {
    /// The name of a node.
    pub fn name(node: usize) -> String {
        format!("n{node}")
    }

    /// The edges of each node.
    ///
    /// # Panics
    ///
    /// Where a port has no edge, or an input several.
    pub fn wiring(&self) -> Wiring {
        let mut inputs: Vec<_> = self.nodes.iter().map(|node| vec![None; node.kind.inputs()]).collect();
        let mut outputs: Vec<_> = self.nodes.iter().map(|node| vec![Vec::new(); node.kind.outputs()]).collect();
        for (i, edge) in self.edges.iter().enumerate() {
            let input: &mut Option<usize> = &mut inputs[edge.to.node][edge.to.port];
            assert!(input.replace(i).is_none(), "an input has one edge: {edge:?}");
            outputs[edge.from.node][edge.from.port].push(i);
        }
        assert!(outputs.iter().flatten().all(|edges| !edges.is_empty()), "every output has an edge");
        let whole = |ports: Vec<Option<usize>>| ports.into_iter().map(|edge| edge.expect("every input has an edge"));
        Wiring { inputs: inputs.into_iter().map(|ports| whole(ports).collect()).collect(), outputs }
    }

    /// Whether an arrow carries initial tokens, or says that there are none.
    pub fn has_loops(&self) -> bool {
        self.edges.iter().any(|edge| edge.initial.is_some())
    }
}
