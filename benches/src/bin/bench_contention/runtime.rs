//! The words that kpn's own threads share: a node's, an edge's two, a lane's, those of the pool's sleepers.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use kpn::node::NodeInfo;
use kpn::prelude::*;
use kpn_benches::host;

use crate::threads::{Outcome, Row, must_be, slowest};

/// The rows at each of these numbers of threads; an edge has two.
pub(crate) fn rows(threads: &[usize], ops: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for &n in threads {
        rows.push(Row::each("kpn: one running node, woken from outside", n, move || running_node(n, ops)));
        rows.push(Row::each("kpn: one lane, nodes woken from outside", n, move || lanes(n, ops, 1)));
        rows.push(Row::each("kpn: a lane each, nodes woken from outside", n, move || lanes(n, ops, n)));
        rows.push(Row::each("kpn: an inlet each, tokens sent", n, move || inlets(n, ops)));
        rows.push(Row::all("kpn: a pool's queues, 64 loops of one token", n, move || loops(n, ops)));
    }
    for capacity in [64, 1] {
        let name = if capacity == 64 { "kpn: an edge of 64, a token" } else { "kpn: an edge of 1, a token" };
        // A hand-over between threads may sleep, and takes as long as a thousand tokens of a batch.
        let tokens = if capacity == 1 { ops / 100 } else { ops / 10 };
        rows.push(Row::all(name, 1, move || edge(1, ops / 2, capacity)));
        if host::cores() > 1 {
            rows.push(Row::all(name, 2, move || edge(2, tokens, capacity)));
        }
    }
    rows
}

/// A process without ports that runs `activation` each time its waker was woken, until that says that it is over. Its waker lies in
/// `waker` as soon as it has run for the first time.
fn process(
    b: &mut Builder<'static>,
    waker: Arc<OnceLock<Waker>>,
    mut activation: impl FnMut() -> Poll<()> + Send + 'static,
) {
    let info = NodeInfo { name: "woken", inputs: &[], outputs: &[] };
    let _: ((), ()) = b.process(info, move |(), ()| {
        poll_fn(move |cx| {
            waker.get_or_init(|| cx.waker().clone());
            activation()
        })
    });
}

