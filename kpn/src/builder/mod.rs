//! Building a network by hand; `network!` is sugar over this.

mod addition;
mod composite;
mod ends;
mod option;
mod scope;
mod wire;

pub use composite::{Composite, Junction};
pub use ends::{InEnd, OutEnd, Single};
pub use option::{OneEdge, OnePair, Several, Wire};
pub use wire::{Arrow, Carries, Copier, Copies, FedBy, Fits, SplitInto, SpreadOver, Tail};

use std::collections::HashMap;

use crate::error::BuildError;
use crate::graph::{self, Graph};
use crate::net::Network;
use crate::node::bound::{Unbound, unbound, unbound_pure};
use crate::node::{Body, Firing, InPort, Inputs, NodeInfo, OutPort, Outputs, Ports, Pure};
use crate::plan::Parts;
use crate::process::{InEnds, OutEnds, Outcome};
use crate::sync::next_id;

/// Collects nodes and edges; [`Builder::build`] checks them all at once.
///
/// ```
/// use kpn::prelude::*;
///
/// let mut total = 0;
/// let mut b = Builder::new();
/// let numbers = b.add(source(0..10u64));
/// let doubled = b.pipe(numbers.out, map(|x| 2 * x));
/// b.pipe(doubled, sink(|x| total += x));
/// b.build()?.run()?;
/// assert_eq!(total, 90);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Builder<'env> {
    id: u64,
    graph: Graph,
    parts: Parts<'env>,
    /// Builders that were merged into this one, and where their nodes begin.
    merged: HashMap<u64, usize>,
    /// The bodies whose `install` is running, the outermost first.
    frames: Vec<scope::Frame>,
}

impl Default for Builder<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'env> Builder<'env> {
    /// An empty network.
    pub fn new() -> Self {
        Self {
            id: next_id(),
            graph: Graph::default(),
            parts: Parts::default(),
            merged: HashMap::new(),
            frames: Vec::new(),
        }
    }

