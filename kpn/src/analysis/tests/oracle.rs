//! Exhaustive: every small case.

use super::*;

/// The least vector of firings up to `most` each that leaves all edges and all phases as they were.
fn tried(net: &Net, most: usize) -> Option<Vec<u64>> {
    let balanced = |firings: &[usize]| {
        net.wires.iter().all(|wire| {
            let moved = |phases: &[usize], node: usize| {
                (firings[node].is_multiple_of(phases.len()))
                    .then(|| firings[node] / phases.len() * phases.iter().sum::<usize>())
            };
            let (given, taken) = (moved(&wire.gives, wire.from), moved(&wire.takes, wire.to));
            given.is_some() && given == taken
        })
    };
    let mut firings = vec![1; net.nodes];
    let mut best: Option<Vec<usize>> = None;
    loop {
        if balanced(&firings) && best.as_ref().is_none_or(|best| firings.iter().sum::<usize>() < best.iter().sum()) {
            best = Some(firings.clone());
        }
        let Some(node) = firings.iter().position(|&times| times < most) else { break };
        firings[..node].fill(1);
        firings[node] += 1;
    }
    best.map(|best| best.into_iter().map(|times| times as u64).collect())
}

#[test]
fn repetitions_are_the_least_that_can_be_found_by_trying() {
    let mut dice = Dice(1);
    let (mut solved, mut unsolved) = (0, 0);
    for _ in 0..400 {
        let nodes = 1 + dice.below(3);
        let mut net = Net::new(nodes);
        for node in 1..nodes {
            let other = dice.below(node);
            let (from, to) = if dice.below(2) == 0 { (node, other) } else { (other, node) };
            net = net.wire(from, to, 1 + dice.below(3), 1 + dice.below(3));
        }
        if dice.below(2) == 0 || nodes == 1 {
            net = net.wire(dice.below(nodes), dice.below(nodes), 1 + dice.below(2), 1 + dice.below(2));
        }
        if dice.below(3) == 0 {
            let at = dice.below(net.wires.len());
            net.wires[at].gives = vec![1 + dice.below(2), dice.below(3)];
        }
        let balance = balance(&net.model());
        match tried(&net, 18) {
            Some(expected) => {
                assert_eq!(balance.repetitions, expected, "{net:?}");
                solved += 1;
            }
            None if balance.repetitions.iter().all(|&times| times <= 18) => {
                assert!(balance.parts[0].firings.is_err(), "{net:?}: {:?}", balance.repetitions);
                assert_eq!(balance.repetitions, vec![0; nodes]);
                unsolved += 1;
            }
            None => {}
        }
    }
    assert!(solved > 200 && unsolved > 30, "{solved} have a vector, {unsolved} have none");
}

/// The least capacity of a net's one edge, by trying.
fn least(net: &Net) -> usize {
    (net.wires[0].initial..).find(|&capacity| lives(net, &[capacity])).expect("some capacity does")
}

#[test]
fn bounds_of_single_rates_are_the_least_capacities() {
    for gives in 1..7 {
        for takes in 1..7 {
            for initial in 0..14 {
                for peek in 0..10 {
                    let net = Net::new(2).wire(0, 1, gives, takes).initial(initial).peek(peek);
                    assert_eq!(bound(&net.model().edges[0]), least(&net), "{net:?}");
                }
            }
        }
    }
}

#[test]
fn bounds_of_phases_are_the_least_capacities() {
    let mut dice = Dice(2);
    for _ in 0..3000 {
        let mut phases = || -> Vec<usize> {
            let mut phases: Vec<usize> = (0..1 + dice.below(4)).map(|_| dice.below(5)).collect();
            phases[0] = phases[0].max(usize::from(phases.iter().sum::<usize>() == 0));
            phases
        };
        let (gives, takes) = (phases(), phases());
        let mut net = Net::new(2).phases(0, 1, &gives, &takes).initial(dice.below(8));
        if dice.below(3) == 0 {
            net.wires[0].takes.truncate(1);
            net.wires[0].takes[0] = takes[0].max(1);
            net.wires[0].keeps = dice.below(12);
        }
        assert_eq!(bound(&net.model().edges[0]), least(&net), "{net:?}");
    }
}

