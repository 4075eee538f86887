//! The ways by which time could get into a process are shut, and the outside can be waited for.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use kpn::RunError;
use kpn::prelude::*;
use kpn_tests::everywhere;

/// The message with which a node panicked.
fn panicked(error: &RunError) -> String {
    let first = error.failures().next().unwrap_or_else(|| panic!("no node failed: {error}"));
    first.to_string()
}

/// Runs a network of one process that is fed by two endless streams, and returns how it failed.
fn fails(on: &kpn_tests::On, net: Result<Network<'_>, BuildError>) -> String {
    panicked(&on.run(net.expect("valid")).expect_err("the process panics"))
}

#[node]
async fn asks(a: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    let token = now_or_never(a.recv()).flatten();
    out.send(token.unwrap_or(0)).await
}

fn now_or_never<F: Future>(future: F) -> Option<F::Output> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

#[test]
fn a_receive_is_not_polled_with_another_waker() {
    everywhere(20, |on| {
        let said = fails(on, network! { source(1u64..) -> asks() -> sink(|_| ()) });
        assert!(said.contains("`a` was polled outside of its process"), "{said}");
    });
}

#[node]
async fn elsewhere(a: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    let there = poll_fn(|cx| {
        let own = cx.waker().clone();
        let polled = std::thread::scope(|scope| {
            let poll = || pin!(a.recv()).poll(&mut Context::from_waker(&own)).is_ready();
            scope.spawn(poll).join().map_err(|payload| payload.downcast_ref::<String>().cloned().unwrap_or_default())
        });
        Poll::Ready(polled)
    });
    match there.await {
        Ok(there) => out.send(u64::from(there)).await,
        Err(message) => panic!("{message}"),
    }
}

#[test]
fn a_receive_is_not_polled_on_another_thread() {
    everywhere(20, |on| {
        let said = fails(on, network! { source(1u64..) -> elsewhere() -> sink(|_| ()) });
        assert!(said.contains("`a` was polled outside of its process"), "{said}");
    });
}

#[node]
async fn first_of(a: &mut In<u64>, b: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    // What `select!` does.
    let (mut x, mut y) = (a.recv(), b.recv());
    let first = poll_fn(|cx| match Pin::new(&mut x).poll(cx) {
        Poll::Pending => Pin::new(&mut y).poll(cx),
        ready => ready,
    });
    let first = first.await.unwrap_or(0);
    out.send(first).await
}

#[node]
async fn never(out: &mut Out<u64>, #[param] until: Gate) -> Result<(), Closed> {
    until.opened().await;
    out.send(0).await
}

#[test]
fn two_receives_are_not_raced() {
    everywhere(20, |on| {
        let gate = Gate::default();
        let opener = gate.clone();
        let net = network! {
            { never(gate.clone()), source(1u64..) } -> first_of() -> sink(move |_| opener.open());
        };
        // The gate opens when the process has ended, so that the other one ends as well.
        let ends = gate.clone();
        let said = std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(20));
                ends.open();
            });
            fails(on, net)
        });
        assert!(said.contains("an operation on the port `b` began while one on `a` is pending"), "{said}");
        assert!(said.contains("kpn::join"), "{said}");
    });
}

/// A future from outside of the network, as a timer or a socket gives.
#[derive(Clone, Default)]
struct Gate(Arc<Mutex<(bool, Vec<Waker>)>>);

