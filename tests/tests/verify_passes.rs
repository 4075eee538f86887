//! Networks that are determinate, and what a proof says of them.

use kpn::node::NodeInfo;
use kpn::prelude::*;
use kpn::verify::{Capacity, Place, determinate};
use kpn_tests::watch::watch;

#[node]
async fn merge(a: &mut In<u64>, b: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    loop {
        let next = match (a.peek().await, b.peek().await) {
            (Some(x), Some(y)) if x <= y => a.recv().await,
            (_, Some(_)) => b.recv().await,
            (Some(_), None) => a.recv().await,
            (None, None) => return Ok(()),
        };
        if let Some(next) = next {
            out.send(next).await?;
        }
    }
}

#[node]
fn decimate(pair: [u64; 2]) -> u64 {
    pair[0] + pair[1]
}

#[node]
fn expand(x: u64) -> [u64; 3] {
    [x, x + 1, x + 2]
}

#[node]
fn third(three: [u64; 3]) -> u64 {
    three[2]
}

#[node]
fn odd(x: u64) -> Option<u64> {
    (!x.is_multiple_of(2)).then_some(x)
}

#[node(outputs(sum, back))]
fn mix(a: u64, b: u64) -> (u64, u64) {
    (a + b, a.wrapping_mul(31) ^ b)
}

#[node]
fn pass(x: u64) -> u64 {
    x
}

#[node]
async fn first(x: &mut In<u64>, out: &mut Out<u64>, #[param] tokens: usize) -> Result<(), Closed> {
    for _ in 0..tokens {
        let Some(x) = x.recv().await else { break };
        out.send(x).await?;
    }
    Ok(())
}

#[node]
async fn sift(x: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    while let Some(prime) = x.recv().await {
        out.send(prime).await?;
        x.through(filter_map(move |x: u64| (!x.is_multiple_of(prime)).then_some(x)))?;
    }
    Ok(())
}

#[test]
fn fans_joins_and_rates() {
    watch(120, || {
        let proof = determinate(|| {
            network! {
                source(0..1_000u64) -> { pass(), decimate() -> expand(), odd() -> expand() } -> [ pass(); 3 ]
                    -> [ sink(|_: u64| ()); 3 ]
            }
        })
        .run()
        .expect("all nodes are functions");
        assert_eq!(proof.runs, 1 + 1 + 12 + 3 * (3 + 2 + 2 + 1));
        assert_eq!(proof.outputs, 9);
        assert_eq!(proof.tokens, 10_000);
        assert!(proof.counted.is_empty(), "{proof}");
        determinate(|| {
            network! { source(0..1_000u64) -> { pass(), expand() -> third() } -> gather() -> sink(|_: [u64; 2]| ()) }
        })
        .assert();
    });
}

#[test]
fn loops_and_merges() {
    watch(120, || {
        determinate(|| {
            network! {
                mix = mix();
                source(0..500u64) -> mix.a;
                mix.back -> pass() -[capacity: 2, initial: [1]]-> mix.b;
                mix.sum -> sink(|_: u64| ());
            }
        })
        .assert();
        determinate(|| {
            network! {
                { source((0..300u64).map(|x| 3 * x)), source((0..100u64).map(|x| 7 * x)) } -> merge() -> sink(|_: u64| ())
            }
        })
        .assert();
    });
}

/// Where a reader leaves early, how much its writer still gives depends on time: nobody reads that.
#[test]
fn early_ends_cut_histories() {
    watch(120, || {
        determinate(|| {
            network! { source(0u64..) -> pass() -> first(100) -> { pass(), first(10) } -> [ pass(); 2 ] -> [ sink(|_: u64| ()); 2 ] }
        })
        .assert();
    });
}

/// A capacity that would stall the network is no difference.
#[test]
fn small_capacities_grow() {
    watch(120, || {
        determinate(|| {
            let mut b = Builder::new();
            let gives = NodeInfo { name: "gives", inputs: &[], outputs: &["x", "y"] };
            let ((), (x, y)) = b.process(gives, |(), (mut x, mut y): (Out<u64>, Out<u64>)| async move {
                for round in 0..20 {
                    y.send_many(round..round + 10).await?;
                    x.send(round).await?;
                }
                Ok::<_, Closed>(())
            });
            let takes = NodeInfo { name: "takes", inputs: &["x", "y"], outputs: &[] };
            let ((x_in, y_in), ()) = b.process(takes, |(mut x, mut y): (In<u64>, In<u64>), ()| async move {
                let mut tokens = Vec::new();
                while x.recv().await.is_some() {
                    y.recv_many(&mut tokens, 10).await;
                }
            });
            b.connect(x, x_in);
            b.connect(y, y_in);
            b.build()
        })
        .assert();
    });
}

#[test]
fn networks_that_grow() {
    watch(120, || {
        determinate(
            || network! { { source(2..60u64), source(2..80u64) } -> [ sift(); 2 ] -> [ sink(|_: u64| ()); 2 ] },
        )
        .assert();
    });
}

#[derive(Clone)]
struct Bare(#[allow(dead_code)] u64);

#[derive(Clone, Hash)]
struct Hashed(u64);

#[derive(Clone, Debug)]
struct Shown(#[allow(dead_code)] f32);

#[node(outputs(bare, hashed, shown))]
fn all(x: u64) -> (Bare, Hashed, Shown) {
    (Bare(x), Hashed(x), Shown(x as f32))
}

/// A node's ports tell what their types can do; of others, what was said; else tokens are counted, and the proof tells.
#[test]
fn types_that_cannot_be_told_apart_are_named() {
    watch(120, || {
        let make = || {
            network! {
                all = all();
                source(0..9u64) -> all.x;
                all.bare -> sink(|_: Bare| ());
                all.hashed -> sink(|_: Hashed| ());
                all.shown -> sink(|_: Shown| ());
            }
        };
        let proof = determinate(make).run().expect("determinate");
        assert_eq!(proof.counted, ["verify_passes::Bare"]);
        assert_eq!(
            proof.to_string(),
            "38 runs gave the same 36 tokens at 4 outputs; only counted, since they have neither `Hash` nor `Debug`: \
             tokens of `verify_passes::Bare`"
        );
        let proof = determinate(make).tokens_by::<Bare>(|bare| bare.0).run().expect("determinate");
        assert!(proof.counted.is_empty(), "{proof}");
    });
}

/// What is left of a run that fails everywhere is compared, too.
#[test]
fn failures_may_be_allowed() {
    watch(120, || {
        let make = || {
            let fails = |x: u64| if x < 50 { Ok(()) } else { Err(format!("{x} is too much")) };
            network! { source(0u64..) -> pass() -> sink(fails) }
        };
        let error = determinate(make).run().expect_err("it fails");
        assert_eq!(
            error.to_string(),
            "the network fails: the node `sink` failed: 50 is too much\nwhere that is meant, say `.may_fail()`"
        );
        let proof = determinate(make).may_fail().run().expect("it fails everywhere");
        assert_eq!(proof.failed.as_deref(), Some("the node `sink` failed: 50 is too much"));
    });
}

#[test]
fn less_can_be_asked_for() {
    watch(120, || {
        let make = || network! { source(0..9u64) -> pass() -> sink(|_: u64| ()) };
        let proof = determinate(make).seeds(3).workers([2]).capacities([5]).run().expect("determinate");
        assert_eq!(proof.runs, 2 + 3 + 4 * 2);
        assert_eq!(determinate(make).replay(7).run().expect("determinate").runs, 3);
        assert_ne!(Place::Seed(1), Place::Seed(2));
        assert_ne!(Capacity::AsBuilt, Capacity::Mixed);
    });
}
