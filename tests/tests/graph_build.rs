//! What `build` accepts and what it says of the rest, by hand-written builders.

use kpn::prelude::*;
use kpn::{BuildError, Problem};

fn problems(builder: Builder<'_>) -> Vec<Problem> {
    builder.build().map_or_else(|error| error.problems().to_vec(), |_| Vec::new())
}

const U32: &str = "u32";

#[test]
fn an_empty_network_builds() {
    assert_eq!(problems(Builder::new()), []);
}

#[test]
fn ports_that_are_not_wired_are_named() {
    let mut b = Builder::new();
    let _ = b.add(source(0..3u32).named("numbers"));
    let _ = b.add(gather::<u32, 2>());
    let expected = [
        Problem::UnwiredOutput { port: "numbers.out".into(), token: U32 },
        Problem::UnwiredInput { port: "gather.inputs[0]".into(), token: U32 },
        Problem::UnwiredInput { port: "gather.inputs[1]".into(), token: U32 },
        Problem::UnwiredOutput { port: "gather.out".into(), token: "[u32; 2]" },
    ];
    assert_eq!(problems(b), expected);
}

#[test]
fn a_cycle_is_reported_with_its_nodes_in_order() {
    let mut b = Builder::new();
    let one = b.add(map(|x: u32| x).named("one"));
    let two = b.add(map(|x: u32| x).named("two"));
    b.connect(one.out, two.input);
    b.connect(two.out, one.input);
    let selfish = b.add(map(|x: u32| x).named("selfish"));
    b.connect(selfish.out, selfish.input);
    let error = b.build().expect_err("nothing starts these");
    let cycle = |nodes: &[&str]| Problem::Cycle { nodes: nodes.iter().map(|&n| n.to_owned()).collect() };
    assert_eq!(error.problems(), [cycle(&["one", "two"]), cycle(&["selfish"])]);
    assert!(error.to_string().contains("the cycle `one` -> `two` -> `one` can't start"), "{error}");
}

#[test]
fn a_port_of_another_builder_is_foreign() {
    let mut other = Builder::new();
    let numbers = other.add(source(0..3u32));
    let mut b = Builder::new();
    b.pipe(numbers.out, sink(|_: u32| ()));
    assert_eq!(problems(b), [Problem::ForeignPort { port: "sink.input".into() }]);
}

#[test]
fn capacities_are_checked_with_the_edge_named() {
    for (capacity, good) in [(0, false), (1, true), (3, true), (usize::MAX, false)] {
        let mut b = Builder::new();
        let numbers = b.add(source(0..3u32));
        let end = b.add(sink(|_: u32| ()));
        b.connect(numbers.out, end.input).capacity(capacity);
        let edge = "source.out -> sink.input".to_owned();
        let bad = Problem::Capacity { edge, capacity, least: 1, most: 1 << 30 };
        assert_eq!(problems(b), if good { vec![] } else { vec![bad] });
    }
}

#[test]
fn a_fanned_out_output_may_have_any_number_of_readers() {
    for readers in 1..4 {
        let mut b = Builder::new();
        let numbers = b.add(source(0..3u32));
        for copy in b.fan_out(numbers.out, readers) {
            b.pipe(copy, sink(|_: u32| ()));
        }
        assert_eq!(problems(b), []);
    }
    let mut b = Builder::new();
    let numbers = b.add(source(0..3u32));
    assert!(b.fan_out(numbers.out, 0).is_empty());
    assert_eq!(problems(b), [Problem::UnwiredOutput { port: "source.out".into(), token: U32 }]);
}

#[test]
fn the_name_said_last_holds() {
    let mut b = Builder::new();
    let _ = b.add(source(0..3u32).named("first").private().named("last"));
    assert_eq!(problems(b), [Problem::UnwiredOutput { port: "last.out".into(), token: U32 }]);
}

#[test]
fn names_clash_only_where_both_were_given() {
    let mut b = Builder::new();
    let mut tail = b.add(source(0..3u32).named("map")).out;
    for _ in 0..3 {
        tail = b.pipe(tail, map(|x: u32| x));
    }
    b.pipe(tail, sink(|_| ()).named("map"));
    assert_eq!(problems(b), [Problem::DuplicateName { name: "map".into() }]);
}

#[test]
fn every_problem_is_a_sentence() -> Result<(), BuildError> {
    let mut b = Builder::new();
    let numbers = b.add(source(0..3u32).named("a\n"));
    let end = b.add(sink(|_: u32| ()));
    b.connect(numbers.out, end.input).capacity(0);
    let error = b.build().expect_err("two problems");
    let expected = "the network can't be built, for 2 reasons:
  - a node is named \"a\\n\": a name is not empty and has no control characters
  - the edge `a\n.out -> sink.input` has a capacity of 0: it must be 1 to 1073741824";
    assert_eq!(error.to_string(), expected);
    Builder::new().build().map(drop)
}
