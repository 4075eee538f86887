use std::time::{Duration, Instant};

use super::*;
use crate::error::Problem;
use crate::node::rate::Rate;

fn shape(need: usize) -> PortShape {
    PortShape { token: "u32", need, size: 4, rate: Rate::Dynamic }
}

const INFO: NodeInfo = NodeInfo { name: "work", inputs: &["a", "b"], outputs: &["x", "y"] };

fn named(name: &str) -> Options {
    Options { name: Some(name.to_owned()), ..Options::default() }
}

/// Adds a node with so many inputs and outputs.
fn add(graph: &mut Graph, inputs: usize, outputs: usize, said: Options) -> usize {
    graph.add(INFO, vec![shape(1); inputs], vec![shape(1); outputs], Graph::ROOT, said)
}

fn wire(graph: &mut Graph, from: usize, to: usize) {
    graph.connect(Some((from, 0)), Some((to, 0)));
}

fn problems(graph: &mut Graph) -> Vec<Problem> {
    check(graph).map_or_else(|error| error.problems().to_vec(), |()| Vec::new())
}

fn names(graph: &Graph) -> Vec<&str> {
    graph.nodes.iter().map(|node| node.name.as_str()).collect()
}

#[test]
fn empty_graph_is_fine() {
    let mut graph = Graph::default();
    assert_eq!(problems(&mut graph), []);
    assert!(graph.splice().nodes.is_empty());
}

#[test]
fn default_names_get_suffixes_that_avoid_given_ones() {
    let mut graph = Graph::default();
    for said in [Options::default(), named("work#2"), Options::default(), named("work"), Options::default()] {
        add(&mut graph, 0, 0, said);
    }
    assert_eq!(problems(&mut graph), []);
    assert_eq!(names(&graph), ["work#3", "work#2", "work#4", "work", "work#5"]);
}

#[test]
fn a_name_given_three_times_is_one_problem() {
    let mut graph = Graph::default();
    for _ in 0..3 {
        add(&mut graph, 0, 0, named("a"));
    }
    assert_eq!(problems(&mut graph), [Problem::DuplicateName { name: "a".into() }]);
}

#[test]
fn names_that_cannot_be_printed_are_refused() {
    let mut graph = Graph::default();
    for name in ["", " ", "a\nb", "\u{7}", "schön ✓"] {
        add(&mut graph, 0, 0, named(name));
    }
    let bad = |name: &str| Problem::BadName { name: name.into() };
    assert_eq!(problems(&mut graph), [bad(""), bad(" "), bad("a\nb"), bad("\u{7}")]);
}

#[test]
fn equal_names_in_two_unnamed_composites_are_nobodys_fault() {
    let mut graph = Graph::default();
    for _ in 0..2 {
        let mut inner = Graph::default();
        add(&mut inner, 0, 0, named("mix"));
        graph.merge(inner, Graph::ROOT, Options::default());
    }
    add(&mut graph, 0, 0, named("mix"));
    assert_eq!(problems(&mut graph), []);
    assert_eq!(names(&graph), ["mix#2", "mix#3", "mix"]);
}

#[test]
fn names_of_composites_are_paths_and_must_differ_side_by_side() {
    let mut graph = Graph::default();
    for outer in ["left", "right", "right"] {
        let mut middle = Graph::default();
        let mut inner = Graph::default();
        add(&mut inner, 0, 0, Options::default());
        middle.merge(inner, Graph::ROOT, named("echo"));
        add(&mut middle, 0, 0, named("mix"));
        graph.merge(middle, Graph::ROOT, named(outer));
    }
    assert_eq!(problems(&mut graph), [Problem::DuplicateName { name: "right".into() }]);
    let all = ["left/echo/work", "left/mix", "right/echo/work", "right/mix", "right/echo/work#2", "right/mix#2"];
    assert_eq!(names(&graph), all);
}

#[test]
fn what_a_node_says_of_itself_holds_inside_a_composite() {
    let mut inner = Graph::default();
    add(&mut inner, 0, 0, Options { placement: Some(Placement::Pinned(1)), ..Options::default() });
    add(&mut inner, 0, 0, Options { priority: Some(3), ..Options::default() });
    let mut graph = Graph::default();
    let said = Options {
        placement: Some(Placement::Private),
        blocking: Some(true),
        priority: Some(7),
        name: None,
        replicas: None,
    };
    assert_eq!(graph.merge(inner, Graph::ROOT, said), 0);
    let got: Vec<_> = graph.nodes.iter().map(|n| (n.placement, n.blocking, n.priority)).collect();
    assert_eq!(got, [(Placement::Pinned(1), true, Some(7)), (Placement::Private, true, Some(3))]);
}

