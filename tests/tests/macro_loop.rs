//! `network!` with loops: initial tokens on arrows.

use kpn::prelude::*;
use kpn_tests::everywhere;

#[node(outputs(sum, diff))]
fn butterfly(a: i64, b: i64) -> (i64, i64) {
    (a + b, a - b)
}

#[node]
fn scale(x: i64, #[param] k: i64) -> i64 {
    k * x
}

#[node]
fn add(x: i64, y: i64) -> i64 {
    x + y
}

/// What `echo(k)` gives: b[n + 1] = a[n] - b[n], b[0] = `first`.
fn echoed(n: i64, k: i64, first: i64) -> Vec<i64> {
    let mut b = first;
    let mut sum = |a| {
        let before = b;
        b = a - before;
        a + before
    };
    (0..n).map(|a| k * sum(a)).collect()
}

fn echo(k: i64, first: i64) -> Result<impl Stage<i64, i64>, BuildError> {
    network! {
        in  x: i64;
        out y: i64;
        mix = butterfly();
        x -> mix.a;
        mix.sum -> scale(k) -> y;
        mix.diff -[capacity: 8, initial: [first]]-> mix.b;
    }
}

#[test]
fn an_arrow_from_a_node_to_itself() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let echo = echo(3, 7).expect("a loop with a token can start").named("echo");
        let net = network! { source(0..50) -> echo -> sink(|x| seen.push(x)) };
        on.run(net.expect("a chain")).expect("no node fails");
        assert_eq!(seen, echoed(50, 3, 7));
    });
}

#[test]
fn an_arrow_inside_a_block() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let net = network! {
            sum = add();
            source(1..=50) -> sum.x;
            sum -> { map(|y: i64| y) -[initial: [0]]-> sum.y, sink(|y| seen.push(y)) };
        };
        on.run(net.expect("a loop with a token can start")).expect("no node fails");
        assert_eq!(seen, (1..=50).map(|n| n * (n + 1) / 2).collect::<Vec<i64>>());
    });
}

#[test]
fn several_tokens_delay_a_stream() {
    let mut seen = Vec::new();
    let delay = [8, 9];
    network! { source(0..3) -[initial: delay.into_iter().map(i64::from)]-> sink(|x: i64| seen.push(x)) }
        .expect("a chain")
        .run()
        .expect("no node fails");
    assert_eq!(seen, [8, 9, 0, 1, 2]);
}

#[test]
fn the_arrow_says_what_its_tokens_are() {
    let mut seen = Vec::new();
    network! {
        source([1i64]) -[initial: [7u8.into()]]-> map(|x: i64| x as f32) -[initial: vec![Default::default()]]-> sink(|x| seen.push(x));
        source([1u8]) -[initial: []]-> map(Some) -[initial: [None]]-> sink(|_| ());
        source([1u8]) -[initial: Vec::new()]-> map(|_| "a") -[initial: ["b"]]-> sink(|_| ());
    }
    .expect("chains")
    .run()
    .expect("no node fails");
    assert_eq!(seen, [0.0, 7.0, 1.0]);
}

#[test]
fn a_row_has_its_tokens_in_each_member() {
    let mut seen = Vec::new();
    let rows = network! {
        source(0..2i64) -> [scale(2) -[initial: [5]]-> scale(1); 3] -> gather() -> sink(|x: [i64; 3]| seen.push(x));
    };
    rows.expect("a chain").run().expect("no node fails");
    assert_eq!(seen, [[5; 3], [0; 3], [2; 3]]);
}

/// One token later; from outside it looks like a node.
fn delay(first: i64) -> impl Stage<i64, i64> {
    let delay = network! {
        in  x: i64;
        out y: i64;
        x -> scale(1) -[initial: [first]]-> y;
    };
    delay.expect("a chain")
}

#[test]
fn a_token_inside_a_composite() {
    fn looked_into(first: i64) -> Result<impl Stage<i64, i64>, BuildError> {
        Ok(delay(first))
    }
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let net = network! {
            sum = add();
            source(1..=4) -> sum.x;
            sum -> { delay(10) -[initial: []]-> sum.y, sink(|y| seen.push(y)) };
        };
        on.run(net.expect("a token is inside")).expect("no node fails");
        assert_eq!(seen, [11, 13, 16, 20]);
    });
    let mut seen = Vec::new();
    let mut run = || {
        let net = network! {
            sum = add();
            source(1..=4) -> sum.x;
            sum -> { looked_into(10)? -> sum.y, sink(|y| seen.push(y)) };
        }?;
        net.run().expect("no node fails");
        Ok::<(), BuildError>(())
    };
    run().expect("a token is inside");
    assert_eq!(seen, [11, 13, 16, 20]);
}

/// Sends what it counts before it asks for what comes back.
#[node]
async fn begin(back: &mut In<i64>, out: &mut Out<i64>, #[param] first: i64) -> Result<(), Closed> {
    out.send(first).await?;
    for _ in 0..3 {
        let Some(x) = back.recv().await else { break };
        out.send(x + 1).await?;
    }
    Ok(())
}

#[test]
fn a_process_sends_first() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let net = network! {
            first = begin(5);
            first -> { scale(2) -[capacity: 1, initial: []]-> first.back, sink(|x| seen.push(x)) };
        };
        on.run(net.expect("a process sends first")).expect("no node fails");
        assert_eq!(seen, [5, 11, 23, 47]);
    });
}

#[test]
fn no_token_says_that_a_process_sends_first() {
    let net = network! {
        sum = add();
        source(1..=3) -> sum.x;
        sum -> { scale(1) -[initial: []]-> sum.y, sink(|_| ()) };
    };
    let error = net.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("the cycle `sum` -> `scale` -> `sum`"), "no process is on the cycle: {error}");
}
