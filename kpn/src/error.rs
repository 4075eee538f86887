//! What can go wrong, as values. A leaf: it imports nothing of the crate.

use std::fmt;

/// Why a network could not be built: all problems at once.
#[derive(Clone, PartialEq, Eq)]
pub struct BuildError {
    problems: Vec<Problem>,
}

impl BuildError {
    pub(crate) fn new(problems: Vec<Problem>) -> Self {
        Self { problems }
    }

    /// Each problem, in the order of the nodes.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problems[..] {
            [one] => write!(f, "the network can't be built: {one}"),
            all => {
                write!(f, "the network can't be built, for {} reasons:", all.len())?;
                all.iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
            }
        }
    }
}

impl std::error::Error for BuildError {}

/// `main` prints an error by `Debug`: that must be the sentences, too.
impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One thing that is wrong with a graph. Ports are written `node.port`, those of a composite
/// `composite.port`; nodes inside a composite `composite/node`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// An input that nothing feeds.
    UnwiredInput {
        /// The input.
        port: String,
        /// The type of its tokens.
        token: &'static str,
    },
    /// An output that nothing reads.
    UnwiredOutput {
        /// The output.
        port: String,
        /// The type of its tokens.
        token: &'static str,
    },
    /// An input that several outputs feed.
    WiredTwice {
        /// The input.
        port: String,
        /// The outputs that feed it.
        by: Vec<String>,
    },
    /// An output that was wired several times without being fanned out.
    NotFannedOut {
        /// The output.
        port: String,
        /// The inputs that it feeds.
        to: Vec<String>,
    },
    /// A capacity below what a firing needs, or beyond what memory can hold.
    Capacity {
        /// The edge, as `a.out -> b.in`.
        edge: String,
        /// What was asked for.
        capacity: usize,
        /// The least that works.
        least: usize,
        /// The most that is allowed.
        most: usize,
    },
    /// A cycle that no token starts.
    Cycle {
        /// The nodes on it, in order.
        nodes: Vec<String>,
    },
    /// Fixed rates that ask one node to fire differently often: some edge between them fills up or runs dry.
    InconsistentRates {
        /// The nodes of a cycle, whichever way its edges point.
        nodes: Vec<String>,
        /// The edges between them, the last one back to the first node.
        edges: Vec<String>,
        /// Which of the nodes is asked to.
        target: usize,
        /// How often it fires for each firing of the first node, as numerator and denominator: by what the edges before
        /// it say, and by those behind it.
        firings: [[u128; 2]; 2],
    },
    /// An edge whose two ends never agree, whatever fires how often: of a node to itself, for example.
    UnequalRates {
        /// The edge.
        edge: String,
        /// Tokens given …
        given: u128,
        /// … for so many taken.
        taken: u128,
    },
    /// A cycle of fixed rates that stops for want of tokens, however large its edges are.
    TooFewTokens {
        /// The nodes on it, in order.
        nodes: Vec<String>,
        /// One of its edges, the first to put more tokens on.
        edge: String,
        /// How many initial tokens it has.
        tokens: usize,
        /// The least number that keeps the cycle going; `None` where that took too long to find.
        needed: Option<usize>,
    },
    /// Nodes of one network or composite that were given the same name.
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A name that can't be printed on one line.
    BadName {
        /// The name.
        name: String,
    },
    /// A port of another builder.
    ForeignPort {
        /// The port on this side of the arrow, or `?`.
        port: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnwiredInput { port, token } => {
                write!(f, "nothing feeds the input `{port}` (`{token}`): connect an output to it")
            }
            Self::UnwiredOutput { port, token } => {
                write!(f, "nothing reads the output `{port}` (`{token}`): connect it, or end it with `sink(|_| ())`")
            }
            Self::WiredTwice { port, by } => {
                write!(f, "the input `{port}` is fed {} times, by {}: an input has one writer", by.len(), list(by))
            }
            Self::NotFannedOut { port, to } => write!(
                f,
                "the output `{port}` is wired {} times, to {}: use a block `{{ a, b }}` or `Builder::fan_out`, which copy tokens",
                to.len(),
                list(to)
            ),
            Self::Capacity { edge, least, most, .. } if least > most => {
                write!(f, "the edge `{edge}` must hold {least} tokens at a time, but {most} is the most that it can")
            }
            Self::Capacity { edge, capacity, least, most } => {
                write!(f, "the edge `{edge}` has a capacity of {capacity}: it must be {least} to {most}")
            }
            Self::Cycle { nodes } => write!(
                f,
                "the cycle {} -> `{}` can't start: each of its nodes waits for the one before it; lay a token on one of its edges, \
                 `-[initial: [..]]->` or `.initial([..])`",
                joined(nodes, " -> "),
                nodes.first().map_or("?", String::as_str),
            ),
            Self::InconsistentRates { nodes, edges, target, firings } => {
                let name = |i: usize| nodes.get(i).map_or("?", String::as_str);
                let before = way(nodes.get(1..*target), edges.first());
                let behind = way(nodes.get(target + 1..), edges.last());
                let [before_times, behind_times] = firings.map(times);
                write!(
                    f,
                    "the rates on the cycle {} don't agree: {before}, `{}` fires {before_times} for each firing of `{}`, \
                     but {behind_times} {behind}",
                    joined(nodes, " - "),
                    name(*target),
                    name(0),
                )
            }
            Self::UnequalRates { edge, given, taken } => {
                write!(
                    f,
                    "the rates of the edge `{edge}` don't agree: it is given {given} tokens for each {taken} taken"
                )
            }
            Self::TooFewTokens { nodes, edge, tokens, needed } => {
                let cycle = format!("{} -> `{}`", joined(nodes, " -> "), nodes.first().map_or("?", String::as_str));
                write!(f, "the cycle {cycle} comes to a stop, since its nodes wait for one another: ")?;
                match needed {
                    Some(needed) => write!(f, "it takes {needed} initial tokens on `{edge}`, not {tokens}"),
                    None => write!(f, "it takes more than {tokens} initial tokens on `{edge}`"),
                }
            }
            Self::DuplicateName { name } => write!(f, "several nodes are named `{name}`: give each a name of its own"),
            Self::BadName { name } => {
                write!(f, "a node is named {name:?}: a name is not empty and has no control characters")
            }
            Self::ForeignPort { port } => {
                write!(f, "the arrow at `{port}` leads to a port of another builder, which isn't part of this network")
            }
        }
    }
}

/// How a way leads: over some nodes, or over one edge.
fn way(over: Option<&[String]>, edge: Option<&String>) -> String {
    match (over, edge) {
        (Some(nodes @ [_, ..]), _) => format!("by way of {}", joined(nodes, ", ")),
        (_, Some(edge)) => format!("along `{edge}`"),
        _ => "one way".to_owned(),
    }
}

fn times([over, under]: [u128; 2]) -> String {
    match (over, under) {
        (1, 1) => "once".to_owned(),
        (times, 1) => format!("{times} times"),
        _ => format!("{over}/{under} times"),
    }
}

fn list(names: &[String]) -> String {
    joined(names, ", ")
}

/// The names in quotes, those in the middle left out where there are many.
fn joined(names: &[String], between: &str) -> String {
    const SHOWN: usize = 12;
    let quoted = |names: &[String]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>();
    if names.len() <= SHOWN {
        return quoted(names).join(between);
    }
    let mut parts = quoted(&names[..SHOWN - 1]);
    parts.push(format!("({} more)", names.len() - SHOWN));
    parts.extend(quoted(&names[names.len() - 1..]));
    parts.join(between)
}
