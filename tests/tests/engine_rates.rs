//! Rates and order: what a firing may give, and that edges of any capacity keep it.

use kpn::node::{Any, Fired, Maybe, One};
use kpn::prelude::*;
use kpn_tests::step::{step, step_to_end};
use kpn_tests::{Counted, Ledger, doing, everywhere};

const CAPACITIES: [usize; 4] = [1, 2, 3, 64];

#[test]
fn many_may_give_more_than_an_edge_holds() {
    everywhere(30, |on| {
        for capacity in CAPACITIES {
            doing(format!("bursts into {capacity} on {on}"));
            let ledger = Ledger::new();
            let mut seen = Vec::new();
            let mut b = Builder::new();
            let numbers = b.add(source(0..40u64));
            let made = ledger.clone();
            // 0, 1, 2, … 39 tokens; the longest bursts fill the edge many times over.
            let burst = step::<(One<u64>,), (Any<Counted>,), _>(move |(n,)| {
                Fired::Emit(((0..n).map(|i| made.token(n * 100 + i)).collect(),))
            });
            let burst = b.add(burst);
            b.connect(numbers.out, burst.ins.0);
            let end = b.add(sink(|x: Counted| seen.push(x.value)));
            b.connect(burst.outs.0, end.input).capacity(capacity);
            let report = on.run(b.build().expect("sound")).expect("no failure");
            let expected: Vec<_> = (0..40).flat_map(|n| (0..n).map(move |i| n * 100 + i)).collect();
            assert_eq!(seen, expected);
            assert!(report.edges.iter().all(|edge| edge.high_water <= edge.capacity && edge.len == 0));
            ledger.settle();
        }
    });
}

#[test]
fn a_burst_as_the_last_word_arrives() {
    everywhere(30, |on| {
        for capacity in CAPACITIES {
            doing(format!("a last word of 500 through {capacity} on {on}"));
            let mut seen = Vec::new();
            let mut kept = Vec::new();
            let mut b = Builder::new();
            let numbers = b.add(source(0..500u64));
            // It gives all that it got in reverse, once it has everything.
            let reverse = step_to_end::<(One<u64>,), (Any<u64>,), _>(move |items| match items {
                Some((x,)) => {
                    kept.push(x);
                    Fired::Emit((Many::new(),))
                }
                None => Fired::Emit((kept.drain(..).rev().collect(),)),
            });
            let reverse = b.add(reverse);
            b.connect(numbers.out, reverse.ins.0).capacity(capacity);
            let end = b.add(sink(|x: u64| seen.push(x)));
            b.connect(reverse.outs.0, end.input).capacity(capacity);
            on.run(b.build().expect("sound")).expect("no failure");
            assert!(seen.iter().copied().eq((0..500).rev()), "{seen:?}");
        }
    });
}

#[test]
fn the_last_word_is_said_once_after_a_stop_too() {
    everywhere(30, |on| {
        for stop in [false, true] {
            doing(format!("stop: {stop} on {on}"));
            let (sender, sums) = std::sync::mpsc::channel();
            let ledger = Ledger::new();
            let made = ledger.clone();
            let mut sum = 0;
            let mut b = Builder::new();
            let numbers = b.add(source((0..if stop { u64::MAX } else { 100 }).map(move |i| made.token(i))));
            let total = step_to_end::<(One<Counted>,), (Maybe<u64>,), _>(move |items| match items {
                Some((x,)) => {
                    sum += x.value;
                    Fired::Emit((None,))
                }
                None => Fired::Emit((Some(sum),)),
            });
            let total = b.pipe(numbers.out, total);
            b.pipe(total, sink(move |x: u64| sender.send(x)));
            let running = on.start(b.build().expect("sound")).expect("threads");
            if stop {
                running.stop();
            }
            running.wait().expect("no failure");
            let n = ledger.made();
            assert_eq!(sums.iter().collect::<Vec<_>>(), [n * n.saturating_sub(1) / 2]);
        }
    });
}

#[test]
fn a_node_without_tokens_says_its_last_word() {
    everywhere(30, |on| {
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let nothing = b.add(source(std::iter::empty::<u64>()));
        let last = step_to_end::<(One<u64>,), (One<&str>,), _>(|items| match items {
            Some(_) => unreachable!("there is no token"),
            None => Fired::Emit(("done",)),
        });
        let last = b.pipe(nothing.out, last);
        b.pipe(last, sink(|x: &str| seen.push(x)));
        on.run(b.build().expect("sound")).expect("no failure");
        assert_eq!(seen, ["done"]);
    });
}

