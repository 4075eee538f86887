//! Failures: an error or a panic anywhere names its node, all of them are listed, the rest drains, the executor lives on.

use std::panic::resume_unwind;
use std::sync::{Arc, Barrier};

use kpn::node::{Fired, Firing, One};
use kpn::prelude::*;
use kpn::{Cause, Network, RunError};
use kpn_tests::step::{step, step_to_end};
use kpn_tests::{Counted, Ledger, doing, everywhere};

/// Where the failure is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Source,
    Middle,
    Join,
    Sink,
    Finish,
    Drop,
}

/// How it is to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Error,
    Panic,
}

/// Fails: with a panic that is not reported on stderr, or an error.
fn fail<O>(how: How) -> Fired<O> {
    match how {
        How::Panic => resume_unwind(Box::new("boom")),
        How::Error => Fired::Failed("boom".into()),
    }
}

/// Panics when it is dropped, if it is armed.
struct Bomb(bool);

impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0 {
            resume_unwind(Box::new("boom"));
        }
    }
}

/// A source that feeds two stages, which are joined, and a branch that nothing else touches.
/// The node at `at` is called `bad` and fails at its token `when`.
fn network(
    ledger: &Ledger,
    at: At,
    how: How,
    when: u64,
    mut healthy: impl FnMut(u64) + Send + 'static,
) -> Network<'static> {
    type In = (One<Counted>,);
    type Out = (One<Counted>,);
    let due = move |here: At, x: u64| here == at && x == when;
    let name = |here: At, name: &str| if here == at { "bad".to_owned() } else { name.to_owned() };
    let made = ledger.clone();
    let bomb = Bomb(at == At::Drop);
    let mut sent = 0;
    let mut b = Builder::new();

    let give = move |()| {
        sent += 1;
        match sent - 1 {
            x if due(At::Source, x) => fail(how),
            5000 => Fired::End,
            x => Fired::Emit((made.token(x),)),
        }
    };
    let tokens = b.add(step::<(), Out, _>(give).named(name(At::Source, "source")));
    let (tokens,) = tokens.outs;
    let [left, right, away] = <[_; 3]>::try_from(b.fan_out(tokens, 3)).expect("three");
    let middle = move |(x,): (Counted,)| if due(At::Middle, x.value) { fail(how) } else { Fired::Emit((x,)) };
    let left = b.pipe(left, step::<In, Out, _>(middle).named(name(At::Middle, "middle")));
    let held = move |(x,): (Counted,)| {
        let _ = &bomb;
        Fired::Emit((x,))
    };
    let right = b.pipe(right, step::<In, Out, _>(held).named(name(At::Drop, "holder")));
    let join = move |(x, y): (Counted, Counted)| {
        assert_eq!(x.value, y.value);
        if due(At::Join, x.value) { fail(how) } else { Fired::Emit((x,)) }
    };
    let join = b.add(step::<(One<Counted>, One<Counted>), Out, _>(join).named(name(At::Join, "join")));
    b.connect(left, join.ins.0);
    b.connect(right, join.ins.1).capacity(1);
    let last = move |items: Option<(Counted,)>| match items {
        Some((x,)) => Fired::Emit((x,)),
        None if at == At::Finish => fail(how),
        None => Fired::End,
    };
    let last = b.pipe(join.outs.0, step_to_end::<In, Out, _>(last).named(name(At::Finish, "last")));
    let end = move |(x,): (Counted,)| if due(At::Sink, x.value) { fail(how) } else { Fired::Emit(()) };
    b.pipe(last, step::<In, (), _>(end).named(name(At::Sink, "sink")));
    b.pipe(away, sink(move |x: Counted| healthy(x.value)));
    b.build().expect("a sound network")
}

