//! How a network ends: by itself, stopped, aborted, dropped; from outside and from within.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use kpn::node::{Any, Fired, One};
use kpn::prelude::*;
use kpn::{Network, RunError, Stopper};
use kpn_tests::step::{step, step_to_end};
use kpn_tests::{Counted, Ledger, On, doing, everywhere, watch};

/// An endless source of counted tokens, `stages` maps and a sink.
fn endless(ledger: &Ledger, stages: usize, mut take: impl FnMut(Counted) + Send + 'static) -> Network<'static> {
    let ledger = ledger.clone();
    let mut b = Builder::new();
    let mut tail = b.add(source((0..).map(move |i| ledger.token(i)))).out;
    for _ in 0..stages {
        tail = b.pipe(tail, map(|x: Counted| x));
    }
    b.pipe(tail, sink(move |x: Counted| take(x)).named("sink"));
    b.build().expect("a sound network")
}

/// Waits until something holds that must come.
fn until(what: &str, mut there: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !there() {
        assert!(Instant::now() < deadline, "never: {what}");
        thread::yield_now();
    }
}

#[test]
fn a_run_ends_with_its_sources_and_may_borrow() {
    everywhere(20, |on| {
        let text = String::from("borrowed");
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let numbers = b.add(source((0..1000usize).map(|i| i % text.len())));
        let letters = b.pipe(numbers.out, map(|i| text.as_bytes()[i]));
        b.pipe(letters, sink(|letter: u8| seen.push(letter)));
        let report = on.run(b.build().expect("sound")).expect("no failure");
        assert_eq!(report.items(), 1000);
        assert!(seen.iter().enumerate().all(|(i, &letter)| letter == text.as_bytes()[i % text.len()]));
    });
}

#[test]
fn stop_drains_everything_that_was_sent() {
    everywhere(20, |on| {
        for pause in [0, 1, 50, 1000] {
            let ledger = Ledger::new();
            let seen = Arc::new(Mutex::new(Vec::new()));
            let sights = seen.clone();
            let running = on.start(endless(&ledger, 5, move |x| sights.lock().expect("unpoisoned").push(x.value)));
            let running = running.expect("threads");
            thread::sleep(Duration::from_micros(pause));
            running.stop();
            running.stop();
            running.wait().expect("a stop is no failure");
            let seen = seen.lock().expect("unpoisoned");
            assert_eq!(*seen, (0..ledger.made()).collect::<Vec<_>>(), "all that was made arrives, in order");
            ledger.settle();
        }
    });
}

#[test]
fn stop_drains_what_a_source_could_not_place() {
    everywhere(20, |on| {
        for pause in [0, 1, 50, 1000] {
            let ledger = Ledger::new();
            let made = ledger.clone();
            let (sender, seen) = mpsc::channel();
            let mut sent = 0..;
            let mut b = Builder::new();
            let burst = step_to_end::<(), (Any<Counted>,), _>(move |items| match items {
                Some(()) => Fired::Emit((sent.by_ref().take(50).map(|i| made.token(i)).collect(),)),
                // The source's last word.
                None => Fired::Emit((std::iter::once(made.token(u64::MAX)).collect(),)),
            });
            let burst = b.add(burst);
            b.pipe(burst.outs.0, sink(move |x: Counted| sender.send(x.value)));
            let net = b.build().expect("sound").with_capacity(3).expect("it holds one");
            let running = on.start(net).expect("threads");
            thread::sleep(Duration::from_micros(pause));
            running.stop();
            running.wait().expect("a stop is no failure");
            let seen: Vec<_> = seen.iter().collect();
            let expected: Vec<_> = (0..ledger.made() - 1).chain([u64::MAX]).collect();
            assert_eq!(seen, expected, "whole bursts and the last word");
            ledger.settle();
        }
    });
}

#[test]
fn abort_drops_everything_and_says_so() {
    everywhere(20, |on| {
        for pause in [0, 1, 50, 1000] {
            let ledger = Ledger::new();
            let running = on.start(endless(&ledger, 5, drop)).expect("threads");
            thread::sleep(Duration::from_micros(pause));
            running.abort();
            running.abort();
            assert!(matches!(running.wait(), Err(RunError::Aborted)));
            ledger.settle();
        }
    });
}

#[test]
fn what_has_ended_can_be_stopped_and_aborted_without_effect() {
    everywhere(20, |on| {
        let mut b = Builder::new();
        let numbers = b.add(source(0..10u64));
        b.pipe(numbers.out, sink(|_: u64| ()));
        let running = on.start(b.build().expect("sound")).expect("threads");
        until("its end", || running.has_ended());
        let stopper = running.stopper();
        running.stop();
        running.abort();
        stopper.abort();
        assert_eq!(running.wait().expect("it had ended by itself").items(), 10);
        stopper.stop();
    });
}

#[test]
fn wait_timeout_names_the_node_that_fires() {
    everywhere(20, |on| {
        let (go, gate) = mpsc::channel::<()>();
        let (there, arrived) = mpsc::channel();
        let mut b = Builder::new();
        let numbers = b.add(source(0..3u64));
        let slow = move |_: u64| {
            let _ = there.send(());
            let _ = gate.recv();
        };
        b.pipe(numbers.out, sink(slow).named("slow"));
        let mut running = on.start(b.build().expect("sound")).expect("threads");
        arrived.recv().expect("the sink fires");
        for _ in 0..2 {
            match running.wait_timeout(Duration::from_millis(20)) {
                Err(RunError::TimedOut { firing, .. }) => assert!(firing.contains(&"slow".to_owned()), "{firing:?}"),
                other => panic!("{other:?}"),
            }
        }
        drop(go);
        assert_eq!(running.wait_timeout(Duration::MAX).expect("it runs on and ends").items(), 3);
    });
}

#[test]
fn an_idle_network_times_out_without_a_name() {
    everywhere(20, |on| {
        let (hold, held) = mpsc::channel::<u64>();
        let mut b = Builder::new();
        // A source that waits outside of its firing can't be written by hand, so it fires; the others don't.
        let numbers = b.add(source(held).named("waits").blocking());
        b.pipe(numbers.out, sink(|_: u64| ()));
        let mut running = on.start(b.build().expect("sound")).expect("threads");
        match running.wait_timeout(Duration::from_millis(30)) {
            Err(RunError::TimedOut { firing, .. }) => assert_eq!(firing, ["waits"]),
            other => panic!("{other:?}"),
        }
        drop(hold);
        running.wait().expect("no failure");
    });
}

#[test]
fn dropping_the_handle_aborts_and_does_not_wait() {
    everywhere(20, |on| {
        let ledger = Ledger::new();
        let (go, gate) = mpsc::channel::<()>();
        let (there, arrived) = mpsc::channel();
        let waits = move |x| {
            let _ = there.send(());
            let _ = gate.recv();
            drop(x);
        };
        let running = on.start(endless(&ledger, 2, waits)).expect("threads");
        arrived.recv().expect("the sink fires");
        let began = Instant::now();
        drop(running);
        assert!(began.elapsed() < Duration::from_secs(1), "it waited for a node");
        assert!(ledger.alive() > 0, "the sink still has a token");
        drop(go);
        until("all nodes go", || ledger.is_alone());
        ledger.settle();
    });
}

#[test]
fn a_network_that_is_never_run_drops_its_nodes() {
    let ledger = Ledger::new();
    let token = ledger.token(0);
    let mut b = Builder::new();
    let tokens = b.add(source([ledger.token(1), ledger.token(2)]));
    b.pipe(tokens.out, sink(move |x: Counted| drop((x, token.clone()))));
    drop(b.build().expect("sound"));
    ledger.settle();
}

/// A place for a handle that a node of the same network is to use.
type Later<T> = Arc<Mutex<Option<T>>>;

/// Runs an endless network whose sink calls `act` with what `of` made of the handle, at its tenth token.
fn from_within<T: Send + 'static>(
    on: &On,
    of: impl FnOnce(kpn::Running) -> (T, Option<kpn::Running>),
    act: impl Fn(T) + Send + 'static,
) -> (Ledger, Option<kpn::Running>) {
    let ledger = Ledger::new();
    let later: Later<T> = Later::default();
    let theirs = later.clone();
    let mut seen = 0;
    let take = move |_| {
        seen += 1;
        if seen < 10 {
            return;
        }
        // The handle may not be there yet.
        let handle = theirs.lock().expect("unpoisoned").take();
        if let Some(handle) = handle {
            act(handle);
        }
    };
    let (handle, rest) = of(on.start(endless(&ledger, 3, take)).expect("threads"));
    *later.lock().expect("unpoisoned") = Some(handle);
    (ledger, rest)
}

