//! How streams end in nodes that take several tokens a firing: what is left over as an error, and what a failure in the
//! middle of a firing does to the tokens that it holds.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kpn::node::{
    Body, Counted as Count, Cyclic, Exactly, Fired, Firing, Inputs, Node, NodeInfo, One, Outputs, PartialFiring,
    Phases, Window,
};
use kpn::prelude::*;
use kpn::{Network, RunError};
use kpn_tests::step::{Again, Step, StepPorts, step};
use kpn_tests::{Counted, Ledger, On, doing, everywhere};

/// A step for which it is an error that a stream ends within a firing.
struct Whole<S>(S);

impl<S: Firing> Firing for Whole<S> {
    type In = S::In;
    type Out = S::Out;
    const PARTIAL_FAILS: bool = true;

    fn fire(&mut self, items: <S::In as Inputs>::Items) -> Fired<<S::Out as Outputs>::Items> {
        self.0.fire(items)
    }
}

impl<I: Inputs<Ports: Again>, O: Outputs<Ports: Again>, F, const FINISHES: bool> Node
    for Whole<Step<I, O, F, FINISHES>>
{
    type Ports = StepPorts<I::Ports, O::Ports>;
}

impl<'env, I: Inputs<Ports: Again>, O: Outputs<Ports: Again>, F, const FINISHES: bool> Body<'env>
    for Whole<Step<I, O, F, FINISHES>>
where
    F: FnMut(Option<I::Items>) -> Fired<O::Items> + Send + 'env,
{
    fn install(self, builder: &mut Builder<'env>) -> Self::Ports {
        let info = NodeInfo { name: "whole", inputs: &["a", "b"], outputs: &[] };
        let (ins, outs) = builder.firing(info, self);
        StepPorts { ins, outs }
    }
}

struct OneNoneFour;

impl Phases for OneNoneFour {
    const RATES: &'static [usize] = &[1, 0, 4];
}

/// A stream of so many numbers into a node of this rate that wants whole firings; returns how often that fires.
fn firings<I>(on: &On, tokens: u64) -> Result<u64, RunError>
where
    I: Inputs<Ports = (kpn::node::InPort<u64>,)>,
{
    let fired = AtomicU64::new(0);
    let mut b = Builder::new();
    let numbers = b.add(source(0..tokens));
    let node = Whole(step::<I, (), _>(|_| {
        fired.fetch_add(1, Relaxed);
        Fired::Emit(())
    }));
    b.pipe(numbers.out, node);
    on.run(b.build().expect("sound"))?;
    Ok(fired.into_inner())
}

/// The typed failure that a run ended with, which is its only one.
fn partial(error: &RunError) -> PartialFiring {
    let failures: Vec<_> = error.failures().collect();
    let [NodeFailure { node, cause: Cause::Error(cause), .. }] = &failures[..] else { panic!("{error}") };
    let partial = cause.downcast_ref::<PartialFiring>().expect("a partial firing").clone();
    assert_eq!(*node, partial.node);
    let sentence = format!("its stream ended with {} left", partial.found);
    assert!(error.to_string().contains(&sentence), "{error}");
    partial
}

#[test]
fn a_stream_that_ends_within_a_firing_may_be_an_error() {
    everywhere(30, |on| {
        let whole = |fired: Result<u64, RunError>, firings: u64| assert_eq!(fired.expect("whole firings"), firings);
        let short = |fired: Result<u64, RunError>, expected: usize, found: usize| {
            let partial = partial(&fired.expect_err("the stream ends within a firing"));
            assert_eq!((&*partial.node, &*partial.port), ("whole", "a"));
            assert_eq!((partial.expected, partial.found), (expected, found));
        };
        whole(firings::<(One<u64>,)>(on, 7), 7);
        whole(firings::<(Exactly<u64, 3>,)>(on, 0), 0);
        whole(firings::<(Exactly<u64, 3>,)>(on, 300), 100);
        short(firings::<(Exactly<u64, 3>,)>(on, 301), 3, 1);
        short(firings::<(Exactly<u64, 3>,)>(on, 2), 3, 2);
        // What stays in a window was seen.
        whole(firings::<(Window<u64, 5, 1>,)>(on, 100), 96);
        whole(firings::<(Window<u64, 5, 2>,)>(on, 101), 49);
        short(firings::<(Window<u64, 5, 2>,)>(on, 100), 2, 1);
        short(firings::<(Window<u64, 5, 2>,)>(on, 4), 5, 4);
        // A cycle that is not complete is no partial firing: each of its firings is whole.
        whole(firings::<(Cyclic<u64, OneNoneFour>,)>(on, 10), 6);
        whole(firings::<(Cyclic<u64, OneNoneFour>,)>(on, 11), 8);
        short(firings::<(Cyclic<u64, OneNoneFour>,)>(on, 14), 4, 3);
    });
}

