//! `rayon_fused`: batches of items, the topology fused (`par_iter`, order kept by `collect`). `rayon_bridge`: the same by
//! `par_bridge`, order lost. `rayon_actors`: the obvious home-made network: a node is a mailbox and a scheduled flag, run by
//! `Scope::spawn`, serial and in order, with `--cap` tokens under way in all.

use peers::{Config, Sink, Topology, fail, measure, node, unsupported};
use rayon::ThreadPool;
use rayon::prelude::*;

const BATCH: usize = 4096;

fn fused(config: &Config, n: u64, pool: &ThreadPool) -> Sink {
    let (topology, iters, n) = (config.topology, config.iters, n as usize);
    pool.install(|| {
        let mut sink = Sink::new(topology);
        let mut done = Vec::with_capacity(BATCH);
        for start in (0..n).step_by(BATCH) {
            let batch = (start..(start + BATCH).min(n)).into_par_iter();
            batch.map(|item| topology.inline(item as u64, iters)).collect_into_vec(&mut done);
            done.iter().for_each(|token| sink.take(*token));
        }
        sink
    })
}

fn bridge(config: &Config, n: u64, pool: &ThreadPool) -> Sink {
    let (topology, iters) = (config.topology, config.iters);
    let sum = || (0..n).par_bridge().map(|item| topology.inline(item, iters)).reduce(|| 0, u64::wrapping_add);
    Sink::unordered(pool.install(sum))
}

/// The home-made network.
mod actors {
    use std::collections::VecDeque;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use rayon::Scope;

    use super::{Config, Sink, Topology, node};

    struct Actor {
        /// One queue an input.
        inbox: Mutex<Vec<VecDeque<u64>>>,
        /// Tokens announced to the node and not yet seen by it; 0 says that it isn't scheduled.
        pending: AtomicUsize,
        /// Node and input of each output.
        outputs: Vec<(usize, usize)>,
        burns: bool,
    }

    impl Actor {
        fn new(inputs: usize, outputs: Vec<(usize, usize)>, burns: bool, cap: usize) -> Self {
            let inbox = Mutex::new(vec![VecDeque::with_capacity(cap); inputs]);
            Self { inbox, pending: AtomicUsize::new(0), outputs, burns }
        }

        fn inbox(&self) -> MutexGuard<'_, Vec<VecDeque<u64>>> {
            self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// The sum of one token of each input, or `None` where one is empty.
        fn take(&self) -> Option<u64> {
            let mut queues = self.inbox();
            if queues.iter().any(VecDeque::is_empty) {
                return None;
            }
            Some(queues.iter_mut().filter_map(VecDeque::pop_front).fold(0, u64::wrapping_add))
        }
    }

    pub(super) struct Net {
        /// The last one is the sink.
        actors: Vec<Actor>,
        /// The source feeds the first input of the first `sources` actors.
        sources: usize,
        iters: u64,
        n: u64,
        next: AtomicU64,
        /// Locked by the last actor alone, so never waited for.
        sink: Mutex<Sink>,
    }

    impl Net {
        pub(super) fn new(config: &Config, n: u64) -> Self {
            let actor =
                |inputs, outputs: &[(usize, usize)], burns| Actor::new(inputs, outputs.to_vec(), burns, config.cap);
            let (actors, sources) = match config.topology {
                Topology::Chain(depth) => {
                    let mut actors: Vec<Actor> = (0..depth).map(|i| actor(1, &[(i + 1, 0)], true)).collect();
                    actors.push(actor(1, &[], false));
                    (actors, 1)
                }
                Topology::Wide(width) => {
                    let mut actors: Vec<Actor> = (0..width).map(|i| actor(1, &[(width, i)], true)).collect();
                    actors.push(actor(width, &[], false));
                    (actors, width)
                }
                Topology::Diamond => {
                    let a = actor(1, &[(1, 0), (2, 0)], true);
                    let (b, c) = (actor(1, &[(3, 0)], true), actor(1, &[(3, 1)], true));
                    (vec![a, b, c, actor(2, &[(4, 0)], true), actor(1, &[], false)], 1)
                }
            };
            let sink = Mutex::new(Sink::new(config.topology));
            Self { actors, sources, iters: config.iters, n, next: AtomicU64::new(0), sink }
        }

        /// Lays the first `cap` tokens in, then lets the first actors run.
        pub(super) fn start<'s>(&'s self, cap: u64, scope: &Scope<'s>) {
            let first = cap.min(self.n);
            self.next.store(first, Ordering::Relaxed);
            for i in 0..self.sources {
                self.actors[i].inbox()[0].extend(0..first);
                self.actors[i].pending.store(first as usize, Ordering::Relaxed);
                scope.spawn(move |scope| self.run(i, scope));
            }
        }

        pub(super) fn sink(self) -> Sink {
            self.sink.into_inner().unwrap_or_else(PoisonError::into_inner)
        }

        fn post<'s>(&'s self, to: usize, input: usize, token: u64, scope: &Scope<'s>) {
            self.actors[to].inbox()[input].push_back(token);
            // The other half is the subtraction in `run`: who finds 0 schedules, who leaves 0 had seen all.
            if self.actors[to].pending.fetch_add(1, Ordering::AcqRel) == 0 {
                scope.spawn(move |scope| self.run(to, scope));
            }
        }

        fn run<'s>(&'s self, i: usize, scope: &Scope<'s>) {
            let me = &self.actors[i];
            loop {
                let seen = me.pending.load(Ordering::Acquire);
                while let Some(token) = me.take() {
                    let token = if me.burns { node(token, self.iters) } else { token };
                    me.outputs.iter().for_each(|&(to, input)| self.post(to, input, token, scope));
                    if me.outputs.is_empty() {
                        self.finish(token, scope);
                    }
                }
                if me.pending.fetch_sub(seen, Ordering::AcqRel) == seen {
                    return;
                }
            }
        }

        /// A token has reached the sink: its place is free for another.
        fn finish<'s>(&'s self, token: u64, scope: &Scope<'s>) {
            self.sink.lock().unwrap_or_else(PoisonError::into_inner).take(token);
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            if next < self.n {
                (0..self.sources).for_each(|i| self.post(i, 0, next, scope));
            }
        }
    }
}

fn actors(config: &Config, n: u64, pool: &ThreadPool) -> Sink {
    let net = actors::Net::new(config, n);
    pool.scope(|scope| net.start(config.cap as u64, scope));
    net.sink()
}

fn main() {
    let config = Config::from_args();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(config.threads).build();
    let pool = pool.unwrap_or_else(|error| fail(&error.to_string()));
    match config.peer.as_str() {
        "rayon_fused" => measure(&config, |config, n| fused(config, n, &pool)),
        "rayon_bridge" => measure(&config, |config, n| bridge(config, n, &pool)),
        "rayon_actors" => measure(&config, |config, n| actors(config, n, &pool)),
        _ => unsupported(),
    }
}
