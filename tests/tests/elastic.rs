//! Nodes without state, on several workers at once: what they give is what one firing after the other gives.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use kpn::prelude::*;
use kpn::{Network, Shared, ThreadPool};
use kpn_tests::dice::Dice;

/// Pools on which a node without state fires by claims whenever there is a token, and ones on which it chooses.
fn pools() -> Vec<ThreadPool> {
    let of = |workers| Shared::new().workers(workers);
    let all = [of(2), of(1).always_elastic(), of(2).always_elastic(), of(4).always_elastic()];
    all.into_iter().chain([of(2).always_elastic().shuffled(7), of(4).always_elastic().shuffled(8)]).map(built).collect()
}

fn built(pool: Shared) -> ThreadPool {
    pool.build().expect("threads")
}

#[node]
fn triple(x: u64) -> u64 {
    3 * x
}

/// None, one or several.
#[node]
fn some(x: u64) -> Many<u64> {
    (0..x % 4).map(|i| 10 * x + i).collect()
}

#[node]
fn odd(x: u64) -> Option<u64> {
    (x % 2 == 1).then_some(x)
}

#[node]
fn pairs(x: [u64; 2]) -> (u64, u64) {
    (x[0], x[1])
}

#[node(peek(x = 3), consume(x = 1))]
fn smooth(x: &[u64]) -> u64 {
    x.iter().sum()
}

#[test]
fn outputs_come_in_the_order_of_the_inputs() {
    for pool in pools() {
        for capacity in [1, 2, 64] {
            let mut seen = Vec::new();
            let net = network! { source(0..500u64) -> triple() -> some() -> odd() -> sink(|x| seen.push(x)) };
            net.expect("sound").with_capacity(capacity).expect("enough").run_on(&pool).expect("no failure");
            let expected =
                (0..500u64).map(|x| 3 * x).flat_map(|x| (0..x % 4).map(move |i| 10 * x + i)).filter(|x| x % 2 == 1);
            assert_eq!(seen, expected.collect::<Vec<_>>());
        }
    }
}

#[test]
fn rates_above_one_and_windows_keep_their_order() {
    for pool in pools() {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let net = network! {
            pair = pairs();
            source(0..401u64) -> smooth() -> pair;
            pair.out0 -> sink(|x| left.push(x));
            pair.out1 -> triple() -> sink(|x| right.push(x));
        };
        net.expect("sound").with_capacity(4).expect("enough").run_on(&pool).expect("no failure");
        let sums: Vec<u64> = (0..399u64).map(|x| 3 * x + 3).collect();
        assert_eq!(left, sums.chunks_exact(2).map(|pair| pair[0]).collect::<Vec<_>>());
        assert_eq!(right, sums.chunks_exact(2).map(|pair| 3 * pair[1]).collect::<Vec<_>>());
    }
}

#[node]
fn fails_at(x: u64, #[param] at: u64) -> Result<u64, String> {
    // The failing one is quicker than those before it.
    if x == at {
        return Err(format!("no {x}"));
    }
    if x + 8 > at {
        thread::sleep(Duration::from_micros(300));
    }
    Ok(x)
}

#[node]
fn panics_at(x: u64, #[param] at: u64) -> u64 {
    assert!(x < at, "no {x}");
    thread::sleep(Duration::from_micros(50));
    x
}

#[test]
fn tokens_before_a_failing_one_are_delivered_and_none_after() {
    for pool in pools() {
        for at in [0, 1, 7, 64, 150] {
            let mut seen = Vec::new();
            let net = network! { source(0..200u64) -> fails_at(at) -> sink(|x| seen.push(x)) }.expect("sound");
            let error = net.run_on(&pool).expect_err("it fails").to_string();
            assert!(error.contains("fails_at") && error.contains(&format!("no {at}")), "{error}");
            assert_eq!(seen, (0..at).collect::<Vec<_>>());

            let mut seen = Vec::new();
            let net = network! { source(0..200u64) -> panics_at(at) -> sink(|x| seen.push(x)) }.expect("sound");
            let error = net.run_on(&pool).expect_err("it panics").to_string();
            assert!(error.contains("panics_at") && error.contains(&format!("no {at}")), "{error}");
            assert_eq!(seen, (0..at).collect::<Vec<_>>());
        }
    }
}

/// A token that is counted.
#[expect(dead_code, reason = "it is only counted")]
struct Counted(Arc<()>);

#[node]
fn passes(x: Counted, #[param] us: u64) -> Counted {
    thread::sleep(Duration::from_micros(us));
    x
}