#[test]
fn a_source_may_have_a_last_word() {
    everywhere(30, |on| {
        let mut seen = Vec::new();
        let mut next = 0;
        let mut b = Builder::new();
        let counts = step_to_end::<(), (One<u64>,), _>(move |items| {
            next += 1;
            match items {
                Some(()) if next > 10 => Fired::End,
                Some(()) => Fired::Emit((next,)),
                None => Fired::Emit((99,)),
            }
        });
        let counts = b.add(counts);
        b.pipe(counts.outs.0, sink(|x: u64| seen.push(x)));
        on.run(b.build().expect("sound")).expect("no failure");
        assert_eq!(seen, (1..=10).chain([99]).collect::<Vec<_>>());
    });
}

#[test]
fn none_sends_nothing_and_ends_nothing() {
    everywhere(30, |on| {
        for capacity in CAPACITIES {
            doing(format!("a filter before {capacity} on {on}"));
            let mut seen = Vec::new();
            let mut b = Builder::new();
            let numbers = b.add(source(0..3000u64));
            let few = b.pipe(numbers.out, filter_map(|x: u64| x.is_multiple_of(1000).then_some(x)));
            let end = b.add(sink(|x: u64| seen.push(x)));
            b.connect(few, end.input).capacity(capacity);
            on.run(b.build().expect("sound")).expect("no failure");
            assert_eq!(seen, [0, 1000, 2000]);
        }
    });
}

#[test]
fn a_block_gathers_in_order_and_copies_once_less_than_it_has_readers() {
    everywhere(30, |on| {
        for capacity in CAPACITIES {
            doing(format!("wide, {capacity}, on {on}"));
            let ledger = Ledger::new();
            let made = ledger.clone();
            let mut next = 0;
            let mut b = Builder::new();
            let tokens = b.add(source((0..400).map(move |i| made.token(i))));
            let join = b.add(gather::<Counted, 4>());
            for (out, input) in b.fan_out(tokens.out, 4).into_iter().zip(join.inputs) {
                let same = b.add(map(|x: Counted| x));
                b.connect(out, same.input).capacity(capacity);
                b.connect(same.out, input).capacity(capacity);
            }
            b.pipe(
                join.out,
                sink(|all: [Counted; 4]| {
                    assert!(all.iter().all(|x| x.value == next), "{all:?} instead of {next}");
                    next += 1;
                }),
            );
            on.run(b.build().expect("sound")).expect("no failure");
            assert_eq!((next, ledger.made(), ledger.cloned()), (400, 400, 3 * 400));
            ledger.settle();
        }
    });
}

#[test]
fn a_join_ends_with_its_shortest_input_and_loses_no_token() {
    everywhere(30, |on| {
        for capacity in CAPACITIES {
            doing(format!("a join behind {capacity} on {on}"));
            let ledger = Ledger::new();
            let mut seen = 0;
            let mut b = Builder::new();
            let mut tokens = |n: u64| {
                let made = ledger.clone();
                b.add(source((0..n).map(move |i| made.token(i)))).out
            };
            let (short, long, endless) = (tokens(30), tokens(1000), tokens(u64::MAX));
            let join = b.add(gather::<Counted, 3>());
            let [x, y, z] = join.inputs;
            b.connect(long, x).capacity(capacity);
            b.connect(short, y).capacity(capacity);
            b.connect(endless, z).capacity(capacity);
            b.pipe(
                join.out,
                sink(|all: [Counted; 3]| {
                    assert!(all.iter().all(|x| x.value == seen), "{all:?} instead of {seen}");
                    seen += 1;
                }),
            );
            on.run(b.build().expect("sound")).expect("no failure");
            assert_eq!(seen, 30);
            ledger.settle();
        }
    });
}

#[test]
fn tokens_may_be_of_any_size() {
    everywhere(30, |on| {
        for capacity in [1, 2, 1000] {
            doing(format!("nothing through {capacity} on {on}"));
            let mut count = 0;
            let mut b = Builder::new();
            let nothing = b.add(source(std::iter::repeat_n((), 1000)));
            b.pipe(nothing.out, sink(|()| count += 1));
            on.run(b.build().expect("sound").with_capacity(capacity).expect("it holds one")).expect("no failure");
            assert_eq!(count, 1000);

            doing(format!("a page through {capacity} on {on}"));
            let mut next = 0;
            let mut b = Builder::new();
            let pages = b.add(source((0..100u8).map(|i| [i; 4096])));
            let same = b.pipe(pages.out, map(|page: [u8; 4096]| page));
            b.pipe(
                same,
                sink(|page: [u8; 4096]| {
                    assert!(page.iter().all(|&byte| byte == next));
                    next += 1;
                }),
            );
            on.run(b.build().expect("sound").with_capacity(capacity).expect("it holds one")).expect("no failure");
            assert_eq!(next, 100);
        }
    });
}
