//! Every history by the theory alone: a sequential interpreter with queues of its own, which shares nothing with the
//! runtime. Whatever can go on goes on, until nothing can: the least fixpoint of Kahn (1974), in one of many orders.
//!
//! With unbounded queues it says what a network computes. With the capacities of the plan it says whether that network
//! deadlocks: a bounded edge is an edge of spaces the other way round, so a bounded network is a Kahn network, too,
//! and one order speaks for all.

mod firing;
mod limits;
mod process;
mod stuck;

pub use limits::{Expected, Written};

use std::collections::VecDeque;

use super::{Kind, Plan, Wiring};
use crate::Dice;
use firing::Fires;
use process::Thread;

/// What a run of the interpreter came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All nodes ended.
    Ended,
    /// Some node waits for space, and no growth is allowed.
    Artificial,
    /// Nodes wait for one another's tokens.
    True,
    /// It takes more tokens than it may.
    Endless,
}

/// What a node waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A token of this edge.
    Token(usize),
    /// Space in this edge.
    Space(usize),
}

/// How a node ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It has not.
    Not,
    /// At the end of inputs: of one, for a node that fires; of all these, which it saw, for a process.
    Inputs(Vec<usize>),
    /// By its own will, whatever its inputs were; or nobody read it any more.
    Itself,
}

/// What one step of a node came to.
enum Step {
    Moved,
    Waits(Wait),
    Ended(End),
}

enum Actor {
    Fires(Fires),
    Thread(Thread),
}

/// In which order nodes that can go on do so. The result is the same.
#[derive(Clone, Debug)]
pub enum Order {
    /// First come, first served.
    Queue,
    /// By lot.
    Lot(Dice),
}

/// The edges: what the nodes of the interpreter see.
struct Edges<'a> {
    plan: &'a Plan,
    wiring: &'a Wiring,
    /// By edge: the most tokens; absent where there is no bound.
    bounds: Option<&'a [usize]>,
    queues: Vec<VecDeque<u64>>,
    /// By edge: its writer has ended.
    closed: Vec<bool>,
    /// By edge: it ended with its loop, while its writer may have been alive.
    dry: Vec<bool>,
    /// By edge: its reader has ended.
    left: Vec<bool>,
    /// By edge: what its reader took.
    taken: Vec<Vec<u64>>,
    /// By node and output.
    written: Vec<Vec<Written>>,
    /// See [`Oracle::stubborn`].
    stubborn: bool,
    /// Nodes to look at again.
    stirred: Vec<usize>,
    moves: usize,
}

/// A token, or why there is none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sight {
    Token(u64),
    Nothing,
    End,
}

impl Edges<'_> {
    fn input(&self, node: usize, port: usize) -> usize {
        self.wiring.inputs[node][port]
    }

    fn look(&self, node: usize, port: usize) -> Sight {
        let edge = self.input(node, port);
        match self.queues[edge].front() {
            Some(&token) => Sight::Token(token),
            None if self.closed[edge] => Sight::End,
            None => Sight::Nothing,
        }
    }

    /// Takes a token out of its edge.
    fn pop(&mut self, node: usize, port: usize) -> u64 {
        let edge = self.input(node, port);
        self.stirred.push(self.plan.edges[edge].from.node);
        self.moves += 1;
        self.queues[edge].pop_front().expect("it was seen")
    }

    /// Books a token as taken.
    fn book(&mut self, node: usize, port: usize, token: u64) {
        let edge = self.input(node, port);
        self.taken[edge].push(token);
    }

    fn take(&mut self, node: usize, port: usize) -> u64 {
        let token = self.pop(node, port);
        self.book(node, port, token);
        token
    }

    /// The first edge of an output without space for `need` tokens.
    fn full(&self, node: usize, port: usize, need: usize) -> Option<usize> {
        let bounds = self.bounds?;
        let full = |&&edge: &&usize| !self.left[edge] && self.queues[edge].len() + need > bounds[edge];
        self.wiring.outputs[node][port].iter().find(full).copied()
    }

    fn give(&mut self, node: usize, port: usize, token: u64) {
        for &edge in &self.wiring.outputs[node][port] {
            if !self.left[edge] {
                self.queues[edge].push_back(token);
                self.stirred.push(self.plan.edges[edge].to.node);
            }
        }
        let written = &mut self.written[node][port];
        written.tokens.push(token);
        written.after.extend(self.wiring.inputs[node].iter().map(|&edge| self.taken[edge].len()));
        self.moves += 1;
    }

    /// False once every output, there being one at least, has lost every reader.
    fn wanted(&self, node: usize) -> bool {
        let mut edges = self.wiring.outputs[node].iter().flatten();
        self.wiring.outputs[node].is_empty() || edges.any(|&edge| !self.left[edge])
    }

    /// The node ends: its outputs close, its inputs lose their reader.
    fn end(&mut self, node: usize) {
        for &edge in self.wiring.outputs[node].iter().flatten() {
            self.closed[edge] = true;
            self.stirred.push(self.plan.edges[edge].to.node);
        }
        for &edge in &self.wiring.inputs[node] {
            self.left[edge] = true;
            self.stirred.push(self.plan.edges[edge].from.node);
        }
    }
}

