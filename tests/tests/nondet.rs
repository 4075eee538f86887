//! Ways to look at more than one's tokens: what they give, and where they may stand.

use std::time::Duration;

use kpn::node::NodeInfo;
use kpn::nondet::{Either, merge, now, select, select_among, sleep, timeout};
use kpn::prelude::*;
use kpn_tests::everywhere;
use kpn_tests::watch::watch;

const MS: Duration = Duration::from_millis(1);

/// Both streams are in the merged one, each in its order and whole.
fn interleaves(seen: &[u64], tokens: u64) {
    let (low, high): (Vec<u64>, Vec<u64>) = seen.iter().partition(|x| **x < 1_000_000);
    assert_eq!(low, (0..tokens).collect::<Vec<_>>());
    assert_eq!(high, (1_000_000..1_000_000 + tokens).collect::<Vec<_>>());
}

#[test]
fn a_merge_gives_every_token_in_its_streams_order() {
    everywhere(60, |on| {
        for capacity in [1, 2, 64] {
            let mut seen = Vec::new();
            let net = network! {
                { source(0..2_000u64), source(1_000_000..1_002_000u64) } -> merge() -> sink(|x| seen.push(x))
            };
            let net = net.and_then(|net| net.with_capacity(capacity)).expect("valid");
            let report = on.run(net).expect("no node fails");
            assert_eq!(report.not_determinate, ["merge"]);
            interleaves(&seen, 2_000);
        }
    });
}

/// A merge doesn't wait for a stream that gives nothing.
#[test]
fn a_merge_passes_by_who_is_late() {
    everywhere(60, |on| {
        let (mut late, inlet) = kpn::inlet::<u64>();
        let (outlet, output) = kpn::outlet::<u64>();
        let net = network! { { inlet, source(0..100u64) } -> merge() -> outlet }.expect("valid");
        let running = on.start(net).expect("threads");
        let mut output = output.into_iter();
        assert!(output.by_ref().take(100).eq(0..100));
        late.send(1_000).expect("it runs");
        assert_eq!(output.next(), Some(1_000));
        drop(late);
        assert_eq!(output.next(), None);
        running.wait().expect("no node fails");
    });
}

/// A select that waits for eight inputs is woken by any of them.
#[test]
fn among_many_each_wakes() {
    everywhere(60, |on| {
        let (mut inputs, inlets): (Vec<_>, Vec<_>) = (0..8).map(|_| kpn::inlet_with::<usize>(1)).unzip();
        let (outlet, mut output) = kpn::outlet::<(usize, usize)>();
        let mut b = Builder::new();
        let info = NodeInfo { name: "hub", inputs: &[], outputs: &["out"] };
        let (ins, (out,)) = b.nondet_process(info, |mut inputs: [In<usize>; 8], (mut out,): (Out<_>,)| async move {
            while let Some(token) = select_among(&mut inputs).await {
                out.send(token).await?;
            }
            Ok::<(), Closed>(())
        });
        for (inlet, input) in inlets.into_iter().zip(ins) {
            let tokens = b.add(inlet);
            b.connect(tokens.out, input);
        }
        let end = b.add(outlet);
        b.connect(out, end.input);
        let running = on.start(b.build().expect("valid")).expect("threads");
        for round in 0..200 {
            let i = (round * 5) % 8;
            inputs[i].send(round).expect("it runs");
            assert_eq!(output.recv().expect("it runs"), (i, round));
        }
        drop(inputs);
        assert!(output.recv().is_err());
        running.wait().expect("no node fails");
    });
}

#[node(nondet)]
async fn paced(out: &mut Out<u64>, #[param] times: &[u64]) -> Result<(), Closed> {
    let began = now();
    for time in times {
        sleep((began + Duration::from_millis(*time)) - now()).await;
        out.send(*time).await?;
    }
    Ok(())
}

#[node(nondet)]
async fn gaps(x: &mut In<u64>, out: &mut Out<u64>, #[param] patience: Duration) -> Result<(), Closed> {
    loop {
        match timeout(patience, x.recv()).await {
            Ok(Some(x)) => out.send(x).await?,
            Ok(None) => return Ok(()),
            Err(_) => out.send(0).await?,
        }
    }
}

/// In virtual time the same happens at each seed, and hours take no time.
#[test]
fn virtual_time_is_exact() {
    watch(60, || {
        const HOUR: u64 = 3_600_000;
        for seed in 0..20 {
            let mut seen = Vec::new();
            let times = vec![HOUR, 2 * HOUR, 5 * HOUR, 5 * HOUR + 1];
            let net = network! {
                paced(times) -> gaps(Duration::from_millis(HOUR) + MS) -> sink(|x| seen.push(x))
            };
            let report = net.expect("a chain").run_on(Deterministic::new(seed)).expect("no node fails");
            assert_eq!(seen, [HOUR, 2 * HOUR, 0, 0, 5 * HOUR, 5 * HOUR + 1], "seed {seed}");
            assert_eq!(report.not_determinate, ["gaps", "paced"]);
            assert!(report.elapsed < Duration::from_secs(60));
        }
    });
}