#[test]
fn bounds_of_edges_from_a_node_to_itself_are_the_least_capacities() {
    for rate in 1..5 {
        for initial in rate..rate + 6 {
            for peek in 0..initial {
                let net = Net::new(1).wire(0, 0, rate, rate).initial(initial).peek(peek);
                assert_eq!(bound(&net.model().edges[0]), least(&net), "{net:?}");
            }
        }
    }
    for (gives, takes, initial) in [(&[2, 0][..], &[1][..], 1), (&[0, 2], &[1], 2), (&[1, 2, 3], &[3, 1, 2], 4)] {
        let net = Net::new(1).phases(0, 0, gives, takes).initial(initial);
        assert_eq!(bound(&net.model().edges[0]), least(&net), "{net:?}");
    }
}

/// Whether the analysis thinks that a net goes on for ever with these capacities.
fn fits(net: &Net, capacities: &[usize]) -> bool {
    let mut net = net.clone();
    for (wire, &capacity) in net.wires.iter_mut().zip(capacities) {
        wire.capacity = Some(capacity);
    }
    match &net.analysis().parts[..] {
        [part] => match part.fit {
            Fitness::Fits => true,
            Fitness::Deadlock { .. } => false,
            Fitness::Unknown => !matches!(part.liveness, Liveness::Deadlock(_)) && panic!("{net:?}: {part:?}"),
        },
        parts => panic!("{} parts", parts.len()),
    }
}

/// Calls `test` with every choice of `0..most` for each of `n` places.
fn each_choice(n: usize, most: usize, mut test: impl FnMut(&[usize])) {
    let mut choice = vec![0; n];
    loop {
        test(&choice);
        let Some(at) = choice.iter().position(|&x| x + 1 < most) else { return };
        choice[..at].fill(0);
        choice[at] += 1;
    }
}

/// Compares verdicts for all capacities of a box, and says how many of them live.
fn compare_all(net: &Net, most: usize) -> usize {
    let mut live = 0;
    each_choice(net.wires.len(), most, |above| {
        let capacities: Vec<usize> = above.iter().zip(&net.wires).map(|(more, wire)| wire.initial + more).collect();
        let expected = lives(net, &capacities);
        assert_eq!(fits(net, &capacities), expected, "{capacities:?} of {net:?}");
        live += usize::from(expected);
    });
    live
}

#[test]
fn every_small_capacity_is_judged_rightly() {
    let diamond = Net::new(4).wire(0, 1, 1, 2).wire(0, 2, 1, 1).wire(1, 3, 2, 1).wire(2, 3, 1, 1);
    assert!(compare_all(&diamond, 5) > 0);
    let lag = Net::new(3).wire(0, 1, 1, 1).peek(4).wire(1, 2, 1, 1).wire(0, 2, 1, 1);
    assert!(compare_all(&lag, 7) > 0);
    let ring = Net::new(2).wire(0, 1, 2, 3).wire(1, 0, 3, 2).initial(4);
    assert!(compare_all(&ring, 9) > 0);
    let dead = Net::new(2).wire(0, 1, 2, 3).wire(1, 0, 3, 2).initial(3);
    assert_eq!(compare_all(&dead, 6), 0);
    let around = Net::new(2).wire(0, 1, 2, 1).wire(1, 1, 1, 1).initial(2).peek(2);
    assert!(compare_all(&around, 6) > 0);
    let phased = Net::new(3).phases(0, 1, &[1, 2], &[3]).phases(0, 2, &[2, 0], &[1]).phases(1, 2, &[2], &[1, 1]);
    assert!(compare_all(&phased, 7) > 0);
    let windowed_loop = Net::new(2).wire(0, 1, 1, 1).peek(3).wire(1, 0, 1, 1).initial(4);
    assert!(compare_all(&windowed_loop, 5) > 0);
}

#[test]
fn least_capacities_cannot_be_lowered() {
    let lag = Net::new(4).wire(0, 1, 1, 1).peek(6).wire(1, 3, 1, 1).wire(0, 2, 1, 1).wire(2, 3, 1, 1);
    let analysis = lag.analysis();
    let least: Vec<usize> = analysis.edges.iter().map(|edge| edge.least.expect("it is live")).collect();
    assert!(lives(&lag, &least));
    // What is least in sum, by trying all.
    let mut best = usize::MAX;
    each_choice(4, 9, |capacities| {
        if lives(&lag, capacities) {
            best = best.min(capacities.iter().sum());
        }
    });
    assert_eq!(least.iter().sum::<usize>(), best, "{least:?}");
}
