//! What is known of a network before it runs, and that a run agrees.

use std::time::{Duration, Instant};

use kpn::analysis::{Fitness, Liveness, NodeKind};
use kpn::node::{Counted, Cyclic, Exactly, Fired, InPort, Many, One, OutPort, Phases, Window};
use kpn::prelude::*;
use kpn::{DEFAULT_CAPACITY, DeadlockKind, Problem, RunError};
use kpn_tests::step::step;
use kpn_tests::{doing, everywhere};

/// `P` tokens a firing, from one.
fn expand<'env, const P: usize>(b: &mut Builder<'env>, name: &str) -> (InPort<u32>, OutPort<u32>) {
    let node = step::<(One<u32>,), (Exactly<u32, P>,), _>(|(x,)| Fired::Emit(([x; P],)));
    let ports = b.add(node.named(name));
    (ports.ins.0, ports.outs.0)
}

/// One token a firing, from `C`.
fn reduce<'env, const C: usize>(b: &mut Builder<'env>, name: &str) -> (InPort<u32>, OutPort<u32>) {
    let node = step::<(Exactly<u32, C>,), (One<u32>,), _>(|(xs,)| Fired::Emit((xs.iter().sum(),)));
    let ports = b.add(node.named(name));
    (ports.ins.0, ports.outs.0)
}

fn add(b: &mut Builder<'_>, name: &str) -> ([InPort<u32>; 2], OutPort<u32>) {
    let node = step::<(One<u32>, One<u32>), (One<u32>,), _>(|(x, y)| Fired::Emit((x.wrapping_add(y),)));
    let ports = b.add(node.named(name));
    ([ports.ins.0, ports.ins.1], ports.outs.0)
}

fn problems(b: Builder<'_>) -> Vec<Problem> {
    b.build().map_or_else(|error| error.problems().to_vec(), |_| Vec::new())
}

#[test]
fn rates_that_disagree_name_both_ways() {
    let mut b = Builder::new();
    let numbers = b.add(source(0..9u32).named("a"));
    let [x, y]: [_; 2] = b.fan_out(numbers.out, 2).try_into().expect("two");
    let (tripled, triples) = expand::<3>(&mut b, "b");
    let ([left, right], sum) = add(&mut b, "c");
    b.connect(x, tripled);
    b.connect(triples, left);
    b.connect(y, right);
    b.pipe(sum, sink(|_| ()));
    let error = b.build().expect_err("three tokens meet one");
    let expected = "the network can't be built: the rates on the cycle `a` - `b` - `c` don't agree: \
                    by way of `b`, `c` fires 3 times for each firing of `a`, but once along `a.out -> c.b`";
    assert_eq!(error.to_string(), expected);
    let expected = Problem::InconsistentRates {
        nodes: ["a", "b", "c"].map(str::to_owned).to_vec(),
        edges: ["a.out -> b.a", "b.x -> c.a", "a.out -> c.b"].map(str::to_owned).to_vec(),
        target: 2,
        firings: [[3, 1], [1, 1]],
    };
    assert_eq!(error.problems(), [expected]);
}

#[test]
fn a_node_that_outruns_itself_is_refused() {
    let mut b = Builder::new();
    let node = step::<(Exactly<u32, 3>,), (Exactly<u32, 2>,), _>(|([x, y, _],)| Fired::Emit(([x, y],)));
    let ports = b.add(node.named("loop"));
    b.connect(ports.outs.0, ports.ins.0).initial([1, 2, 3]);
    let error = b.build().expect_err("it loses a token a firing");
    let expected = "the network can't be built: the rates of the edge `loop.x -> loop.a` don't agree: \
                    it is given 2 tokens for each 3 taken";
    assert_eq!(error.to_string(), expected);
}

/// Two to three one way, three to two back, with so many tokens behind.
fn ring<'env>(tokens: usize) -> Builder<'env> {
    let mut b = Builder::new();
    let a = b.add(step::<(Exactly<u32, 2>,), (Exactly<u32, 2>,), _>(|(x,)| Fired::Emit((x,))).named("a"));
    let c = b.add(step::<(Exactly<u32, 3>,), (Exactly<u32, 3>,), _>(|(x,)| Fired::Emit((x,))).named("b"));
    b.connect(a.outs.0, c.ins.0);
    b.connect(c.outs.0, a.ins.0).initial(vec![0; tokens]);
    b
}

