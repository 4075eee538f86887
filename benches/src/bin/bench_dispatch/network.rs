//! kpn: activations of nodes, and tokens.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use kpn::io::Inlet;
use kpn::node::NodeInfo;
use kpn::prelude::*;
use kpn::{Running, ThreadPool};

use crate::arm::{Arm, Outcome, Stamp, until};

/// A process that waits to be woken.
#[derive(Default)]
struct Bell {
    rung: AtomicBool,
    /// The process's own, as soon as it has been polled; a process keeps its waker.
    waker: OnceLock<Waker>,
}

impl Bell {
    /// Schedules the process.
    fn ring(&self) {
        self.rung.store(true, Ordering::Release);
        if let Some(waker) = self.waker.get() {
            waker.wake_by_ref();
        }
    }

    /// True once for every time that it was rung.
    fn heard(&self, cx: &Context<'_>) -> bool {
        self.waker.get_or_init(|| cx.waker().clone());
        self.rung.swap(false, Ordering::AcqRel)
    }
}

/// Bare activations. A task is the activation of a process that waits for a bell.
pub(crate) struct Activations {
    stamp: Stamp,
    /// Stamps.
    single: Arc<Bell>,
    /// Each counts once.
    many: Vec<Arc<Bell>>,
    counted: Arc<AtomicU64>,
    pairs: Vec<Arc<Pair>>,
    /// How many pairs have gone through with their tasks.
    settled: Arc<AtomicU64>,
    // Dropped first: it ends the processes.
    running: Option<Running>,
    _pool: ThreadPool,
}

/// Two processes, each of which schedules the other. A node that woke itself would just go on, by no queue.
#[derive(Default)]
struct Pair {
    bells: [Bell; 2],
    left: AtomicU64,
}

/// The most tasks that are live at once.
const LIVE: usize = 64;

impl Activations {
    /// With as many processes as a batch has tasks; all wait for their bells.
    pub(crate) fn new(workers: usize, batch: usize) -> Outcome<Self> {
        let pool = Shared::new().workers(workers).build()?;
        let stamp = Stamp::new();
        let (counted, settled) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let mut b = Builder::new();
        let single = Arc::new(Bell::default());
        {
            let (bell, stamp) = (single.clone(), stamp.clone());
            process(&mut b, move |cx| {
                if bell.heard(cx) {
                    stamp.set();
                }
            });
        }
        let many: Vec<Arc<Bell>> = (0..batch).map(|_| Arc::default()).collect();
        for bell in &many {
            let (bell, counted) = (bell.clone(), counted.clone());
            process(&mut b, move |cx| {
                if bell.heard(cx) {
                    counted.fetch_add(1, Ordering::Release);
                }
            });
        }
        let pairs: Vec<Arc<Pair>> = (0..LIVE).map(|_| Arc::default()).collect();
        for (pair, side) in pairs.iter().flat_map(|pair| [(pair, 0), (pair, 1)]) {
            let (pair, settled) = (pair.clone(), settled.clone());
            process(&mut b, move |cx| {
                if !pair.bells[side].heard(cx) {
                    return;
                }
                // One of the two runs at a time, so nobody else writes meanwhile.
                let left = pair.left.load(Ordering::Relaxed) - 1;
                pair.left.store(left, Ordering::Relaxed);
                if left > 0 {
                    pair.bells[1 - side].ring();
                } else {
                    settled.fetch_add(1, Ordering::Release);
                }
            });
        }
        let running = Some(b.build()?.start_on(&pool)?);
        let pair_bells = pairs.iter().flat_map(|pair| &pair.bells);
        let all = many.iter().map(|bell| &**bell).chain(pair_bells).chain([&*single]);
        for bell in all {
            while bell.waker.get().is_none() {
                std::thread::sleep(Duration::from_micros(50));
            }
        }
        Ok(Self { stamp, single, many, counted, pairs, settled, running, _pool: pool })
    }
}

