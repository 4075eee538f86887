//! `#[node]` with rates: arrays, `consume`, `peek`, `produce`, `partial`.

use kpn::harness;
use kpn::node::{Fired, Firing};
use kpn::prelude::*;
use kpn_tests::everywhere;

const THREE: usize = 3;

/// One token of its own, which is an array.
type Pair = [u32; 2];

#[node]
fn decimate(pair: [u32; 2]) -> u32 {
    pair[0] + pair[1]
}

#[node]
fn expand(x: u32) -> [u32; THREE] {
    [x, 10 * x, 100 * x]
}

#[node]
fn swap(pair: Pair) -> Pair {
    [pair[1], pair[0]]
}

#[node]
fn pair_up(pair: &[u32; 2]) -> Pair {
    *pair
}

#[node(consume(a = 4), produce(out = 2))]
fn ends(a: &[u32]) -> Many<u32> {
    a.first().into_iter().chain(a.last()).copied().collect()
}

#[node(peek(a = 3))]
fn window(a: &[u32]) -> u32 {
    a.iter().sum()
}

#[node(peek(a = 4), consume(a = 2), outputs(low, high))]
fn extremes<T: Ord + Clone>(a: [T; 4]) -> (Option<T>, Option<T>) {
    let [mut low, mut high] = [a[0].clone(), a[0].clone()];
    for x in a {
        low = low.min(x.clone());
        high = high.max(x);
    }
    (Some(low), Some(high))
}

#[node(consume(a = [1, 2]), produce(out = [2, 1]))]
fn turns(a: &[u32]) -> Many<u32> {
    match *a {
        [x] => [x, x].into(),
        [x, y] => [x + y].into(),
        _ => Many::new(),
    }
}

#[node(consume(a = N))]
fn batch<const N: usize>(a: &[u32]) -> u32 {
    a.iter().sum::<u32>() + N as u32
}

#[node(consume(a = 2, b = THREE), produce(out1 = [1]))]
fn join(a: &[u32], b: [u32; THREE]) -> Result<([u32; 5], Many<usize>), String> {
    let mut all = [0; 5];
    all[..2].copy_from_slice(a);
    all[2..].copy_from_slice(&b);
    if all.contains(&99) { Err("99".to_owned()) } else { Ok((all, [all.len()].into())) }
}

#[node(consume(a = 2), partial = "error")]
fn strict(a: &[u32]) -> u32 {
    a[0]
}

#[node(produce(out = 2))]
fn miscounts(x: u32) -> Many<u32> {
    (0..x).collect()
}

#[node]
fn countdown(#[param] left: &std::cell::Cell<u32>) -> Option<[u32; 2]> {
    left.set(left.get().checked_sub(1)?);
    Some([left.get(), left.get() + 100])
}

struct Sums(u32);

#[node(consume(a = [2, 0]))]
impl Sums {
    fn fire(&mut self, a: &[u32]) -> [u32; 1] {
        self.0 += a.iter().sum::<u32>();
        [self.0]
    }

    fn finish(&mut self) -> [u32; 1] {
        [1000]
    }
}

#[test]
fn the_function_stays_callable() {
    assert_eq!(decimate().call([1, 2]), 3);
    assert_eq!(expand().call(1), [1, 10, 100]);
    assert_eq!(ends().call(&[1, 2, 3, 4]).into_iter().collect::<Vec<_>>(), [1, 4]);
    assert_eq!(window().call(&[1, 2]), 3);
    assert_eq!(extremes().call([3, 1, 2, 0]), (Some(0), Some(3)));
    assert_eq!(batch::<7>().call(&[1]), 8);
}

#[test]
fn a_firing_takes_and_gives_its_rates() {
    assert!(matches!(decimate().fire(([1, 2],)), Fired::Emit((3,))));
    assert!(matches!(expand().fire((2,)), Fired::Emit(([2, 20, 200],))));
    assert!(matches!(swap().fire(([1, 2],)), Fired::Emit(([2, 1],))));
    assert!(matches!(window().fire(([1, 2, 3],)), Fired::Emit((6,))));
    let given = harness::run(join(), [([1, 2], [3, 4, 5])]).expect("no 99");
    assert_eq!(given, [([1, 2, 3, 4, 5], [5].into_iter().collect())]);
    assert_eq!(harness::run(join(), [([1, 2], [3, 4, 99])]).expect_err("99").to_string(), "99");
}