/// A wait takes its time, at least, everywhere; and many wait at once.
#[test]
fn real_time_is_waited_for() {
    everywhere(60, |on| {
        #[node(nondet)]
        async fn waits(x: &mut In<u64>, out: &mut Out<(u64, Duration)>) -> Result<(), Closed> {
            while let Some(x) = x.recv().await {
                let began = now();
                sleep(Duration::from_millis(x)).await;
                out.send((x, now() - began)).await?;
            }
            Ok(())
        }
        let mut seen = Vec::new();
        let net =
            network! { source([20, 0, 5]) -> [ waits(); 10 ] -> gather() -> sink(|all: [_; 10]| seen.extend(all)) };
        on.run(net.expect("valid")).expect("no node fails");
        assert_eq!(seen.len(), 30);
        for (asked, took) in seen {
            assert!(took >= Duration::from_millis(asked), "{took:?} instead of {asked} ms");
        }
    });
}

/// Sleepers don't keep a network from its end.
#[test]
fn an_abort_wakes_who_sleeps() {
    everywhere(60, |on| {
        #[node(nondet)]
        async fn for_ever(out: &mut Out<u64>) {
            sleep(Duration::MAX).await;
            out.send(0).await.ok();
        }
        let net = network! { for_ever() -> sink(|_: u64| ()) }.expect("a chain");
        let running = on.start(net).expect("threads");
        running.abort();
        assert!(matches!(running.wait(), Err(RunError::Aborted)));
    });
}

/// A node that asks for time is judged as any other when it waits for tokens afterwards.
#[test]
fn a_stall_after_a_sleep_is_found() {
    everywhere(60, |on| {
        let loops = |name: &'static str| NodeInfo { name, inputs: &["x"], outputs: &["y"] };
        let mut b = Builder::new();
        let waits = |(mut x,): (In<u64>,), (mut y,): (Out<u64>,)| async move {
            for _ in 0..3 {
                sleep(MS).await;
                assert!(timeout(MS, async { 1 }).await.is_ok());
            }
            let token = x.recv().await.unwrap_or(0);
            y.send(token).await
        };
        let ((x0,), (y0,)) = b.nondet_process(loops("first"), waits);
        let ((x1,), (y1,)) = b.nondet_process(loops("second"), waits);
        b.connect(y0, x1).initial([]);
        b.connect(y1, x0);
        let error = on.run(b.build().expect("a loop")).expect_err("both wait");
        assert!(error.deadlocks().next().is_some(), "{error}");
    });
}

fn panics(node: impl for<'a> kpn::node::Body<'a> + Supply<u64>, what: &str) {
    let net = network! { node -> sink(|_: u64| ()) }.expect("a chain");
    let error = net.run_on(Deterministic::new(0)).expect_err("it may not");
    assert!(error.to_string().contains(what), "{error}");
}

#[node]
async fn unmarked(out: &mut Out<u64>, #[param] which: usize) -> Result<(), Closed> {
    match which {
        0 => sleep(MS).await,
        1 => drop(now()),
        _ => drop(timeout(MS, async {}).await),
    }
    out.send(1).await
}

#[test]
fn only_a_process_that_says_so_may_look() {
    watch(60, || {
        for (which, name) in ["sleep", "now", "timeout"].iter().enumerate() {
            let sentence =
                format!("`kpn::nondet::{name}` looks at more than a process's tokens, so it stands only in one");
            panics(unmarked(which), &sentence);
        }
        panics(Now, "here no process is running");
    });
}

/// A node that fires and asks for the time.
struct Now;

#[node]
impl Now {
    fn fire(&mut self) -> Option<u64> {
        now();
        None
    }
}

/// Two waits at once are refused, and a select counts as one.
#[test]
fn a_select_is_one_operation() {
    watch(60, || {
        #[node(nondet)]
        async fn both(a: &mut In<u64>, b: &mut In<u64>, c: &mut In<u64>) {
            let mut first = std::pin::pin!(select(a, b));
            let mut second = std::pin::pin!(c.recv());
            std::future::poll_fn(|cx| {
                let _ = first.as_mut().poll(cx);
                second.as_mut().poll(cx)
            })
            .await;
        }
        let (_keep, inlet) = kpn::inlet::<u64>();
        let net = network! {
            all = both();
            inlet -> { map(|x: u64| x), map(|x: u64| x), map(|x: u64| x) } -> { all.a, all.b, all.c };
        };
        let error = net.expect("valid").run_on(Deterministic::new(0)).expect_err("it may not");
        assert!(
            error.to_string().contains("an operation on the port `c` began while one on `a` is pending"),
            "{error}"
        );
    });
}

/// Where both have tokens they take turns.
#[test]
fn nobody_is_left_out() {
    watch(60, || {
        #[node(nondet)]
        async fn turns(a: &mut In<u64>, b: &mut In<u64>, out: &mut Out<u8>) -> Result<(), Closed> {
            sleep(MS).await; // Both edges are full by then.
            for _ in 0..20 {
                match select(a, b).await {
                    Some(Either::First(_)) => out.send(1).await?,
                    Some(Either::Second(_)) => out.send(2).await?,
                    None => break,
                }
            }
            Ok(())
        }
        let mut seen = Vec::new();
        let net = network! { { source(0..), source(0..) } -> turns() -> sink(|x| seen.push(x)) };
        net.expect("valid").run_on(Deterministic::new(0)).expect("no node fails");
        assert_eq!(seen, [1, 2].repeat(10));
    });
}
