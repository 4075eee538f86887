//! Rates that vary by phase, against a plain list that is cut by the same cycle; and outputs that miscount.

use std::collections::VecDeque;

use kpn::node::{Batch, Counted as Count, Cyclic, Exactly, Fired, Maybe, One, Phases, WrongCount};
use kpn::prelude::*;
use kpn::{Network, RunError};
use kpn_tests::step::{step, step_to_end};
use kpn_tests::{Counted, Ledger, On, doing, everywhere};

macro_rules! phases {
    ($($name:ident = $rates:expr;)*) => {$(
        struct $name;
        impl Phases for $name {
            const RATES: &'static [usize] = &$rates;
        }
    )*};
}

phases! {
    Two = [2];
    OneTwo = [1, 2];
    TwoOne = [2, 1];
    OneNone = [1, 0];
    NoneOne = [0, 1];
    NoneNoneFive = [0, 0, 5];
    ThreeNoneOneNone = [3, 0, 1, 0];
    Long = [1, 1, 2, 3, 5, 8];
}

/// What a node that takes by this cycle sees of a stream of `n` numbers, and how many it leaves. A phase without tokens
/// waits for none, so it comes even after the end.
fn cut(n: usize, rates: &[usize]) -> (Vec<Vec<u64>>, usize) {
    let mut left: VecDeque<u64> = (0..n as u64).collect();
    let mut seen = Vec::new();
    for &rate in rates.iter().cycle() {
        if left.len() < rate {
            break;
        }
        seen.push(left.drain(..rate).collect());
    }
    (seen, left.len())
}

fn values(tokens: &[Counted]) -> Vec<u64> {
    tokens.iter().map(|token| token.value).collect()
}

/// A writer that gives by the cycle `P` and a reader that takes by the cycle `C`.
fn cycles<P: Phases, C: Phases>(on: &On) {
    let most = |rates: &[usize]| rates.iter().copied().max().unwrap_or(0);
    let least = most(P::RATES) + most(C::RATES) - 1;
    for (capacity, firings) in [(least, 60), (least + 1, 61), (64, 202), (64, 0)] {
        doing(format!("{:?} into {:?} over {capacity} on {on}", P::RATES, C::RATES));
        let ledger = Ledger::new();
        let (mut made, mut next) = (ledger.clone(), 0);
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let ticks = b.add(source(0..firings));
        let give = step::<(One<usize>,), (Count<Counted, P>,), _>(move |(firing,)| {
            let rate = P::RATES[firing % P::RATES.len()] as u64;
            next += rate;
            let made = &mut made;
            Fired::Emit(((next - rate..next).map(|i| made.token(i)).collect(),))
        });
        let out = b.pipe(ticks.out, give);
        let take = b.add(step::<(Cyclic<Counted, C>,), (), _>(|(batch,)| {
            seen.push(values(&batch));
            Fired::Emit(())
        }));
        b.connect(out, take.ins.0).capacity(capacity);
        let report = on.run(b.build().expect("sound")).expect("no failure");

        let all: usize = P::RATES.iter().cycle().take(firings).sum();
        let (expected, left) = cut(all, C::RATES);
        assert_eq!(seen, expected);
        assert_eq!((report.edges[1].tokens, report.edges[1].len), (all as u64, left));
        assert_eq!(ledger.made(), all as u64);
        ledger.settle();
    }
}

#[test]
fn phases_cut_the_stream_as_they_say() {
    fn into_any<P: Phases>(on: &On) {
        cycles::<P, Two>(on);
        cycles::<P, OneTwo>(on);
        cycles::<P, OneNone>(on);
        cycles::<P, NoneOne>(on);
        cycles::<P, NoneNoneFive>(on);
        cycles::<P, ThreeNoneOneNone>(on);
        cycles::<P, Long>(on);
    }
    everywhere(60, |on| {
        into_any::<Two>(on);
        into_any::<OneTwo>(on);
        into_any::<OneNone>(on);
        into_any::<NoneOne>(on);
        into_any::<NoneNoneFive>(on);
        into_any::<ThreeNoneOneNone>(on);
        into_any::<Long>(on);
    });
}

/// Two streams of so many numbers into one node that takes of them in turn.
fn in_turn<'env, A: Phases, B: Phases>(
    lengths: (u64, u64),
    seen: &'env mut Vec<(Vec<u64>, Vec<u64>)>,
) -> Network<'env> {
    let mut b = Builder::new();
    let (x, y) = (b.add(source(0..lengths.0)), b.add(source(100..100 + lengths.1)));
    let turn = b.add(step::<(Cyclic<u64, A>, Cyclic<u64, B>), (), _>(|(x, y)| {
        seen.push((x.to_vec(), y.to_vec()));
        Fired::Emit(())
    }));
    b.connect(x.out, turn.ins.0).capacity(1);
    b.connect(y.out, turn.ins.1).capacity(1);
    b.build().expect("sound")
}