/// A network under interpretation.
pub struct Oracle<'a> {
    edges: Edges<'a>,
    actors: Vec<Actor>,
    ends: Vec<End>,
    waits: Vec<Option<Wait>>,
}

/// The most tokens that a run moves before it is called endless.
pub const MOST_MOVES: usize = 400_000;

impl<'a> Oracle<'a> {
    /// The network before anything has happened; bounded where `bounds` has the capacity of each edge.
    pub fn new(plan: &'a Plan, wiring: &'a Wiring, bounds: Option<&'a [usize]>) -> Self {
        let actor = |(i, node): (usize, &super::Node)| match &node.kind {
            Kind::Process(program) => Actor::Thread(Thread::new(i, program, node.salt)),
            kind => Actor::Fires(Fires::new(i, kind, node.salt)),
        };
        let queue = |edge: &super::Edge| edge.initial.iter().flatten().copied().collect();
        let edges = Edges {
            plan,
            wiring,
            bounds,
            queues: plan.edges.iter().map(queue).collect(),
            closed: vec![false; plan.edges.len()],
            dry: vec![false; plan.edges.len()],
            left: vec![false; plan.edges.len()],
            taken: vec![Vec::new(); plan.edges.len()],
            written: plan.nodes.iter().map(|node| vec![Written::default(); node.kind.outputs()]).collect(),
            stubborn: false,
            stirred: Vec::new(),
            moves: 0,
        };
        Self {
            edges,
            actors: plan.nodes.iter().enumerate().map(actor).collect(),
            ends: vec![End::Not; plan.nodes.len()],
            waits: vec![None; plan.nodes.len()],
        }
    }

    /// Nodes wait for one thing only: one that fires for the first input that is short, whatever the others come to, and nobody
    /// ends because nobody reads any more. Where even such a network ends, there is no moment in any schedule at which nodes
    /// of the real one wait for one another in a circle.
    pub fn stubborn(mut self) -> Self {
        self.edges.stubborn = true;
        self
    }

    /// Goes on until nothing can.
    pub fn run(&mut self, mut order: Order) -> Verdict {
        let nodes = self.actors.len();
        let mut ready: VecDeque<usize> = (0..nodes).collect();
        let mut waiting = vec![true; nodes];
        loop {
            while !ready.is_empty() {
                if let Order::Lot(dice) = &mut order {
                    let at = dice.within(0..ready.len());
                    ready.swap(0, at);
                }
                let node = ready.pop_front().expect("it is not empty");
                waiting[node] = false;
                self.advance(node);
                if self.edges.moves > MOST_MOVES {
                    return Verdict::Endless;
                }
                for node in std::mem::take(&mut self.edges.stirred) {
                    if self.ends[node] == End::Not && !std::mem::replace(&mut waiting[node], true) {
                        ready.push_back(node);
                    }
                }
            }
            if self.ends.iter().all(|end| *end != End::Not) {
                return Verdict::Ended;
            }
            if !self.close_drained() && (self.edges.stubborn || !self.dismiss()) {
                let for_space = |wait: &Option<Wait>| matches!(wait, Some(Wait::Space(_)));
                return if self.waits.iter().any(for_space) { Verdict::Artificial } else { Verdict::True };
            }
            for node in std::mem::take(&mut self.edges.stirred) {
                if self.ends[node] == End::Not && !std::mem::replace(&mut waiting[node], true) {
                    ready.push_back(node);
                }
            }
        }
    }

    /// Runs one node until it waits or ends.
    fn advance(&mut self, node: usize) {
        self.waits[node] = None;
        while self.ends[node] == End::Not && self.edges.moves <= MOST_MOVES {
            let step = match &mut self.actors[node] {
                Actor::Fires(fires) => fires.step(&mut self.edges),
                Actor::Thread(thread) => thread.step(&mut self.edges),
            };
            match step {
                Step::Moved => {}
                Step::Waits(wait) => {
                    self.waits[node] = Some(wait);
                    return;
                }
                Step::Ended(end) => self.end(node, end),
            }
        }
    }

    fn end(&mut self, node: usize, end: End) {
        self.ends[node] = end;
        self.waits[node] = None;
        self.edges.end(node);
    }

    /// Ends the nodes that nobody reads any more. A network does so at any time; here it comes last, so that histories are
    /// as long as they can be.
    fn dismiss(&mut self) -> bool {
        let idle = |node: &usize| self.ends[*node] == End::Not && !self.edges.wanted(*node);
        let nodes: Vec<usize> = (0..self.actors.len()).filter(idle).collect();
        nodes.iter().for_each(|&node| self.end(node, End::Itself));
        !nodes.is_empty()
    }

    /// What each edge's reader has taken.
    pub fn taken(&self) -> &[Vec<u64>] {
        &self.edges.taken
    }

    /// What each node has written, by output.
    pub fn written(&self) -> &[Vec<Written>] {
        &self.edges.written
    }

    /// How each node ended.
    pub fn ends(&self) -> &[End] {
        &self.ends
    }

    /// What each node waits for that has not ended.
    pub fn waits(&self) -> &[Option<Wait>] {
        &self.waits
    }

    /// How many tokens were taken and given.
    pub fn moves(&self) -> usize {
        self.edges.moves
    }
}
