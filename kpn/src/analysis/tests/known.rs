//! Results from books and by hand.

use super::*;

/// From 44.1 kHz to 48 kHz in stages (Bhattacharyya, Murthy and Lee 1996).
fn cd_to_dat() -> Net {
    Net::new(6).wire(0, 1, 1, 1).wire(1, 2, 2, 3).wire(2, 3, 2, 7).wire(3, 4, 8, 7).wire(4, 5, 5, 1)
}

#[test]
fn from_compact_disc_to_tape() {
    let analysis = cd_to_dat().analysis();
    let firings: Vec<_> = analysis.nodes.iter().map(|node| node.firings).collect();
    assert_eq!(firings, [147, 147, 98, 28, 32, 160].map(Some));
    let least: Vec<_> = analysis.edges.iter().map(|edge| (edge.bound, edge.least)).collect();
    // A chain needs of each edge what its two ends need: p + c - gcd(p, c).
    assert_eq!(least, [1, 4, 8, 14, 5].map(|bound| (bound, Some(bound))));
    let part = &analysis.parts[0];
    assert_eq!(part.firings, Some(612));
    assert_eq!(part.liveness, Liveness::Live { ahead: Vec::new() });
    let schedule = part.schedule.as_ref().expect("it is short");
    assert!(schedule.is_single_appearance());
    assert_eq!(analysis.notation(schedule), "147 a, 147 b, 98 c, 28 d, 32 e, 160 f");
    assert!(part.tight.as_ref().is_some_and(|tight| !tight.is_single_appearance()));
}

#[test]
fn a_chain_of_single_tokens_fires_in_flow_order() {
    // Declared against the flow.
    let analysis = Net::new(3).wire(2, 1, 1, 1).wire(1, 0, 1, 1).analysis();
    let part = &analysis.parts[0];
    assert_eq!(part.schedule.as_ref().map(|schedule| analysis.notation(schedule)).as_deref(), Some("c, b, a"));
    assert_eq!(part.tight, part.schedule);
}

#[test]
fn a_window_is_filled_first() {
    let analysis = Net::new(3).wire(0, 1, 1, 1).peek(5).wire(1, 2, 1, 2).analysis();
    let part = &analysis.parts[0];
    // Two iterations of two hold what a window of five needs beyond the one it takes.
    assert_eq!(part.liveness, Liveness::Live { ahead: vec![4, 0, 0] });
    assert_eq!(part.schedule.as_ref().map(|schedule| analysis.notation(schedule)).as_deref(), Some("2 a, 2 b, c"));
    assert_eq!(analysis.edges.iter().map(|edge| edge.least).collect::<Vec<_>>(), [Some(5), Some(2)]);
}

#[test]
fn phases_are_counted_in_whole_cycles() {
    // Bilsen et al. 1996: repetitions are multiples of the number of phases.
    let net = Net::new(3).phases(0, 1, &[1, 3, 2], &[2]).phases(1, 2, &[1, 0], &[3]);
    assert_eq!(net.repetitions(), [6, 6, 1]);
    // Phases that no fixed edge sees count, too, since only then is the node as it was.
    let net = Net::new(3).wire(0, 1, 1, 1).phases(1, 2, &[1, 0, 0], &[]);
    assert_eq!(net.repetitions(), [3, 3, 0]);
}

#[test]
fn a_dynamic_edge_imposes_nothing() {
    let net = Net::new(4).wire(0, 1, 2, 3).phases(1, 2, &[1], &[]).wire(2, 3, 1, 5);
    let analysis = net.analysis();
    assert_eq!(net.repetitions(), [3, 2, 5, 1]);
    assert_eq!(analysis.parts.iter().map(|part| part.nodes.clone()).collect::<Vec<_>>(), [[0, 1], [2, 3]]);
    assert_eq!((analysis.edges[1].bound, analysis.edges[1].least), (1, None));
    // A cycle through it agrees with anything.
    let net = Net::new(2).wire(0, 1, 2, 3).phases(1, 0, &[], &[7]).initial(1);
    assert_eq!(net.repetitions(), [3, 2]);
    assert!(starved(&net.model(), &balance(&net.model())).is_empty());
}

fn disagreement(net: &Net) -> Unbalanced {
    let balance = balance(&net.model());
    assert!(balance.repetitions.iter().all(|&firings| firings == 0));
    balance.parts[0].firings.clone().expect_err("the rates don't agree")
}

#[test]
fn a_contradiction_names_its_cycle_and_both_numbers() {
    let ratio = |over, under| Ratio { over, under };
    let net = Net::new(4).wire(0, 1, 1, 1).wire(1, 2, 2, 1).wire(0, 2, 3, 1).wire(2, 3, 1, 1);
    let expected = Unbalanced::Disagree {
        nodes: vec![0, 1, 2],
        edges: vec![0, 1, 2],
        target: 2,
        ways: [ratio(2, 1), ratio(3, 1)],
    };
    assert_eq!(disagreement(&net), expected);
    let net = Net::new(2).wire(0, 1, 2, 1).wire(0, 1, 3, 1);
    let expected =
        Unbalanced::Disagree { nodes: vec![0, 1], edges: vec![1, 0], target: 1, ways: [ratio(3, 1), ratio(2, 1)] };
    assert_eq!(disagreement(&net), expected);
    let net = Net::new(2).wire(0, 1, 2, 1).wire(1, 0, 1, 3);
    let expected =
        Unbalanced::Disagree { nodes: vec![0, 1], edges: vec![0, 1], target: 1, ways: [ratio(2, 1), ratio(3, 1)] };
    assert_eq!(disagreement(&net), expected);
    let net = Net::new(1).wire(0, 0, 2, 1);
    let expected = Unbalanced::Disagree { nodes: vec![0], edges: vec![0], target: 0, ways: [ratio(1, 1), ratio(2, 1)] };
    assert_eq!(disagreement(&net), expected);
    assert_eq!(disagreement(&Net::new(2).wire(0, 1, 0, 1)), Unbalanced::OneSided { edge: 0 });
    assert_eq!(disagreement(&Net::new(2).phases(0, 1, &[1, 2], &[0, 0])), Unbalanced::OneSided { edge: 0 });
}