/// A process without ports that calls `task` whenever it is activated, until its network is aborted.
fn process(b: &mut Builder<'static>, mut task: impl FnMut(&Context<'_>) + Send + 'static) {
    let info = NodeInfo { name: "task", inputs: &[], outputs: &[] };
    let _: ((), ()) = b.process(info, move |(), ()| {
        poll_fn(move |cx| {
            task(cx);
            Poll::<()>::Pending
        })
    });
}

impl Arm for Activations {
    fn latency(&mut self, tasks: usize, pause: Duration) -> Outcome<Vec<f64>> {
        self.stamp.latency(tasks, pause, || {
            self.single.ring();
            Ok(())
        })
    }

    fn batch(&mut self, tasks: usize) -> Outcome<f64> {
        self.counted.store(0, Ordering::Relaxed);
        until(tasks, &self.counted, tasks, || {
            self.many.iter().take(tasks).for_each(|bell| bell.ring());
            Ok(())
        })
    }

    fn steady(&mut self, live: usize, tasks: usize) -> Outcome<f64> {
        self.settled.store(0, Ordering::Relaxed);
        until(tasks, &self.settled, live, || {
            for pair in &self.pairs[..live] {
                pair.left.store((tasks / live) as u64, Ordering::Relaxed);
                pair.bells[0].ring();
            }
            Ok(())
        })
    }
}

impl Drop for Activations {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
            // Aborted, as just asked for.
            let _ = running.wait();
        }
    }
}

/// Tokens. A task is a firing.
pub(crate) struct Tokens {
    stamp: Stamp,
    /// Leads to a sink that stamps.
    single: Inlet<()>,
    /// Leads to a sink that counts.
    many: Inlet<()>,
    counted: Arc<AtomicU64>,
    pool: ThreadPool,
    /// Both end when their inlets are dropped, and the pool waits for them.
    _running: [Running; 2],
}

impl Tokens {
    /// With an inlet that has room for a whole batch.
    pub(crate) fn new(workers: usize, batch: usize) -> Outcome<Self> {
        let pool = Shared::new().workers(workers).build()?;
        let (stamp, counted) = (Stamp::new(), Arc::new(AtomicU64::new(0)));
        let (single, entry) = kpn::inlet();
        let (many, wide_entry) = kpn::inlet_with(batch);
        let began = stamp.clone();
        let first = network! { entry -> sink(move |()| began.set()) }?.start_on(&pool)?;
        let count = counted.clone();
        let second = network! {
            wide_entry -> sink(move |()| { count.fetch_add(1, Ordering::Release); })
        }?
        .start_on(&pool)?;
        Ok(Self { stamp, single, many, counted, pool, _running: [first, second] })
    }
}

impl Arm for Tokens {
    fn latency(&mut self, tasks: usize, pause: Duration) -> Outcome<Vec<f64>> {
        let Self { stamp, single, .. } = self;
        stamp.latency(tasks, pause, || single.send(()).map_err(|error| error.to_string().into()))
    }

    fn batch(&mut self, tasks: usize) -> Outcome<f64> {
        let Self { many, counted, .. } = self;
        counted.store(0, Ordering::Relaxed);
        until(tasks, counted, tasks, || {
            (0..tasks).try_for_each(|_| many.send(()).map_err(|error| error.to_string().into()))
        })
    }

    fn steady(&mut self, live: usize, tasks: usize) -> Outcome<f64> {
        let rounds = (tasks / live / 2) as u64;
        let mut b = Builder::new();
        for _ in 0..live {
            // A token says how many rounds are left. Without one the loop ends.
            let there = b.add(filter_map(|left: u64| left.checked_sub(1)));
            let back = b.add(map(|left: u64| left));
            b.connect(there.out, back.input).capacity(1);
            b.connect(back.out, there.input).capacity(1).initial([rounds]);
        }
        let net = b.build()?;
        let began = Instant::now();
        let report = net.run_on(&self.pool)?;
        let took = began.elapsed();
        // The first node of each loop fires once more, for the token that ends it.
        let firings: u64 = report.nodes.iter().map(|node| node.firings).sum();
        if firings != (tasks + live) as u64 {
            return Err(format!("the loops fired {firings} times instead of {}", tasks + live).into());
        }
        Ok(took.as_secs_f64() * 1e9 / tasks as f64)
    }
}
