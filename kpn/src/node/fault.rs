//! What a node can do wrong with its rates, as values.

use std::fmt;

/// A firing gave another number of tokens than its output's rate says. None of the firing's tokens was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrongCount {
    /// The node's name.
    pub node: String,
    /// The output's name.
    pub port: String,
    /// Tokens that the firing had to give.
    pub expected: usize,
    /// Tokens that it gave.
    pub found: usize,
}

impl WrongCount {
    pub(crate) fn new(node: &str, names: &[&str], miscount: Miscount) -> Self {
        let Miscount { port, expected, found } = miscount;
        Self { node: node.to_owned(), port: port_name(names, "outputs", port), expected, found }
    }
}

impl fmt::Display for WrongCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, port, expected, found } = self;
        write!(f, "`{node}.{port}` gives {} in this firing, but was given {found}", tokens(*expected))
    }
}

impl std::error::Error for WrongCount {}

/// The stream of an input ended within a firing, in a node for which that is an error
/// ([`Firing::PARTIAL_FAILS`](super::Firing::PARTIAL_FAILS)).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartialFiring {
    /// The node's name.
    pub node: String,
    /// The input's name.
    pub port: String,
    /// Tokens that the next firing needed.
    pub expected: usize,
    /// Tokens that were left.
    pub found: usize,
}

impl PartialFiring {
    pub(crate) fn new(node: &str, names: &[&str], miscount: Miscount) -> Self {
        let Miscount { port, expected, found } = miscount;
        Self { node: node.to_owned(), port: port_name(names, "inputs", port), expected, found }
    }
}

impl fmt::Display for PartialFiring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, port, expected, found } = self;
        write!(f, "`{node}.{port}` needs {} for a firing, but its stream ended with {found} left", tokens(*expected))
    }
}

impl std::error::Error for PartialFiring {}

/// Two numbers of tokens that should be one.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miscount {
    pub(crate) port: usize,
    pub(crate) expected: usize,
    pub(crate) found: usize,
}

fn port_name(names: &[&str], all: &str, port: usize) -> String {
    names.get(port).map_or_else(|| format!("{all}[{port}]"), |name| (*name).to_owned())
}

fn tokens(n: usize) -> String {
    if n == 1 { "1 token".to_owned() } else { format!("{n} tokens") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_sentences_that_name_the_port() {
        let short = Miscount { port: 1, expected: 3, found: 1 };
        let partial = PartialFiring::new("fir", &["a", "b"], short);
        assert_eq!(partial.to_string(), "`fir.b` needs 3 tokens for a firing, but its stream ended with 1 left");
        let wrong = WrongCount::new("fx/pad", &[], Miscount { expected: 1, ..short });
        assert_eq!(wrong.to_string(), "`fx/pad.outputs[1]` gives 1 token in this firing, but was given 1");
    }
}
