//! Ports that are let go, given away, kept, or grown: whoever is at the other end learns of it, and no token is lost.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use kpn::node::NodeInfo;
use kpn::prelude::*;
use kpn_tests::everywhere;

type Failed = Box<dyn std::error::Error + Send + Sync>;

#[node]
async fn hires_for_each(a: &mut In<u64>, #[param] seen: Arc<Mutex<u64>>) -> Result<(), Failed> {
    while let Some(x) = a.recv().await {
        let mut log = kpn::grow::drain(sink(|_: u64| ()))?;
        log.send(x).await?;
        drop(log);
        *seen.lock().unwrap() += 1;
    }
    Ok(())
}

#[test]
fn a_sink_that_hires_and_lets_go_sees_every_token() {
    everywhere(60, |on| {
        let seen = Arc::new(Mutex::new(0));
        on.run(network! { source(0..300u64) -> hires_for_each(seen.clone()) }.expect("valid")).expect("no node fails");
        assert_eq!(*seen.lock().unwrap(), 300);
    });
}

#[test]
fn a_process_without_outputs_left_still_reads_its_input() {
    everywhere(60, |on| {
        let seen = Arc::new(Mutex::new((0, Vec::new())));
        let (count, first) = (seen.clone(), seen.clone());
        let mut b = Builder::new();
        let info = NodeInfo { name: "header", inputs: &["a"], outputs: &["o"] };
        let ((a,), (o,)) = b.process(info, |(mut a,): (In<u64>,), (mut o,): (Out<u64>,)| async move {
            o.send(7).await?;
            drop(o);
            while a.recv().await.is_some() {
                count.lock().unwrap().0 += 1;
            }
            Ok::<(), Closed>(())
        });
        let numbers = b.add(source(0..500u64));
        b.connect(numbers.out, a);
        b.pipe(o, sink(move |x| first.lock().unwrap().1.push(x)));
        on.run(b.build().expect("valid")).expect("no node fails");
        assert_eq!(*seen.lock().unwrap(), (500, vec![7]));
    });
}

#[derive(Default)]
struct Total(u64);

#[node]
impl Total {
    fn fire(&mut self, x: u64) -> Option<u64> {
        self.0 += x;
        None
    }

    fn finish(&mut self) -> u64 {
        self.0 + 42
    }
}

#[node]
async fn late(a: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Failed> {
    while a.recv().await.is_some() {}
    a.through(Total::default())?;
    while let Some(x) = a.recv().await {
        out.send(x).await?;
    }
    Ok(())
}

#[test]
fn what_is_put_before_an_input_that_has_ended_still_finishes() {
    everywhere(60, |on| {
        let mut seen = Vec::new();
        on.run(network! { source(0..5u64) -> late() -> sink(|x| seen.push(x)) }.expect("valid"))
            .expect("no node fails");
        assert_eq!(seen, [42]);
    });
}

#[node]
async fn hires_and_panics(a: &mut In<u64>) -> Result<(), Failed> {
    let _ = a.recv().await;
    let _log = kpn::grow::drain(sink(|_: u64| ()))?;
    let _numbers = kpn::grow::supply(source(0u64..))?;
    let _stage = kpn::grow::stage(map(|x: u64| x))?;
    panic!("after hiring");
}

#[test]
fn a_panic_right_after_growing_leaves_nobody_waiting() {
    everywhere(60, |on| {
        let error = on.run(network! { source(0..5u64) -> hires_and_panics() }.expect("valid")).expect_err("it panics");
        assert_eq!(error.node(), Some("hires_and_panics"));
    });
}

#[test]
fn ports_that_outlive_their_process_keep_nobody_waiting() {
    everywhere(60, |on| {
        let kept = Arc::new(Mutex::new(None));
        let keeps = kept.clone();
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let info = NodeInfo { name: "hoards", inputs: &["a"], outputs: &["o"] };
        let ((a,), (o,)) = b.process(info, move |(a,): (In<u64>,), (mut o,): (Out<u64>,)| async move {
            o.send(1).await?;
            *keeps.lock().unwrap() = Some((a, o));
            Ok::<(), Closed>(())
        });
        let numbers = b.add(source(0..500u64));
        b.connect(numbers.out, a);
        b.pipe(o, sink(|x| seen.push(x)));
        on.run(b.build().expect("valid")).expect("no node fails");
        assert_eq!(seen, [1]);
        drop(kept.lock().unwrap().take());
    });
}

#[test]
fn many_tokens_are_sent_one_by_one_while_their_iterator_waits_for_their_effect() {
    everywhere(60, |on| {
        if on.has_one_worker() {
            return;
        }
        let (tell, told) = std::sync::mpsc::channel::<u64>();
        tell.send(0).expect("it is kept");
        let mut count = 0;
        let mut b = Builder::new();
        let info = NodeInfo { name: "echoes", inputs: &[], outputs: &["o"] };
        let ((), (o,)) =
            b.process(info, |(), (mut o,): (Out<u64>,)| async move { o.send_many(told.into_iter().take(50)).await });
        b.pipe(
            o,
            sink(|x: u64| {
                count += 1;
                // After the last one nobody listens.
                let _ = tell.send(x + 1);
            }),
        );
        on.run(b.build().expect("valid")).expect("no node fails");
        assert_eq!(count, 50);
    });
}

#[node]
async fn spies(a: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    let mut token = a.recv();
    let there = std::future::poll_fn(|cx| Poll::Ready(Pin::new(&mut token).poll(cx).is_ready())).await;
    if !there {
        token.await;
    }
    out.send(u64::from(there)).await
}

#[test]
fn a_look_at_a_receive_is_told() {
    // On one thread by seeded choices the receive is pending for some seeds.
    let looked = (0..20).any(|seed| {
        let mut seen = Vec::new();
        let net = network! { source(0..5u64) -> spies() -> sink(|x| seen.push(x)) }.expect("valid");
        let report = net.run_on(Deterministic::new(seed)).expect("no node fails");
        assert_eq!(seen == [0], !report.not_determinate.is_empty(), "it saw {seen:?}");
        seen == [0]
    });
    assert!(looked, "no seed had the receive pending");
}
