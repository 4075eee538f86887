//! The topologies that every benchmark of this folder measures, and what their sinks must see.

use std::str::FromStr;

use kpn::node::{InPort, OutPort};
use kpn::prelude::*;

use crate::work::visit;

/// Source and sink burn nothing; every other node burns once an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// source → n nodes in a row → sink
    Chain(usize),
    /// source → the same item to each of n nodes → join (their sum) → sink
    Wide(usize),
    /// source → a → {b, c} → d (joins, then burns) → sink
    Diamond,
}

impl FromStr for Topology {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let unknown = || format!("unknown topology `{s}`: chain-N (N from 1 on), wide-N (N up to 16) or diamond-4");
        match s.split_once('-').ok_or_else(unknown)? {
            ("chain", n) => n.parse().ok().filter(|n| *n > 0).map(Self::Chain).ok_or_else(unknown),
            ("wide", n) => n.parse().ok().filter(|n| (1..=16).contains(n)).map(Self::Wide).ok_or_else(unknown),
            ("diamond", "4") => Ok(Self::Diamond),
            _ => Err(unknown()),
        }
    }
}

impl std::fmt::Display for Topology {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Chain(n) => write!(f, "chain-{n}"),
            Self::Wide(n) => write!(f, "wide-{n}"),
            Self::Diamond => f.write_str("diamond-4"),
        }
    }
}

/// What the nodes that burn are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nodes {
    /// Closures and structs with state: one firing of a node at a time.
    Serial,
    /// Functions without state, which may fire on several workers at once; their outputs come in the order of their inputs.
    Elastic,
}

/// What reached the sink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// How many tokens.
    pub count: u64,
    /// Their wrapping sum.
    pub sum: u64,
    /// How many were not the one whose turn it was: out of order, joined with a stranger, or changed.
    pub misplaced: u64,
}

impl Topology {
    /// What the sink must see after items `0..n`.
    pub fn expected(self, n: u64) -> Seen {
        let triangle = (u128::from(n) * u128::from(n.saturating_sub(1)) / 2) as u64;
        let (times, plus) = self.scale();
        Seen { count: n, sum: triangle.wrapping_mul(times).wrapping_add(n.wrapping_mul(plus)), misplaced: 0 }
    }

    /// Item `i` reaches the sink as `i * times + plus`.
    fn scale(self) -> (u64, u64) {
        match self {
            Self::Chain(depth) => (1, depth as u64),
            Self::Wide(width) => (width as u64, width as u64),
            Self::Diamond => (2, 5),
        }
    }

    /// How many firings one item costs, source and sink included.
    pub fn firings(self) -> usize {
        match self {
            Self::Chain(depth) => depth + 2,
            Self::Wide(width) => width + 3,
            Self::Diamond => 6,
        }
    }

    /// How many nodes burn for one item.
    pub fn burns(self) -> usize {
        match self {
            Self::Chain(n) | Self::Wide(n) => n,
            Self::Diamond => 4,
        }
    }

    /// All that is done for one item, without a network.
    #[inline(always)]
    pub fn inline(self, item: u64, iters: u64) -> u64 {
        match self {
            Self::Chain(depth) => (0..depth).fold(item, |x, _| visit(x, iters)),
            Self::Wide(width) => (0..width).fold(0, |sum: u64, _| sum.wrapping_add(visit(item, iters))),
            Self::Diamond => {
                let a = visit(item, iters);
                visit(visit(a, iters).wrapping_add(visit(a, iters)), iters)
            }
        }
    }

    /// Takes the tokens at the sink, of which `first` is the number of the first.
    pub fn check(self, first: u64, seen: &mut Seen) -> impl FnMut(u64) + Send {
        let (times, plus) = self.scale();
        let mut next = first.wrapping_mul(times).wrapping_add(plus);
        move |x| {
            seen.count += 1;
            seen.sum = seen.sum.wrapping_add(x);
            seen.misplaced += u64::from(x != next);
            next = next.wrapping_add(times);
        }
    }

    /// The network of serial nodes for items `0..n`, whose sink counts into `seen`.
    pub fn network(self, n: u64, iters: u64, seen: &mut Seen) -> Result<Network<'_>, BuildError> {
        self.network_of(Nodes::Serial, n, iters, seen)
    }

    /// The network for items `0..n`, whose sink counts into `seen`.
    pub fn network_of(self, nodes: Nodes, n: u64, iters: u64, seen: &mut Seen) -> Result<Network<'_>, BuildError> {
        let mut b = Builder::new();
        let items = b.add(source(0..n)).out;
        match self {
            Self::Chain(depth) => {
                let tail = (0..depth).fold(items, |tail, i| nodes.work(&mut b, tail, iters, format!("work{i}")));
                b.pipe(tail, sink(self.check(0, seen)));
            }
            Self::Wide(width) => wide(&mut b, items, width, nodes, iters, self.check(0, seen)),
            Self::Diamond => {
                let a = nodes.work(&mut b, items, iters, "a".to_owned());
                let (inputs, out) = nodes.join(&mut b, iters);
                for ((branch, name), input) in b.fan_out(a, 2).into_iter().zip(["b", "c"]).zip(inputs) {
                    let branch = nodes.work(&mut b, branch, iters, name.to_owned());
                    b.connect(branch, input);
                }
                b.pipe(out, sink(self.check(0, seen)));
            }
        }
        b.build()
    }
}

