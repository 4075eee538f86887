//! The newest token of an output, seen from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kpn::prelude::*;
use kpn::{Latest, TapError};
use kpn_tests::everywhere;
use kpn_tests::watch::watch;

/// Counts its clones.
struct Counted(u64, Arc<AtomicUsize>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.1.fetch_add(1, Ordering::Relaxed);
        Self(self.0, self.1.clone())
    }
}

#[node]
async fn copies(x: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    while let Some(x) = x.recv().await {
        out.send_many([x, x]).await?;
    }
    Ok(())
}

/// What is seen never goes back, and in the end the last token is seen: of a node that fires, of a process, of a fan-out.
#[test]
fn the_newest_is_seen_everywhere() {
    everywhere(60, |on| {
        let mut net = network! {
            source(1..=3_000u64) -> copies() -> { sink(|_: u64| ()), map(|x: u64| x).named("last") -> sink(|_: u64| ()) }
        }
        .expect("a tree");
        let outputs = ["source.out", "copies.out", "last.out"];
        let taps = outputs.map(|output| net.latest::<u64>(output).expect("an output of numbers"));
        assert!(taps.iter().all(|tap| tap.get().is_none()));
        let running = on.start(net).expect("threads");
        for tap in &taps {
            let mut last = 0;
            while last < 3_000 {
                let now = tap.get().unwrap_or(0);
                assert!(now >= last, "{now} after {last}");
                last = now;
                thread::sleep(std::time::Duration::from_micros(50));
            }
        }
        running.wait().expect("no node fails");
        assert!(taps.iter().all(|tap| tap.get() == Some(3_000)));
    });
}

/// Nobody who looks, no clone.
#[test]
fn only_who_looks_is_paid_for() {
    watch(60, || {
        let clones = Arc::new(AtomicUsize::new(0));
        let run = |looks: &dyn Fn(&mut Network<'_>) -> Option<Latest<Counted>>| {
            let counter = clones.clone();
            let tokens = (0..100).map(move |x| Counted(x, counter.clone()));
            let mut net = network! { source(tokens) -> sink(|_: Counted| ()) }.expect("a chain");
            let kept = looks(&mut net);
            net.run().expect("no node fails");
            assert!(kept.is_none_or(|kept| kept.get().is_some_and(|token| token.0 == 99)));
            clones.swap(0, Ordering::Relaxed)
        };
        assert_eq!(run(&|_| None), 0);
        let tap = |net: &mut Network<'_>| net.latest::<Counted>("source.out").expect("an output");
        assert_eq!(run(&|net| Some(tap(net))), 101, "each token once, and the look");
        let dropped = |net: &mut Network<'_>| {
            drop(tap(net));
            None
        };
        assert_eq!(run(&dropped), 0);
        let one_of_two = |net: &mut Network<'_>| {
            drop(tap(net));
            Some(tap(net))
        };
        assert_eq!(run(&one_of_two), 101);
    });
}

/// Whoever looks may look at once from several threads, and after the end.
#[test]
fn clones_see_the_same() {
    watch(60, || {
        let mut net =
            network! { source((0..2_000u32).map(|x| vec![x; 20])) -> sink(|_: Vec<u32>| ()) }.expect("a chain");
        let tap = net.latest::<Vec<u32>>("source.out").expect("an output");
        let running = net.start().expect("threads");
        thread::scope(|scope| {
            for _ in 0..3 {
                let tap = tap.clone();
                scope.spawn(move || {
                    loop {
                        let token = tap.get().unwrap_or_else(|| vec![0; 20]);
                        assert!(token.iter().all(|x| *x == token[0]), "{token:?}");
                        if token[0] == 1_999 {
                            break;
                        }
                    }
                });
            }
        });
        running.wait().expect("no node fails");
        assert_eq!(tap.get(), Some(vec![1_999; 20]));
    });
}

fn inner() -> Result<impl Stage<u32, String>, BuildError> {
    network! {
        in x: u32;
        out y: String;
        x -> map(|x: u32| x + 1).named("plus") -> map(|x: u32| x.to_string()) -> y;
    }
}

#[test]
fn an_error_says_what_there_is() {
    watch(60, || {
        let mut net = network! { source(0..3u32) -> inner().expect("valid").named("inner") -> sink(|_: String| ()) }
            .expect("a composite");
        let error = net.latest::<u32>("inner.plus").expect_err("that is a node");
        assert!(matches!(&error, TapError::NoOutput { outputs, .. } if outputs.len() == 3));
        assert_eq!(
            error.to_string(),
            "no output is named `inner.plus`; there are `source.out` of `u32`, `inner/plus.out` of `u32`, \
             `inner/map.out` of `alloc::string::String`"
        );
        let error = net.latest::<u32>("inner/map.out").expect_err("that gives strings");
        assert_eq!(
            error.to_string(),
            "the output `inner/map.out` gives `alloc::string::String`, not `u32`; `source.out`, `inner/plus.out` do"
        );
        let error = net.latest::<u8>("source.out").expect_err("that gives others");
        assert_eq!(error.to_string(), "the output `source.out` gives `u32`, not `u8`");
        let plus = net.latest::<u32>("inner/plus.out").expect("there it is");
        net.run().expect("no node fails");
        assert_eq!(plus.get(), Some(3));
    });
}
