//! Networks with open ports, which are nodes of a larger one.

use super::Builder;
use crate::node::{Body, InPort, Node, NodeInfo, OutPort, Ports};

/// A network with open ports: a node for another network. `network!` with `in` or `out` makes one.
pub struct Composite<'env, P> {
    builder: Builder<'env>,
    ports: P,
}

impl<'env, P: Ports> Composite<'env, P> {
    /// Makes a node of a builder; `ports` are those of its [`Builder::open`] junctions that face outwards.
    pub fn new(builder: Builder<'env>, ports: P) -> Self {
        Self { builder, ports }
    }
}

impl<P> std::fmt::Debug for Composite<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Composite").field("inside", &self.builder).finish_non_exhaustive()
    }
}

impl<P: Ports> Node for Composite<'_, P> {
    type Ports = P;
}

impl<'env, P: Ports> Body<'env> for Composite<'env, P> {
    fn install(self, builder: &mut Builder<'env>) -> P {
        builder.merge(self.builder);
        self.ports
    }
}

/// An open port of a composite: tokens that enter at `input` leave at `output`. It costs nothing at run
/// time, since [`Builder::build`] connects what is before it with what is behind it.
#[derive(Debug)]
pub struct Junction<T> {
    /// Faces outwards for an `in` port, inwards for an `out` port.
    pub input: InPort<T>,
    /// Faces inwards for an `in` port, outwards for an `out` port.
    pub output: OutPort<T>,
}

impl<'env> Builder<'env> {
    /// An open port called `name`, for a [`Composite`].
    pub fn open<T: Send + 'static>(&mut self, name: &'static str) -> Junction<T> {
        todo!("{name}")
    }

    fn merge(&mut self, _inner: Builder<'env>) {
        todo!()
    }
}

/// Replaces each junction by direct edges.
pub(super) fn splice(_builder: &mut Builder<'_>) {}

#[allow(unused)]
const INFO: NodeInfo = NodeInfo { name: "open", inputs: &["in"], outputs: &["out"] };