#[test]
fn a_failure_anywhere_names_its_node_and_the_rest_drains() {
    everywhere(60, |on| {
        for at in [At::Source, At::Middle, At::Join, At::Sink, At::Finish, At::Drop] {
            for (how, when) in [(How::Error, 0), (How::Error, 700), (How::Panic, 0), (How::Panic, 700)] {
                doing(format!("{how:?} in {at:?} at {when} on {on}"));
                let ledger = Ledger::new();
                let (sender, seen) = std::sync::mpsc::channel();
                let healthy = move |x| sender.send(x).expect("the test listens");
                let error = on.run(network(&ledger, at, how, when, healthy)).expect_err("it fails");
                let failures: Vec<_> = error.failures().map(|failure| &*failure.node).collect();
                assert_eq!(failures, ["bad"], "{error}");
                assert!(error.to_string().contains("`bad`") && error.to_string().contains("boom"), "{error}");
                let cause = &error.failures().next().expect("one").cause;
                match (at, how) {
                    (At::Drop, _) => assert!(matches!(cause, Cause::PanicInDrop { .. }), "{cause}"),
                    (_, How::Panic) => {
                        assert!(matches!(cause, Cause::Panic { message, .. } if message == "boom"), "{cause}")
                    }
                    (_, How::Error) => assert!(matches!(cause, Cause::Error(_)), "{cause}"),
                }
                // The branch that nothing ails has every token that was sent, in order.
                let seen: Vec<_> = seen.iter().collect();
                assert_eq!(seen, (0..ledger.made()).collect::<Vec<_>>());
                if matches!(at, At::Middle | At::Join | At::Sink) {
                    // No further than the edges reach.
                    assert!(ledger.made() < when + 1000, "the source is stopped, but it sent {}", ledger.made());
                }
                if at == At::Source {
                    assert_eq!(ledger.made(), when, "what came before the failure is delivered");
                }
                ledger.settle();
            }
        }
    });
}

#[test]
fn all_failures_are_listed() {
    const NODES: usize = 6;
    everywhere(20, |on| {
        if !on.gives_threads() {
            return;
        }
        let together = Arc::new(Barrier::new(NODES));
        let mut b = Builder::new();
        let numbers = b.add(source(0..100u64));
        for (i, out) in b.fan_out(numbers.out, NODES).into_iter().enumerate() {
            let together = together.clone();
            let take = move |_: u64| {
                together.wait();
                if i.is_multiple_of(2) {
                    resume_unwind(Box::new(format!("boom {i}")));
                }
                Err(format!("boom {i}"))
            };
            b.pipe(out, sink(take).named(format!("bad{i}")).blocking());
        }
        let error = on.run(b.build().expect("sound")).expect_err("all fail");
        let mut nodes: Vec<_> = error.failures().map(|failure| failure.node.clone()).collect();
        assert_eq!(error.node(), Some(&*nodes[0]), "the first one is the first");
        nodes.sort();
        assert_eq!(nodes, (0..NODES).map(|i| format!("bad{i}")).collect::<Vec<_>>());
        for i in 0..NODES {
            assert!(error.to_string().contains(&format!("boom {i}")), "{error}");
        }
    });
}

#[test]
fn an_error_keeps_its_type() {
    everywhere(20, |on| {
        let mut b = Builder::new();
        let texts = b.add(source(["1", "2", "x"].map(str::to_owned)));
        b.pipe(texts.out, sink(|text: String| text.parse::<u32>().map(drop)).named("parse"));
        let error = on.run(b.build().expect("sound")).expect_err("x is no number");
        let RunError::Failed { first, others } = error else { panic!("{error}") };
        assert!(others.is_empty());
        let Cause::Error(error) = first.cause else { panic!("{first}") };
        assert!(error.downcast_ref::<std::num::ParseIntError>().is_some());
    });
}

#[test]
fn errors_travel_like_any_other() {
    fn travels<E: std::error::Error + Send + Sync + 'static>() {}
    travels::<kpn::BuildError>();
    travels::<kpn::StartError>();
    travels::<kpn::NodeFailure>();
    travels::<RunError>();
}

