//! Feeding a network from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kpn::io::{Inlet, InletNode, SendError, SendTimeoutError, TrySendError};
use kpn::prelude::*;

/// A moment that is long for a thread and short for a person.
const MOMENT: Duration = Duration::from_millis(30);

/// Starts `inlet -> sink(take)`.
fn start<T: Send + 'static>(inlet: InletNode<T>, take: impl FnMut(T) + Send + 'static) -> Running {
    let mut b = Builder::new();
    let tokens = b.add(inlet);
    b.pipe(tokens.out, sink(take));
    b.build().expect("a sound network").start().expect("threads")
}

/// A network that takes a token and then waits until the returned sender is dropped.
fn stuck(inlet: InletNode<u32>) -> (Running, std::sync::mpsc::Sender<()>) {
    let (free, wait) = std::sync::mpsc::channel::<()>();
    let mut b = Builder::new();
    let tokens = b.add(inlet);
    let end = b.add(
        sink(move |_| {
            let _ = wait.recv();
        })
        .blocking(),
    );
    b.connect(tokens.out, end.input).capacity(1);
    (b.build().expect("a sound network").start().expect("threads"), free)
}

/// Sends until nothing more fits; returns how many did.
fn fill(input: &mut Inlet<u32>) -> u32 {
    let mut sent = 0;
    let mut last = Instant::now();
    while last.elapsed() < MOMENT {
        match input.try_send(sent) {
            Ok(()) => (sent, last) = (sent + 1, Instant::now()),
            Err(TrySendError::Full(_)) => thread::yield_now(),
            Err(TrySendError::Closed(_)) => panic!("the network is alive"),
        }
    }
    sent
}

#[test]
fn every_token_arrives_once_and_in_order() {
    for capacity in [0, 1, 2, 64, 5000] {
        let (mut input, inlet) = kpn::inlet_with(capacity);
        assert_eq!(input.capacity(), capacity.max(1));
        let (sender, seen) = std::sync::mpsc::channel();
        let running = start(inlet, move |x: u32| sender.send(x).expect("the test listens"));
        (0..3000).for_each(|x| input.send(x).expect("the network takes all"));
        input.close();
        assert!(input.is_closed());
        assert_eq!(input.send(7), Err(SendError(7)), "a closed handle sends nothing");
        running.wait().expect("no node fails");
        assert!(seen.iter().eq(0..3000), "capacity {capacity}");
    }
}

#[test]
fn a_dropped_handle_ends_the_network() {
    let (input, inlet) = kpn::inlet::<u32>();
    let running = start(inlet, drop);
    thread::sleep(MOMENT);
    drop(input);
    running.wait().expect("no node fails");
}

#[test]
fn a_handle_dropped_before_the_start_is_an_empty_stream() {
    let (input, inlet) = kpn::inlet::<u32>();
    drop(input);
    start(inlet, |_| panic!("nothing was sent")).wait().expect("no node fails");
}

#[test]
fn a_full_queue_refuses_waits_and_times_out() {
    let (mut input, inlet) = kpn::inlet_with(2);
    let (running, free) = stuck(inlet);
    let sent = fill(&mut input);
    // In the queue, on the edge, in the firing.
    assert!((3..=5).contains(&sent), "{sent} tokens fitted in");
    let begin = Instant::now();
    assert_eq!(input.send_timeout(9, MOMENT), Err(SendTimeoutError::Timeout(9)));
    assert!(begin.elapsed() >= MOMENT);
    let sender = thread::spawn(move || input.send(10).map(|()| input));
    thread::sleep(MOMENT);
    assert!(!sender.is_finished(), "it waits for room");
    drop(free);
    drop(sender.join().expect("no panic").expect("there is room now"));
    running.wait().expect("no node fails");
}

#[test]
fn stop_gives_waiting_senders_their_token_back_and_drains() {
    let (mut input, inlet) = kpn::inlet_with(3);
    let (running, free) = stuck(inlet);
    fill(&mut input);
    let sender = thread::spawn(move || (input.send(99), input));
    thread::sleep(MOMENT);
    running.stop();
    let (refused, mut input) = sender.join().expect("no panic");
    assert_eq!(refused, Err(SendError(99)));
    assert_eq!(input.try_send(1), Err(TrySendError::Closed(1)));
    assert_eq!(input.send_timeout(2, MOMENT), Err(SendTimeoutError::Closed(2)));
    drop(free);
    running.wait().expect("a stop is no failure");
}

