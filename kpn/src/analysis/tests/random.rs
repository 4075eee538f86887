//! Random networks, against what fires one node at a time.

use super::*;

/// More than any of these networks needs.
const AMPLE: usize = 500;

/// A random network whose rates agree.
fn consistent(dice: &mut Dice) -> Net {
    let nodes = 2 + dice.below(4);
    let firings: Vec<usize> = (0..nodes).map(|_| 1 + dice.below(4)).collect();
    let mut net = Net::new(nodes);
    let edge = |net: Net, dice: &mut Dice, from: usize, to: usize| {
        // Tokens an iteration: a multiple of both numbers of firings.
        let (a, b) = (firings[from], firings[to]);
        let tokens = a * b / gcd(a, b) * (1 + dice.below(2));
        let mut phases = |firings: usize| {
            let each = tokens / firings;
            // As many tokens, now and then in two phases where the number of firings allows.
            if firings.is_multiple_of(2) && dice.below(3) == 0 {
                let first = dice.below(2 * each + 1);
                vec![first, 2 * each - first]
            } else {
                vec![each]
            }
        };
        let (gives, takes) = (phases(a), phases(b));
        net.phases(from, to, &gives, &takes)
    };
    for node in 1..nodes {
        let other = dice.below(node);
        let backwards = dice.below(3) == 0;
        net = if backwards { edge(net, dice, node, other) } else { edge(net, dice, other, node) };
    }
    for _ in 0..dice.below(3) {
        let (from, to) = (dice.below(nodes), dice.below(nodes));
        net = edge(net, dice, from, to);
        if dice.below(4) > 0 || from == to {
            net = net.initial(dice.below(9));
        }
    }
    for wire in &mut net.wires {
        if wire.takes.len() == 1 && dice.below(4) == 0 {
            wire.keeps = dice.below(5);
        }
    }
    net
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

pub(super) fn unrolled(terms: &[Term], firings: &mut Vec<usize>) {
    for term in terms {
        match term {
            Term::Fire { times, node } => firings.extend(std::iter::repeat_n(*node, *times as usize)),
            Term::Loop { times, body } => (0..*times).for_each(|_| unrolled(body, firings)),
        }
    }
}

/// Fires what goes ahead in any order that works, then the schedule twice; the state must be the same after each.
fn replay(net: &Net, ahead: &[u64], schedule: &Schedule, capacities: &[usize], firings: &[u64]) {
    let mut at = Replay::new(net, capacities);
    let mut stuck = false;
    while !stuck {
        stuck = true;
        for node in 0..net.nodes {
            if (at.fired[node] as u64) < ahead.get(node).copied().unwrap_or(0) && at.can_fire(node) {
                at.fire(node);
                stuck = false;
            }
        }
    }
    assert!(ahead.iter().zip(&at.fired).all(|(ahead, fired)| *ahead == *fired as u64), "{ahead:?} of {net:?}");
    let begin = at.clone();
    let mut order = Vec::new();
    unrolled(&schedule.terms, &mut order);
    for turn in 1..3 {
        for &node in &order {
            assert!(at.can_fire(node), "turn {turn}: {node} can't fire in {schedule:?} of {net:?}");
            at.fire(node);
        }
        let held = |replay: &Replay<'_>| -> Vec<usize> {
            replay.tokens.iter().zip(&replay.kept).map(|(tokens, kept)| tokens + kept).collect()
        };
        assert_eq!(held(&at), held(&begin), "{net:?}");
        for (node, firings) in firings.iter().enumerate() {
            assert_eq!((at.fired[node] - begin.fired[node]) as u64, turn * firings, "{net:?}");
        }
    }
}

/// In the order of the nodes, not of the part.
fn by_node(part: &Part, ahead: &[u64], nodes: usize) -> Vec<u64> {
    let mut all = vec![0; nodes];
    part.nodes.iter().zip(ahead).for_each(|(&node, &firings)| all[node] = firings);
    all
}

#[test]
fn verdicts_schedules_and_capacities_hold_when_replayed() {
    let mut dice = Dice(3);
    let (mut live, mut dead, mut ahead_of, mut grown) = (0, 0, 0, 0);
    for round in 0..1500 {
        let net = consistent(&mut dice);
        let analysis = net.analysis();
        let [part] = &analysis.parts[..] else { panic!("round {round}: {net:?}") };
        let firings = net.repetitions();
        assert_eq!(part.firings, Some(firings.iter().sum()), "{net:?}");
        let ample = vec![AMPLE; net.wires.len()];
        assert_eq!(matches!(part.liveness, Liveness::Live { .. }), lives(&net, &ample), "{net:?}");
        match &part.liveness {
            Liveness::Live { ahead } => {
                live += 1;
                ahead_of += usize::from(!ahead.is_empty());
                let ahead = by_node(part, ahead, net.nodes);
                replay(&net, &ahead, part.schedule.as_ref().expect("it is short"), &ample, &firings);
                let least: Vec<usize> = analysis.edges.iter().map(|edge| edge.least.expect("it lives")).collect();
                grown += usize::from(analysis.edges.iter().any(|edge| edge.least > Some(edge.bound)));
                assert!(lives(&net, &least), "{least:?} of {net:?}");
                for edge in 0..least.len() {
                    let mut less = least.clone();
                    less[edge] -= 1;
                    let held = less[edge] >= net.wires[edge].initial;
                    assert!(!(held && lives(&net, &less)), "{less:?} of {net:?}");
                }
                let mut chosen = net.clone();
                chosen.wires.iter_mut().zip(&least).for_each(|(wire, &least)| wire.capacity = Some(least));
                assert_eq!(chosen.analysis().parts[0].fit, Fitness::Fits, "{chosen:?}");
            }
            Liveness::Deadlock(shortages) => {
                dead += 1;
                shortages_are_least(&net, shortages);
            }
            other => panic!("{other:?} of {net:?}"),
        }
    }
    assert!(live > 500 && dead > 100 && ahead_of > 100 && grown > 100, "{live} {dead} {ahead_of} {grown}");
}

