//! Draining a network from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kpn::io::{Outlet, RecvError, RecvTimeoutError, TryRecvError};
use kpn::prelude::*;

const MOMENT: Duration = Duration::from_millis(30);

/// Starts `source(tokens) -> outlet`.
fn start<I>(tokens: I, capacity: usize) -> (Running, Outlet<u32>)
where
    I: IntoIterator<Item = u32>,
    I::IntoIter: Send + 'static,
{
    let (outlet, output) = kpn::outlet_with(capacity);
    let mut b = Builder::new();
    let tokens = b.add(source(tokens));
    b.pipe(tokens.out, outlet);
    (b.build().expect("a sound network").start().expect("threads"), output)
}

#[test]
fn every_token_leaves_once_and_in_order() {
    for capacity in [0, 1, 2, 64, 5000] {
        let (running, output) = start(0..3000, capacity);
        assert_eq!(output.capacity(), capacity.max(1));
        assert!(output.eq(0..3000), "capacity {capacity}");
        running.wait().expect("no node fails");
    }
}

#[test]
fn tokens_outlive_their_network() {
    let (running, mut output) = start(0..10, 64);
    running.wait().expect("no node fails");
    assert!(output.by_ref().eq(0..10));
    assert_eq!(output.recv(), Err(RecvError));
    assert_eq!(output.try_recv(), Err(TryRecvError::Ended));
    assert_eq!(output.recv_timeout(MOMENT), Err(RecvTimeoutError::Ended));
}

#[test]
fn an_empty_queue_says_so_and_times_out() {
    let (mut input, inlet) = kpn::inlet::<u32>();
    let (outlet, mut output) = kpn::outlet::<u32>();
    let mut b = Builder::new();
    let tokens = b.add(inlet);
    b.pipe(tokens.out, outlet);
    let running = b.build().expect("a sound network").start().expect("threads");
    assert_eq!(output.try_recv(), Err(TryRecvError::Empty));
    let begin = Instant::now();
    assert_eq!(output.recv_timeout(MOMENT), Err(RecvTimeoutError::Timeout));
    assert!(begin.elapsed() >= MOMENT);
    let receiver = thread::spawn(move || (output.recv(), output));
    thread::sleep(MOMENT);
    input.send(5).expect("the network is alive");
    let (received, mut output) = receiver.join().expect("no panic");
    assert_eq!(received, Ok(5));
    // One token there and one back, many times: each is seen at once, whatever the batches.
    for x in 0..2000 {
        input.send(x).expect("the network is alive");
        assert_eq!(output.recv(), Ok(x));
    }
    drop(input);
    assert_eq!(output.recv(), Err(RecvError));
    running.wait().expect("no node fails");
}

#[test]
fn a_dropped_handle_ends_the_network_upstream() {
    let (running, mut output) = start(0.., 4);
    assert_eq!(output.recv(), Ok(0));
    drop(output);
    running.wait().expect("that is no failure");
}

#[test]
fn a_dropped_handle_ends_a_network_that_waits_for_input() {
    let (input, inlet) = kpn::inlet::<u32>();
    let (outlet, output) = kpn::outlet::<u32>();
    let mut b = Builder::new();
    let tokens = b.add(inlet);
    let doubled = b.pipe(tokens.out, map(|x: u32| 2 * x));
    b.pipe(doubled, outlet);
    let running = b.build().expect("a sound network").start().expect("threads");
    thread::sleep(MOMENT);
    drop(output);
    running.wait().expect("that is no failure");
    assert!(input.is_closed());
}

#[test]
fn a_handle_dropped_before_the_start_ends_the_network() {
    let (outlet, output) = kpn::outlet::<u32>();
    drop(output);
    let mut b = Builder::new();
    let tokens = b.add(source(0..));
    b.pipe(tokens.out, outlet);
    b.build().expect("a sound network").run().expect("that is no failure");
}

#[test]
fn one_outlet_less_does_not_stop_the_other() {
    let (outlet, output) = kpn::outlet::<u32>();
    let (other, rest) = kpn::outlet::<u32>();
    let mut b = Builder::new();
    let tokens = b.add(source(0..1000));
    let mut copies = b.fan_out(tokens.out, 2).into_iter();
    b.pipe(copies.next().expect("two"), outlet);
    b.pipe(copies.next().expect("two"), other);
    let running = b.build().expect("a sound network").start().expect("threads");
    drop(output);
    assert!(rest.eq(0..1000));
    running.wait().expect("that is no failure");
}

#[test]
fn nobody_reading_holds_the_network_up_until_abort() {
    let made = Arc::new(AtomicUsize::new(0));
    let counted = made.clone();
    let numbers = (0..).inspect(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let (mut running, output) = start(numbers, 4);
    assert!(matches!(running.wait_timeout(MOMENT), Err(RunError::TimedOut { .. })));
    assert!(made.load(Ordering::Relaxed) < 200, "back-pressure reaches the source");
    running.abort();
    assert!(matches!(running.wait(), Err(RunError::Aborted)));
    assert!(output.count() <= 4);
}

#[test]
fn a_failure_ends_the_stream_and_is_told_by_the_network() {
    let (outlet, output) = kpn::outlet::<u32>();
    let mut b = Builder::new();
    let tokens = b.add(source(0..10));
    let checked = b.pipe(tokens.out, map(|x: u32| if x < 3 { x } else { panic!("too large") }));
    b.pipe(checked, outlet);
    let running = b.build().expect("a sound network").start().expect("threads");
    assert!(output.eq(0..3));
    assert_eq!(running.wait().expect_err("the map panics").node(), Some("map"));
}

#[test]
fn handles_move_between_threads() {
    fn moves<T: Send + 'static>(_: &T) {}
    let (input, inlet) = kpn::inlet::<std::cell::Cell<u32>>();
    let (outlet, output) = kpn::outlet::<std::cell::Cell<u32>>();
    moves(&(input, inlet, outlet, output));
}
