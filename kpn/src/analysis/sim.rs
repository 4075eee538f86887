//! Firing a part of a network on paper: numbers of tokens only.
//!
//! Which node fires first makes no difference to how often each can fire in the end, since firing one never takes
//! tokens or spaces from another.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::model::{Flow, Model};

/// Runs of equal firings that are noted down.
pub(super) const MOST_RUNS: usize = 4096;

/// As many steps as were allowed have been taken.
#[derive(Debug)]
pub(super) struct Spent;

/// Steps that are left: a run of firings of one node takes one, and one for each of its ports.
#[derive(Debug)]
pub(super) struct Budget(u64);

impl Budget {
    pub(super) fn new(steps: u64) -> Self {
        Self(steps)
    }

    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        self.0 = self.0.checked_sub(steps).ok_or(Spent)?;
        Ok(())
    }
}

/// Why a node can't fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    Tokens,
    Space,
}

/// A node that waits on an edge of a [`Sim`]; how many tokens or spaces are there, and how many it asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub(super) node: usize,
    pub(super) edge: usize,
    pub(super) lack: Lack,
    pub(super) there: u128,
    pub(super) wants: u128,
    /// Whom it waits for.
    pub(super) peer: usize,
}

pub(super) struct SimEdge<'a> {
    /// Its index in the model.
    pub(super) index: usize,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) gives: Flow<'a>,
    pub(super) takes: Flow<'a>,
    pub(super) initial: u128,
    /// `u128::MAX` where it has no bound.
    pub(super) capacity: u128,
    tokens: u128,
}

struct SimNode {
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    /// Those upstream go first.
    rank: usize,
    repetitions: u64,
    fired: u64,
    limit: u64,
}

/// Nodes and edges by numbers of its own.
pub(super) struct Sim<'a> {
    /// The nodes' indices in the model.
    pub(super) indices: Vec<usize>,
    nodes: Vec<SimNode>,
    pub(super) edges: Vec<SimEdge<'a>>,
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    queued: Vec<bool>,
    /// (node, firings) in turn, while they are noted.
    pub(super) runs: Vec<(usize, u64)>,
    noting: bool,
}

impl<'a> Sim<'a> {
    /// The given nodes with their repetitions, and edges between them, all of fixed rates, without bounds.
    /// `number` has an entry for each node of the model, lent for the time of the call.
    pub(super) fn new(
        model: &Model<'a>,
        nodes: &[usize],
        edges: &[usize],
        repetitions: &[u64],
        number: &mut [usize],
    ) -> Self {
        for (i, &node) in nodes.iter().enumerate() {
            number[node] = i;
        }
        let node = |&repetitions: &u64| SimNode {
            inputs: Vec::new(),
            outputs: Vec::new(),
            rank: 0,
            repetitions,
            fired: 0,
            limit: 0,
        };
        let mut sim = Self {
            indices: nodes.to_vec(),
            nodes: repetitions.iter().map(node).collect(),
            edges: Vec::with_capacity(edges.len()),
            queue: BinaryHeap::new(),
            queued: vec![false; nodes.len()],
            runs: Vec::new(),
            noting: false,
        };
        for &index in edges {
            let edge = &model.edges[index];
            let Some((gives, takes)) = edge.fixed() else { continue };
            let (from, to) = (number[edge.from], number[edge.to]);
            sim.nodes[from].outputs.push(sim.edges.len());
            sim.nodes[to].inputs.push(sim.edges.len());
            let initial = edge.initial as u128;
            let (capacity, tokens) = (u128::MAX, initial);
            sim.edges.push(SimEdge { index, from, to, gives, takes, initial, capacity, tokens });
        }
        sim.rank();
        sim
    }

    /// Ranks the nodes in the direction of flow; of several on a cycle those with initial tokens before them first.
    fn rank(&mut self) {
        let successors = |node: usize| self.nodes[node].outputs.iter().map(|&edge| self.edges[edge].to);
        let pairs: Vec<(usize, usize)> =
            (0..self.nodes.len()).flat_map(|node| successors(node).map(move |to| (node, to))).collect();
        let whole = crate::digraph::Successors::new(self.nodes.len(), || pairs.iter().copied());
        let component = whole.components();
        let empty = |edge: &&SimEdge<'_>| edge.initial == 0 || component[edge.from] != component[edge.to];
        let inside = || self.edges.iter().filter(empty).map(|edge| (edge.from, edge.to));
        let order = crate::digraph::Successors::new(self.nodes.len(), inside).components();
        // Components are numbered against the flow.
        for (node, rank) in order.into_iter().enumerate() {
            self.nodes[node].rank = usize::MAX - rank;
        }
    }

    pub(super) fn repetitions(&self, node: usize) -> u64 {
        self.nodes[node].repetitions
    }

    pub(super) fn fired(&self) -> Vec<u64> {
        self.nodes.iter().map(|node| node.fired).collect()
    }

