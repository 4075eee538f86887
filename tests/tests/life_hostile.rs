//! Users' code at its worst: what it keeps, what it throws, where it waits.

use std::cell::RefCell;
use std::panic::panic_any;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use kpn::io::Inlet;
use kpn::node::{Body, Fired, Firing, Maybe, Node, NodeInfo, One};
use kpn::nodes::StagePorts;
use kpn::prelude::*;
use kpn_tests::{everywhere, watch};

fn pool(workers: usize) -> ThreadPool {
    Shared::new().workers(workers).build().expect("threads")
}

/// A network that hands every token to `take`.
fn taking<'a>(tokens: u64, take: impl FnMut(u64) + Send + 'a) -> Network<'a> {
    let mut b = Builder::new();
    let numbers = b.add(source(0..tokens));
    b.pipe(numbers.out, sink(take).blocking());
    b.build().expect("a chain is sound")
}

thread_local! {
    static KEPT: RefCell<Option<Inlet<u64>>> = const { RefCell::new(None) };
}

#[test]
fn a_handle_may_go_with_the_thread_that_kept_it() {
    watch(20, || {
        let (input, inlet) = kpn::inlet::<u64>();
        let mut b = Builder::new();
        let tokens = b.add(inlet);
        b.pipe(tokens.out, sink(|_: u64| ()));
        let fed = b.build().expect("sound").start().expect("threads");
        let mut input = Some(input);
        let feeding = taking(10, move |x| {
            KEPT.with_borrow_mut(|kept| {
                let input = kept.get_or_insert_with(|| input.take().expect("the first time"));
                input.send(x).expect("it runs");
            });
        });
        feeding.run().expect("no node fails");
        // The inlet went with the node's thread, which ends the network that it fed.
        assert_eq!(fed.wait().expect("no node fails").items(), 10);
    });
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[test]
fn what_was_thrown_may_throw_again_and_costs_no_worker() {
    watch(20, || {
        let pool = pool(1);
        for _ in 0..3 {
            let mut b = Builder::new();
            let numbers = b.add(source(0..10u64));
            b.pipe(
                numbers.out,
                sink(|_: u64| {
                    if true {
                        panic_any(Bomb)
                    }
                }),
            );
            let running = b.build().expect("sound").start_on(&pool).expect("threads");
            while !running.has_ended() {
                std::thread::yield_now();
            }
            drop(running);
        }
        taking(10, |_| ()).run_on(&pool).expect("the worker lives");
    });
}

/// Its `Drop` waits for the effect of what `finish` gave.
struct Acknowledged(mpsc::Receiver<u64>, Arc<Mutex<bool>>);

impl Firing for Acknowledged {
    type In = (One<u64>,);
    type Out = (Maybe<u64>,);
    const FINISHES: bool = true;
    fn fire(&mut self, _: (u64,)) -> Fired<(Option<u64>,)> {
        Fired::Emit((None,))
    }
    fn finish(&mut self) -> Fired<(Option<u64>,)> {
        Fired::Emit((Some(7),))
    }
}

impl Drop for Acknowledged {
    fn drop(&mut self) {
        let came = self.0.recv_timeout(Duration::from_secs(5)).is_ok();
        *self.1.lock().expect("nobody panics with it") = came;
    }
}

struct Staged(Acknowledged);

impl Node for Staged {
    type Ports = StagePorts<u64, u64>;
}

impl<'env> Body<'env> for Staged {
    fn install(self, builder: &mut Builder<'env>) -> Self::Ports {
        let info = NodeInfo { name: "acknowledged", inputs: &["input"], outputs: &["out"] };
        let ((input,), (out,)) = builder.firing(info, self.0);
        StagePorts { input, out }
    }
}

#[test]
fn the_last_token_is_announced_before_the_state_is_dropped() {
    everywhere(20, |on| {
        if !on.gives_threads() {
            return;
        }
        let (say, hear) = mpsc::channel();
        let came = Arc::new(Mutex::new(false));
        let mut b = Builder::new();
        let numbers = b.add(source(0..3u64));
        let out = b.pipe(numbers.out, Staged(Acknowledged(hear, came.clone())).blocking());
        // Nobody listens any more where the node has waited in vain.
        b.pipe(out, sink(move |x: u64| say.send(x).unwrap_or_default()));
        on.run(b.build().expect("sound")).expect("no node fails");
        assert!(*came.lock().expect("nobody panics with it"));
    });
}

#[test]
fn waiting_for_oneself_through_an_inner_network_is_an_error() {
    watch(20, || {
        let outer: Arc<Mutex<Option<Running>>> = Arc::default();
        let handle = outer.clone();
        let (go, gone) = mpsc::channel::<()>();
        let (say, hear) = mpsc::channel();
        let net = taking(1, move |_| {
            gone.recv().expect("the test says when");
            let (handle, say) = (handle.clone(), say.clone());
            let inner = taking(1, move |_| {
                let outer = handle.lock().expect("nobody panics with it").take().expect("it was put there");
                say.send(outer.wait()).expect("the test listens");
            });
            inner.run_on(Private::new()).expect("no node fails");
        });
        let pool = pool(2);
        let running = net.start_on(&pool).expect("threads");
        *outer.lock().expect("nobody panics with it") = Some(running);
        go.send(()).expect("the node listens");
        assert!(matches!(hear.recv().expect("an answer"), Err(RunError::WaitInside)));
    });
}

#[test]
fn a_pool_dropped_in_another_pools_node_does_not_hold_that_pool_up() {
    watch(30, || {
        let (one, other) = (pool(1), pool(1));
        let (mut input, inlet) = kpn::inlet_with::<u64>(1);
        let mut b = Builder::new();
        let tokens = b.add(inlet);
        b.pipe(tokens.out, sink(|_: u64| ()));
        let fed = b.build().expect("sound").start_on(&one).expect("threads");
        let mut b = Builder::new();
        let once = b.add(source(0..1u64));
        b.pipe(once.out, sink(move |_: u64| (0..2_000).for_each(|x| input.send(x).expect("it runs"))));
        let feeding = b.build().expect("sound").start_on(&other).expect("threads");
        let mut other = Some(other);
        let mut b = Builder::new();
        let once = b.add(source(0..1u64));
        b.pipe(once.out, sink(move |_: u64| drop(other.take())));
        b.build().expect("sound").run_on(&one).expect("no node fails");
        assert!(feeding.has_ended());
        fed.wait().expect("no node fails");
    });
}

#[test]
fn an_edge_that_memory_cannot_hold_is_an_error_that_names_it() {
    let mut b = Builder::new();
    let numbers = b.add(source((0..3u8).map(|x| [x; 1 << 16])));
    let end = b.add(sink(|_: [u8; 1 << 16]| ()));
    b.connect(numbers.out, end.input).capacity(1 << 30);
    let error =
        b.build().expect("within the bounds").run_on(Shared::new().workers(2)).expect_err("64 TiB are too much");
    let text = error.to_string();
    assert!(text.contains("source.out -> sink.input") && text.contains("no memory"), "{text}");
}

#[test]
fn an_error_is_its_sentence_for_main_too_and_says_it_once() {
    let failed = taking(3, |_| panic!("too far")).run_on(&pool(1)).expect_err("a node panics");
    assert_eq!(format!("{failed:?}"), failed.to_string());
    let mut b = Builder::new();
    let numbers = b.add(source(0..3u64));
    b.pipe(numbers.out, sink(|_: u64| "x".parse::<u8>().map(drop)));
    let failed = b.build().expect("sound").run_on(&pool(1)).expect_err("a node fails");
    let behind = std::error::Error::source(&failed).map(ToString::to_string);
    assert_eq!(behind.as_deref(), Some("invalid digit found in string"));
    let mut b = Builder::new();
    let _unread = b.add(source(0..3u64));
    let error = b.build().expect_err("nothing reads it");
    assert_eq!(format!("{error:?}"), error.to_string());
}