#[test]
fn a_node_may_stop_and_abort_its_own_network() {
    let stopper = |running: kpn::Running| (running.stopper(), Some(running));
    everywhere(20, move |on| {
        doing(format!("stop from within on {on}"));
        let (ledger, running) = from_within(on, stopper, |stopper: Stopper| stopper.stop());
        running.expect("it was kept").wait().expect("a stop is no failure");
        ledger.settle();
        doing(format!("abort from within on {on}"));
        let (ledger, running) = from_within(on, stopper, |stopper: Stopper| stopper.abort());
        assert!(matches!(running.expect("it was kept").wait(), Err(RunError::Aborted)));
        ledger.settle();
    });
}

#[test]
fn a_node_may_drop_the_handle_of_its_own_network() {
    everywhere(20, |on| {
        let (ledger, _) = from_within(on, |running| (running, None), drop);
        until("all nodes go", || ledger.is_alone());
        ledger.settle();
    });
}

#[test]
fn waiting_for_ones_own_network_is_an_error() {
    everywhere(20, |on| {
        let (said, hears) = mpsc::channel();
        let act = move |mut running: kpn::Running| {
            let timed = running.wait_timeout(Duration::from_secs(60));
            let _ = said.send((timed, running.wait()));
        };
        let (ledger, _) = from_within(on, |running| (running, None), act);
        let (timed, waited) = hears.recv().expect("the sink says");
        assert!(matches!(timed, Err(RunError::WaitInside)), "{timed:?}");
        assert!(matches!(waited, Err(RunError::WaitInside)), "{waited:?}");
        // `wait` took the handle, so the network is aborted like any other whose handle is gone.
        until("all nodes go", || ledger.is_alone());
        ledger.settle();
    });
}