/// Along any contradiction the two ways multiply out as it says.
#[test]
fn contradictions_are_true() {
    let mut dice = Dice(6);
    let mut found = 0;
    for _ in 0..2000 {
        let nodes = 1 + dice.below(6);
        let mut net = Net::new(nodes);
        for _ in 0..nodes + dice.below(4) {
            let rates = [1 + dice.below(3), 1 + dice.below(3)];
            net = net.wire(dice.below(nodes), dice.below(nodes), rates[0], rates[1]);
        }
        for part in balance(&net.model()).parts {
            let Err(Unbalanced::Disagree { nodes, edges, target, ways }) = part.firings else { continue };
            found += 1;
            assert_eq!(nodes.len(), edges.len());
            let mut product = (1u128, 1u128);
            let mut seen = Vec::new();
            for (i, &edge) in edges.iter().enumerate() {
                let (from, to) = (nodes[i], nodes[(i + 1) % nodes.len()]);
                let wire = &net.wires[edge];
                if i == target {
                    seen.push(product);
                }
                let (gives, takes) = (wire.gives[0] as u128, wire.takes[0] as u128);
                product = if (wire.from, wire.to) == (from, to) {
                    (product.0 * gives, product.1 * takes)
                } else {
                    assert_eq!((wire.to, wire.from), (from, to), "{net:?}");
                    (product.0 * takes, product.1 * gives)
                };
            }
            if let [_] = nodes[..] {
                assert_eq!(
                    (ways[1].over * product.1, ways[0]),
                    (ways[1].under * product.0, Ratio { over: 1, under: 1 })
                );
                continue;
            }
            // Once round, a node must fire as often as it does; it doesn't.
            assert_ne!(product.0, product.1, "{net:?}");
            let [first, second] = ways;
            assert_eq!(first.over * seen[0].1, first.under * seen[0].0, "{net:?}");
            // The second way, on from there, leads once round: first / second is the product.
            assert_eq!(first.over * second.under * product.1, first.under * second.over * product.0, "{net:?}");
        }
    }
    assert!(found > 500, "{found}");
}

#[test]
fn tokens_that_are_short_are_counted() {
    let net = Net::new(2).wire(0, 1, 2, 3).wire(1, 0, 3, 2).initial(3);
    let found = starved(&net.model(), &balance(&net.model()));
    let [shortage] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&shortage.nodes[..], &shortage.edges[..]), (&[0, 1][..], &[0, 1][..]));
    assert_eq!((shortage.edge, shortage.tokens, shortage.needed), (1, 3, Some(4)));
    // A loop beside a decimator is tried out by itself, not a thousand million times.
    let net = Net::new(3).wire(0, 1, 1, 1).wire(1, 0, 1, 1).peek(2).initial(1).wire(1, 2, 1, 1_000_000_000);
    let found = starved(&net.model(), &balance(&net.model()));
    assert_eq!(found.iter().map(|shortage| (shortage.edge, shortage.needed)).collect::<Vec<_>>(), [(1, Some(2))]);
}

#[test]
fn what_lies_behind_a_node_depends_on_it() {
    let net =
        Net::new(5).wire(0, 1, 1, 1).wire(1, 2, 1, 1).wire(2, 3, 1, 1).wire(3, 2, 1, 1).initial(1).wire(0, 4, 1, 1);
    let mut labels = net.labels();
    labels.nodes[1].kind = NodeKind::Nondeterminate;
    let analysis = describe(&net.model(), labels);
    assert_eq!((analysis.nondeterminate.clone(), analysis.downstream.clone()), (vec![1], vec![2, 3]));
    assert!(!analysis.is_determinate());
    assert!(net.analysis().is_determinate());
}

#[test]
fn loops_are_written_as_loops() {
    let name = |node: usize| ["a", "b", "c"][node];
    let text = |runs: &[(usize, u64)]| Schedule::new(runs.iter().copied()).text(name);
    assert_eq!(text(&[]), "");
    assert_eq!(text(&[(0, 3), (1, 2)]), "3 a, 2 b");
    assert_eq!(text(&[(0, 1), (1, 2), (0, 1), (1, 2), (2, 1)]), "2 (a, 2 b), c");
    let twice = [(0, 1), (1, 1), (0, 1), (1, 1), (2, 1)];
    assert_eq!(text(&twice.repeat(3)), "3 (2 (a, b), c)");
    let mut dice = Dice(7);
    for _ in 0..300 {
        let runs: Vec<(usize, u64)> =
            (0..dice.below(60)).map(|i| ((i + dice.below(2)) % 3, 1 + dice.below(2) as u64)).collect();
        let mut flat = Vec::new();
        random::unrolled(&Schedule::new(runs.iter().copied()).terms, &mut flat);
        let expected: Vec<usize> =
            runs.iter().flat_map(|&(node, times)| std::iter::repeat_n(node, times as usize)).collect();
        assert_eq!(flat, expected);
    }
    let long: Vec<(usize, u64)> = (0..40).map(|i| (i % 2, i as u64 + 1)).collect();
    assert!(text(&long).ends_with("24 b, … (16 more)"), "{}", text(&long));
}