#[test]
fn all_wiring_problems_are_found_at_once_in_node_order() {
    let mut graph = Graph::default();
    let a = add(&mut graph, 0, 2, named("a"));
    let b = add(&mut graph, 2, 0, named("b"));
    let c = add(&mut graph, 1, 1, named("c"));
    graph.connect(Some((a, 0)), Some((b, 0)));
    graph.connect(Some((a, 0)), Some((b, 0)));
    graph.connect(Some((c, 0)), None);
    graph.connect(None, Some((c, 0)));
    graph.connect(None, None);
    let foreign = |port: &str| Problem::ForeignPort { port: port.into() };
    let expected = [
        Problem::UnwiredOutput { port: "a.y".into(), token: "u32" },
        Problem::NotFannedOut { port: "a.x".into(), to: vec!["b.a".into(), "b.a".into()] },
        Problem::UnwiredInput { port: "b.b".into(), token: "u32" },
        Problem::WiredTwice { port: "b.a".into(), by: vec!["a.x".into(), "a.x".into()] },
        foreign("c.x"),
        foreign("c.a"),
        foreign("?"),
    ];
    assert_eq!(problems(&mut graph), expected);
}

#[test]
fn ports_without_names_are_numbered() {
    let mut graph = Graph::default();
    let info = NodeInfo { name: "gather", inputs: &[], outputs: &[] };
    graph.add(info, vec![shape(1); 2], vec![], Graph::ROOT, Options::default());
    let error = check(&mut graph).expect_err("nothing is wired");
    assert_eq!(error.problems()[1], Problem::UnwiredInput { port: "gather.inputs[1]".into(), token: "u32" });
}

#[test]
fn capacities_have_bounds() {
    for (capacity, ok) in
        [(0, false), (2, false), (3, true), (1 << 30, true), ((1 << 30) + 1, false), (usize::MAX, false)]
    {
        let mut graph = Graph::default();
        let a = graph.add(INFO, vec![], vec![shape(2)], Graph::ROOT, named("a"));
        let b = graph.add(INFO, vec![shape(3)], vec![], Graph::ROOT, named("b"));
        wire(&mut graph, a, b);
        graph.set_capacity(0, capacity);
        let edge = "a.x -> b.a".to_owned();
        let expected = Problem::Capacity { edge, capacity, least: 3, most: 1 << 30 };
        assert_eq!(problems(&mut graph), if ok { vec![] } else { vec![expected] });
    }
}

#[test]
fn the_largest_capacity_shrinks_with_the_token() {
    for size in [0, 1, 1 << 20, 1 << 40, isize::MAX as usize] {
        let mut graph = Graph::default();
        let huge = PortShape { size, ..shape(1) };
        let a = graph.add(INFO, vec![], vec![huge.clone()], Graph::ROOT, named("a"));
        let b = graph.add(INFO, vec![huge], vec![], Graph::ROOT, named("b"));
        wire(&mut graph, a, b);
        graph.set_capacity(0, usize::MAX);
        let [Problem::Capacity { most, .. }] = problems(&mut graph)[..] else { panic!("one problem") };
        assert!(most.is_power_of_two() && most.checked_mul(size).is_some_and(|bytes| isize::try_from(bytes).is_ok()));
    }
}

#[test]
fn each_component_shows_its_shortest_cycle() {
    let mut graph = Graph::default();
    for name in ["a", "b", "c", "d", "e"] {
        let node = add(&mut graph, 1, 1, named(name));
        graph.fanned.insert((node, 0));
    }
    for (from, to) in [(0, 1), (1, 2), (2, 3), (3, 0), (2, 0), (4, 4)] {
        wire(&mut graph, from, to);
    }
    let cycles: Vec<_> = problems(&mut graph).into_iter().filter(|p| matches!(p, Problem::Cycle { .. })).collect();
    let cycle = |nodes: &[&str]| Problem::Cycle { nodes: nodes.iter().map(|&n| n.to_owned()).collect() };
    assert_eq!(cycles, [cycle(&["a", "b", "c"]), cycle(&["e"])]);
}

/// A builder's worth of two chained composites: `s → outer.x → inner.x → {t, u}`.
fn nested(capacities: [Option<usize>; 3]) -> Graph {
    let mut inner = Graph::default();
    let x = inner.add_junction("x", shape(1));
    inner.fanned.insert((x, 0));
    for name in ["t", "u"] {
        let node = add(&mut inner, 1, 0, named(name));
        wire(&mut inner, x, node);
    }
    inner.edges[0].capacity = capacities[2];
    let mut outer = Graph::default();
    let y = outer.add_junction("y", shape(1));
    let offset = outer.merge(inner, Graph::ROOT, named("inner"));
    wire(&mut outer, y, offset + x);
    outer.edges.last_mut().expect("wired").capacity = capacities[1];
    let mut graph = Graph::default();
    let offset = graph.merge(outer, Graph::ROOT, named("outer"));
    let s = add(&mut graph, 0, 1, named("s"));
    wire(&mut graph, s, offset + y);
    graph.edges.last_mut().expect("wired").capacity = capacities[0];
    graph
}

