//! Adapters from and to crossbeam's channels.

use std::thread;
use std::time::Duration;

use crossbeam_channel::{bounded, unbounded};
use kpn::prelude::*;

const MOMENT: Duration = Duration::from_millis(30);

#[test]
fn a_channel_in_and_a_channel_out() {
    for capacity in [0, 1, 100] {
        let (sender, tokens) = bounded(capacity);
        let (delivered, receiver) = bounded(capacity);
        let mut b = Builder::new();
        let tokens = b.add(kpn::from_channel(tokens));
        let doubled = b.pipe(tokens.out, map(|x: u32| 2 * x));
        b.pipe(doubled, kpn::to_channel(delivered));
        let running = b.build().expect("a sound network").start().expect("threads");
        let feeder = thread::spawn(move || (0..2000).try_for_each(|x| sender.send(x)));
        assert!(receiver.iter().eq((0..2000).map(|x| 2 * x)), "capacity {capacity}");
        feeder.join().expect("no panic").expect("the network takes all");
        running.wait().expect("no node fails");
    }
}

#[test]
fn run_returns_when_all_is_delivered() {
    let (delivered, receiver) = unbounded();
    let mut b = Builder::new();
    let numbers = b.add(source(0..1000));
    b.pipe(numbers.out, kpn::to_channel(delivered));
    b.build().expect("a sound network").run().expect("no node fails");
    assert_eq!(receiver.len(), 1000);
}

#[test]
fn stop_ends_a_network_that_waits_for_a_channel() {
    let (sender, tokens) = bounded::<u32>(1);
    let mut b = Builder::new();
    let tokens = b.add(kpn::from_channel(tokens));
    b.pipe(tokens.out, sink(drop));
    let running = b.build().expect("a sound network").start().expect("threads");
    thread::sleep(MOMENT);
    running.stop();
    running.wait().expect("a stop is no failure");
    assert!(sender.send(1).is_err(), "the receiver went with the network");
}

#[test]
fn abort_ends_a_network_whose_channel_is_full() {
    let (delivered, receiver) = bounded(1);
    let mut b = Builder::new();
    let numbers = b.add(source(0..));
    b.pipe(numbers.out, kpn::to_channel(delivered));
    let running = b.build().expect("a sound network").start().expect("threads");
    thread::sleep(MOMENT);
    running.abort();
    assert!(matches!(running.wait(), Err(RunError::Aborted)));
    assert!(receiver.iter().eq(0..1), "the channel's own token is the receiver's");
}

#[test]
fn a_dropped_receiver_ends_the_network_upstream() {
    let (delivered, receiver) = bounded(1);
    let mut b = Builder::new();
    let numbers = b.add(source(0..));
    b.pipe(numbers.out, kpn::to_channel(delivered));
    let running = b.build().expect("a sound network").start().expect("threads");
    assert_eq!(receiver.recv(), Ok(0));
    drop(receiver);
    running.wait().expect("that is no failure");
}

#[test]
fn a_node_that_never_ran_lets_its_channel_go() {
    let (sender, tokens) = bounded::<u32>(1);
    drop(kpn::from_channel(tokens));
    assert!(sender.send(1).is_err());
    let (delivered, receiver) = bounded::<u32>(1);
    drop(kpn::to_channel(delivered));
    assert!(receiver.recv().is_err());
}