/// Waits without taking a core from those that are waited for.
fn doze_until(mut done: impl FnMut() -> bool) {
    while !done() {
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// All threads wake one node, which runs meanwhile: an addition to its word, and nothing else.
fn running_node(threads: usize, ops: usize) -> Outcome<f64> {
    let (waker, over, rounds) =
        (Arc::new(OnceLock::new()), Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let mut b = Builder::new();
    {
        let (over, rounds) = (over.clone(), rounds.clone());
        process(&mut b, waker.clone(), move || {
            // It runs until it is told, and once more, since it was notified.
            doze_until(|| over.load(Ordering::Acquire));
            if rounds.fetch_add(1, Ordering::AcqRel) == 0 { Poll::Pending } else { Poll::Ready(()) }
        });
    }
    let running = b.build()?.start_on(Shared::new().workers(1))?;
    doze_until(|| waker.get().is_some());
    let ns = match waker.get() {
        Some(waker) => slowest(threads, ops, |_| {
            let began = Instant::now();
            (0..ops).for_each(|_| waker.wake_by_ref());
            began.elapsed()
        })?,
        None => return Err("the process never ran".into()),
    };
    over.store(true, Ordering::Release);
    running.wait()?;
    must_be("rounds of the notified node", rounds.load(Ordering::Acquire), 2)?;
    Ok(ns)
}

/// Nodes that each thread wakes before it waits for all of them.
const WOKEN: usize = 256;

/// Each thread wakes idle nodes of its own, again and again; the calls alone are timed. The nodes belong to `networks` networks,
/// so the threads share as many lanes into the pool.
fn lanes(threads: usize, ops: usize, networks: usize) -> Outcome<f64> {
    let rounds = (ops / 20 / WOKEN).max(1);
    let pool = Shared::new().build()?;
    let counts: Vec<Arc<AtomicU64>> = (0..threads).map(|_| Arc::default()).collect();
    let mut builders: Vec<Builder<'static>> = (0..networks).map(|_| Builder::new()).collect();
    let mut wakers = Vec::new();
    for (thread, count) in counts.iter().enumerate() {
        let own: Vec<Arc<OnceLock<Waker>>> = (0..WOKEN).map(|_| Arc::default()).collect();
        for waker in &own {
            let count = count.clone();
            process(&mut builders[thread % networks], waker.clone(), move || {
                count.fetch_add(1, Ordering::Release);
                Poll::Pending
            });
        }
        wakers.push(own);
    }
    let mut running = Vec::new();
    for b in builders {
        running.push(b.build()?.start_on(&pool)?);
    }
    let activated = |thread: usize, times: usize| counts[thread].load(Ordering::Acquire) >= (times * WOKEN) as u64;
    (0..threads).for_each(|thread| doze_until(|| activated(thread, 1)));
    let ns = slowest(threads, rounds * WOKEN, |thread| {
        let round = |round: usize| {
            let began = Instant::now();
            wakers[thread].iter().filter_map(|waker| waker.get()).for_each(Waker::wake_by_ref);
            let took = began.elapsed();
            doze_until(|| activated(thread, round + 2));
            took
        };
        (0..rounds).map(round).sum()
    })?;
    for running in running {
        running.abort();
        // Aborted, as just asked for.
        let _ = running.wait();
    }
    let all = counts.iter().map(|count| count.load(Ordering::Acquire)).sum();
    must_be("activations of the woken nodes", all, threads * (rounds + 1) * WOKEN)?;
    Ok(ns)
}

/// Each thread sends tokens into a network of its own; all networks share a pool.
fn inlets(threads: usize, ops: usize) -> Outcome<f64> {
    let pool = Shared::new().build()?;
    let tokens = ops / 4;
    let seen: Vec<Arc<AtomicU64>> = (0..threads).map(|_| Arc::default()).collect();
    let (mut inlets, mut running) = (Vec::new(), Vec::new());
    for seen in &seen {
        let (input, entry) = kpn::inlet_with::<u64>(1024);
        let seen = seen.clone();
        let net = network! { entry -> sink(move |x: u64| { seen.fetch_add(x, Ordering::Relaxed); }) }?;
        running.push(net.start_on(&pool)?);
        inlets.push(parking_lot::Mutex::new(Some(input)));
    }
    let ns = slowest(threads, tokens, |thread| {
        let Some(mut input) = inlets[thread].lock().take() else { return Duration::ZERO };
        let began = Instant::now();
        for i in 0..tokens as u64 {
            // A token that is refused is missing in the sum.
            let _ = input.send(i);
        }
        began.elapsed()
    })?;
    for running in running {
        running.wait()?;
    }
    for seen in seen {
        must_be("the sum of the tokens", seen.load(Ordering::Relaxed), tokens * (tokens - 1) / 2)?;
    }
    Ok(ns)
}

/// Many nodes that are ready and do nothing: the workers do little but push, pop and steal. Ns a firing.
fn loops(workers: usize, ops: usize) -> Outcome<f64> {
    const LOOPS: usize = 64;
    let rounds = (ops / LOOPS / 2) as u64;
    let pool = Shared::new().workers(workers).build()?;
    let mut b = Builder::new();
    for _ in 0..LOOPS {
        // A token says how many rounds are left. Without one the loop ends.
        let there = b.add(filter_map(|left: u64| left.checked_sub(1)));
        let back = b.add(map(|left: u64| left));
        b.connect(there.out, back.input).capacity(1);
        b.connect(back.out, there.input).capacity(1).initial([rounds]);
    }
    let net = b.build()?;
    let began = Instant::now();
    let report = net.run_on(&pool)?;
    let took = began.elapsed();
    let firings: u64 = report.nodes.iter().map(|node| node.firings).sum();
    must_be("firings of the loops", firings, LOOPS * (2 * rounds as usize + 1))?;
    Ok(took.as_secs_f64() * 1e9 / firings as f64)
}

/// A source and a sink that do nothing, on one worker, or on a bound thread each so that the edge's words move from core to core. Ns a
/// token.
fn edge(threads: usize, tokens: usize, capacity: usize) -> Outcome<f64> {
    let mut sum = 0;
    let took = {
        let mut b = Builder::new();
        let add = |x: u64| sum += x;
        if threads == 1 {
            let from = b.add(source(0..tokens as u64)).out;
            b.pipe(from, sink(add));
        } else {
            let from = b.add(source(0..tokens as u64).pinned(0)).out;
            b.pipe(from, sink(add).pinned(1));
        }
        let net = b.build()?.with_capacity(capacity)?;
        let began = Instant::now();
        if threads == 1 {
            net.run_on(Shared::new().workers(1))?
        } else {
            net.run_on(Private::new())?
        };
        began.elapsed()
    };
    must_be("the sum of the tokens", sum, tokens * (tokens - 1) / 2)?;
    Ok(took.as_secs_f64() * 1e9 / tokens as f64)
}