#[test]
fn junctions_leave_no_trace() {
    let mut graph = nested([None; 3]);
    assert_eq!(problems(&mut graph), []);
    let spliced = graph.splice();
    assert_eq!(spliced.nodes, [None, None, Some(0), Some(1), Some(2)]);
    assert_eq!(spliced.edges, [0, 1]);
    assert_eq!(spliced.fanned, [((1, 0), (2, 0))]);
    assert_eq!(names(&graph), ["outer/inner/t", "outer/inner/u", "s"]);
    assert_eq!([graph.edge_name(0), graph.edge_name(1)], ["s.x -> outer/inner/t.a", "s.x -> outer/inner/u.a"]);
    assert!(graph.fanned.contains(&(2, 0)) && graph.fanned.len() == 1);
    assert!(check_rates(&graph).is_ok());
}

#[test]
fn the_innermost_capacity_holds() {
    let all = [None, Some(8)];
    for (outside, middle, inside) in
        all.into_iter().flat_map(|o| all.map(|m| (o, m))).flat_map(|(o, m)| all.map(|i| (o, m, i)))
    {
        let [outside, middle, inside] = [outside, middle.map(|c| c + 1), inside.map(|c| c + 2)];
        let mut graph = nested([outside, middle, inside]);
        assert_eq!(problems(&mut graph), []);
        graph.splice();
        assert_eq!(graph.edges[0].capacity, inside.or(middle).or(outside));
        assert_eq!(graph.edges[1].capacity, middle.or(outside));
    }
}

#[test]
fn an_open_port_that_is_not_wired_is_one_of_its_composite() {
    let mut graph = Graph::default();
    for (name, inside) in [("echo", false), ("", true)] {
        let mut inner = Graph::default();
        let x = inner.add_junction("x", shape(1));
        if inside {
            let t = add(&mut inner, 1, 0, named("t"));
            wire(&mut inner, x, t);
        }
        graph.merge(inner, Graph::ROOT, if inside { Options::default() } else { named(name) });
    }
    let expected = [
        Problem::UnwiredInput { port: "echo.x".into(), token: "u32" },
        Problem::UnwiredOutput { port: "echo.x".into(), token: "u32" },
        Problem::UnwiredInput { port: "x".into(), token: "u32" },
    ];
    assert_eq!(problems(&mut graph), expected);
}

#[test]
fn cycles_of_open_ports_are_found() {
    let mut inner = Graph::default();
    let x = inner.add_junction("x", shape(1));
    let y = inner.add_junction("y", shape(1));
    wire(&mut inner, x, y);
    let mut graph = Graph::default();
    graph.merge(inner, Graph::ROOT, named("wire"));
    wire(&mut graph, y, x);
    assert_eq!(problems(&mut graph), [Problem::Cycle { nodes: vec!["wire.x".into(), "wire.y".into()] }]);
}

#[test]
fn large_graphs_are_checked_in_linear_time() {
    const NODES: usize = 100_000;
    const OUT: usize = 10;
    let mut graph = Graph::default();
    for _ in 0..NODES {
        let node = graph.add(INFO, vec![shape(1); OUT], vec![shape(1); OUT], Graph::ROOT, Options::default());
        for port in 0..OUT {
            // Mostly a long chain, closed to one ring, so that the search goes as deep as it can.
            let to = (node + 1 + port * 7) % NODES;
            graph.connect(Some((node, port)), Some((to, port)));
        }
    }
    let begin = Instant::now();
    let found = problems(&mut graph);
    assert!(matches!(&found[..], [Problem::Cycle { .. }]), "{} problems", found.len());
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn a_long_chain_of_junctions_is_spliced_without_recursion() {
    const LENGTH: usize = 100_000;
    let mut graph = Graph::default();
    let source = add(&mut graph, 0, 1, Options::default());
    let mut last = source;
    for _ in 0..LENGTH {
        let junction = graph.add_junction("j", shape(1));
        wire(&mut graph, last, junction);
        last = junction;
    }
    let sink = add(&mut graph, 1, 0, Options::default());
    wire(&mut graph, last, sink);
    assert_eq!(problems(&mut graph), []);
    graph.splice();
    assert_eq!((graph.nodes.len(), graph.edges.len()), (2, 1));
    assert_eq!(graph.edge_name(0), "work.x -> work#2.a");
}
