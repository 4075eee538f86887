//! Edges between nodes on threads of their own: need words, flush, both ways of closing.

use super::{explore, must_fail};
use crate::builder::Builder;
use crate::config::Private;
use crate::node::{Fired, Firing, Many, NodeInfo, One};
use crate::nodes::{filter_map, map, sink, source};

fn private() -> Private {
    Private::new().spin(std::time::Duration::ZERO)
}

/// `tokens` through one edge of this capacity; both ends park.
fn one_edge(tokens: u32, capacity: usize) -> impl Fn() + Sync + Send + 'static {
    move || {
        let mut seen = Vec::new();
        let mut b = Builder::new();
        let numbers = b.add(source(0..tokens));
        let end = b.add(sink(|x| seen.push(x)));
        b.connect(numbers.out, end.input).capacity(capacity);
        b.build().expect("a chain is fine").run_on(private()).expect("nothing fails");
        assert_eq!(seen, (0..tokens).collect::<Vec<_>>());
    }
}

/// A stage between two edges: it is woken from both sides.
fn two_edges() {
    let mut seen = Vec::new();
    let mut b = Builder::new();
    let numbers = b.add(source(0..1u32));
    let tail = b.pipe(numbers.out, map(|x| x + 1));
    b.pipe(tail, sink(|x| seen.push(x)));
    let net = b.build().expect("a chain is fine").with_capacity(1).expect("1 is enough");
    net.run_on(private()).expect("nothing fails");
    assert_eq!(seen, [1]);
}

/// Ends after its first token, as a reader that goes early.
struct First;

impl Firing for First {
    type In = (One<u32>,);
    type Out = ();
    fn fire(&mut self, (_,): (u32,)) -> Fired<()> {
        Fired::End
    }
}

/// A source of any length ends once its reader has gone.
fn reader_leaves() {
    let mut b = Builder::new();
    let numbers = b.add(source(0u32..));
    let info = NodeInfo { name: "first", inputs: &["input"], outputs: &[] };
    let ((input,), ()) = b.firing(info, First);
    b.connect(numbers.out, input).capacity(1);
    b.build().expect("a chain is fine").run_on(private()).expect("nothing fails");
}

/// A filter that drops everything: its reader learns of the end though no token came.
fn end_without_a_token() {
    let mut seen = 0;
    let mut b = Builder::new();
    let numbers = b.add(source(0..1u32));
    let tail = b.pipe(numbers.out, filter_map(|_| None::<u32>));
    b.pipe(tail, sink(|_| seen += 1));
    b.build().expect("a chain is fine").run_on(private()).expect("nothing fails");
    assert_eq!(seen, 0);
}

/// More tokens from one firing than the edge holds: the node drains before it goes on.
struct Burst;

impl Firing for Burst {
    type In = (One<u32>,);
    type Out = (crate::node::Any<u32>,);
    fn fire(&mut self, (x,): (u32,)) -> Fired<(Many<u32>,)> {
        Fired::Emit(((x..x + 2).collect(),))
    }
}

fn burst() {
    let mut seen = Vec::new();
    let mut b = Builder::new();
    let numbers = b.add(source(0..1u32));
    let info = NodeInfo { name: "burst", inputs: &["input"], outputs: &["out"] };
    let ((input,), (out,)) = b.firing(info, Burst);
    b.connect(numbers.out, input);
    b.pipe(out, sink(|x| seen.push(x)));
    let net = b.build().expect("a chain is fine").with_capacity(1).expect("1 is enough");
    net.run_on(private()).expect("nothing fails");
    assert_eq!(seen, [0, 1]);
}

#[test]
fn one_edge_of_one() {
    explore(2, one_edge(2, 1));
}

#[test]
fn one_edge_of_two() {
    explore(1, one_edge(3, 2));
}

#[test]
fn stage_is_woken_from_both_sides() {
    explore(1, two_edges);
}

#[test]
fn writer_learns_that_its_reader_has_gone() {
    explore(2, reader_leaves);
}

#[test]
fn reader_learns_of_an_end_without_a_token() {
    explore(1, end_without_a_token);
}

#[test]
fn a_burst_drains_first() {
    explore(1, burst);
}

#[test]
fn flush_needs_its_fence() {
    must_fail("flush without a fence", 3, one_edge(2, 1));
}

#[test]
fn block_needs_its_second_look() {
    must_fail("block without a second look", 3, one_edge(2, 1));
}

#[test]
fn hints_alone_do_not_do() {
    must_fail("hints only", 3, one_edge(2, 1));
}

#[test]
fn closing_must_not_go_through_the_need_word() {
    must_fail("close by the need word", 3, one_edge(1, 1));
}

#[test]
fn closed_must_be_read_before_the_tail() {
    must_fail("tail before closed", 2, one_edge(2, 2));
}