#[test]
fn a_network_without_nodes_ends_at_once() {
    for on in [On::Fresh(1), On::Fresh(4), On::pool(2), On::Private] {
        watch(10, move || {
            doing(format!("nothing on {on}"));
            let report = on.run(Builder::new().build().expect("an empty network is sound")).expect("no failure");
            assert_eq!(report.items(), 0);
            let running = on.start(Builder::new().build().expect("sound")).expect("threads");
            assert!(running.has_ended());
            running.stop();
            running.wait().expect("no failure");
        });
    }
}

#[test]
fn a_node_without_ports_fires_until_it_ends() {
    everywhere(20, |on| {
        let fired = AtomicU64::new(0);
        let mut b = Builder::new();
        let tick = step::<(), (), _>(|()| match fired.fetch_add(1, Relaxed) {
            1000 => Fired::End,
            _ => Fired::Emit(()),
        });
        b.add(tick);
        on.run(b.build().expect("sound")).expect("no failure");
        assert_eq!(fired.load(Relaxed), 1001);
    });
}

#[test]
fn a_sink_that_ends_ends_what_feeds_it_alone() {
    everywhere(20, |on| {
        let ledger = Ledger::new();
        let made = ledger.clone();
        let mut seen = 0;
        let mut b = Builder::new();
        let tokens = b.add(source((0..500).map(move |i| made.token(i))));
        let [left, right] = <[_; 2]>::try_from(b.fan_out(tokens.out, 2)).expect("two");
        let mut rest = 3;
        let three = step::<(One<Counted>,), (), _>(move |_| {
            rest -= 1;
            if rest == 0 { Fired::End } else { Fired::Emit(()) }
        });
        b.pipe(left, three);
        b.pipe(right, sink(|_: Counted| seen += 1));
        on.run(b.build().expect("sound")).expect("no failure");
        assert_eq!(seen, 500, "the other reader gets everything");
        ledger.settle();

        doing(format!("the only reader ends on {on}"));
        let ledger = Ledger::new();
        let made = ledger.clone();
        let mut b = Builder::new();
        let endless = b.add(source((0..).map(move |i| made.token(i))));
        let passed = b.pipe(endless.out, map(|x: Counted| x));
        b.pipe(passed, step::<(One<Counted>,), (), _>(|_| Fired::End));
        on.run(b.build().expect("sound")).expect("no failure");
        ledger.settle();
    });
}

#[test]
fn a_snapshot_shows_progress_while_it_runs() {
    everywhere(20, |on| {
        let ledger = Ledger::new();
        let running = on.start(endless(&ledger, 1, drop)).expect("threads");
        until("tokens in the snapshot", || running.snapshot().items() > 100);
        until("firings in the snapshot", || running.snapshot().node("sink").is_some_and(|sink| sink.firings > 0));
        assert!(!running.has_ended());
        running.stop();
        let report = running.wait().expect("no failure");
        assert_eq!(report.items(), ledger.made());
        assert!(report.to_string().contains("sink"));
    });
}
