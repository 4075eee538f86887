//! What is printed.

use super::*;

#[test]
fn everything_is_printed() {
    let net = Net::new(6)
        .wire(0, 1, 1, 2)
        .wire(1, 2, 1, 1)
        .peek(3)
        .phases(2, 3, &[2, 1], &[])
        .wire(3, 4, 1, 1)
        .capacity(2)
        .wire(4, 5, 1, 1)
        .wire(5, 4, 1, 1)
        .initial(3);
    let mut labels = net.labels();
    labels.nodes[3].kind = NodeKind::Nondeterminate;
    labels.taps.push("b.out".into());
    let text = describe(&net.model(), labels).to_string();
    assert_eq!(text, EXPECTED);
}

const EXPECTED: &str = "\
6 nodes, 6 edges, 1288 bytes of edges

node  kind                firings
a     fixed            4 (part 1)
b     fixed            2 (part 1)
c     fixed            2 (part 1)
d     not determinate  1 (part 2)
e     fixed            1 (part 2)
f     fixed            1 (part 2)

edge     gives    takes  initial  bound  least   capacity  bytes
a -> b       1        2        0      2      2         64    256
b -> c       1   1 of 3        0      3      3         64    256
c -> d  [2, 1]  dynamic        0      2      -         64    256
d -> e       1        1        0      1      1  2 (asked)      8
e -> f       1        1        0      1      1         64    256
f -> e       1        1        3      3      3         64    256

part 1, `a`, `b`, `c`: an iteration is 8 firings; it can go on for ever
  to fill the windows first: 4 a, 2 b
  schedule: 4 a, 2 b, 2 c
  within the least capacities: 2 a, b, 2 a, c, b, c

part 2, `d`, `e`, `f`: an iteration is 3 firings; it can go on for ever
  schedule: d, e, f

not determinate: time or the order of arrivals decides what comes from `d`
  and so what reaches `e`, `f`
seen from outside as time has it: `b.out`
";

#[test]
fn what_is_wrong_is_printed() {
    let loop_of = |tokens| Net::new(2).wire(0, 1, 2, 3).wire(1, 0, 3, 2).initial(tokens);
    let dead = loop_of(3).analysis().to_string();
    let expected = "
an iteration is 5 firings; it comes to a deadlock, however large its edges are
  the cycle `a` -> `b` needs 4 initial tokens on `b -> a`, not 3

determinate: every edge carries the same tokens whatever the schedule
";
    assert!(dead.ends_with(expected), "{dead}");
    let full = Net::new(3).wire(0, 1, 1, 1).peek(4).wire(1, 2, 1, 1).wire(0, 2, 1, 1).capacity(2);
    let analysis = full.analysis();
    assert_eq!(analysis.is_live(), Some(false));
    let text = analysis.to_string();
    let expected = "
an iteration is 3 firings; it can go on for ever
  to fill the windows first: 3 a
  not with the capacities it has: `a`, `c`, `b` wait for one another, and `a -> c` is full
  schedule: a, b, c

determinate: every edge carries the same tokens whatever the schedule
";
    assert!(text.ends_with(expected), "{text}");
    let text = Net::new(2).wire(0, 1, 2, 1).wire(1, 0, 1, 3).analysis().to_string();
    assert!(text.contains("\nits rates don't agree\n"), "{text}");
}