#[test]
fn aborted_or_stopped_at_any_moment_every_token_is_dropped_once() {
    for pool in pools() {
        for round in 0..40u64 {
            let alive = Arc::new(());
            let tokens = alive.clone();
            let mut b = Builder::new();
            let numbers = b.add(source((0..).map(move |_| Counted(tokens.clone()))));
            let out = b.pipe(numbers.out, passes(round % 3 * 20));
            b.pipe(out, sink(drop::<Counted>));
            let running = b.build().expect("sound").start_on(&pool).expect("started");
            thread::sleep(Duration::from_micros(round * 37 % 1500));
            if round % 2 == 0 {
                running.abort();
                assert!(matches!(running.wait(), Err(RunError::Aborted)));
            } else {
                running.stop();
                assert!(running.wait().is_ok());
            }
            assert_eq!(Arc::strong_count(&alive), 1, "a token is still somewhere");
        }
    }
}

#[test]
fn a_node_that_nobody_reads_any_more_ends() {
    for pool in pools() {
        let net = network! { source(0..) -> triple() -> takes(5) }.expect("sound");
        net.run_on(&pool).expect("the sink ends, and all before it");
    }
}

#[node]
async fn takes(x: &mut In<u64>, #[param] n: u64) {
    for i in 0..n {
        assert_eq!(x.recv().await, Some(3 * i));
    }
}

#[test]
fn a_loop_through_a_node_without_state_goes_round() {
    for pool in pools() {
        let mut seen = Vec::new();
        let net = network! {
            add = sum();
            source([0u64; 50]) -> add.a;
            add -> { back, sink(|x| seen.push(x)) };
            back = next();
            back -[initial: [1], capacity: 4]-> add.b;
        };
        net.expect("sound").run_on(&pool).expect("no failure");
        assert_eq!(seen, (1..=50).collect::<Vec<u64>>());
    }
}

#[node]
fn sum(a: u64, b: u64) -> u64 {
    a + b
}

#[node]
fn next(x: u64) -> u64 {
    x + 1
}

#[test]
fn a_claim_that_is_being_handed_over_is_no_stall() {
    // The edges of a diamond are watched: who waits there is asked for.
    for pool in pools() {
        let mut count = 0;
        let net =
            network! { source(0..8000u64) -> triple() -> { triple(), triple() } -> mixes() -> sink(|_| count += 1) };
        net.expect("sound").run_on(&pool).expect("nothing waits for ever");
        assert_eq!(count, 8000);
    }
}

#[node]
fn mixes(a: u64, b: u64) -> u64 {
    a.wrapping_mul(31).wrapping_add(b)
}

#[node]
fn thins(x: u64) -> Option<u64> {
    (!x.is_multiple_of(3)).then_some(x)
}

/// A random network of nodes without state: chains, fan-outs, joins of streams of one length, rates that depend on the tokens.
fn random(seed: u64) -> Network<'static> {
    let mut dice = Dice::new(seed);
    let mut b = Builder::new();
    let first = b.add(source(0..60u64)).out;
    // Open ends, by how their streams' lengths came about: only equals are joined.
    let mut open = vec![(0usize, first)];
    for step in 0..dice.within(3..12) {
        let at = dice.within(0..open.len());
        let (class, port) = open.swap_remove(at);
        match dice.within(0..6) {
            0 => open.push((class, b.pipe(port, triple()))),
            1 => open.push((step + 1, b.pipe(port, thins()))),
            2 => open.push((step + 1, b.pipe(port, some()))),
            3 => open.extend(b.fan_out(port, 2).into_iter().map(|port| (class, port))),
            4 => {
                let join = b.add(mixes());
                let mut ends = b.fan_out(port, 2).into_iter();
                let (left, right) = (ends.next().expect("two"), ends.next().expect("two"));
                let left = b.pipe(left, triple());
                b.connect(left, join.a);
                b.connect(right, join.b);
                open.push((class, join.out));
            }
            _ => match open.iter().position(|(other, _)| *other == class) {
                Some(other) => {
                    let join = b.add(mixes());
                    b.connect(port, join.a);
                    b.connect(open.swap_remove(other).1, join.b);
                    open.push((class, join.out));
                }
                None => open.push((class, b.pipe(port, triple()))),
            },
        }
    }
    for (_, port) in open {
        b.pipe(port, sink(|_: u64| ()));
    }
    b.build().expect("sound")
}

#[test]
fn random_networks_of_them_have_one_history() {
    for seed in 0..25 {
        kpn::verify::determinate(|| random(seed)).seeds(4).assert();
    }
}
