//! Nodes that block in their own code, nodes with threads of their own, and networks too long for a stack.

use std::collections::HashSet;
use std::hint;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use kpn::prelude::*;
use kpn_tests::{On, doing, everywhere, threads, watch};

#[test]
fn a_blocking_node_may_wait_for_its_own_tokens_effect() {
    everywhere(30, |on| {
        if !on.gives_threads() {
            return;
        }
        let (done, answers) = mpsc::channel();
        let mut b = Builder::new();
        // Well beyond the firings after which a node counts as known.
        let numbers = b.add(source(0..300u64));
        let mut last = None;
        let asks = map(move |x: u64| {
            // What it sent before must have arrived, though it is still firing.
            if let Some(last) = last.replace(x) {
                assert_eq!(answers.recv(), Ok(last));
            }
            x
        });
        let asked = b.pipe(numbers.out, asks.named("asks").blocking());
        let passed = b.pipe(asked, map(|x| x));
        b.pipe(
            passed,
            sink(move |x: u64| {
                // The last answer isn't asked for.
                let _ = done.send(x);
            }),
        );
        on.run(b.build().expect("sound")).expect("no failure");
    });
}

#[test]
fn a_slow_node_may_wait_for_what_its_quick_neighbours_do() {
    everywhere(30, |on| {
        // On one worker there is nobody else to bring that about.
        if on.has_one_worker() {
            return;
        }
        let done = Arc::new(AtomicU64::new(0));
        let answered = done.clone();
        let mut b = Builder::new();
        // Well beyond the firings after which all of them count as known.
        let numbers = b.add(source(1..1000u64));
        let mut last = None;
        let asks = map(move |x: u64| {
            let last = last.replace(x).unwrap_or(0);
            while answered.load(Ordering::Acquire) < last {
                thread::yield_now();
            }
            // Slow enough to hand on every token at once.
            let began = Instant::now();
            while began.elapsed() < Duration::from_micros(20) {
                hint::spin_loop();
            }
            x
        });
        let asked = b.pipe(numbers.out, asks);
        b.pipe(asked, sink(move |x| done.store(x, Ordering::Release)));
        on.run(b.build().expect("sound")).expect("no failure");
    });
}

/// Where a source runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thread {
    Any,
    Blocking,
    Private,
}

/// A source that sends a token and waits until the sink has it, before it makes the next one.
fn ping_pong(thread: Thread, on: &On) {
    doing(format!("a source on {thread:?} thread on {on}"));
    let (done, answers) = mpsc::channel();
    let mut sent = 0;
    let numbers = source(std::iter::from_fn(move || {
        if sent > 0 {
            assert_eq!(answers.recv(), Ok(sent - 1));
        }
        sent += 1;
        (sent <= 300).then(|| sent - 1)
    }));
    let mut b = Builder::new();
    let numbers = match thread {
        Thread::Any => b.add(numbers),
        Thread::Blocking => b.add(numbers.blocking()),
        Thread::Private => b.add(numbers.private()),
    };
    let passed = b.pipe(numbers.out, map(|x: u64| x));
    b.pipe(
        passed,
        sink(move |x: u64| {
            // The source doesn't ask for the last answer.
            let _ = done.send(x);
        }),
    );
    on.run(b.build().expect("sound")).expect("no failure");
}

#[test]
fn a_source_may_wait_for_its_own_tokens_effect() {
    everywhere(30, |on| {
        // On one worker there is nobody else to bring that about.
        if !on.has_one_worker() {
            ping_pong(Thread::Any, on);
        }
        if on.gives_threads() {
            ping_pong(Thread::Blocking, on);
            ping_pong(Thread::Private, on);
        }
    });
}

#[test]
fn nodes_with_threads_of_their_own_mix_with_the_rest() {
    everywhere(30, |on| {
        let seen: Arc<Mutex<HashSet<(u64, thread::ThreadId)>>> = Arc::default();
        let note = |stage: u64| {
            let seen = seen.clone();
            map(move |x: u64| {
                seen.lock().expect("unpoisoned").insert((stage, thread::current().id()));
                x + 1
            })
        };
        let mut sum = 0;
        let mut b = Builder::new();
        let mut tail = b.add(source(0..2000u64)).out;
        tail = b.pipe(tail, note(1));
        tail = b.pipe(tail, note(2).private());
        tail = b.pipe(tail, note(3).pinned(0));
        tail = b.pipe(tail, note(4));
        tail = b.pipe(tail, note(5).blocking());
        tail = b.pipe(tail, note(6).pinned(usize::MAX).priority(7));
        b.pipe(tail, sink(|x| sum += x));
        on.run(b.build().expect("sound")).expect("no failure");
        assert_eq!(sum, (0..2000).map(|x| x + 6).sum());
        let seen = seen.lock().expect("unpoisoned");
        for stage in [2, 3, 5, 6].into_iter().filter(|_| on.gives_threads()) {
            let threads: Vec<_> = seen.iter().filter(|(s, _)| *s == stage).map(|(_, thread)| thread).collect();
            assert_eq!(threads.len(), 1, "stage {stage} has one thread");
            let alone = seen.iter().filter(|(_, thread)| thread == threads[0]).count() == 1;
            assert!(alone, "stage {stage} has it for itself");
        }
    });
}

#[test]
fn a_chain_of_two_thousand_nodes_runs_on_one_worker() {
    watch(60, || {
        for capacity in [1, 64] {
            doing(format!("two thousand nodes, capacity {capacity}"));
            let on = On::pool(1);
            let mut seen = Vec::new();
            let mut b = Builder::new();
            let mut tail = b.add(source(0..100u64)).out;
            for _ in 0..2000 {
                tail = b.pipe(tail, map(|x: u64| x + 1));
            }
            b.pipe(tail, sink(|x: u64| seen.push(x)));
            let net = b.build().expect("sound").with_capacity(capacity).expect("it holds one");
            on.run(net).expect("no failure");
            assert_eq!(seen, (2000..2100).collect::<Vec<_>>());
        }
    });
}

#[test]
fn threads_of_nodes_are_named_and_go_with_their_network() {
    watch(30, || {
        let (hold, held) = mpsc::channel::<u64>();
        let mut b = Builder::new();
        let numbers = b.add(source(held).named("own-a").private());
        let passed = b.pipe(numbers.out, map(|x| x).named("own-b").private());
        b.pipe(passed, sink(|_| ()).named("own-c").private());
        let running = b.build().expect("sound").start_on(Private::new()).expect("threads");
        while threads::count("own-") < 3 {
            thread::yield_now();
        }
        drop(hold);
        running.wait().expect("no failure");
        assert_eq!(threads::count("own-"), 0, "they are joined: {:?}", threads::names());
    });
}

#[test]
fn of_nodes_made_ready_at_once_that_of_higher_priority_runs_first() {
    watch(30, || {
        // On one worker, a source of one token wakes three sinks in one step.
        for first in 0..3 {
            let order = Mutex::new(Vec::new());
            let mut b = Builder::new();
            let token = b.add(source([0u64]));
            let passed = b.pipe(token.out, map(|x| x));
            for (i, out) in b.fan_out(passed, 3).into_iter().enumerate() {
                let order = &order;
                let priority = if i == first { 9 } else { i as i32 };
                b.pipe(out, sink(move |_: u64| order.lock().expect("unpoisoned").push(i)).priority(priority));
            }
            On::pool(1).run(b.build().expect("sound")).expect("no failure");
            let order = order.lock().expect("unpoisoned");
            assert_eq!(order.len(), 3);
            assert_eq!(order[0], first, "{order:?}");
        }
    });
}