#[test]
fn too_few_initial_tokens_are_counted() {
    let error = ring(3).build().expect_err("one token is missing");
    let expected = "the network can't be built: the cycle `a` -> `b` -> `a` comes to a stop, since its nodes wait for \
                    one another: it takes 4 initial tokens on `b.x -> a.a`, not 3";
    assert_eq!(error.to_string(), expected);
    let net = ring(4).build().expect("four are enough");
    let analysis = net.analysis();
    assert_eq!(analysis.node("a").and_then(|node| node.firings), Some(3));
    assert_eq!(analysis.is_live(), Some(true));
}

#[test]
fn a_window_in_a_loop_must_be_filled() {
    let loop_of = |tokens: usize| {
        let mut b = Builder::new();
        let look = b.add(step::<(Window<u32, 4, 1>,), (One<u32>,), _>(|([x, ..],)| Fired::Emit((x,))).named("look"));
        b.connect(look.outs.0, look.ins.0).initial(vec![0; tokens]);
        b
    };
    let short = |tokens, needed| Problem::TooFewTokens {
        nodes: vec!["look".to_owned()],
        edge: "look.x -> look.a".to_owned(),
        tokens,
        needed: Some(needed),
    };
    assert_eq!(problems(loop_of(3)), [short(3, 4)]);
    assert_eq!(problems(loop_of(4)), []);
}

#[test]
fn all_rates_are_reported_at_once() {
    let mut b = ring(1);
    let node = step::<(Exactly<u32, 3>,), (Exactly<u32, 2>,), _>(|([x, y, _],)| Fired::Emit(([x, y],)));
    let ports = b.add(node.named("loop"));
    b.connect(ports.outs.0, ports.ins.0).initial([1, 2, 3]);
    let found = problems(b);
    assert!(matches!(found[0], Problem::TooFewTokens { .. }), "{found:?}");
    assert!(found.iter().any(|problem| matches!(problem, Problem::UnequalRates { .. })), "{found:?}");
}

#[test]
fn one_token_edges_hold_what_they_always_did() {
    let mut b = Builder::new();
    let numbers = b.add(source(0..9u32));
    b.pipe(numbers.out, sink(|_| ()));
    let analysis = b.build().expect("sound").analysis();
    assert_eq!((analysis.edges[0].capacity, DEFAULT_CAPACITY), (64, 64));
    assert!(!analysis.edges[0].chosen);
}

#[test]
fn larger_rates_get_larger_edges_up_to_a_megabyte() {
    fn capacity<const P: usize, T: Send + 'static>() -> usize {
        let mut b = Builder::new();
        let numbers = b.add(source(0..1u32));
        let many = b.add(step::<(One<u32>,), (Exactly<T, P>,), _>(|_| Fired::End));
        b.connect(numbers.out, many.ins.0);
        b.pipe(many.outs.0, sink(|_| ()));
        b.build().expect("sound").analysis().edges[1].capacity
    }
    assert_eq!(capacity::<3, u32>(), 3 * 64);
    assert_eq!(capacity::<1, [u64; 4096]>(), 64);
    assert_eq!(capacity::<2, [u64; 4096]>(), 64);
    assert_eq!(capacity::<4096, u64>(), 131_072);
    // Two firings' tokens at least.
    assert_eq!(capacity::<60_000, u8>(), 1 << 20);
    assert_eq!(capacity::<1024, [u64; 32]>(), 4096);
}

/// A window that lags beside an edge that doesn't: `a -> look -> c` and `a -> c`.
fn lag<'env>(firings: u32, capacities: Option<[usize; 3]>) -> Builder<'env> {
    let mut b = Builder::new();
    let numbers = b.add(source(0..firings).named("a"));
    let [x, y]: [_; 2] = b.fan_out(numbers.out, 2).try_into().expect("two");
    let look = step::<(Window<u32, 100, 1>,), (One<u32>,), _>(|(window,)| Fired::Emit((window[99],)));
    let look = b.add(look.named("look"));
    let ([left, right], sum) = add(&mut b, "c");
    for (i, (from, to)) in [(x, look.ins.0), (look.outs.0, left), (y, right)].into_iter().enumerate() {
        let wire = b.connect(from, to);
        if let Some(capacities) = capacities {
            wire.capacity(capacities[i]);
        }
    }
    b.pipe(sum, sink(|_| ()));
    b
}