/// With all the missing tokens it lives, with one less on any edge it doesn't.
fn shortages_are_least(net: &Net, shortages: &[Shortage]) {
    assert!(!shortages.is_empty(), "{net:?}");
    let mut mended = net.clone();
    for shortage in shortages {
        let needed = shortage.needed.expect("it is found");
        assert_eq!(shortage.tokens, net.wires[shortage.edge].initial);
        assert!(needed > shortage.tokens, "{shortage:?} of {net:?}");
        mended.wires[shortage.edge].initial = needed;
        let edge = &net.wires[shortage.edge];
        let on_cycle = |node| shortage.nodes.contains(&node);
        assert!(on_cycle(edge.from) && on_cycle(edge.to), "{shortage:?} of {net:?}");
        for (i, &node) in shortage.nodes.iter().enumerate() {
            let next = shortage.nodes[(i + 1) % shortage.nodes.len()];
            assert!(net.wires.iter().any(|wire| (wire.from, wire.to) == (node, next)), "{shortage:?} of {net:?}");
        }
    }
    let ample = vec![AMPLE; net.wires.len()];
    assert!(lives(&mended, &ample), "{shortages:?} of {net:?}");
    for shortage in shortages {
        let mut less = mended.clone();
        less.wires[shortage.edge].initial -= 1;
        assert!(!lives(&less, &ample), "{shortage:?} of {net:?}");
    }
}

#[test]
fn tight_schedules_hold_within_the_least_capacities() {
    let mut dice = Dice(4);
    let mut shown = 0;
    for _ in 0..600 {
        let net = consistent(&mut dice);
        let analysis = net.analysis();
        let part = &analysis.parts[0];
        let Some(tight) = &part.tight else { continue };
        let least: Vec<usize> = analysis.edges.iter().map(|edge| edge.least.expect("it lives")).collect();
        let Liveness::Live { ahead } = &part.liveness else { panic!("{net:?}") };
        if ahead.is_empty() {
            replay(&net, &[], tight, &least, &net.repetitions());
            shown += 1;
        }
    }
    assert!(shown > 100, "only {shown} schedules");
}

/// Whether some cycle has no token at all, which the graph's own check refuses before rates are looked at.
fn has_empty_cycle(net: &Net) -> bool {
    let mut left: Vec<usize> = (0..net.nodes).collect();
    loop {
        let fed = |&&node: &&usize| {
            net.wires.iter().any(|wire| wire.to == node && wire.initial == 0 && left.contains(&wire.from))
        };
        let kept: Vec<usize> = left.iter().filter(fed).copied().collect();
        if kept.len() == left.len() {
            return !left.is_empty();
        }
        left = kept;
    }
}

#[test]
fn enlarged_capacities_do() {
    let mut dice = Dice(5);
    let (mut enlarged, mut hopeless) = (0, 0);
    for _ in 0..1200 {
        let mut net = consistent(&mut dice);
        if has_empty_cycle(&net) {
            continue;
        }
        let some = dice.below(net.wires.len());
        let model = net.model();
        let bounds: Vec<usize> = model.edges.iter().map(bound).collect();
        if dice.below(3) == 0 {
            net.wires[some].capacity = Some(bounds[some]);
        }
        let model = net.model();
        let balance = balance(&model);
        let mut capacities = bounds.clone();
        enlarge(&model, &balance, &mut capacities);
        if starved(&model, &balance).is_empty() {
            let live = lives(&net, &capacities);
            // Only an edge that may not grow can be in the way.
            assert!(live || net.wires[some].capacity.is_some(), "{capacities:?} of {net:?}");
            if live {
                enlarged += usize::from(capacities != bounds);
            } else {
                assert_eq!(capacities, bounds);
                hopeless += 1;
            }
            assert!(net.wires[some].capacity.is_none_or(|asked| asked == capacities[some]));
        } else {
            assert!(!lives(&net, &vec![AMPLE; net.wires.len()]), "{net:?}");
        }
    }
    assert!(enlarged > 50, "{enlarged} enlarged, {hopeless} hopeless");
}
