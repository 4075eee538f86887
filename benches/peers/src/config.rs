//! What is to be measured, from the command line.

use std::str::FromStr;

use crate::Topology;

/// One row: a peer, a topology, the work a node.
#[derive(Clone, Debug)]
pub struct Config {
    /// The row's name.
    pub peer: String,
    /// What the items go through.
    pub topology: Topology,
    /// Iterations of one node's work.
    pub iters: u64,
    /// Threads, for peers that have a pool.
    pub threads: usize,
    /// Capacity of an edge, or tokens under way for peers that bound these.
    pub cap: usize,
    pub(crate) topology_name: String,
    pub(crate) work_us: f64,
    pub(crate) iters_per_us: f64,
    pub(crate) reps: usize,
    pub(crate) target_ms: f64,
    pub(crate) min_items: u64,
}

impl Config {
    /// Reads `--peer --topo --work --threads --cap --reps --target-ms --min-items`, and `SPIN_PER_US`, the iterations a
    /// microsecond that all peers are given.
    pub fn from_args() -> Self {
        let topology_name: String = arg("--topo", None);
        let spin = std::env::var("SPIN_PER_US").ok().and_then(|s| s.parse().ok());
        let iters_per_us: f64 = spin.unwrap_or_else(|| fail("SPIN_PER_US must give the iterations a microsecond"));
        let work_us = arg("--work", Some(0.0));
        Self {
            peer: arg("--peer", None),
            topology: Topology::parse(&topology_name).unwrap_or_else(|| fail("--topo chain-N|wide-N|diamond-4")),
            topology_name,
            work_us,
            iters: (work_us * iters_per_us).round() as u64,
            iters_per_us,
            threads: arg("--threads", Some(2)),
            cap: arg("--cap", Some(64)),
            reps: arg("--reps", Some(5)),
            target_ms: arg("--target-ms", Some(500.0)),
            min_items: arg("--min-items", Some(2000)),
        }
    }
}

fn arg<T: FromStr>(name: &str, default: Option<T>) -> T {
    let mut args = std::env::args();
    let given = args.find(|arg| arg == name).and_then(|_| args.next());
    let value = given.map_or(default, |value| value.parse().ok());
    value.unwrap_or_else(|| fail(&format!("{name} needs a value")))
}

/// Ends the program with a sentence.
pub fn fail(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(1)
}

/// Ends the program: this peer can't express this topology.
pub fn unsupported() -> ! {
    std::process::exit(3)
}
