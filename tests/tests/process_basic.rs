//! Processes beside nodes that fire, on the same edges, everywhere.

use kpn::node::NodeInfo;
use kpn::prelude::*;
use kpn_tests::everywhere;

fn info(name: &'static str, inputs: &'static [&'static str], outputs: &'static [&'static str]) -> NodeInfo {
    NodeInfo { name, inputs, outputs }
}

/// Merges two rising streams by looking at both.
async fn merge(a: &mut In<u64>, b: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    loop {
        let next = match (a.peek().await, b.peek().await) {
            (Some(x), Some(y)) if x <= y => a.recv().await,
            (_, Some(_)) => b.recv().await,
            (Some(_), None) => a.recv().await,
            (None, None) => return Ok(()),
        };
        if let Some(token) = next {
            out.send(token).await?;
        }
    }
}

#[test]
fn a_merge_by_peeking_gives_a_sorted_stream() {
    for capacity in [1, 2, 64] {
        everywhere(20, move |on| {
            let mut seen = Vec::new();
            let mut b = Builder::new();
            let ports = info("merge", &["a", "b"], &["out"]);
            let ((left, right), (out,)) =
                b.process(ports, |(mut x, mut y): (In<u64>, In<u64>), (mut out,): (Out<u64>,)| async move {
                    merge(&mut x, &mut y, &mut out).await
                });
            let thirds = b.add(source((0..500u64).map(|x| 3 * x)));
            let fifths = b.add(source((0..200u64).map(|x| 5 * x)));
            b.connect(thirds.out, left);
            b.connect(fifths.out, right);
            b.pipe(out, sink(|x| seen.push(x)));
            on.run(b.build().and_then(|net| net.with_capacity(capacity)).expect("valid")).expect("no node fails");
            let mut expected: Vec<u64> = (0..500).map(|x| 3 * x).chain((0..200).map(|x| 5 * x)).collect();
            expected.sort_unstable();
            assert_eq!(seen, expected);
        });
    }
}

#[test]
fn many_at_a_time_and_more_than_the_edge_holds() {
    for capacity in [1, 3, 64] {
        everywhere(20, move |on| {
            let mut seen = Vec::new();
            let mut b = Builder::new();
            let ports = info("sums", &["x"], &["sum"]);
            let ((x,), (sum,)) = b.process(ports, |(mut x,): (In<u64>,), (mut out,): (Out<u64>,)| async move {
                let mut tokens = Vec::new();
                while x.recv_many(&mut tokens, 100).await > 0 {
                    let sum = tokens.iter().sum::<u64>();
                    out.send_many([tokens.len() as u64, sum]).await?;
                    tokens.clear();
                }
                Ok::<(), Closed>(())
            });
            let numbers = b.add(source(0..250u64));
            b.connect(numbers.out, x);
            b.pipe(sum, sink(|x| seen.push(x)));
            on.run(b.build().and_then(|net| net.with_capacity(capacity)).expect("valid")).expect("no node fails");
            assert_eq!(seen, [100, 4950, 100, 14950, 50, 11225]);
        });
    }
}

#[test]
fn a_process_starts_a_loop_that_has_no_token() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let ports = info("counter", &["back"], &["out"]);
        let ((back,), (out,)) = b.process(ports, |(mut back,): (In<u64>,), (mut out,): (Out<u64>,)| async move {
            out.send(0).await?;
            while let Some(n) = back.recv().await {
                if n == 100 {
                    break;
                }
                out.send(n + 1).await?;
            }
            Ok::<(), Closed>(())
        });
        let [round, watch] = b.fan_out(out, 2).try_into().expect("two readers");
        b.connect(round, back).initial([]);
        b.pipe(watch, sink(|x| seen.push(x)));
        on.run(b.build().expect("a process starts it")).expect("no node fails");
        assert_eq!(seen, (0..=100).collect::<Vec<_>>());
    });
}