    /// Adds a node that fires, with its name and its ports' names; for implementations of [`Body`].
    pub fn firing<F: Firing + 'env>(
        &mut self,
        info: NodeInfo,
        body: F,
    ) -> (<F::In as Inputs>::Ports, <F::Out as Outputs>::Ports) {
        self.unbound::<F::In, F::Out>(info, unbound(info, body))
    }

    /// The same for a node without state, which may then fire on several workers at once.
    pub fn pure<F: Pure + 'env>(
        &mut self,
        info: NodeInfo,
        body: F,
    ) -> (<F::In as Inputs>::Ports, <F::Out as Outputs>::Ports) {
        self.unbound::<F::In, F::Out>(info, unbound_pure(info, body))
    }

    /// Adds a node with these rates whose body is the engine's own.
    pub(crate) fn unbound<I: Inputs, O: Outputs>(
        &mut self,
        info: NodeInfo,
        body: Box<dyn Unbound + 'env>,
    ) -> (I::Ports, O::Ports) {
        let (scope, said) = self.standing();
        self.parts.bodies.push(Some(body));
        let node = self.graph.add(info, I::shapes(), O::shapes(), scope, said);
        (I::ports(self.id, node), O::ports(self.id, node))
    }

    /// Adds a process, with its name and its ports' names: what `start` makes of its ports runs until it returns. `#[node]` on an
    /// `async fn` does this.
    ///
    /// ```
    /// use kpn::node::NodeInfo;
    /// use kpn::prelude::*;
    ///
    /// let mut seen = Vec::new();
    /// let mut b = Builder::new();
    /// let info = NodeInfo { name: "twice", inputs: &["x"], outputs: &["y"] };
    /// let ((x,), (y,)) = b.process(info, |(mut x,): (In<u32>,), (mut y,): (Out<u32>,)| async move {
    ///     while let Some(token) = x.recv().await {
    ///         y.send_many([token, token]).await?;
    ///     }
    ///     Ok::<(), Closed>(())
    /// });
    /// let numbers = b.add(source(0..2));
    /// b.connect(numbers.out, x);
    /// b.pipe(y, sink(|token| seen.push(token)));
    /// b.build()?.run()?;
    /// assert_eq!(seen, [0, 0, 1, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn process<I, O, F, R>(&mut self, info: NodeInfo, start: F) -> (I::Ports, O::Ports)
    where
        I: InEnds + 'env,
        O: OutEnds + 'env,
        F: FnOnce(I, O) -> R + Send + 'env,
        R: Future<Output: Outcome> + Send + 'env,
    {
        self.any_process(info, false, start)
    }

    /// The same for a process that may use what is not determinate: [`kpn::nondet`](crate::nondet). `#[node(nondet)]` does this.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use kpn::node::NodeInfo;
    /// use kpn::prelude::*;
    ///
    /// let mut b = Builder::new();
    /// let info = NodeInfo { name: "later", inputs: &[], outputs: &["out"] };
    /// let ((), (out,)) = b.nondet_process(info, |(), (mut out,): (Out<u32>,)| async move {
    ///     kpn::nondet::sleep(Duration::from_millis(1)).await;
    ///     out.send(1).await
    /// });
    /// b.pipe(out, sink(|x| assert_eq!(x, 1)));
    /// b.build()?.run()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nondet_process<I, O, F, R>(&mut self, info: NodeInfo, start: F) -> (I::Ports, O::Ports)
    where
        I: InEnds + Send + 'env,
        O: OutEnds + Send + 'env,
        F: FnOnce(I, O) -> R + Send + 'env,
        R: Future<Output: Outcome> + Send + 'env,
    {
        self.any_process(info, true, start)
    }

    /// The same, for one that says whether it is determinate.
    pub(crate) fn any_process<I, O, F, R>(&mut self, info: NodeInfo, nondet: bool, start: F) -> (I::Ports, O::Ports)
    where
        I: InEnds + 'env,
        O: OutEnds + 'env,
        F: FnOnce(I, O) -> R + Send + 'env,
        R: Future<Output: Outcome> + Send + 'env,
    {
        let (scope, said) = self.standing();
        self.parts.bodies.push(Some(crate::process::process(info, nondet, start)));
        let node = self.graph.add(info, I::shapes(), O::shapes(), scope, said);
        self.graph.nodes[node].process = true;
        self.graph.nodes[node].nondet = nondet;
        (I::ports(self.id, node), O::ports(self.id, node))
    }

    /// Connects an output to an input. The returned [`Wire`] takes options.
    pub fn connect<T>(&mut self, from: OutPort<T>, to: InPort<T>) -> Wire<'_, T> {
        self.parts.makes.push(from.make);
        let from = self.resolve(from.id);
        let to = self.resolve(to.id);
        let edge = self.graph.connect(from, to);
        Wire::new(&mut self.graph, &mut self.parts.initials, edge..edge + 1)
    }

    /// Adds a node with one input, fed by `from`; returns its outputs: an [`OutPort`] where it has one, `()`
    /// where it has none, a tuple where it has several.
    pub fn pipe<T, B>(&mut self, from: OutPort<T>, node: B) -> <Outs<B> as wire::Tail>::Tail
    where
        B: Body<'env>,
        B::Ports: Ports<Ins = (InPort<T>,)>,
        Outs<B>: wire::Tail,
    {
        let ports = self.add(node);
        self.connect(from, ports.ins().0);
        wire::Tail::tail(ports.outs())
    }

    /// Splits an output into `readers`, each of which gets every token: one clone fewer than there are readers.
    pub fn fan_out<T: Clone + 'static>(&mut self, from: OutPort<T>, readers: usize) -> Vec<OutPort<T>> {
        self.clones_of(&from);
        (0..readers).map(|_| from.again()).collect()
    }

    /// Checks everything and freezes the network.
    ///
    /// # Errors
    ///
    /// All problems at once: ports that are not wired or wired twice, capacities that can't work, cycles
    /// that nothing can start, names that stand twice. Where there are none of these: rates that don't agree, and cycles
    /// that stop for want of initial tokens.
    pub fn build(mut self) -> Result<Network<'env>, BuildError> {
        graph::check(&mut self.graph)?;
        self.splice();
        graph::check_rates(&self.graph)?;
        self.graph.fit(None);
        Ok(Network::new(self.graph, self.parts))
    }

    /// Records how an output's tokens are cloned.
    fn clones_of<T: Clone + 'static>(&mut self, from: &OutPort<T>) {
        if let Some((node, port)) = self.resolve(from.id) {
            let clone: crate::channel::CloneFn<T> = T::clone;
            self.parts.clones.insert((node, port), Box::new(clone));
            self.graph.fanned.insert((node, port));
        }
    }

    /// Where a port's node is in this builder; `None` for a port of a builder that was never merged.
    fn resolve(&self, id: crate::node::PortId) -> Option<(usize, usize)> {
        if id.builder == self.id {
            return Some((id.node, id.port));
        }
        self.merged.get(&id.builder).map(|offset| (offset + id.node, id.port))
    }
}

impl std::fmt::Debug for Builder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("graph", &self.graph).finish_non_exhaustive()
    }
}

type Outs<B> = <<B as crate::node::Node>::Ports as Ports>::Outs;