/// Streams of so many tokens into a node that takes pairs of one and triples of the other.
fn two_streams(on: &On, pairs: u64, triples: u64, slow: bool) -> Result<(), RunError> {
    let ledger = Ledger::new();
    let mut b = Builder::new();
    let (x, y) = {
        let mut stream = |n: u64, slow: bool| {
            let made = ledger.clone();
            let tokens = b.add(source((0..n).map(move |i| made.token(i))));
            // A longer way, so that the other stream's end comes first.
            (0..if slow { 20 } else { 0 }).fold(tokens.out, |out, _| b.pipe(out, map(|x: Counted| x)))
        };
        (stream(pairs, slow), stream(triples, !slow))
    };
    let node = b.add(Whole(step::<(Exactly<Counted, 2>, Exactly<Counted, 3>), (), _>(|_| Fired::Emit(()))));
    b.connect(x, node.ins.0).capacity(2);
    b.connect(y, node.ins.1).capacity(3);
    let result = on.run(b.build().expect("sound")).map(|_| ());
    ledger.settle();
    result
}

#[test]
fn of_several_streams_the_shortest_must_end_whole_whoever_is_quicker() {
    everywhere(60, |on| {
        for slow in [false, true] {
            for (pairs, triples, failure) in [
                (20, 30, None),
                // Both are as short; the first one has no rest, the second one has.
                (20, 31, Some(("b", 3, 1))),
                (21, 30, Some(("a", 2, 1))),
                // Both have one: the first port is named.
                (21, 32, Some(("a", 2, 1))),
                // What is left of a longer stream was not needed.
                (20, 34, None),
                (21, 40, Some(("a", 2, 1))),
                (2000, 32, Some(("b", 3, 2))),
                (2000, 30, None),
                (0, 2, Some(("b", 3, 2))),
            ] {
                doing(format!("{pairs} in pairs, {triples} in triples, the first one slow: {slow}, on {on}"));
                let found = two_streams(on, pairs, triples, slow).map_err(|error| partial(&error));
                let found = found.err().map(|partial| (partial.port, partial.expected, partial.found));
                assert_eq!(found.as_ref().map(|(port, expected, found)| (&**port, *expected, *found)), failure);
            }
        }
    });
}

#[test]
fn a_stream_that_is_cut_off_is_no_partial_firing() {
    everywhere(60, |on| {
        for round in 0..20 {
            doing(format!("stop in round {round} on {on}"));
            let mut b = Builder::new();
            let numbers = b.add(source(0u64..));
            b.pipe(numbers.out, Whole(step::<(Exactly<u64, 5>,), (), _>(|_| Fired::Emit(()))));
            let running = on.start(b.build().expect("sound")).expect("threads");
            if round % 2 == 1 {
                std::thread::sleep(std::time::Duration::from_micros(300 * round));
            }
            running.stop();
            running.wait().expect("who stops a network wants no more of it");
        }
        doing(format!("a failure upstream on {on}"));
        let mut b = Builder::new();
        let numbers = b.add(source(0..100u64));
        let bad = step::<(One<u64>,), (One<u64>,), _>(|(x,)| match x {
            48 => Fired::Failed("boom".into()),
            x => Fired::Emit((x,)),
        });
        let out = b.pipe(numbers.out, bad.named("bad"));
        b.pipe(out, Whole(step::<(Exactly<u64, 5>,), (), _>(|_| Fired::Emit(()))));
        let error = on.run(b.build().expect("sound")).expect_err("a node fails");
        assert_eq!(error.failures().map(|failure| &*failure.node).collect::<Vec<_>>(), ["bad"]);
    });
}

/// Where a node goes wrong in its firing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Before it has looked at its tokens.
    Before,
    /// When it has dropped some of them and made some of its own.
    Within,
    /// As a clone of a token is made: for a window, or for a second reader.
    Clone,
    /// As a token is dropped that it has taken.
    Drop,
}

