//! `kpn_shared`, `kpn_private`: serial nodes on a pool, and a thread a node. `kpn_elastic`: stateless nodes, which a pool
//! may fire on several workers at once.

use kpn::node::OutPort;
use kpn::prelude::*;
use peers::{Config, Sink, Topology, fail, measure, node, unsupported};

/// A stateless node.
#[node]
fn work(x: u64, #[param] iters: u64) -> u64 {
    node(x, iters)
}

/// A stateless join.
#[node]
fn join(a: u64, b: u64, #[param] iters: u64) -> u64 {
    node(a.wrapping_add(b), iters)
}

/// The same with state by its type, so it fires serially.
struct SerialJoin {
    iters: u64,
}

#[node]
impl SerialJoin {
    fn fire(&mut self, a: u64, b: u64) -> u64 {
        node(a.wrapping_add(b), self.iters)
    }
}

/// Join and sink of wide-4.
struct WideSink<'a> {
    sink: &'a mut Sink,
}

#[node]
impl<'a> WideSink<'a> {
    fn fire(&mut self, a: u64, b: u64, c: u64, d: u64) {
        self.sink.take(a.wrapping_add(b).wrapping_add(c).wrapping_add(d));
    }
}

/// What the burning nodes are: stateless by type, or closures and methods that count as having state.
#[derive(Clone, Copy)]
struct Nodes {
    elastic: bool,
    iters: u64,
}

impl Nodes {
    fn work(self, b: &mut Builder<'_>, from: OutPort<u64>) -> OutPort<u64> {
        let iters = self.iters;
        if self.elastic { b.pipe(from, work(iters)) } else { b.pipe(from, map(move |x| node(x, iters))) }
    }

    fn join(self, b: &mut Builder<'_>, left: OutPort<u64>, right: OutPort<u64>) -> OutPort<u64> {
        let iters = self.iters;
        let (left_in, right_in, out) = if self.elastic {
            let join = b.add(join(iters));
            (join.a, join.b, join.out)
        } else {
            let join = b.add(SerialJoin { iters });
            (join.a, join.b, join.out)
        };
        b.connect(left, left_in);
        b.connect(right, right_in);
        out
    }
}

fn network<'a>(topology: Topology, nodes: Nodes, n: u64, sum: &'a mut Sink) -> Result<Network<'a>, BuildError> {
    let mut b = Builder::new();
    let source = b.add(source(0..n)).out;
    let tail = match topology {
        Topology::Chain(depth) => (0..depth).fold(source, |from, _| nodes.work(&mut b, from)),
        Topology::Wide(4) => {
            let join = b.add(WideSink { sink: sum });
            for (copy, input) in b.fan_out(source, 4).into_iter().zip([join.a, join.b, join.c, join.d]) {
                let out = nodes.work(&mut b, copy);
                b.connect(out, input);
            }
            return b.build();
        }
        Topology::Wide(_) => unsupported(),
        Topology::Diamond => {
            let a = nodes.work(&mut b, source);
            let branches: Vec<_> = b.fan_out(a, 2).into_iter().map(|copy| nodes.work(&mut b, copy)).collect();
            let [left, right] = branches.try_into().unwrap_or_else(|_| fail("a fan-out to two has two copies"));
            nodes.join(&mut b, left, right)
        }
    };
    b.pipe(tail, sink(|x: u64| sum.take(x)));
    b.build()
}

fn run(config: &Config, n: u64, pool: Option<&ThreadPool>, elastic: bool) -> Result<Sink, Box<dyn std::error::Error>> {
    let mut sum = Sink::new(config.topology);
    let nodes = Nodes { elastic, iters: config.iters };
    let network = network(config.topology, nodes, n, &mut sum)?.with_capacity(config.cap)?;
    match pool {
        Some(pool) => network.run_on(pool)?,
        None => network.run_on(Private::new())?,
    };
    Ok(sum)
}

fn main() {
    let config = Config::from_args();
    let (shared, elastic) = match config.peer.as_str() {
        "kpn_shared" => (true, false),
        "kpn_private" => (false, false),
        "kpn_elastic" => (true, true),
        _ => unsupported(),
    };
    let pool = shared.then(|| Shared::new().workers(config.threads).build().unwrap_or_else(|e| fail(&e.to_string())));
    measure(&config, |config, n| {
        run(config, n, pool.as_ref(), elastic).unwrap_or_else(|error| fail(&error.to_string()))
    });
}
