//! What came of a verification, in words.

use std::error::Error;
use std::fmt;

use super::setting::{Place, Setting, of};

/// All runs gave the same.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proof {
    /// How many runs.
    pub runs: usize,
    /// How many outputs were compared.
    pub outputs: usize,
    /// How many tokens they gave in the first run.
    pub tokens: usize,
    /// Types without `Hash` and `Debug`, whose tokens were only counted.
    pub counted: Vec<String>,
    /// What the first run failed with, where that was allowed.
    pub failed: Option<String>,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, outputs, tokens, .. } = self;
        write!(f, "{} gave the same {} at {}", of("run", *runs), of("token", *tokens), of("output", *outputs))?;
        if let Some(error) = &self.failed {
            write!(f, "; all of them failed, the first one since {error}")?;
        }
        if !self.counted.is_empty() {
            let types = self.counted.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            write!(f, "; only counted, since they have neither `Hash` nor `Debug`: tokens of {types}")?;
        }
        Ok(())
    }
}

/// How a run was not what it should have been.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum What {
    /// A token is another one.
    Differs {
        /// The edge, or the first edge of its output.
        edge: String,
        /// Which of its tokens, from 0.
        index: usize,
        /// The token that was expected, where its type can be shown and the first run can be repeated.
        expected: Option<String>,
        /// The token that came, where its type can be shown.
        found: Option<String>,
    },
    /// An edge has more tokens, or fewer.
    Count {
        /// The edge, or the first edge of its output.
        edge: String,
        /// So many were expected.
        expected: usize,
        /// So many came.
        found: usize,
        /// The first token that was too many, or missing, where it can be shown.
        token: Option<String>,
    },
    /// Processes, or their ports, looked at more than their tokens, though that made no difference in these runs.
    Looks(Vec<String>),
    /// It failed, and the first run didn't.
    Fails(String),
    /// It did not fail, and the first run did.
    Succeeds(String),
    /// The first run failed, which was not allowed.
    AlwaysFails(String),
    /// The closure made another network than at first: an output more or less.
    OtherNetwork(String),
    /// The closure made none.
    NoNetwork(String),
}

/// A run differs from the first one, or says itself that it might have.
#[derive(Clone)]
#[non_exhaustive]
pub struct Difference {
    /// How it differs.
    pub what: Box<What>,
    /// How it was done.
    pub found_in: Setting,
    /// How the first one was done.
    pub expected_in: Setting,
    /// Further edges that differ.
    pub also: Vec<String>,
    /// The node that gave what differs, where all that it reads is the same in both runs.
    pub node: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, found_in, expected_in, also, node } = self;
        let shown = |token: &Option<String>| token.as_deref().unwrap_or("(not to be shown)").to_owned();
        match &**what {
            What::Differs { edge, index, expected, found } => {
                writeln!(f, "not determinate: `{edge}` differs first, in its token {index}")?;
                writeln!(f, "  expected  {}", shown(expected))?;
                writeln!(f, "  found     {}", shown(found))?;
            }
            What::Count { edge, expected, found, token } => {
                writeln!(f, "not determinate: `{edge}` differs first, in the number of its tokens")?;
                writeln!(f, "  expected  {}", of("token", *expected))?;
                writeln!(f, "  found     {}", of("token", *found))?;
                if let Some(token) = token {
                    let which = if found > expected { "too many" } else { "missing" };
                    writeln!(f, "  the first one {which} is {token}")?;
                }
            }
            What::Looks(who) => {
                writeln!(f, "perhaps not determinate, though no token differed: more than their tokens saw")?;
                who.iter().try_for_each(|who| writeln!(f, "  {who}"))?;
                return write!(f, "in a run with {found_in}");
            }
            What::Fails(error) => {
                writeln!(f, "not determinate: a run fails, and the first one didn't")?;
                writeln!(f, "  {error}")?;
            }
            What::Succeeds(error) => {
                writeln!(f, "not determinate: a run doesn't fail, and the first one did")?;
                writeln!(f, "  {error}")?;
            }
            What::AlwaysFails(error) => {
                return write!(f, "the network fails: {error}\nwhere that is meant, say `.may_fail()`");
            }
            What::OtherNetwork(edge) => {
                return write!(f, "the closure made another network the second time: only one of them has `{edge}`");
            }
            What::NoNetwork(error) => return write!(f, "the closure made no network: {error}"),
        }
        writeln!(f, "first run: {expected_in}")?;
        write!(f, "this run:  {found_in}")?;
        if !also.is_empty() {
            let (few, more) = also.split_at(also.len().min(5));
            let few = few.iter().map(|edge| format!("`{edge}`")).collect::<Vec<_>>().join(", ");
            write!(f, "\nalso differ: {few}")?;
            if !more.is_empty() {
                write!(f, " and {} more", more.len())?;
            }
        }
        if let Some(node) = node {
            write!(f, "\nall that `{node}` reads is the same in both runs, so look there")?;
        }
        match found_in.place {
            _ if found_in == expected_in => {
                f.write_str("\nboth had the same schedule: what differs comes from outside of the network, as from a clock, from random numbers, from a global variable")
            }
            Place::Seed(seed) => write!(f, "\nto repeat it: `.replay({seed})`"),
            _ => f.write_str("\nwhere threads take turns by themselves it can't be repeated exactly"),
        }
    }
}

/// The sentence, for `main` and `unwrap` too.
impl fmt::Debug for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for Difference {}