#[test]
fn what_was_accepted_before_a_stop_goes_through() {
    for round in 0..50 {
        let (mut input, inlet) = kpn::inlet_with(8);
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        let running = start(inlet, move |_: u32| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let sender = thread::spawn(move || (0..).take_while(|&x| input.send(x).is_ok()).count());
        thread::sleep(Duration::from_micros(20 * round));
        running.stop();
        let accepted = sender.join().expect("no panic");
        running.wait().expect("a stop is no failure");
        assert_eq!(count.load(Ordering::Relaxed), accepted);
    }
}

#[test]
fn abort_wakes_senders() {
    let (mut input, inlet) = kpn::inlet_with(1);
    let (running, free) = stuck(inlet);
    fill(&mut input);
    let sender = thread::spawn(move || input.send(99));
    thread::sleep(MOMENT);
    running.abort();
    assert_eq!(sender.join().expect("no panic"), Err(SendError(99)));
    drop(free);
    assert!(matches!(running.wait(), Err(RunError::Aborted)));
}

#[test]
fn a_network_that_ends_by_itself_closes_the_inlet() {
    let (mut input, inlet) = kpn::inlet_with(1);
    let mut b = Builder::new();
    let tokens = b.add(inlet);
    b.pipe(tokens.out, sink(|x: u32| if x < 3 { Ok(()) } else { Err("enough") }));
    let running = b.build().expect("a sound network").start().expect("threads");
    let sent = (0..).take_while(|&x| input.send(x).is_ok()).count();
    assert!(sent >= 4, "{sent}");
    assert_eq!(running.wait().expect_err("the sink fails").to_string(), "the node `sink` failed: enough");
}

#[test]
fn a_network_that_is_never_run_closes_the_inlet() {
    let (mut input, inlet) = kpn::inlet::<u32>();
    drop(inlet);
    assert!(input.is_closed());
    assert_eq!(input.send(1), Err(SendError(1)));
    let (mut input, inlet) = kpn::inlet::<u32>();
    let mut b = Builder::new();
    let tokens = b.add(inlet);
    b.pipe(tokens.out, sink(drop));
    drop(b.build().expect("a sound network"));
    assert_eq!(input.send(1), Err(SendError(1)));
}

#[test]
fn a_node_may_feed_another_network_on_the_same_single_worker() {
    let pool = Shared::new().workers(1).build().expect("threads");
    let (mut input, inlet) = kpn::inlet_with(1);
    let (sender, seen) = std::sync::mpsc::channel();
    let mut b = Builder::new();
    let tokens = b.add(inlet);
    b.pipe(tokens.out, sink(move |x: u32| sender.send(x)));
    let second = b.build().expect("a sound network").start_on(&pool).expect("threads");
    let mut b = Builder::new();
    let numbers = b.add(source(0..500));
    b.pipe(numbers.out, sink(move |x| input.send(x)));
    b.build().expect("a sound network").run_on(&pool).expect("no node fails");
    second.wait().expect("no node fails");
    assert!(seen.iter().eq(0..500));
}

#[test]
fn one_thread_feeds_both_inputs_of_a_join() {
    // As many at a time as the queue and the edge hold together: each place must be had without help from `b`.
    const QUEUE: usize = 8;
    const EDGE: usize = 2;
    let (mut a, left) = kpn::inlet_with(QUEUE);
    let (mut b, right) = kpn::inlet_with(QUEUE);
    let mut net = Builder::new();
    let join = net.add(gather::<usize, 2>());
    for (inlet, input) in [left, right].into_iter().zip(join.inputs) {
        let tokens = net.add(inlet);
        net.connect(tokens.out, input).capacity(EDGE);
    }
    net.pipe(join.out, sink(|[x, y]: [usize; 2]| assert_eq!(x, y)));
    let running = net.build().expect("a sound network").start().expect("threads");
    for round in 0..200 {
        for input in [&mut a, &mut b] {
            for x in 0..QUEUE + EDGE {
                let sent = input.send_timeout(round + x, Duration::from_secs(20));
                assert_eq!(sent, Ok(()), "token {x} of round {round}");
            }
        }
    }
    drop((a, b));
    running.wait().expect("no node fails");
}

#[test]
fn no_token_is_lost_or_seen_twice() {
    /// Counts those alive.
    struct Token(Arc<AtomicUsize>);
    impl Token {
        fn new(alive: &Arc<AtomicUsize>) -> Self {
            alive.fetch_add(1, Ordering::Relaxed);
            Self(alive.clone())
        }
    }
    impl Drop for Token {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let alive = Arc::new(AtomicUsize::new(0));
    for round in 0..60 {
        let (mut input, inlet) = kpn::inlet_with(1 + round % 5);
        let running = start(inlet, drop::<Token>);
        let made = alive.clone();
        let sender = thread::spawn(move || while input.send(Token::new(&made)).is_ok() {});
        thread::sleep(Duration::from_micros(10 * round as u64));
        match round % 3 {
            0 => running.stop(),
            1 => running.abort(),
            _ => {
                drop(running);
                sender.join().expect("no panic");
                continue;
            }
        }
        sender.join().expect("no panic");
        let _ = running.wait();
        // Those of dropped networks may still be on their way.
    }
    let begin = Instant::now();
    while alive.load(Ordering::Relaxed) > 0 {
        assert!(begin.elapsed() < Duration::from_secs(20), "{} tokens leaked", alive.load(Ordering::Relaxed));
        thread::yield_now();
    }
}
