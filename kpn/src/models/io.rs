//! Inlets and outlets: no wake between a network and the outside is lost.

use super::{explore, must_fail};
use crate::builder::Builder;
use crate::config::Private;
use crate::io::{Inlet, SendError};
use crate::net::{Network, Running};
use crate::nodes::{sink, source};
use crate::sync::{Arc, AtomicUsize, Ordering, thread};

fn start(net: Builder<'static>) -> Running {
    let net: Network<'static> = net.build().expect("a chain is fine");
    net.start_on(Private::new().spin(std::time::Duration::ZERO)).expect("threads")
}

/// A network that counts what comes in.
fn counting() -> (Inlet<u32>, Running, Arc<AtomicUsize>) {
    let (input, inlet) = crate::inlet_with(1);
    let seen = Arc::new(AtomicUsize::new(0));
    let counter = seen.clone();
    let mut b = Builder::new();
    let tokens = b.add(inlet);
    let end = b.add(sink(move |_: u32| {
        counter.fetch_add(1, Ordering::Relaxed);
    }));
    b.connect(tokens.out, end.input).capacity(1);
    (input, start(b), seen)
}

fn send_all(tokens: u32) {
    let (mut input, running, seen) = counting();
    for x in 0..tokens {
        assert_eq!(input.send(x), Ok(()));
    }
    drop(input);
    assert!(running.wait().is_ok());
    assert_eq!(seen.load(Ordering::Relaxed), tokens as usize);
}

#[test]
fn every_send_arrives() {
    explore(1, || send_all(2));
}

#[test]
fn the_waker_must_be_left_under_the_lock() {
    // The third token finds the queue full whose second one woke nobody.
    must_fail("look, then leave the waker", 1, || send_all(3));
}

#[test]
fn stop_and_send_agree() {
    explore(1, || {
        let (mut input, running, seen) = counting();
        let sender = thread::spawn(move || {
            let sent = input.send(1);
            assert!(matches!(sent, Ok(()) | Err(SendError(1))));
            usize::from(sent.is_ok())
        });
        running.stop();
        let sent = sender.join().expect("the sender ends");
        assert!(running.wait().is_ok());
        assert_eq!(seen.load(Ordering::Relaxed), sent);
    });
}

#[test]
fn every_token_leaves() {
    explore(1, || {
        let (outlet, mut output) = crate::outlet_with(1);
        let mut b = Builder::new();
        let numbers = b.add(source(0..2u32));
        let end = b.add(outlet);
        b.connect(numbers.out, end.input).capacity(1);
        let running = start(b);
        assert_eq!([output.recv().ok(), output.recv().ok(), output.recv().ok()], [Some(0), Some(1), None]);
        assert!(running.wait().is_ok());
    });
}

#[test]
fn an_outlet_dropped_at_any_moment_ends_the_network() {
    explore(1, || {
        let (outlet, output) = crate::outlet_with(1);
        let (_input, inlet) = crate::inlet_with(1);
        let mut b = Builder::new();
        let tokens = b.add(inlet);
        let end = b.add(outlet);
        b.connect(tokens.out, end.input).capacity(1);
        let running = start(b);
        drop::<crate::io::Outlet<u32>>(output);
        assert!(running.wait().is_ok());
    });
}
