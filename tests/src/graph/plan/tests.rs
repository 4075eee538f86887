use std::collections::HashSet;

use super::oracle::{Oracle, Order, Verdict};
use super::*;
use crate::Dice;

fn plans(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Plan)> {
    seeds.map(|seed| {
        let mut dice = Dice::new(seed);
        let nodes = *dice.pick(&[12, 12, 40, 120]);
        (seed, Plan::random(&mut dice, Taste::all(nodes)))
    })
}

fn firing(takes: &[Take], gives: &[Give]) -> Firing {
    let (takes, gives) = (takes.to_vec(), gives.to_vec());
    Firing { takes, gives, stateful: false, ascending: false, limit: None, finishes: false }
}

fn node(kind: Kind) -> Node {
    Node { kind, salt: 7, place: Place::Shared, work: 0 }
}

fn edge(from: (usize, usize), to: (usize, usize)) -> Edge {
    let port = |(node, port)| Port { node, port };
    Edge { from: port(from), to: port(to), capacity: None, initial: None }
}

#[test]
fn a_loop_is_known_by_heart() {
    // Takes a token from outside and one from the loop; sends what it took last, which came by the loop, to both.
    let ops = vec![Op::Recv(0), Op::Recv(1), Op::Send(0, Value::Last), Op::Send(1, Value::Last)];
    let head = Program { inputs: 2, outputs: 2, phases: vec![Phase { until: Until::One, ops }] };
    let back = Edge { initial: Some(vec![5, 6]), ..edge((1, 0), (1, 1)) };
    let plan = Plan {
        nodes: vec![node(Kind::Replay(vec![1, 2, 3])), node(Kind::Process(head)), node(Kind::Drain)],
        edges: vec![edge((0, 0), (1, 0)), back, edge((1, 1), (2, 0))],
    };
    let wiring = plan.wiring();
    let mut oracle = Oracle::new(&plan, &wiring, None);
    assert_eq!(oracle.run(Order::Queue), Verdict::Ended);
    assert_eq!(oracle.taken(), [vec![1, 2, 3], vec![5, 6, 5], vec![5, 6, 5]]);
    // What lies on the loop stays there: the head leaves it when its other input ends.
    let expected = oracle.expected_taken();
    assert!(expected.iter().all(|expected| expected.is_exact()));
}

#[test]
fn what_is_upstream_of_an_early_end_may_be_cut_short() {
    let early = Firing { limit: Some(2), ..firing(&[Take::One], &[]) };
    let pairs = firing(&[Take::Exactly(2)], &[Give::One]);
    let plan = Plan {
        nodes: vec![node(Kind::Replay((0..40).collect())), node(Kind::Firing(pairs)), node(Kind::Firing(early))],
        edges: vec![edge((0, 0), (1, 0)), edge((1, 0), (2, 0))],
    };
    let wiring = plan.wiring();
    let mut oracle = Oracle::new(&plan, &wiring, None);
    assert_eq!(oracle.run(Order::Queue), Verdict::Ended);
    assert_eq!(oracle.may_be_cut(), [true, true, false]);
    let expected = oracle.expected_taken();
    // It says that it ends in its third firing, for which three pairs are needed.
    assert_eq!(expected.iter().map(|e| (e.least, e.tokens.len())).collect::<Vec<_>>(), [(6, 40), (3, 3)]);
    assert_eq!(oracle.expected_written()[1][0].least, 3);
}

#[test]
fn the_order_of_the_interpreter_makes_no_difference() {
    for (seed, plan) in plans(0..150) {
        let wiring = plan.wiring();
        let run = |order| {
            let mut oracle = Oracle::new(&plan, &wiring, None);
            assert_eq!(oracle.run(order), Verdict::Ended, "seed {seed}");
            (oracle.taken().to_vec(), oracle.expected_taken(), oracle.expected_written())
        };
        let expected = run(Order::Queue);
        for other in 0..3 {
            assert_eq!(run(Order::Lot(Dice::new(other))), expected, "seed {seed}");
        }
    }
}

