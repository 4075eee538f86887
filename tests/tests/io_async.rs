//! Inlets and outlets in async code, without an async runtime.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use kpn::io::{RecvError, SendError};
use kpn::prelude::*;

/// Counts wakes, and unparks a thread.
struct Counter {
    wakes: AtomicUsize,
    thread: thread::Thread,
}

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::SeqCst);
        self.thread.unpark();
    }
}

impl Counter {
    fn new() -> Arc<Self> {
        Arc::new(Self { wakes: AtomicUsize::new(0), thread: thread::current() })
    }

    fn wakes(&self) -> usize {
        self.wakes.load(Ordering::SeqCst)
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Counter::new());
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        thread::park();
    }
}

fn poll_once<F: Future + Unpin>(future: &mut F, counter: &Arc<Counter>) -> Poll<F::Output> {
    let waker = Waker::from(counter.clone());
    pin!(future).poll(&mut Context::from_waker(&waker))
}

#[test]
fn tokens_go_in_and_out_in_order() {
    for capacity in [1, 3, 64] {
        let (mut input, inlet) = kpn::inlet_with(capacity);
        let (outlet, mut output) = kpn::outlet_with(capacity);
        let mut b = Builder::new();
        let tokens = b.add(inlet);
        let doubled = b.pipe(tokens.out, map(|x: u32| 2 * x));
        b.pipe(doubled, outlet);
        let running = b.build().expect("a sound network").start().expect("threads");
        let sender = thread::spawn(move || {
            block_on(async {
                for x in 0..2000 {
                    input.send_async(x).await?;
                }
                Ok::<_, SendError<u32>>(())
            })
        });
        block_on(async {
            for x in 0..2000 {
                assert_eq!(output.recv_async().await, Ok(2 * x));
            }
            assert_eq!(output.recv_async().await, Err(RecvError));
        });
        sender.join().expect("no panic").expect("the network takes all");
        running.wait().expect("no node fails");
    }
}

#[test]
fn a_dropped_receive_loses_nothing_and_leaves_no_waker() {
    let (mut input, inlet) = kpn::inlet::<u32>();
    let (outlet, mut output) = kpn::outlet::<u32>();
    let mut b = Builder::new();
    let tokens = b.add(inlet);
    b.pipe(tokens.out, outlet);
    let running = b.build().expect("a sound network").start().expect("threads");
    let counter = Counter::new();
    let mut receive = output.recv_async();
    assert!(poll_once(&mut receive, &counter).is_pending());
    drop(receive);
    assert_eq!(Arc::strong_count(&counter), 1, "the waker went with the future");
    input.send(7).expect("the network is alive");
    assert_eq!(output.recv(), Ok(7));
    assert_eq!(counter.wakes(), 0);
    drop(input);
    running.wait().expect("no node fails");
}

#[test]
fn a_dropped_send_sends_nothing_and_drops_its_token() {
    let (mut input, inlet) = kpn::inlet_with::<Arc<u32>>(1);
    input.try_send(Arc::new(1)).expect("there is room");
    let (counter, token) = (Counter::new(), Arc::new(2));
    let mut send = input.send_async(token.clone());
    assert!(poll_once(&mut send, &counter).is_pending());
    assert!(poll_once(&mut send, &counter).is_pending(), "polling again changes nothing");
    drop(send);
    assert_eq!((Arc::strong_count(&counter), Arc::strong_count(&token)), (1, 1));
    drop(input);
    let mut b = Builder::new();
    let tokens = b.add(inlet);
    b.pipe(tokens.out, sink(|x: Arc<u32>| assert_eq!(*x, 1)));
    b.build().expect("a sound network").run().expect("no node fails");
    assert_eq!(counter.wakes(), 0);
}

#[test]
fn a_waiting_send_gets_its_token_back_when_the_network_goes() {
    let (mut input, inlet) = kpn::inlet_with::<u32>(1);
    input.try_send(1).expect("there is room");
    let counter = Counter::new();
    let mut send = input.send_async(2);
    assert!(poll_once(&mut send, &counter).is_pending());
    drop(inlet);
    assert_eq!(counter.wakes(), 1);
    assert_eq!(poll_once(&mut send, &counter), Poll::Ready(Err(SendError(2))));
}

#[test]
fn the_latest_waker_is_the_one_that_is_woken() {
    let (outlet, mut output) = kpn::outlet::<u32>();
    let (first, second) = (Counter::new(), Counter::new());
    let mut receive = output.recv_async();
    assert!(poll_once(&mut receive, &first).is_pending());
    assert!(poll_once(&mut receive, &second).is_pending());
    drop(outlet);
    assert_eq!((first.wakes(), second.wakes()), (0, 1));
    assert_eq!(poll_once(&mut receive, &second), Poll::Ready(Err(RecvError)));
}

#[test]
fn poll_recv_makes_a_stream() {
    let (outlet, mut output) = kpn::outlet_with::<u32>(2);
    let mut b = Builder::new();
    let numbers = b.add(source(0..500));
    b.pipe(numbers.out, outlet);
    let running = b.build().expect("a sound network").start().expect("threads");
    for x in 0..500 {
        assert_eq!(block_on(std::future::poll_fn(|cx| output.poll_recv(cx))), Some(x));
    }
    assert_eq!(block_on(std::future::poll_fn(|cx| output.poll_recv(cx))), None);
    running.wait().expect("no node fails");
}

#[test]
#[should_panic(expected = "a send was polled after it was ready")]
fn a_finished_send_is_not_polled_again() {
    let (mut input, _inlet) = kpn::inlet::<u32>();
    let (counter, mut send) = (Counter::new(), input.send_async(1));
    assert!(poll_once(&mut send, &counter).is_ready());
    thread::sleep(Duration::ZERO);
    let _ = poll_once(&mut send, &counter);
}
