//! An arrow that was made, and its options.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::Range;

use super::wire::Carries;
use crate::graph::Graph;
use crate::node::{InPort, Initial, OutPort, Token};

/// What an arrow carries that stands for several edges.
#[derive(Debug)]
pub struct Several(PhantomData<*const ()>);

/// An arrow that stands for one edge, of tokens of this type.
#[diagnostic::on_unimplemented(
    message = "initial tokens lie on one edge, but this arrow stands for several",
    label = "which of its edges?",
    note = "name the port: `a -[initial: [..]]-> node.port`"
)]
pub trait OneEdge: Token {}

#[diagnostic::do_not_recommend]
impl<T: Token> OneEdge for T {}

/// An arrow that was made; its options hold for all edges that it stands for. `T` is what it carries.
pub struct Wire<'b, T = Several> {
    graph: &'b mut Graph,
    initials: &'b mut HashMap<usize, Initial>,
    edges: Range<usize>,
    token: PhantomData<fn(T)>,
}

impl<T> std::fmt::Debug for Wire<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wire").field("edges", &self.edges).finish_non_exhaustive()
    }
}

impl<'b, T> Wire<'b, T> {
    pub(crate) fn new(graph: &'b mut Graph, initials: &'b mut HashMap<usize, Initial>, edges: Range<usize>) -> Self {
        Self { graph, initials, edges, token: PhantomData }
    }

    /// Tokens that lie on the edge before the network starts, the first to be read first. A cycle needs them on one of
    /// its edges, so that it can start; none, `[]`, says that a process on the cycle sends first.
    pub fn initial(self, tokens: impl IntoIterator<Item = T>) -> Self
    where
        T: OneEdge,
    {
        let tokens: Vec<T> = tokens.into_iter().collect();
        self.graph.set_initial(self.edges.start, tokens.len());
        self.initials.insert(self.edges.start, Initial::new(tokens));
        self
    }

    /// The most tokens that may be in flight on each edge; 64 where nothing is said.
    pub fn capacity(self, tokens: usize) -> Self {
        for edge in self.edges.clone() {
            self.graph.set_capacity(edge, tokens);
        }
        self
    }
}

/// One pair: as [`OneEdge`], before the arrow is made.
#[diagnostic::on_unimplemented(
    message = "initial tokens lie on one edge, but this arrow stands for several",
    label = "which of its edges?",
    note = "name the port: `a -[initial: [..]]-> node.port`"
)]
pub trait OnePair: Carries<Token = Self::One> {
    /// What it carries.
    type One;
}

impl<T, U> OnePair for ((OutPort<U>, InPort<T>),) {
    type One = T;
}
