//! The topologies, and what their sinks must see.

use crate::work::node;

/// Source, join of wide-N and sink burn nothing; every other node burns once an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// source → n nodes in a row → sink
    Chain(usize),
    /// source → the same item to each of n nodes → join (their sum) and sink
    Wide(usize),
    /// source → a → {b, c} → d (joins, then burns) → sink
    Diamond,
}

impl Topology {
    /// From `chain-N`, `wide-N` or `diamond-4`.
    pub fn parse(s: &str) -> Option<Self> {
        match s.split_once('-')? {
            ("chain", n) => n.parse().ok().map(Self::Chain),
            ("wide", n) => n.parse().ok().map(Self::Wide),
            ("diamond", "4") => Some(Self::Diamond),
            _ => None,
        }
    }

    /// Item `i` reaches the sink as `i * times + plus`.
    fn law(self) -> (u64, u64) {
        match self {
            Self::Chain(depth) => (1, depth as u64),
            Self::Wide(width) => (width as u64, width as u64),
            Self::Diamond => (2, 5),
        }
    }

    /// What the sink's sum must be after items `0..n`.
    pub fn expected(self, n: u64) -> u64 {
        let (times, plus) = self.law();
        let triangle = (u128::from(n) * u128::from(n.saturating_sub(1)) / 2) as u64;
        triangle.wrapping_mul(times).wrapping_add(n.wrapping_mul(plus))
    }

    /// The whole topology for one item, without a network.
    #[inline(always)]
    pub fn inline(self, item: u64, iters: u64) -> u64 {
        match self {
            Self::Chain(depth) => (0..depth).fold(item, |x, _| node(x, iters)),
            Self::Wide(width) => (0..width).fold(0, |sum: u64, _| sum.wrapping_add(node(item, iters))),
            Self::Diamond => {
                let a = node(item, iters);
                node(node(a, iters).wrapping_add(node(a, iters)), iters)
            }
        }
    }
}

/// Sums the tokens, and counts those that came at another's place: out of order, or joined with a stranger.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sink {
    pub(crate) sum: u64,
    pub(crate) misordered: u64,
    next: u64,
    step: u64,
}

impl Sink {
    /// Before the first token.
    pub fn new(topology: Topology) -> Self {
        let (step, next) = topology.law();
        Self { next, step, ..Self::default() }
    }

    /// For a peer that keeps no order: the sum is all that can be checked.
    pub fn unordered(sum: u64) -> Self {
        Self { sum, ..Self::default() }
    }

    /// Takes one token.
    #[inline(always)]
    pub fn take(&mut self, token: u64) {
        self.sum = self.sum.wrapping_add(token);
        self.misordered += u64::from(token != self.next);
        self.next = self.next.wrapping_add(self.step);
    }
}