#[test]
fn edges_that_were_given_no_capacity_are_large_enough() {
    everywhere(60, |on| {
        let net = lag(1000, None).build().expect("sound");
        // More than the 64 of an edge of single tokens.
        let analysis = net.analysis();
        assert!(analysis.edge("a.out -> c.b").is_some_and(|edge| edge.capacity >= 100), "{analysis}");
        assert_eq!(analysis.is_live(), Some(true));
        on.run(net).expect("it has room");
        let net = lag(1000, None).build().expect("sound").with_capacity(1).expect("it is made larger");
        assert_eq!(net.analysis().is_live(), Some(true));
        on.run(net).expect("it has room");
    });
}

#[test]
fn the_least_capacities_do_and_less_does_not() {
    let analysis = lag(0, None).build().expect("sound").analysis();
    let least: Vec<usize> = analysis.edges[..3].iter().map(|edge| edge.least.expect("it lives")).collect();
    let least: [usize; 3] = least.try_into().expect("three edges");
    everywhere(60, move |on| {
        doing(format!("{least:?} on {on}"));
        on.run(lag(1000, Some(least)).build().expect("sound")).expect("it has room");
        for edge in (0..3).filter(|&edge| least[edge] > 1) {
            let mut less = least;
            less[edge] -= 1;
            doing(format!("{less:?} on {on}"));
            let Ok(net) = lag(1000, Some(less)).build() else { continue };
            let part = &net.analysis().parts[0];
            assert!(matches!(part.fit, Fitness::Deadlock { .. }), "{part:?}");
            match on.run(net) {
                Err(RunError::Deadlock { first, .. }) => {
                    assert!(matches!(first.kind, DeadlockKind::Artificial { .. }), "{first:?}");
                }
                other => panic!("{other:?}"),
            }
        }
    });
}

struct OneTwo;
impl Phases for OneTwo {
    const RATES: &'static [usize] = &[1, 2];
}

#[test]
fn every_kind_of_rate_is_told() {
    let mut b = Builder::new();
    let numbers = b.add(source(0..9u32).named("numbers"));
    let (triple, triples) = expand::<3>(&mut b, "triple");
    let count = step::<(Window<u32, 4, 2>,), (Counted<u32, OneTwo>,), _>({
        let mut long = true;
        move |([x, ..],)| {
            long = !long;
            Fired::Emit((Many::from(vec![x; if long { 2 } else { 1 }]),))
        }
    });
    let count = b.add(count.named("count"));
    let turn = step::<(Cyclic<u32, OneTwo>,), (One<u32>,), _>(|(xs,)| Fired::Emit((xs.iter().sum(),)));
    let turn = b.add(turn.named("turn"));
    b.connect(numbers.out, triple);
    b.connect(triples, count.ins.0).capacity(9);
    b.connect(count.outs.0, turn.ins.0);
    let even = b.pipe(turn.outs.0, filter_map(|x: u32| x.is_multiple_of(2).then_some(x)).named("even"));
    b.pipe(even, sink(|_| ()).named("end"));
    let net = b.build().expect("sound");
    let expected = "\
6 nodes, 5 edges, 1344 bytes of edges

node     kind             firings
numbers  fixed                  4
triple   fixed                  4
count    fixed                  6
turn     fixed                  6
even     dynamic                6
end      fixed                  -

edge                       gives   takes  initial  bound  least   capacity  bytes
numbers.out -> triple.a        1       1        0      1      1         64    256
triple.x -> count.a            3  2 of 4        0      6      6  9 (asked)     64
count.x -> turn.a         [1, 2]  [1, 2]        0      2      2        128    512
turn.x -> even.input           1       1        0      1      1         64    256
even.out -> end.input    dynamic       1        0      1      -         64    256

an iteration is 26 firings; it can go on for ever
  to fill the windows first: 4 numbers, 4 triple, 5 count, 5 turn, 5 even
  schedule: 4 numbers, 4 triple, 6 count, 6 turn, 6 even
  within the least capacities: 2 (numbers, triple), numbers, count, turn, count, triple, numbers, even, turn, count, triple, 3 (even, turn, count), even, turn, even

determinate: every edge carries the same tokens whatever the schedule
";
    let text = net.analysis().to_string();
    assert_eq!(text, expected);
    net.run().expect("no failure");
}