impl Gate {
    fn open(&self) {
        let wakers = {
            let mut gate = self.0.lock().unwrap();
            gate.0 = true;
            std::mem::take(&mut gate.1)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    fn opened(&self) -> impl Future<Output = ()> + use<> {
        let gate = self.clone();
        poll_fn(move |cx| {
            let mut gate = gate.0.lock().unwrap();
            if gate.0 {
                return Poll::Ready(());
            }
            gate.1.push(cx.waker().clone());
            Poll::Pending
        })
    }
}

/// Gives up its turn so many times.
async fn turns(mut n: u32) {
    poll_fn(move |cx| {
        if n == 0 {
            return Poll::Ready(());
        }
        n -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[node]
async fn impatient(a: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    // What a timeout round a receive does: whichever is there first.
    let mut late = pin!(turns(3));
    let mut token = a.recv();
    let got = poll_fn(|cx| match Pin::new(&mut token).poll(cx) {
        Poll::Pending => late.as_mut().poll(cx).map(|()| None),
        ready => ready,
    });
    let got = got.await;
    drop(token);
    out.send(got.unwrap_or(7)).await
}

#[test]
fn a_timeout_round_a_receive_is_told() {
    everywhere(20, |on| {
        let gate = Gate::default();
        let opener = gate.clone();
        let mut seen = Vec::new();
        let net = network! {
            never(gate.clone()) -> impatient() -> sink(|x| { seen.push(x); opener.open(); });
        };
        let report = on.run(net.expect("valid")).expect("no node fails");
        assert_eq!(report.not_determinate, ["impatient.a"]);
        assert!(report.to_string().contains("not determinate"), "{report}");
        assert_eq!(seen, [7]);
    });
}

#[node]
async fn both(a: &mut In<u64>, left: &mut Out<u64>, right: &mut Out<u64>) -> Result<(), Closed> {
    while let Some(x) = a.recv().await {
        left.send(x).await?;
        right.send(x).await?;
    }
    Ok(())
}

#[node]
async fn takes(a: &mut In<u64>, out: &mut Out<u64>, #[param] n: u64) -> Result<(), Closed> {
    for _ in 0..n {
        let Some(x) = a.recv().await else { return Ok(()) };
        out.send(x).await?;
    }
    Ok(())
}

#[test]
fn a_writer_does_not_see_that_one_of_its_outputs_is_gone() {
    for capacity in [1, 2, 64] {
        everywhere(20, move |on| {
            let (mut few, mut all) = (Vec::new(), Vec::new());
            let net = network! {
                ends = both();
                source(0..500u64) -> ends.a;
                ends.left -> takes(3) -> sink(|x| few.push(x));
                ends.right -> sink(|x| all.push(x));
            };
            on.run(net.and_then(|net| net.with_capacity(capacity)).expect("valid")).expect("no node fails");
            assert_eq!(few, [0, 1, 2]);
            assert_eq!(all, (0..500).collect::<Vec<_>>());
        });
    }
}

#[test]
fn a_broadcast_goes_on_without_one_of_its_readers() {
    for capacity in [1, 2, 64] {
        everywhere(20, move |on| {
            let (mut few, mut all) = (Vec::new(), Vec::new());
            let net = network! {
                source(0..500u64) -> takes(400) -> { takes(3) -> sink(|x| few.push(x)), sink(|x| all.push(x)) };
            };
            on.run(net.and_then(|net| net.with_capacity(capacity)).expect("valid")).expect("no node fails");
            assert_eq!(few, [0, 1, 2]);
            assert_eq!(all, (0..400).collect::<Vec<_>>());
        });
    }
}

#[node]
async fn endless(out: &mut Out<u64>) -> Result<(), Closed> {
    for x in 0.. {
        out.send(x).await?;
    }
    Ok(())
}

#[test]
fn a_process_ends_when_nobody_reads_any_of_its_outputs() {
    everywhere(20, |on| {
        let mut few = Vec::new();
        on.run(network! { endless() -> takes(5) -> sink(|x| few.push(x)) }.expect("valid")).expect("no node fails");
        assert_eq!(few, [0, 1, 2, 3, 4]);
    });
}

#[test]
fn a_stop_ends_a_process_without_inputs() {
    let running = network! { endless() -> sink(|_| ()) }.expect("valid").start().expect("threads");
    running.stop();
    running.wait().expect("it drains");
}

#[test]
fn a_foreign_future_is_waited_for_and_is_no_stall() {
    everywhere(20, |on| {
        let gate = Gate::default();
        let opener = gate.clone();
        let mut seen = 0;
        // Two ways from the same node to the join: if it waited for a node of the network, this would be a cycle of waits.
        let net = network! { never(gate) -> { map(|x: u64| x + 1), map(|x: u64| x + 2) } -> sum() -> sink(|x: u64| seen = x) };
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(20));
                opener.open();
            });
            on.run(net.expect("valid")).expect("no stall");
        });
        assert_eq!(seen, 3);
    });
}

#[node]
fn sum(a: u64, b: u64) -> u64 {
    a + b
}

#[node]
async fn restless(a: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    // Waits for a token of the other one, and never gives its worker a reason to leave it.
    turns(10_000).await;
    out.send(a.recv().await.unwrap_or(0)).await
}

#[test]
fn a_process_that_wakes_itself_lets_others_run() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let net = network! { source(0..3u64) -> restless() -> sink(|x| seen.push(x)) };
        on.run(net.expect("valid")).expect("no node fails");
        assert_eq!(seen, [0]);
    });
}

#[test]
fn thousands_of_processes_live_on_one_worker() {
    const PROCESSES: u64 = 2_000;
    let mut seen = Vec::new();
    let mut b = Builder::new();
    let mut tail = b.add(source(0..10u64)).out;
    for _ in 0..PROCESSES {
        tail = b.pipe(tail, adds_one());
    }
    b.pipe(tail, sink(|x| seen.push(x)));
    b.build().expect("valid").run_on(Shared::new().workers(1)).expect("no node fails");
    assert_eq!(seen, (0..10).map(|x| x + PROCESSES).collect::<Vec<_>>());
}

#[node]
async fn adds_one(a: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    while let Some(x) = a.recv().await {
        out.send(x + 1).await?;
    }
    Ok(())
}

#[node]
async fn fails_late(a: &mut In<u64>, out: &mut Out<u64>) -> Result<(), String> {
    while let Some(x) = a.recv().await {
        if x == 7 {
            return Err("seven".to_owned());
        }
        out.send(x).await.map_err(|closed| closed.to_string())?;
    }
    Ok(())
}

#[test]
fn a_process_fails_like_any_node() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let net = network! { source(0..100u64) -> fails_late() -> sink(|x| seen.push(x)) };
        let error = on.run(net.expect("valid")).expect_err("it fails");
        assert_eq!(error.node(), Some("fails_late"));
        assert!(error.to_string().contains("seven"), "{error}");
        assert_eq!(seen, (0..7).collect::<Vec<_>>());
    });
}
