//! The least capacity of one edge by itself.

use super::model::{Edge, Flow, gcd};

/// Beyond so many pairs of phases, or phases of a node with an edge to itself, a figure that surely suffices is taken.
const MOST_PAIRS: u128 = 1 << 22;

/// The least capacity with which the two ends of an edge can go on for ever if nothing else stops them, and that holds
/// the initial tokens. For single rates `p + c - gcd(p, c) + d mod gcd(p, c)` (Bhattacharyya, Murthy and Lee 1996).
///
/// A pair is stuck where the reader lacks tokens and the writer space. Whatever the phases, the tokens in between are
/// then `d` plus what was given and less what was taken, where whole cycles of phases add any multiple of the greatest
/// common divisor of both sums; so it is enough to look for the most tokens of that residue that the reader can't
/// use, for every pair of phases. A window fills before that: the edge has to hold what its first firing takes.
pub(crate) fn bound(edge: &Edge<'_>) -> usize {
    let most = |flow: Option<Flow<'_>>| flow.map_or(1, |flow| flow.most()).max(1) as u128;
    let least = most(edge.gives).max(most(edge.takes)).max(edge.initial as u128);
    let bound = match edge.fixed() {
        Some((gives, takes)) if edge.from == edge.to => around(edge, gives, takes),
        Some((gives, takes)) if gives.sum() > 0 && takes.sum() > 0 => between(edge, gives, takes),
        // A firing finds room before it takes, so what lies on an edge from a node to itself needs room beside it.
        _ if edge.from == edge.to => most(edge.gives) + edge.initial as u128,
        _ => 0,
    };
    usize::try_from(bound.max(least)).unwrap_or(usize::MAX)
}

/// What each phase finds: the tokens moved before it in its cycle, and what it moves.
fn phases<'a>(flow: &'a Flow<'_>) -> impl Iterator<Item = (u128, u128)> + 'a {
    let mut before = 0;
    flow.phases().iter().map(move |&tokens| {
        let here = before;
        before += tokens as u128;
        (here, tokens as u128)
    })
}

fn between(edge: &Edge<'_>, gives: Flow<'_>, takes: Flow<'_>) -> u128 {
    let mut bound = filled(edge, &gives, takes.moves(0));
    if gives.len() * takes.len() > MOST_PAIRS {
        return bound.max(gives.most() as u128 + takes.most() as u128 - 1);
    }
    let unit = gcd(gives.sum(), takes.sum());
    for (given, space) in phases(&gives) {
        let there = (edge.initial as u128 + given) % unit;
        for (taken, tokens) in phases(&takes).filter(|(_, tokens)| *tokens > 0) {
            let residue = (there + unit - (takes.first() + taken) % unit) % unit;
            let useless = tokens - 1;
            if useless >= residue {
                bound = bound.max(useless - (useless - residue) % unit + space);
            }
        }
    }
    bound
}

/// Tokens on the edge when there are as many as the first firing takes, which the writer may overshoot.
fn filled(edge: &Edge<'_>, gives: &Flow<'_>, first: u128) -> u128 {
    let initial = edge.initial as u128;
    let missing = first.saturating_sub(initial);
    let cycles = missing / gives.sum();
    let mut given = cycles * gives.sum();
    for &tokens in gives.phases().iter().cycle() {
        if given >= missing {
            break;
        }
        given += tokens as u128;
    }
    initial + given
}

/// An edge from a node to itself, where both sides are always at the same firing.
fn around(edge: &Edge<'_>, gives: Flow<'_>, takes: Flow<'_>) -> u128 {
    let cycle = gives.len() / gcd(gives.len(), takes.len()) * takes.len();
    if cycle > MOST_PAIRS {
        return edge.initial as u128 + gives.sum() + gives.most() as u128;
    }
    let mut there = edge.initial as u128;
    let mut bound = 0;
    for firing in 0..cycle as u64 {
        bound = bound.max(there + gives.moves(firing));
        // Too few tokens are found elsewhere.
        there = (there + gives.moves(firing)).saturating_sub(takes.moves(firing));
    }
    bound
}