    /// Back to the start, with the initial tokens and capacities as they now stand.
    pub(super) fn reset(&mut self) {
        self.edges.iter_mut().for_each(|edge| edge.tokens = edge.initial);
        for node in &mut self.nodes {
            (node.fired, node.limit) = (0, 0);
        }
        self.runs.clear();
        self.noting = false;
    }

    /// Notes the runs from here on.
    pub(super) fn note(&mut self) {
        self.runs.clear();
        self.noting = true;
    }

    /// Fires until nothing can fire any more, each node up to `iterations` times its repetitions.
    pub(super) fn run(&mut self, iterations: u64, budget: &mut Budget) -> Result<(), Spent> {
        for node in 0..self.nodes.len() {
            self.nodes[node].limit = self.nodes[node].repetitions.checked_mul(iterations).ok_or(Spent)?;
            self.enqueue(node);
        }
        while let Some(Reverse((_, node))) = self.queue.pop() {
            self.queued[node] = false;
            let ports = self.nodes[node].inputs.len() + self.nodes[node].outputs.len();
            if let Err(spent) = budget.spend(1 + ports as u64) {
                self.queue.clear();
                self.queued.fill(false);
                return Err(spent);
            }
            let firings = self.possible(node);
            if firings > 0 {
                self.fire(node, firings);
            }
        }
        Ok(())
    }

    fn enqueue(&mut self, node: usize) {
        if self.nodes[node].fired < self.nodes[node].limit && !std::mem::replace(&mut self.queued[node], true) {
            self.queue.push(Reverse((self.nodes[node].rank, node)));
        }
    }

    /// How often a node can fire at once.
    fn possible(&self, node: usize) -> u64 {
        let SimNode { inputs, outputs, fired, limit, .. } = &self.nodes[node];
        let mut most = u128::from(limit - fired);
        let sides = inputs.iter().map(|&edge| (edge, Lack::Tokens));
        for (edge, side) in sides.chain(outputs.iter().map(|&edge| (edge, Lack::Space))) {
            let (there, wants) = self.side(edge, side, *fired);
            if there < wants {
                return 0;
            }
            let edge = &self.edges[edge];
            let (gives, takes) = (edge.gives.only(*fired), edge.takes.only(*fired));
            most = most.min(match if side == Lack::Tokens { takes } else { gives } {
                // What is taken comes back.
                Some(_) if edge.from == edge.to && gives == takes => u128::MAX,
                Some(0) => u128::MAX,
                Some(moves) if edge.from != edge.to => there / moves,
                _ => 1,
            });
        }
        most as u64
    }

    /// What one end of an edge finds before firing number `fired`, and what it asks for.
    fn side(&self, edge: usize, side: Lack, fired: u64) -> (u128, u128) {
        let edge = &self.edges[edge];
        match side {
            Lack::Tokens => (edge.tokens, edge.takes.moves(fired)),
            Lack::Space => (edge.capacity.saturating_sub(edge.tokens), edge.gives.moves(fired)),
        }
    }

    fn fire(&mut self, node: usize, firings: u64) {
        let SimNode { inputs, outputs, fired, .. } = &mut self.nodes[node];
        // More than one only where every amount is always the same.
        let moved = |flow: &Flow<'_>| flow.moves(*fired) * u128::from(firings);
        for &edge in &*outputs {
            let given = moved(&self.edges[edge].gives);
            self.edges[edge].tokens += given;
        }
        for &edge in &*inputs {
            let taken = moved(&self.edges[edge].takes);
            self.edges[edge].tokens -= taken;
        }
        *fired += firings;
        if self.noting && self.runs.len() <= MOST_RUNS {
            match self.runs.last_mut() {
                Some((last, times)) if *last == node => *times += firings,
                _ => self.runs.push((node, firings)),
            }
        }
        for i in 0..self.nodes[node].outputs.len() {
            self.enqueue(self.edges[self.nodes[node].outputs[i]].to);
        }
        for i in 0..self.nodes[node].inputs.len() {
            self.enqueue(self.edges[self.nodes[node].inputs[i]].from);
        }
        self.enqueue(node);
    }

    /// What a node waits for: of all that it lacks, something that one of the `preferred` nodes owes it, if any.
    pub(super) fn wait(&self, node: usize, preferred: &[bool]) -> Option<Wait> {
        let SimNode { inputs, outputs, fired, .. } = &self.nodes[node];
        let sides = inputs.iter().map(|&edge| (edge, Lack::Tokens));
        let sides = sides.chain(outputs.iter().map(|&edge| (edge, Lack::Space)));
        let unmet = sides.filter_map(|(edge, lack)| {
            let (there, wants) = self.side(edge, lack, *fired);
            let SimEdge { from, to, .. } = self.edges[edge];
            let peer = if lack == Lack::Tokens { from } else { to };
            (there < wants).then_some(Wait { node, edge, lack, there, wants, peer })
        });
        let mut any = None;
        for wait in unmet {
            if preferred[wait.peer] {
                return Some(wait);
            }
            any.get_or_insert(wait);
        }
        any
    }
}