#[test]
fn a_phase_without_tokens_waits_for_none() {
    everywhere(30, |on| {
        for lengths in [(5, 5), (5, 4), (4, 5), (0, 3), (3, 0), (900, 1000)] {
            doing(format!("{lengths:?} in turn on {on}"));
            let (xs, ys) = lengths;
            let turn = |first: bool, n: u64| {
                let (x, y) = (vec![n], vec![100 + n]);
                if first { [(x, vec![]), (vec![], y)] } else { [(vec![], y), (x, vec![])] }
            };
            let all = |first: bool| (0..1000).flat_map(move |n| turn(first, n));

            let mut seen = Vec::new();
            on.run(in_turn::<OneNone, NoneOne>(lengths, &mut seen)).expect("no failure");
            // Each stream's tokens come in turn until the one whose turn it is has none.
            let firings = if xs <= ys { 2 * xs } else { 2 * ys + 1 };
            assert_eq!(seen, all(true).take(firings as usize).collect::<Vec<_>>());

            // The node's first input needs nothing at first, so nobody wakes it for that.
            let mut seen = Vec::new();
            on.run(in_turn::<NoneOne, OneNone>(lengths, &mut seen)).expect("no failure");
            let firings = if ys <= xs { 2 * ys } else { 2 * xs + 1 };
            assert_eq!(seen, all(false).take(firings as usize).collect::<Vec<_>>());
        }
    });
}

#[test]
fn the_first_firing_needs_no_more_than_its_phase() {
    everywhere(30, |on| {
        // A loop that starts with a token: a node that waited for its cycle's largest rate at first would never fire.
        for capacity in [3, 64] {
            doing(format!("a loop over {capacity} on {on}"));
            let mut seen = Vec::new();
            let mut b = Builder::new();
            let mut firings = 0;
            let grow = step::<(Cyclic<u64, OneTwo>,), (Count<u64, TwoOne>, One<u64>), _>(move |(batch,)| {
                firings += 1;
                let sum = batch.iter().sum::<u64>() + 1;
                let given = vec![sum; TwoOne::RATES[(firings + 1) % 2]];
                if firings > 80 { Fired::End } else { Fired::Emit((given.into(), sum)) }
            });
            let grow = b.add(grow);
            b.connect(grow.outs.0, grow.ins.0).capacity(capacity).initial([1]);
            b.pipe(grow.outs.1, sink(|x: u64| seen.push(x)));
            on.run(b.build().expect("sound")).expect("no failure");
            let mut sums = vec![2];
            while sums.len() < 80 {
                let last = sums[sums.len() - 1];
                sums.push(if sums.len() % 2 == 1 { 2 * last + 1 } else { last + 1 });
            }
            assert_eq!(seen, sums);
        }
        // Whoever feeds it waits for the answer to the first token.
        doing(format!("question and answer on {on}"));
        let (mut input, inlet) = kpn::inlet::<u64>();
        let (outlet, mut output) = kpn::outlet::<u64>();
        let mut b = Builder::new();
        let questions = b.add(inlet);
        let sum = step::<(Cyclic<u64, OneTwo>,), (One<u64>,), _>(|(batch,)| Fired::Emit((batch.iter().sum(),)));
        let answers = b.pipe(questions.out, sum);
        b.pipe(answers, outlet);
        let running = on.start(b.build().expect("sound")).expect("threads");
        for question in [&[1][..], &[20, 30], &[4], &[50, 60]] {
            question.iter().for_each(|&x| input.send(x).expect("it runs"));
            assert_eq!(output.recv().expect("an answer"), question.iter().sum::<u64>());
        }
        drop(input);
        running.wait().expect("no failure");
    });
}

#[test]
fn a_batch_may_be_kept_changed_and_emptied() {
    everywhere(30, |on| {
        let ledger = Ledger::new();
        let made = ledger.clone();
        let mut kept: Vec<Batch<Counted>> = Vec::new();
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let tokens = b.add(source((0..300).map(move |i| made.token(i))));
        let take = step_to_end::<(Cyclic<Counted, OneTwo>,), (kpn::node::Any<Counted>,), _>(|items| match items {
            Some((mut batch,)) if batch.len() == 2 => {
                batch.reverse();
                Fired::Emit((batch.drain().collect(),))
            }
            Some((batch,)) => {
                kept.push(batch);
                Fired::Emit((Many::new(),))
            }
            None => Fired::Emit((kept.drain(..).map(|mut batch| batch.drain().next().expect("one")).collect(),)),
        });
        let out = b.pipe(tokens.out, take);
        b.pipe(out, sink(|x: Counted| seen.push(x.value)));
        on.run(b.build().expect("sound")).expect("no failure");
        let twos = (0..100).flat_map(|n| [3 * n + 2, 3 * n + 1]);
        assert_eq!(seen, twos.chain((0..100).map(|n| 3 * n)).collect::<Vec<_>>());
        ledger.settle();
    });
}