#[test]
fn a_panic_gives_back_what_it_carried() {
    everywhere(20, |on| {
        let mut b = Builder::new();
        let numbers = b.add(source([17u64]));
        b.pipe(numbers.out, sink(|x: u64| -> () { resume_unwind(Box::new(x)) }));
        let RunError::Failed { first, .. } = on.run(b.build().expect("sound")).expect_err("it panics") else {
            panic!("another error");
        };
        let Cause::Panic { payload, .. } = first.cause else { panic!("{first}") };
        assert_eq!(payload.into_inner().downcast_ref(), Some(&17u64));
    });
}

#[test]
fn a_token_that_panics_when_dropped_is_reported_or_swallowed_but_loses_no_other() {
    /// Counted, and panics when it is dropped.
    struct Rude(Counted);
    impl Drop for Rude {
        fn drop(&mut self) {
            if self.0.value.is_multiple_of(3) {
                resume_unwind(Box::new("rude"));
            }
        }
    }
    everywhere(20, |on| {
        // Dropped by a sink: it fails there.
        let ledger = Ledger::new();
        let made = ledger.clone();
        let mut b = Builder::new();
        let tokens = b.add(source((1..100).map(move |i| Rude(made.token(i)))));
        b.pipe(tokens.out, sink(drop::<Rude>).named("bad"));
        let error = on.run(b.build().expect("sound")).expect_err("the third token is rude");
        assert_eq!(error.node(), Some("bad"));
        ledger.settle();

        // Left in an edge whose reader has gone: the others must go as well.
        doing(format!("rude tokens left over on {on}"));
        let ledger = Ledger::new();
        let made = ledger.clone();
        let mut b = Builder::new();
        let tokens = b.add(source((1..100).map(move |i| Rude(made.token(i)))));
        b.pipe(
            tokens.out,
            step::<(One<Rude>,), (), _>(|(x,)| {
                std::mem::forget(x.0.clone());
                Fired::Failed("enough".into())
            })
            .named("bad"),
        );
        let error = on.run(b.build().expect("sound")).expect_err("it has enough");
        assert!(error.failures().any(|failure| failure.node == "bad"), "{error}");
        assert_eq!(ledger.alive(), 1, "only the forgotten one is left");
    });
}

#[test]
fn a_failed_run_gives_back_what_it_borrowed() {
    struct Keeps<'a>(&'a mut Vec<u64>);
    impl Firing for Keeps<'_> {
        type In = (One<u64>,);
        type Out = ();
        fn fire(&mut self, (x,): (u64,)) -> Fired<()> {
            self.0.push(x);
            if x == 50 { fail(How::Panic) } else { Fired::Emit(()) }
        }
    }
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let numbers = b.add(source(0..100u64));
        let info = kpn::node::NodeInfo { name: "keeps", inputs: &["x"], outputs: &[] };
        let ((input,), ()) = b.firing(info, Keeps(&mut seen));
        b.connect(numbers.out, input);
        assert_eq!(on.run(b.build().expect("sound")).expect_err("it panics").node(), Some("keeps"));
        assert_eq!(seen, (0..=50).collect::<Vec<_>>());
    });
}

#[test]
fn a_token_that_panics_when_cloned_fails_the_node_that_sends_it() {
    /// Can't be copied if it carries 50.
    struct Single(Counted);
    impl Clone for Single {
        fn clone(&self) -> Self {
            if self.0.value == 50 {
                resume_unwind(Box::new("single"));
            }
            Self(self.0.clone())
        }
    }
    everywhere(20, |on| {
        let ledger = Ledger::new();
        let made = ledger.clone();
        let mut seen = [const { Vec::new() }; 3];
        let mut b = Builder::new();
        let tokens = b.add(source((0..100).map(move |i| Single(made.token(i)))).named("sender"));
        for (out, seen) in b.fan_out(tokens.out, 3).into_iter().zip(&mut seen) {
            b.pipe(out, sink(|x: Single| seen.push(x.0.value)));
        }
        let error = on.run(b.build().expect("sound")).expect_err("one token can't be copied");
        assert_eq!(error.failures().map(|failure| &*failure.node).collect::<Vec<_>>(), ["sender"]);
        for seen in seen {
            assert!(seen.iter().copied().eq(0..50), "what came before is delivered to everybody: {seen:?}");
        }
        ledger.settle();
    });
}