impl Nodes {
    fn work(self, b: &mut Builder<'_>, tail: OutPort<u64>, iters: u64, name: String) -> OutPort<u64> {
        match self {
            Self::Serial => b.pipe(tail, map(move |x| visit(x, iters)).named(name)),
            Self::Elastic => b.pipe(tail, work(iters).named(name)),
        }
    }

    fn join(self, b: &mut Builder<'_>, iters: u64) -> ([InPort<u64>; 2], OutPort<u64>) {
        match self {
            Self::Serial => {
                let ports = b.add(SerialJoin { iters });
                ([ports.a, ports.b], ports.out)
            }
            Self::Elastic => {
                let ports = b.add(join(iters));
                ([ports.a, ports.b], ports.out)
            }
        }
    }
}

#[node]
fn work(x: u64, #[param] iters: u64) -> u64 {
    visit(x, iters)
}

#[node]
fn join(a: u64, b: u64, #[param] iters: u64) -> u64 {
    visit(a.wrapping_add(b), iters)
}

/// As `join`, but with state by its type.
struct SerialJoin {
    iters: u64,
}

#[node]
impl SerialJoin {
    fn fire(&mut self, a: u64, b: u64) -> u64 {
        visit(a.wrapping_add(b), self.iters)
    }
}

/// The join's width is part of its type, so each width is its own code. The sink adds up what was joined.
fn wide<'env>(
    b: &mut Builder<'env>,
    items: OutPort<u64>,
    width: usize,
    nodes: Nodes,
    iters: u64,
    check: impl FnMut(u64) + Send + 'env,
) {
    macro_rules! widths {
        ($($n:literal)*) => {
            match width {
                $($n => wide_n::<$n>(b, items, nodes, iters, check),)*
                _ => {}
            }
        };
    }
    widths!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
}

fn wide_n<'env, const N: usize>(
    b: &mut Builder<'env>,
    items: OutPort<u64>,
    nodes: Nodes,
    iters: u64,
    mut check: impl FnMut(u64) + Send + 'env,
) {
    let gather = b.add(gather::<u64, N>());
    for (i, (branch, input)) in b.fan_out(items, N).into_iter().zip(gather.inputs).enumerate() {
        let branch = nodes.work(b, branch, iters, format!("work{i}"));
        b.connect(branch, input);
    }
    b.pipe(gather.out, sink(move |all: [u64; N]| check(all.iter().fold(0, |sum: u64, x| sum.wrapping_add(*x)))));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Topology> {
        ["chain-1", "chain-5", "wide-1", "wide-4", "wide-16", "diamond-4"].into_iter().map(|name| {
            let topology: Topology = name.parse().expect("a name");
            assert_eq!(topology.to_string(), name);
            topology
        })
    }

    #[test]
    fn a_network_computes_what_the_loop_does() {
        let pool = Shared::new().workers(2).build().expect("threads");
        for topology in all() {
            let mut inline = Seen::default();
            (0..1000).map(|item| topology.inline(item, 0)).for_each(topology.check(0, &mut inline));
            assert_eq!(inline, topology.expected(1000), "{topology}");
            for nodes in [Nodes::Serial, Nodes::Elastic] {
                let mut seen = Seen::default();
                let network = topology.network_of(nodes, 1000, 3, &mut seen).expect("sound");
                let report = network.run_on(&pool).expect("no failure");
                let nodes_fire = nodes == Nodes::Elastic || report.nodes.len() == topology.firings();
                assert!(nodes_fire, "{topology}: each node fires once an item");
                assert_eq!(seen, topology.expected(1000), "{topology}, {nodes:?}");
            }
        }
    }

    #[test]
    fn the_sink_sees_tokens_that_overtake() {
        let topology = Topology::Chain(1);
        let mut seen = Seen::default();
        [1, 3, 2, 4].into_iter().for_each(topology.check(0, &mut seen));
        let expected = topology.expected(4);
        assert_eq!((seen.count, seen.sum, seen.misplaced), (expected.count, expected.sum, 2));
    }

    #[test]
    fn unknown_topologies_are_refused() {
        for name in ["chain", "chain-x", "wide-0", "wide-17", "diamond-5", "ring-3"] {
            assert!(name.parse::<Topology>().is_err(), "{name}");
        }
    }
}