/// Merges as it goes.
#[node(nondet)]
async fn first(a: &mut In<u32>, out: &mut Out<u32>) -> Result<(), Closed> {
    while let Some(x) = a.recv().await {
        out.send(x).await?;
    }
    Ok(())
}

#[node]
async fn copy(a: &mut In<u32>, out: &mut Out<u32>) -> Result<(), Closed> {
    while let Some(x) = a.recv().await {
        out.send(x).await?;
    }
    Ok(())
}

#[test]
fn what_is_not_determinate_is_named_with_what_lies_behind() {
    let net = network! { source(0..3u32) -> copy() -> first() -> copy().named("behind") -> sink(|_: u32| ()) };
    let analysis = net.expect("sound").analysis();
    let names = |nodes: &[usize]| nodes.iter().map(|&node| analysis.nodes[node].name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&analysis.nondeterminate), ["first"]);
    assert_eq!(names(&analysis.downstream), ["behind", "sink"]);
    assert!(!analysis.is_determinate());
    let kinds: Vec<NodeKind> = analysis.nodes.iter().map(|node| node.kind).collect();
    let expected = [NodeKind::Fixed, NodeKind::Process, NodeKind::Nondeterminate, NodeKind::Process, NodeKind::Fixed];
    assert_eq!(kinds, expected);

    let net = network! { { source(0..3u32), source(3..6) } -> kpn::nondet::merge() -> sink(|_: u32| ()) };
    let analysis = net.expect("sound").analysis();
    let text = "not determinate: time or the order of arrivals decides what comes from `merge`\n  and so what reaches `sink`\n";
    assert!(analysis.to_string().ends_with(text), "{analysis}");
}

#[test]
fn what_is_looked_at_from_outside_is_named() {
    let mut net = network! { source(0..3u32) -> map(|x: u32| x).named("same") -> sink(|_: u32| ()) }.expect("sound");
    assert!(net.analysis().taps.is_empty());
    let _newest = net.latest::<u32>("same.out").expect("it is an output");
    let analysis = net.analysis();
    assert_eq!(analysis.taps, ["same.out"]);
    // The network itself doesn't notice.
    assert!(analysis.is_determinate());
}

#[test]
fn composites_are_seen_through() {
    fn halve() -> Result<impl Stage<u32, u32>, kpn::BuildError> {
        network! {
            in x: u32;
            out y: u32;
            x -> map(|x: u32| x / 2).named("half") -> y;
        }
    }
    let mut b = Builder::new();
    let numbers = b.add(source(0..9u32));
    let (pair, pairs) = reduce::<2>(&mut b, "pair");
    let halves = b.pipe(numbers.out, halve().expect("sound").named("outer"));
    b.connect(halves, pair);
    b.pipe(pairs, sink(|_| ()));
    let analysis = b.build().expect("sound").analysis();
    assert_eq!(analysis.node("outer/half").and_then(|node| node.firings), Some(2));
    assert_eq!(analysis.edge("outer/half.out -> pair.a").map(|edge| edge.bound), Some(2));
    let [part] = &analysis.parts[..] else { panic!("{analysis}") };
    assert_eq!(part.liveness, Liveness::Live { ahead: Vec::new() });
}

#[test]
fn a_long_chain_builds_at_once() {
    const NODES: usize = 100_000;
    let begin = Instant::now();
    let mut b = Builder::new();
    let mut tail = b.add(source(0..3u32)).out;
    for _ in 0..NODES {
        tail = b.pipe(tail, map(|x: u32| x));
    }
    b.pipe(tail, sink(|_| ()));
    let net = b.build().expect("sound");
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    assert_eq!(net.analysis().is_live(), Some(true));
}

#[test]
fn an_analysis_is_data() {
    let net = ring(4).build().expect("sound");
    let text = serde_json::to_string(&net.analysis()).expect("plain data");
    let value: serde_json::Value = serde_json::from_str(&text).expect("sound");
    assert_eq!(value["nodes"][1]["firings"], 2);
    assert_eq!(value["nodes"][1]["kind"], "fixed");
    assert_eq!(value["edges"][0]["gives"]["phases"][0], 2);
    assert_eq!(value["parts"][0]["liveness"]["live"]["ahead"], serde_json::json!([]));
    assert_eq!(value["parts"][0]["schedule"]["terms"][0]["fire"]["times"], 2);
}
