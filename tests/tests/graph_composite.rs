//! Composites: networks that are nodes.

use kpn::Problem;
use kpn::builder::{Composite, Junction};
use kpn::node::{Body, InPort, Node, OutPort, Ports};
use kpn::prelude::*;

/// The ports of a composite with one input and one output.
struct Open {
    x: InPort<u32>,
    y: OutPort<u32>,
}

impl Ports for Open {
    type Ins = (InPort<u32>,);
    type Outs = (OutPort<u32>,);
    fn ins(&self) -> Self::Ins {
        (self.x.again(),)
    }
    fn outs(&self) -> Self::Outs {
        (self.y.again(),)
    }
}

/// A composite with open ports `x` and `y`, wired inside by `inside`.
fn composite<'env>(inside: impl FnOnce(&mut Builder<'env>, OutPort<u32>, InPort<u32>)) -> Composite<'env, Open> {
    let mut b = Builder::new();
    let x: Junction<u32> = b.open("x");
    let y: Junction<u32> = b.open("y");
    inside(&mut b, x.output, y.input);
    Composite::new(b, Open { x: x.input, y: y.output })
}

/// Adds `by` in a node called `add`.
fn adder<'env>(by: u32) -> Composite<'env, Open> {
    composite(|b, x, y| {
        let sum = b.pipe(x, map(move |x| x + by).named("add"));
        b.connect(sum, y);
    })
}

/// Runs `0, 1, 2` through a composite.
fn through<'env>(stage: impl Body<'env, Ports = Open>) -> Vec<u32> {
    let mut b = Builder::new();
    let numbers = b.add(source(0..3));
    let out = b.pipe(numbers.out, stage);
    let (sender, seen) = std::sync::mpsc::channel();
    b.pipe(out, sink(move |x| sender.send(x)));
    b.build().expect("a sound network").run().expect("no node fails");
    seen.iter().collect()
}

#[test]
fn a_composite_is_a_node() {
    assert_eq!(through(adder(3)), [3, 4, 5]);
}

#[test]
fn an_empty_composite_passes_tokens_on() {
    let wire = composite(|b, x, y| {
        b.connect(x, y);
    });
    assert_eq!(through(wire), [0, 1, 2]);
}

#[test]
fn composites_nest() {
    let nested = composite(|b, x, y| {
        let one = b.pipe(x, adder(1).named("one"));
        let two = b.pipe(
            one,
            composite(|b, x, y| {
                let ten = b.pipe(x, adder(10));
                b.connect(ten, y);
            }),
        );
        b.connect(two, y);
    });
    assert_eq!(through(nested.named("nested")), [11, 12, 13]);
}

#[test]
fn copies_made_inside_and_outside_reach_everybody() {
    let fanned = composite(|b, x, y| {
        // The open port is copied inside, and once more by a composite inside.
        let [a, c] = <[_; 2]>::try_from(b.fan_out(x, 2)).expect("two");
        let a = b.pipe(
            a,
            composite(|b, x, y| {
                let [a, c] = <[_; 2]>::try_from(b.fan_out(x, 2)).expect("two");
                let pair = b.add(gather::<u32, 2>());
                let [left, right] = pair.inputs;
                b.connect(a, left);
                b.connect(c, right);
                let sum = b.pipe(pair.out, map(|[a, c]: [u32; 2]| a + c));
                b.connect(sum, y);
            }),
        );
        let pair = b.add(gather::<u32, 2>());
        let [left, right] = pair.inputs;
        b.connect(a, left);
        b.connect(c, right);
        let sum = b.pipe(pair.out, map(|[a, c]: [u32; 2]| 100 * a + c));
        b.connect(sum, y);
    });
    assert_eq!(through(fanned), [0, 201, 402]);
}

#[test]
fn names_inside_have_the_composite_as_prefix() {
    let mut b = Builder::new();
    let numbers = b.add(source(0..3));
    let one = b.pipe(numbers.out, adder(1).named("left"));
    let two = b.pipe(one, adder(1).named("wrong").named("right"));
    let three = b.pipe(two, adder(1));
    b.pipe(three, sink(|_| ()));
    let dot = b.build().expect("a sound network").dot();
    let labels: Vec<_> = dot.lines().filter_map(|l| l.split("[label=\"").nth(1)?.split('"').next()).collect();
    assert_eq!(labels[..5], ["source", "left/add", "right/add", "add", "sink"], "{dot}");
}

#[test]
fn an_open_port_that_is_not_wired_is_a_port_of_the_composite() {
    let mut b = Builder::new();
    let _ = b.add(composite(|b, x, _| b.pipe(x, sink(|_| ()))).named("echo"));
    let problems = b.build().expect_err("three ends are open").problems().to_vec();
    let port = || "echo.x".to_owned();
    let expected = [
        Problem::UnwiredInput { port: port(), token: "u32" },
        Problem::UnwiredInput { port: "echo.y".into(), token: "u32" },
        Problem::UnwiredOutput { port: "echo.y".into(), token: "u32" },
    ];
    assert_eq!(problems, expected);
}

#[test]
fn a_port_that_was_taken_before_the_merge_stays_good() {
    let mut inside = Builder::new();
    let x: Junction<u32> = inside.open("x");
    let y: Junction<u32> = inside.open("y");
    let extra = inside.add(map(|x: u32| x).named("extra"));
    inside.connect(x.output, y.input);
    let node = Composite::new(inside, Open { x: x.input, y: y.output });

    let mut b = Builder::new();
    let numbers = b.add(source(0..3));
    let out = b.pipe(numbers.out, node);
    b.connect(out, extra.input);
    b.pipe(extra.out, sink(|_| ()));
    assert!(b.build().is_ok());
}

#[test]
fn a_composite_without_a_network_leaves_its_ports_foreign() {
    let node = adder(1);
    let mut b = Builder::new();
    let numbers = b.add(source(0..3));
    let mut elsewhere = Builder::new();
    let ports = elsewhere.add(node);
    b.connect(numbers.out, ports.x);
    let error = b.build().expect_err("the composite is elsewhere");
    assert_eq!(error.problems(), [Problem::ForeignPort { port: "source.out".into() }]);
}

/// A body that adds others, without a builder of its own.
struct Twice;

impl Node for Twice {
    type Ports = Open;
}

impl<'env> Body<'env> for Twice {
    fn install(self, b: &mut Builder<'env>) -> Open {
        let first = b.add(map(|x: u32| 2 * x).named("first"));
        let second = b.add(map(|x: u32| 2 * x));
        b.connect(first.out, second.input);
        Open { x: first.input, y: second.out }
    }
}

#[test]
fn a_body_that_adds_others_is_a_composite() {
    assert_eq!(through(Twice), [0, 4, 8]);
    let mut b = Builder::new();
    let _ = b.add(Twice.named("twice"));
    let error = b.build().expect_err("both ends are open");
    let expected = [
        Problem::UnwiredInput { port: "twice/first.input".into(), token: "u32" },
        Problem::UnwiredOutput { port: "twice/map.out".into(), token: "u32" },
    ];
    assert_eq!(error.problems(), expected);
}
