//! `timely`: timely dataflow, chains only. It is data-parallel: each of `--threads` workers owns a copy of the chain and its
//! share of the items, so order holds within a worker. Bounded by rounds of `--cap` items, each stepped until it is out.

use std::cell::Cell;
use std::rc::Rc;

use peers::{Config, Sink, Topology, fail, measure, node, unsupported};
use timely::dataflow::operators::vec::Map;
use timely::dataflow::operators::{Input, Inspect, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};

fn network(config: &Config, n: u64) -> Sink {
    let Topology::Chain(depth) = config.topology else { unsupported() };
    let (iters, cap) = (config.iters, config.cap as u64);
    let workers = timely::execute(timely::Config::process(config.threads), move |worker| {
        let (me, all) = (worker.index() as u64, worker.peers() as u64);
        let mut input = InputHandle::new();
        let probe = ProbeHandle::new();
        let sum = Rc::new(Cell::new(0u64));
        let sink = sum.clone();
        worker.dataflow(|scope| {
            let mut stream = scope.input_from(&mut input).container::<Vec<_>>();
            for _ in 0..depth {
                stream = stream.map(move |x: u64| node(x, iters));
            }
            stream.inspect(move |x| sink.set(sink.get().wrapping_add(*x))).probe_with(&probe);
        });
        let (from, to) = (n * me / all, n * (me + 1) / all);
        for (round, start) in (from..to).step_by(cap as usize).enumerate() {
            (start..(start + cap).min(to)).for_each(|item| input.send(item));
            input.advance_to(round as u64 + 1);
            while probe.less_than(input.time()) {
                worker.step();
            }
        }
        drop(input);
        while worker.step() {}
        sum.get()
    });
    let sums = workers.unwrap_or_else(|error| fail(&error)).join().into_iter();
    let sums = sums.map(|sum| sum.unwrap_or_else(|error| fail(&error)));
    Sink::unordered(sums.fold(0, u64::wrapping_add))
}

fn main() {
    measure(&Config::from_args(), network);
}
