//! The topologies that every benchmark of this folder measures, and what their sinks must see.

use std::str::FromStr;

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
        let unknown = || format!("unknown topology `{s}`: chain-N, wide-N (N up to 16) or diamond-4");
        match s.split_once('-').ok_or_else(unknown)? {
            ("chain", n) => n.parse().map(Self::Chain).map_err(|_| unknown()),
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

/// What reached the sink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// How many tokens.
    pub count: u64,
    /// Their wrapping sum.
    pub sum: u64,
}

impl Topology {
    /// What the sink must see after items `0..n`.
    pub fn expected(self, n: u64) -> Seen {
        let triangle = (u128::from(n) * u128::from(n.saturating_sub(1)) / 2) as u64;
        let (times, plus) = match self {
            Self::Chain(depth) => (1, depth as u64),
            Self::Wide(width) => (width as u64, width as u64),
            Self::Diamond => (2, 5),
        };
        Seen { count: n, sum: triangle.wrapping_mul(times).wrapping_add(n.wrapping_mul(plus)) }
    }

    /// How many firings one item costs, source and sink included.
    pub fn firings(self) -> usize {
        match self {
            Self::Chain(depth) => depth + 2,
            Self::Wide(width) => width + 3,
            Self::Diamond => 6,
        }
    }

    /// The network for items `0..n`, whose sink counts into `seen`.
    pub fn network(self, n: u64, iters: u64, seen: &mut Seen) -> Result<Network<'_>, BuildError> {
        let mut b = Builder::new();
        let mut tail = b.add(source(0..n)).out;
        let work = || map(move |x| visit(x, iters));
        match self {
            Self::Chain(depth) => {
                for i in 0..depth {
                    tail = b.pipe(tail, work().named(format!("work{i}")));
                }
            }
            Self::Wide(width) => tail = wide(&mut b, tail, width, iters),
            Self::Diamond => {
                let a = b.pipe(tail, work().named("a"));
                let join = b.add(join(iters));
                for ((branch, name), input) in b.fan_out(a, 2).into_iter().zip(["b", "c"]).zip([join.a, join.b]) {
                    let branch = b.pipe(branch, work().named(name));
                    b.connect(branch, input);
                }
                tail = join.out;
            }
        }
        b.pipe(
            tail,
            sink(|x: u64| {
                seen.count += 1;
                seen.sum = seen.sum.wrapping_add(x);
            }),
        );
        b.build()
    }
}

#[node]
fn join(a: u64, b: u64, #[param] iters: u64) -> u64 {
    visit(a.wrapping_add(b), iters)
}

/// The join's width is part of its type, so each width is its own code.
fn wide(b: &mut Builder<'_>, tail: kpn::node::OutPort<u64>, width: usize, iters: u64) -> kpn::node::OutPort<u64> {
    macro_rules! widths {
        ($($n:literal)*) => {
            match width {
                $($n => wide_n::<$n>(b, tail, iters),)*
                _ => tail,
            }
        };
    }
    widths!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
}

fn wide_n<const N: usize>(b: &mut Builder<'_>, tail: kpn::node::OutPort<u64>, iters: u64) -> kpn::node::OutPort<u64> {
    let gather = b.add(gather::<u64, N>());
    for (branch, input) in b.fan_out(tail, N).into_iter().zip(gather.inputs) {
        let branch = b.pipe(branch, map(move |x| visit(x, iters)));
        b.connect(branch, input);
    }
    b.pipe(gather.out, map(|all: [u64; N]| all.iter().fold(0u64, |sum, x| sum.wrapping_add(*x))))
}
