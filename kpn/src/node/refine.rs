//! Refining a node value: its name, its place, its priority.

use super::{Body, Node, Pure};
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
    pub(crate) replicas: Option<usize>,
}

impl Options {
    /// These, and the others where these say nothing.
    pub(crate) fn or(self, others: Self) -> Self {
        Self {
            name: self.name.or(others.name),
            placement: self.placement.or(others.placement),
            blocking: self.blocking.or(others.blocking),
            priority: self.priority.or(others.priority),
            replicas: self.replicas.or(others.replicas),
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
    /// something. It gets a thread of its own and hands on every token at once. A node that fires in no time and
    /// still may wait some day needs it: quick nodes share a worker with what they would wait for.
    fn blocking(self) -> Refined<Self> {
        refined(self, |o| o.blocking = Some(true))
    }

    /// Among nodes that one step makes ready, those of higher priority run first. The default is the
    /// node's distance from the sources, so sinks go first.
    fn priority(self, priority: i32) -> Refined<Self> {
        refined(self, |o| o.priority = Some(priority))
    }

    /// One firing after the other, as of a node with state: for one whose code does something beside what it gives, in the
    /// order of its tokens.
    fn serial(self) -> Refined<Self> {
        refined(self, |o| o.replicas = Some(1))
    }

    /// At most so many firings at once. Where nothing is said, a node without state that has an output may fire on every worker of
    /// its pool at once, and a sink fires once at a time.
    ///
    /// It is an upper bound: other workers help where one of them has nothing to do and the firings are long enough to be worth
    /// it, which is known from the first ones. On one worker, on private threads and where [`Shared::elastic`](crate::Shared::elastic)
    /// says no, nodes fire once at a time whatever is asked for here. 0 is as good as 1, which is [`Refine::serial`].
    ///
    /// ```
    /// use kpn::prelude::*;
    ///
    /// #[node]
    /// fn digits(n: u64) -> usize { n.to_string().len() }
    ///
    /// let mut total = 0;
    /// network! { source(0..1000) -> digits().replicas(2) -> sink(|n: usize| total += n) }?.run()?;
    /// assert_eq!(total, 10 + 2 * 90 + 3 * 900);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn replicas(self, most: usize) -> Refined<Self>
    where
        Self: Stateless,
    {
        refined(self, |o| o.replicas = Some(most.max(1)))
    }
}

impl<N: Node> Refine for N {}

/// A node that several workers may fire at once: one whose type is [`Pure`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` may have state, so its firings can't be done by several workers at once",
    label = "fires one token after the other",
    note = "a node without state is a `#[node] fn`, or a `#[node] impl` whose `fire` takes `&self`; neither may have parameters that can be changed from within, and all of it must be `Sync`. A closure may always have some: write it as a `#[node] fn`"
)]
pub trait Stateless {}

#[diagnostic::do_not_recommend]
impl<F: Pure> Stateless for F {}

#[diagnostic::do_not_recommend]
impl<N: Stateless> Stateless for Refined<N> {}

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