#[test]
fn bounds_change_no_history() {
    let mut deadlocks = 0;
    for (seed, plan) in plans(0..150) {
        let wiring = plan.wiring();
        let bounds = plan.bounds();
        let small = Oracle::new(&plan, &wiring, Some(&bounds)).run(Order::Queue);
        deadlocks += usize::from(small == Verdict::Artificial);
        let mut free = Oracle::new(&plan, &wiring, None);
        free.run(Order::Queue);
        let Some(plan) = plan.clone().bounded() else { continue };
        let bounds = plan.bounds();
        let mut bounded = Oracle::new(&plan, &wiring, Some(&bounds));
        assert_eq!(bounded.run(Order::Queue), Verdict::Ended, "seed {seed}");
        let exact = free.expected_taken();
        for (edge, expected) in exact.iter().enumerate().filter(|(_, expected)| expected.is_exact()) {
            assert_eq!(bounded.taken()[edge], expected.tokens, "seed {seed}, edge {edge}");
        }
    }
    assert!(deadlocks > 50, "only {deadlocks} networks need larger edges");
}

#[test]
fn the_generator_makes_what_it_promises() {
    let (mut takes, mut gives, mut ops) = (HashSet::<Take>::new(), HashSet::<Give>::new(), HashSet::new());
    let (mut most, mut loops, mut edges, mut exact, mut copies) = (0, 0, 0, 0, 0);
    let (mut early, mut last_words, mut alone) = (0, 0, 0);
    for (_, plan) in plans(0..200) {
        most = most.max(plan.nodes.len());
        loops += usize::from(plan.has_loops());
        edges += plan.edges.len();
        copies += plan.wiring().outputs.iter().flatten().filter(|edges| edges.len() > 1).count();
        for node in &plan.nodes {
            alone += usize::from(node.place != Place::Shared);
            match &node.kind {
                Kind::Firing(firing) => {
                    takes.extend(firing.takes.iter().copied());
                    gives.extend(firing.gives.iter().copied());
                    early += usize::from(firing.limit.is_some() && !firing.takes.is_empty());
                    last_words += usize::from(firing.finishes);
                }
                Kind::Process(program) => {
                    let all = program.phases.iter().flat_map(|phase| &phase.ops);
                    ops.extend(all.map(std::mem::discriminant));
                }
                Kind::Replay(_) | Kind::Drain => {}
            }
        }
        exact += Trial::of(plan, Mode::Grow).expect("it ends").exact();
    }
    assert!(most > 100, "at most {most} nodes");
    assert_eq!((takes.len(), gives.len(), ops.len()), (9, 8, 11), "{takes:?} {gives:?}");
    assert!(loops > 60 && copies > 500, "{loops} with loops, {copies} outputs with copies");
    assert!(early > 50 && last_words > 50 && alone > 100, "{early} {last_words} {alone}");
    assert!(5 * exact > 4 * edges, "only {exact} of {edges} histories are exact");
}

#[test]
fn a_failing_plan_gets_small() {
    // It fails where some process gives several tokens at once.
    let fails = |plan: &Plan| {
        let many = |op: &Op| matches!(op, Op::SendMany(..));
        let process = |node: &Node| match &node.kind {
            Kind::Process(program) => program.phases.iter().flat_map(|phase| &phase.ops).any(many),
            _ => false,
        };
        plan.nodes.iter().any(process)
    };
    let large = plans(0..100).map(|(_, plan)| plan).find(|plan| plan.nodes.len() > 60 && fails(plan));
    let small = shrink(large.expect("a large plan"), fails);
    assert!(fails(&small));
    let own = small.nodes.iter().filter(|node| matches!(node.kind, Kind::Process(_) | Kind::Firing(_))).count();
    assert_eq!(own, 1, "{small}");
    let Some(Kind::Process(program)) = small.nodes.iter().map(|node| &node.kind).find(|kind| kind.is_process()) else {
        panic!("{small}");
    };
    assert_eq!(program.phases.iter().map(|phase| phase.ops.len()).sum::<usize>(), 1, "{small}");
}
