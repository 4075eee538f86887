//! What a run must agree with, edge by edge.
//!
//! The theory gives every history in full. A network stops earlier where nobody reads on: a node whose outputs have all
//! lost their readers ends, at a moment that depends on the schedule. Such a node may be *cut*, and what it takes is a
//! prefix of the history, long enough for what its readers took. Everything else is exact:
//!
//! - a reader *leaves early* where it may end for another reason than the end of that edge: by its own will, or at the end of
//!   another input, or at the end of a loop that has drained, whose nodes end in any order;
//! - a node *may be cut* where every reader of every output may leave early or be cut; where it has no output, never;
//! - the history of an edge, which is what its reader takes, is exact unless that reader may be cut. What a reader takes that
//!   leaves early is exact: it depends on the tokens alone.

use super::{Actor, End, Oracle};
use crate::graph::plan::Edge;

/// What one output has written.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The tokens.
    pub tokens: Vec<u64>,
    /// For each token, how many its node had taken from each input when it wrote it.
    pub(super) after: Vec<usize>,
}

/// What must be seen of one edge or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The history in full.
    pub tokens: Vec<u64>,
    /// How many of them must be seen at least; all of them where this is the length.
    pub least: usize,
}

impl Expected {
    /// Whether the whole history must be seen.
    pub fn is_exact(&self) -> bool {
        self.least == self.tokens.len()
    }
}

impl Oracle<'_> {
    /// What the reader of each edge must have taken when the network has ended.
    pub fn expected_taken(&self) -> Vec<Expected> {
        let cut = self.may_be_cut();
        let least = self.least(&cut);
        let taken = self.edges.taken.iter().zip(least);
        taken.map(|(tokens, least)| Expected { tokens: tokens.clone(), least }).collect()
    }

    /// What each node must have written, by output, when the network has ended.
    pub fn expected_written(&self) -> Vec<Vec<Expected>> {
        let cut = self.may_be_cut();
        let least = self.least(&cut);
        let output = |node: usize, port: usize| {
            let tokens = self.edges.written[node][port].tokens.clone();
            let asked = self.edges.wiring.outputs[node][port].iter().map(|&edge| self.asked(edge, least[edge]));
            let least = if cut[node] { asked.max().unwrap_or(0) } else { tokens.len() };
            Expected { tokens, least }
        };
        let ports = |node: usize| (0..self.edges.written[node].len()).map(|port| output(node, port)).collect();
        (0..self.actors.len()).map(ports).collect()
    }

    /// The nodes that may end because nobody reads them any more.
    pub fn may_be_cut(&self) -> Vec<bool> {
        let Self { edges, .. } = self;
        let mut cut = vec![false; self.actors.len()];
        loop {
            let leaves = |edge: usize| cut[edges.plan.edges[edge].to.node] || self.leaves_early(edge);
            let more: Vec<usize> = (0..cut.len())
                .filter(|&node| {
                    let mut readers = edges.wiring.outputs[node].iter().flatten();
                    !cut[node] && !edges.wiring.outputs[node].is_empty() && readers.all(|&edge| leaves(edge))
                })
                .collect();
            if more.is_empty() {
                return cut;
            }
            more.into_iter().for_each(|node| cut[node] = true);
        }
    }

    /// Whether the reader of an edge may end before that edge does, not counting that it may be cut.
    fn leaves_early(&self, edge: usize) -> bool {
        let to = self.edges.plan.edges[edge].to;
        if self.edges.dry[edge] {
            return true;
        }
        match (&self.ends[to.node], &self.actors[to.node]) {
            // Whatever is left when nothing can go on any more was not left behind by choice.
            (End::Not, _) => false,
            (End::Itself, _) => true,
            // A process has seen these ends one after the other.
            (End::Inputs(ports), Actor::Thread(_)) => !ports.contains(&to.port),
            // A firing needs the end of one input. Which one it meets depends on the schedule if there are several.
            (End::Inputs(_), Actor::Fires(fires)) => {
                let inputs = self.edges.wiring.inputs[to.node].iter().enumerate();
                let ends = |&(port, &edge): &(usize, &usize)| {
                    let Edge { from, initial, .. } = &self.edges.plan.edges[edge];
                    let written = self.edges.written[from.node][from.port].tokens.len();
                    let all = written + initial.as_ref().map_or(0, Vec::len);
                    fires.exhausts(port, self.edges.taken[edge].len(), all)
                };
                let mut over = inputs.filter(ends).map(|(port, _)| port);
                over.next() != Some(to.port) || over.next().is_some()
            }
        }
    }

    /// By edge: how many tokens its reader takes at least.
    fn least(&self, cut: &[bool]) -> Vec<usize> {
        let plan = self.edges.plan;
        let mut least: Vec<usize> = (0..plan.edges.len())
            .map(|edge| if cut[plan.edges[edge].to.node] { 0 } else { self.edges.taken[edge].len() })
            .collect();
        // A reader that must have written so much has taken what it needed for that; which its own feeders must have
        // written. The figures only rise, and not beyond the full histories.
        let mut moved = true;
        while moved {
            moved = false;
            for (edge, from) in plan.edges.iter().map(|edge| edge.from).enumerate().filter(|(_, from)| cut[from.node]) {
                let Some(last) = self.asked(edge, least[edge]).checked_sub(1) else { continue };
                let inputs = &self.edges.wiring.inputs[from.node];
                let after = &self.edges.written[from.node][from.port].after[last * inputs.len()..];
                for (&input, &count) in inputs.iter().zip(after) {
                    if count > least[input] {
                        least[input] = count;
                        moved = true;
                    }
                }
            }
        }
        least
    }

    /// Tokens that must have been written for `taken` to be taken from an edge.
    fn asked(&self, edge: usize, taken: usize) -> usize {
        taken.saturating_sub(self.edges.plan.edges[edge].initial.as_ref().map_or(0, Vec::len))
    }
}
