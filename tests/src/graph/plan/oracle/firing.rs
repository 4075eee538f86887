//! A node that fires, under interpretation.

use std::collections::VecDeque;

use super::{Edges, End, Step, Wait};
use crate::graph::plan::rules::Memory;
use crate::graph::plan::{Firing, Give, Kind, Take};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Firing,
    /// Its last word is still to come.
    Ended,
    /// Its last word may still be on its way.
    Finished,
}

pub(super) struct Fires {
    node: usize,
    firing: Firing,
    memory: Memory,
    /// What a replaying source has still to give.
    replay: Option<VecDeque<u64>>,
    /// By input: tokens that are out of the edge and will be seen again.
    kept: Vec<VecDeque<u64>>,
    /// By output: what the last firing gave and no edge has taken yet.
    pending: Vec<VecDeque<u64>>,
    stage: Stage,
    end: End,
}

impl Fires {
    pub(super) fn new(node: usize, kind: &Kind, salt: u64) -> Self {
        let plain = |takes: &[Take], gives: &[Give]| Firing {
            takes: takes.to_vec(),
            gives: gives.to_vec(),
            stateful: false,
            ascending: false,
            limit: None,
            finishes: false,
        };
        let (firing, replay) = match kind {
            Kind::Firing(firing) => (firing.clone(), None),
            Kind::Replay(tokens) => (plain(&[], &[Give::One]), Some(tokens.iter().copied().collect())),
            Kind::Drain => (plain(&[Take::One], &[]), None),
            Kind::Process(_) => unreachable!("a process does not fire"),
        };
        let pending = vec![VecDeque::new(); firing.gives.len()];
        let kept = vec![VecDeque::new(); firing.takes.len()];
        let memory = Memory::new(salt);
        Self { node, firing, memory, replay, kept, pending, stage: Stage::Firing, end: End::Itself }
    }

    pub(super) fn step(&mut self, edges: &mut Edges<'_>) -> Step {
        // What the last firing gave comes first, each output for itself; nothing is taken meanwhile.
        let mut full = None;
        for (port, pending) in self.pending.iter_mut().enumerate() {
            while !pending.is_empty() {
                if let Some(edge) = edges.full(self.node, port, 1) {
                    full = full.or(Some(edge));
                    break;
                }
                edges.give(self.node, port, pending.pop_front().expect("it is not empty"));
            }
        }
        if let Some(edge) = full {
            return Step::Waits(Wait::Space(edge));
        }
        if self.stage == Stage::Finished {
            return Step::Ended(self.end.clone());
        }
        if self.stage == Stage::Firing {
            let inputs = 0..self.firing.takes.len();
            let short = |port: &usize| {
                let edge = edges.input(self.node, *port);
                let there = self.kept[*port].len() + edges.queues[edge].len();
                there < self.firing.takes[*port].need(self.memory.fired)
            };
            let mut short: Vec<usize> = inputs.filter(short).collect();
            if edges.stubborn {
                short.truncate(1);
            }
            let over = |port: &&usize| edges.closed[edges.input(self.node, **port)];
            if let Some(&port) = short.iter().find(over) {
                self.stage = Stage::Ended;
                self.end = End::Inputs(vec![port]);
            } else if let Some(&port) = short.first() {
                return Step::Waits(Wait::Token(edges.input(self.node, port)));
            }
        }
        if self.stage == Stage::Ended && !self.firing.finishes {
            self.stage = Stage::Finished;
            return Step::Moved;
        }
        let number = self.memory.fired;
        let gives = self.firing.gives.iter().enumerate();
        let full = gives.map(|(port, give)| edges.full(self.node, port, give.room(number)));
        if let Some(edge) = full.flatten().next() {
            return Step::Waits(Wait::Space(edge));
        }
        let given = if self.stage == Stage::Ended {
            self.stage = Stage::Finished;
            self.memory.finish(&self.firing)
        } else {
            let seen = self.take(edges);
            match self.fire(&seen) {
                Some(given) => given,
                None => {
                    self.stage = Stage::Ended;
                    return Step::Moved;
                }
            }
        };
        self.pending = given.into_iter().map(VecDeque::from).collect();
        Step::Moved
    }

    /// Whether no firing could follow the last one for want of tokens of this input alone, given how many it was to get in all.
    pub(super) fn exhausts(&self, port: usize, taken: usize, all: usize) -> bool {
        all - taken < self.firing.takes[port].need(self.memory.fired)
    }

    fn take(&mut self, edges: &mut Edges<'_>) -> Vec<Vec<u64>> {
        let mut seen = Vec::with_capacity(self.firing.takes.len());
        for (port, (take, kept)) in self.firing.takes.iter().zip(&mut self.kept).enumerate() {
            while kept.len() < take.need(self.memory.fired) {
                kept.push_back(edges.pop(self.node, port));
            }
            seen.push(kept.iter().copied().collect());
            kept.drain(..take.taken(self.memory.fired)).for_each(|token| edges.book(self.node, port, token));
        }
        seen
    }

    fn fire(&mut self, seen: &[Vec<u64>]) -> Option<Vec<Vec<u64>>> {
        match &mut self.replay {
            Some(tokens) => tokens.pop_front().map(|token| vec![vec![token]]),
            None => self.memory.fire(&self.firing, seen),
        }
    }
}