/// What three sinks saw.
type Seen = [Vec<u64>; 3];

/// How many tokens a firing gives.
type Gives = fn(u64) -> u64;

/// Gives `gives(firing)` tokens to its second output, which expects 1 and 2 in turn, and one to each of the others.
fn miscounting<'env>(ledger: &Ledger, seen: &'env mut Seen, gives: Gives) -> Network<'env> {
    let made = ledger.clone();
    let mut b = Builder::new();
    let ticks = b.add(source(0..1000u64));
    let bad = step::<(One<u64>,), (One<Counted>, Count<Counted, OneTwo>, Exactly<Counted, 1>), _>(move |(n,)| {
        let many = (0..gives(n)).map(|i| made.token(10 * n + i)).collect();
        Fired::Emit((made.token(n), many, [made.token(n)]))
    });
    let outs = b.pipe(ticks.out, bad.named("bad"));
    let [x, y, z] = seen;
    b.pipe(outs.0, sink(|token: Counted| x.push(token.value)));
    b.pipe(outs.1, sink(|token: Counted| y.push(token.value)));
    b.pipe(outs.2, sink(|token: Counted| z.push(token.value)));
    b.build().expect("sound")
}

/// The typed failure that a run ended with.
fn wrong_count(result: Result<Report, RunError>) -> WrongCount {
    let error = result.expect_err("a node miscounts");
    let failures: Vec<_> = error.failures().collect();
    let [NodeFailure { node, cause: Cause::Error(cause), .. }] = &failures[..] else { panic!("{error}") };
    let wrong = cause.downcast_ref::<WrongCount>().expect("a wrong count").clone();
    assert_eq!(*node, wrong.node);
    assert!(
        error.to_string().contains(&format!("`{}.{}` gives {} token", node, wrong.port, wrong.expected)),
        "{error}"
    );
    wrong
}

#[test]
fn a_firing_that_miscounts_fails_and_sends_nothing() {
    everywhere(30, |on| {
        let cases: [(Gives, u64, usize, usize); 4] = [
            (|_| 2, 0, 1, 2),
            (|n| 1 + n % 2 + u64::from(n == 6), 6, 1, 2),
            (|n| 1 + n % 2 - u64::from(n == 501), 501, 2, 1),
            (|n| if n < 300 { 1 + n % 2 } else { 0 }, 300, 1, 0),
        ];
        for (gives, at, expected, found) in cases {
            doing(format!("a miscount at {at} on {on}"));
            let ledger = Ledger::new();
            let mut seen = Seen::default();
            let wrong = wrong_count(on.run(miscounting(&ledger, &mut seen, gives)));
            assert_eq!((&*wrong.node, &*wrong.port), ("bad", "y"));
            assert_eq!((wrong.expected, wrong.found), (expected, found));
            let ones: Vec<u64> = (0..at).collect();
            let many: Vec<u64> = (0..at).flat_map(|n| (0..1 + n % 2).map(move |i| 10 * n + i)).collect();
            assert_eq!(seen, [ones.clone(), many, ones], "all of the firings before arrive, and none after");
            ledger.settle();
        }
    });
}

#[test]
fn the_last_word_is_counted_as_well() {
    everywhere(30, |on| {
        for (said, tokens) in [(1, 4), (2, 5), (1, 5), (0, 4)] {
            doing(format!("a last word of {said} after {tokens} on {on}"));
            let mut seen = 0;
            let mut b = Builder::new();
            let ticks = b.add(source(0..tokens));
            let echo = step_to_end::<(One<usize>,), (Count<usize, OneTwo>, Maybe<()>), _>(|items| match items {
                Some((n,)) => Fired::Emit((vec![n; 1 + n % 2].into(), None)),
                None => Fired::Emit((vec![0; said].into(), Some(()))),
            });
            let (out, end) = b.pipe(ticks.out, echo.named("echo"));
            b.pipe(out, sink(|_: usize| seen += 1));
            b.pipe(end, sink(|()| ()));
            let result = on.run(b.build().expect("sound"));
            let (due, before) = (1 + tokens % 2, tokens + tokens / 2);
            if said == due {
                result.expect("it is as many as the phase says");
                assert_eq!(seen, before + said);
            } else {
                let wrong = wrong_count(result);
                assert_eq!((wrong.expected, wrong.found, seen), (due, said, before));
            }
        }
    });
}