#[test]
fn fixed_rates_change_the_pace() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let net = network! { source(1..=9u32) -> decimate() -> expand() -> ends() -> sink(|x| seen.push(x)) };
        let report = on.run(net.expect("a chain")).expect("no node fails");
        // 3 30 300 7, 70 700 11 110, 1100 15 150 1500.
        assert_eq!(seen, [3, 7, 70, 110, 1100, 1500]);
        assert_eq!(report.edges.iter().map(|edge| edge.len).sum::<usize>(), 1, "the ninth token is left: {report}");
    });
}

#[test]
fn an_alias_is_one_token() {
    let mut seen = Vec::new();
    let net = network! { source(0..4u32) -> pair_up() -> swap() -> gathered() -> sink(|x: Pair| seen.push(x)) };
    net.expect("a chain").run().expect("no node fails");
    assert_eq!(seen, [[1, 0], [3, 2]]);

    let mut seen = Vec::new();
    let net =
        network! { { source(0..2u32), source(5..7u32) } -> gather() -> swap() -> sink(|x: [u32; 2]| seen.push(x)) };
    net.expect("a chain").run().expect("no node fails");
    assert_eq!(seen, [[5, 0], [6, 1]]);
}

/// A closure takes an array as one token.
fn gathered() -> impl Stage<Pair, Pair> {
    map(|pair: [u32; 2]| pair)
}

#[test]
fn windows_slide() {
    everywhere(20, |on| {
        let (mut sums, mut lows, mut highs) = (Vec::new(), Vec::new(), Vec::new());
        let net = network! {
            ends = extremes::<String>();
            source(0..6u32) -> window() -> sink(|x| sums.push(x));
            source(["d", "a", "c", "b", "e", "f"].map(str::to_owned)) -> ends;
            ends.low -> sink(|x| lows.push(x));
            ends.high -> sink(|x| highs.push(x));
        };
        on.run(net.expect("two chains")).expect("no node fails");
        assert_eq!(sums, [3, 6, 9, 12]);
        assert_eq!(lows, ["a", "b"]);
        assert_eq!(highs, ["d", "f"]);
    });
}

#[test]
fn phases_take_turns() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let net = network! { source(0..6u32) -> turns() -> sink(|x| seen.push(x)) };
        on.run(net.expect("a chain")).expect("no node fails");
        assert_eq!(seen, [0, 0, 3, 3, 3, 9]);
    });
}

#[test]
fn an_impl_has_rates_too() {
    let mut seen = Vec::new();
    let net = network! { source(1..=4u32) -> Sums(0) -> sink(|x| seen.push(x)) };
    net.expect("a chain").run().expect("no node fails");
    assert_eq!(seen, [3, 3, 10, 10, 1000]);
}

#[test]
fn a_source_gives_arrays_until_none() {
    let mut seen = Vec::new();
    network! { countdown(2.into()) -> batch::<4>() -> sink(|x| seen.push(x)) }
        .expect("a chain")
        .run()
        .expect("no node fails");
    assert_eq!(seen, [206]);
}

#[test]
fn leftovers_are_an_error_where_that_is_said() {
    let run = |n: u32| network! { source(0..n) -> strict() -> sink(|_| ()) }.expect("a chain").run();
    run(4).expect("nothing is left");
    let error = run(5).expect_err("one token is left").to_string();
    assert!(error.contains("strict"), "{error}");
}

#[test]
fn a_wrong_count_is_a_failure() {
    let run = |n: u32| network! { source([n]) -> miscounts() -> sink(|_| ()) }.expect("a chain").run();
    run(2).expect("two as it says");
    let error = run(3).expect_err("three where two are said").to_string();
    assert!(error.contains("miscounts") && error.contains("out"), "{error}");
}
