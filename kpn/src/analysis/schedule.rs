//! An order of firings, written with loops.

use std::collections::HashMap;
use std::fmt::Write;

/// Comparisons that looking for loops may take.
const MOST_WORK: u64 = 1 << 24;

/// Terms that are printed of a longer schedule, at its beginning.
const SHOWN: usize = 24;

/// An order in which the nodes of a part can fire, one after the other, for one iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Schedule {
    /// What fires, in turn.
    pub terms: Vec<Term>,
}

/// A piece of a [`Schedule`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Term {
    /// One node, several times.
    Fire {
        /// How often.
        times: u64,
        /// Its index in [`Analysis::nodes`](super::Analysis::nodes).
        node: usize,
    },
    /// Several terms in turn, several times.
    Loop {
        /// How often.
        times: u64,
        /// What is repeated.
        body: Vec<Term>,
    },
}

impl Schedule {
    /// The schedule of these (node, firings), no two neighbours of which are the same node.
    pub(super) fn new(runs: impl IntoIterator<Item = (usize, u64)>) -> Self {
        Self { terms: roll(runs.into_iter().map(|(node, times)| Term::Fire { times, node }).collect()) }
    }

    /// Whether each node stands in it once.
    pub fn is_single_appearance(&self) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![&self.terms];
        while let Some(terms) = open.pop() {
            for term in terms {
                match term {
                    Term::Fire { node, .. } if !seen.insert(*node) => return false,
                    Term::Fire { .. } => {}
                    Term::Loop { body, .. } => open.push(body),
                }
            }
        }
        true
    }

    /// As text: `3 a, 2 (b, 4 c)`, which is a three times, then twice b and four times c. Long ones are cut short.
    pub(super) fn text<'a>(&self, name: impl Fn(usize) -> &'a str) -> String {
        let mut text = String::new();
        let mut left = SHOWN;
        write_terms(&mut text, &self.terms, &name, &mut left);
        text
    }
}

fn write_terms<'a>(text: &mut String, terms: &[Term], name: &impl Fn(usize) -> &'a str, left: &mut usize) {
    for (i, term) in terms.iter().enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        if *left == 0 {
            // Writing to a string can't fail.
            let _ = write!(text, "… ({} more)", terms.len() - i);
            return;
        }
        *left -= 1;
        match term {
            Term::Fire { times: 1, node } => text.push_str(name(*node)),
            Term::Fire { times, node } => {
                let _ = write!(text, "{times} {}", name(*node));
            }
            Term::Loop { times, body } => {
                let _ = write!(text, "{times} (");
                write_terms(text, body, name, left);
                text.push(')');
            }
        }
    }
}

/// Writes what is repeated side by side as a loop, short bodies first, until nothing is.
fn roll(terms: Vec<Term>) -> Vec<Term> {
    let mut known: HashMap<Term, u32> = HashMap::new();
    let mut all: Vec<Term> = Vec::new();
    let mut number = |term: Term, all: &mut Vec<Term>| {
        *known.entry(term).or_insert_with_key(|term| {
            all.push(term.clone());
            (all.len() - 1) as u32
        })
    };
    let mut row: Vec<u32> = terms.into_iter().map(|term| number(term, &mut all)).collect();
    let mut work = 0;
    let mut len = 1;
    while 2 * len <= row.len() {
        let mut rolled = Vec::with_capacity(row.len());
        let mut at = 0;
        while at < row.len() {
            let mut times = 1;
            while repeats(&row, at, len, times, &mut work) {
                times += 1;
            }
            if times == 1 {
                rolled.push(row[at]);
                at += 1;
                continue;
            }
            let body: Vec<Term> = row[at..at + len].iter().map(|&term| all[term as usize].clone()).collect();
            let times = times as u64;
            let term = match &body[..] {
                [Term::Loop { times: inner, body }] => Term::Loop { times: times * inner, body: body.clone() },
                _ => Term::Loop { times, body },
            };
            rolled.push(number(term, &mut all));
            at += times as usize * len;
        }
        // What has become shorter may repeat anew.
        len = if rolled.len() < row.len() { 1 } else { len + 1 };
        row = rolled;
        if work > MOST_WORK {
            break;
        }
    }
    row.into_iter().map(|term| all[term as usize].clone()).collect()
}

/// Whether the `len` terms at `at` stand `times` places of `len` further on, too.
fn repeats(row: &[u32], at: usize, len: usize, times: usize, work: &mut u64) -> bool {
    let begin = at + times * len;
    let Some(next) = row.get(begin..begin + len) else { return false };
    let same = row[at..at + len].iter().zip(next).take_while(|(a, b)| a == b).count();
    *work += 1 + same as u64;
    same == len
}
