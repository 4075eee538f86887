//! Refining a node value: its name, its place, its priority.

use super::{Body, Node};
use crate::builder::Builder;

/// Where a node runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Placement {
    /// On the executor that the network runs on.
    #[default]
    Shared,
    /// On a thread of its own.
    Private,
    /// On a thread of its own, bound to this core.
    Pinned(usize),
}

/// What was refined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) name: Option<String>,
    pub(crate) placement: Option<Placement>,
    pub(crate) blocking: Option<bool>,
    pub(crate) priority: Option<i32>,
}

impl Options {
    /// These, and the others where these say nothing.
    pub(crate) fn or(self, others: Self) -> Self {
        Self {
            name: self.name.or(others.name),
            placement: self.placement.or(others.placement),
            blocking: self.blocking.or(others.blocking),
            priority: self.priority.or(others.priority),
        }
    }
}

/// A node or composite with refinements; made by the methods of [`Refine`].
#[derive(Clone, Debug)]
pub struct Refined<N> {
    node: N,
    options: Options,
}

/// Refinements that every node and composite has.
///
/// Of two that contradict each other, the one said last holds. On a composite they hold for all nodes inside,
/// except where a node inside says otherwise itself.
pub trait Refine: Node + Sized {
    /// Names the node in reports, errors and graphs. A composite's name becomes a prefix: `echo/mix`.
    fn named(self, name: impl Into<String>) -> Refined<Self> {
        refined(self, |o| o.name = Some(name.into()))
    }

    /// Gives the node a thread of its own.
    fn private(self) -> Refined<Self> {
        refined(self, |o| o.placement = Some(Placement::Private))
    }

    /// Gives the node a thread of its own, bound to core `core` (counted from 0 among the cores that this
    /// process may use). Where there is no such core the thread stays unbound, with a warning.
    fn pinned(self, core: usize) -> Refined<Self> {
        refined(self, |o| o.placement = Some(Placement::Pinned(core)))
    }

    /// Says that the node blocks in its own code: on input and output, or until another node has done
    /// something. It gets a thread of its own and hands on every token at once.
    fn blocking(self) -> Refined<Self> {
        refined(self, |o| o.blocking = Some(true))
    }

    /// Among nodes that one step makes ready, those of higher priority run first. The default is the
    /// node's distance from the sources, so sinks go first.
    fn priority(self, priority: i32) -> Refined<Self> {
        refined(self, |o| o.priority = Some(priority))
    }
}

impl<N: Node> Refine for N {}

fn refined<N>(node: N, set: impl FnOnce(&mut Options)) -> Refined<N> {
    let mut options = Options::default();
    set(&mut options);
    Refined { node, options }
}

impl<N: Node> Node for Refined<N> {
    type Ports = N::Ports;
}

impl<'env, N: Body<'env>> Body<'env> for Refined<N> {
    fn install(self, builder: &mut Builder<'env>) -> Self::Ports {
        builder.refining(self.options, |builder| self.node.install(builder))
    }
}
