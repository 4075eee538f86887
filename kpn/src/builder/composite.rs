//! Networks with open ports, which are nodes of a larger one.

use super::Builder;
use crate::node::rate::{Inputs, One, Outputs};
use crate::node::{Body, InPort, Initial, Node, OutPort, Ports, Token};

/// A network with open ports: a node for another network. `network!` with `in` or `out` makes one.
///
/// ```
/// use kpn::builder::Composite;
/// use kpn::node::{InPort, OutPort, Ports};
/// use kpn::prelude::*;
///
/// struct Open { x: InPort<f32>, y: OutPort<f32> }
///
/// impl Ports for Open {
///     type Ins = (InPort<f32>,);
///     type Outs = (OutPort<f32>,);
///     fn ins(&self) -> Self::Ins { (self.x.again(),) }
///     fn outs(&self) -> Self::Outs { (self.y.again(),) }
/// }
///
/// let mut inside = Builder::new();
/// let x = inside.open::<f32>("x");
/// let y = inside.open::<f32>("y");
/// let halved = inside.pipe(x.output, map(|x| x / 2.0));
/// inside.connect(halved, y.input);
/// let half = Composite::new(inside, Open { x: x.input, y: y.output });
///
/// let mut b = Builder::new();
/// let numbers = b.add(source([1.0, 2.0]));
/// let halves = b.pipe(numbers.out, half.named("half"));
/// b.pipe(halves, sink(|_| ()));
/// assert!(b.build().is_ok());
/// ```
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

/// It may outlive the network that it stands in, so that one that borrows nothing is a [`crate::node::Stage`].
impl<'env, 'inner: 'env, P: Ports> Body<'env> for Composite<'inner, P> {
    fn install(self, builder: &mut Builder<'env>) -> P {
        builder.merge(self.builder);
        self.ports
    }
}

/// An open port of a composite: tokens that enter at `input` leave at `output`. It costs nothing at run
/// time, since [`Builder::build`] connects what is before it with what is behind it.
///
/// Where edges before and behind it both have a capacity, that of the innermost composite holds, which knows
/// its own needs.
#[derive(Debug)]
pub struct Junction<T> {
    /// Faces outwards for an `in` port, inwards for an `out` port.
    pub input: InPort<T>,
    /// Faces inwards for an `in` port, outwards for an `out` port.
    pub output: OutPort<T>,
}

impl<'env> Builder<'env> {
    /// An open port called `name`, for a [`Composite`].
    pub fn open<T: Token>(&mut self, name: &'static str) -> Junction<T> {
        let shape = <(One<T>,) as Inputs>::shapes().remove(0);
        let node = self.graph.add_junction(name, shape);
        self.parts.bodies.push(None);
        Junction {
            input: <(One<T>,) as Inputs>::ports(self.id, node).0,
            output: <(One<T>,) as Outputs>::ports(self.id, node).0,
        }
    }

    /// Takes in all of a composite's inside. Its ports, and those of the builders that it took in itself,
    /// resolve from now on.
    fn merge(&mut self, inner: Builder<'env>) {
        let (scope, said) = self.standing();
        let edges = self.graph.edge_count();
        let offset = self.graph.merge(inner.graph, scope, said);
        let (parts, inside) = (&mut self.parts, inner.parts);
        parts.bodies.extend(inside.bodies);
        parts.makes.extend(inside.makes);
        parts.clones.extend(inside.clones.into_iter().map(|((node, port), clone)| ((node + offset, port), clone)));
        parts.initials.extend(inside.initials.into_iter().map(|(edge, initial)| (edge + edges, initial)));
        self.merged.extend(inner.merged.into_iter().map(|(id, inside)| (id, inside + offset)));
        self.merged.insert(inner.id, offset);
    }

    /// Replaces each junction of a checked graph by direct edges.
    pub(super) fn splice(&mut self) {
        let spliced = self.graph.splice();
        let parts = &mut self.parts;
        let mut keep = spliced.nodes.iter().map(Option::is_some);
        parts.bodies.retain(|_| keep.next().unwrap_or(false));
        parts.makes = spliced.edges.iter().map(|&edge| parts.makes[edge]).collect();

        let mut clones = std::mem::take(&mut parts.clones);
        for (junction, output) in spliced.fanned {
            // Several junctions may lead to one output; they all carry its type, so any of their ways serves.
            parts.clones.extend(clones.remove(&junction).map(|clone| (output, clone)));
        }
        let moved = clones.into_iter().filter_map(|((node, port), clone)| Some(((spliced.nodes[node]?, port), clone)));
        parts.clones.extend(moved);

        let mut initials = std::mem::take(&mut parts.initials);
        for (new, (old, above)) in spliced.edges.into_iter().zip(spliced.merged).enumerate() {
            let clone = self.graph.edges[new].from.and_then(|from| parts.clones.get(&from));
            // Those above may lie before a fork, so that each branch gets a copy.
            let copies = above.iter().filter_map(|edge| {
                let initial = initials.get(edge)?;
                clone.map(|clone| initial.again(clone))
            });
            let mut all: Vec<Initial> = copies.collect();
            if all.is_empty() {
                all = above.iter().filter_map(|edge| initials.remove(edge)).collect();
            }
            let own = initials.remove(&old);
            let merged = own.into_iter().chain(all).reduce(|near, far| near.followed_by(far));
            parts.initials.extend(merged.map(|merged| (new, merged)));
        }
    }
}