/// A counted token that goes wrong at the number `due`, once.
struct Fragile {
    token: Counted,
    at: At,
    due: u64,
}

impl Clone for Fragile {
    fn clone(&self) -> Self {
        let copy = Self { token: self.token.clone(), ..*self };
        if self.at == At::Clone && self.token.value == self.due {
            // The copy is dropped.
            resume_unwind(Box::new("boom"));
        }
        copy
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        if self.at == At::Drop && self.token.value == self.due && !std::thread::panicking() {
            self.at = At::Before;
            resume_unwind(Box::new("boom"));
        }
    }
}

struct ThreeOne;

impl Phases for ThreeOne {
    const RATES: &'static [usize] = &[3, 1];
}

/// A stream through a node of each rate, all of which take the token `due`; each gives on what it took to two readers.
fn fragile(ledger: &Ledger, at: At, due: u64) -> Network<'static> {
    let made = ledger.clone();
    let mut b = Builder::new();
    let tokens = b.add(source((0..200).map(move |i| Fragile { token: made.token(i), at, due })));
    let fail = move |tokens: &mut dyn Iterator<Item = Fragile>| {
        let mut kept: Vec<Fragile> = Vec::new();
        if at == At::Before
            && let Some(token) = tokens.next()
        {
            if token.token.value >= due {
                resume_unwind(Box::new("boom"));
            }
            kept.push(token);
        }
        for token in tokens {
            if at == At::Within && token.token.value == due {
                drop(token);
                resume_unwind(Box::new("boom"));
            }
            kept.push(token);
        }
        kept
    };
    let exactly = b.add(step::<(Exactly<Fragile, 4>,), (Exactly<Fragile, 4>,), _>(move |(taken,)| {
        let kept = fail(&mut taken.into_iter());
        Fired::Emit((kept.try_into().unwrap_or_else(|_| unreachable!("it keeps all")),))
    }));
    let cyclic = b.add(step::<(Cyclic<Fragile, ThreeOne>,), (Count<Fragile, ThreeOne>,), _>(move |(mut taken,)| {
        Fired::Emit((fail(&mut taken.drain()).into(),))
    }));
    let window = b.add(step::<(Window<Fragile, 5, 2>,), (Exactly<Fragile, 2>,), _>(move |(seen,)| {
        let mut kept = fail(&mut seen.into_iter());
        kept.truncate(2);
        Fired::Emit((kept.try_into().unwrap_or_else(|_| unreachable!("it keeps two")),))
    }));
    b.connect(tokens.out, exactly.ins.0).capacity(4);
    for (out, input) in [(exactly.outs.0, cyclic.ins.0), (cyclic.outs.0, window.ins.0)] {
        let [x, y]: [_; 2] = b.fan_out(out, 2).try_into().unwrap_or_else(|_| unreachable!("two"));
        b.connect(x, input).capacity(7);
        b.pipe(y, sink(|_: Fragile| ()));
    }
    b.pipe(window.outs.0, sink(|_: Fragile| ()));
    b.build().expect("sound")
}

#[test]
fn a_panic_in_the_middle_of_a_firing_drops_each_token_once() {
    everywhere(60, |on| {
        for at in [At::Before, At::Within, At::Clone, At::Drop] {
            for due in [0, 1, 2, 3, 7, 41, 42, 199, 1000] {
                doing(format!("{at:?} at {due} on {on}"));
                let ledger = Ledger::new();
                let result = on.run(fragile(&ledger, at, due));
                assert_eq!(result.is_ok(), due == 1000, "{:?}", result.err());
                ledger.settle();
            }
        }
    });
}

#[test]
fn an_abort_drops_what_ports_keep() {
    everywhere(30, |on| {
        let ledger = Ledger::new();
        let made = ledger.clone();
        let mut b = Builder::new();
        let tokens = b.add(source((0..).map(move |i| made.token(i))));
        let window = step::<(Window<Counted, 9, 1>,), (Exactly<Counted, 9>,), _>(|(seen,)| Fired::Emit((seen,)));
        let out = b.pipe(tokens.out, window);
        b.pipe(out, step::<(Cyclic<Counted, OneNoneFour>,), (), _>(|_| Fired::Emit(())));
        let running = on.start(b.build().expect("sound")).expect("threads");
        while ledger.made() < 100 {
            std::thread::yield_now();
        }
        running.abort();
        assert!(matches!(running.wait(), Err(RunError::Aborted)));
        ledger.settle();
    });
}
