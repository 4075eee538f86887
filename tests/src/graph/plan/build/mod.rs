//! From a plan to a network that runs.

mod firing;
mod process;
mod record;

pub(super) use record::Seen;
pub use record::{Heard, Sabotage};

use kpn::node::{Body, InPort, OutPort, Ports};
use kpn::prelude::*;
use kpn::{BuildError, Network};

use super::{Kind, Place, Plan};
use record::Recorder;

/// A network and what its nodes will say of it.
#[derive(Debug)]
pub struct Built {
    /// Ready to run.
    pub net: Network<'static>,
    /// What its nodes took and gave, complete when the run has ended.
    pub heard: Heard,
}

/// The ports of a node under construction.
struct Loose {
    ins: Vec<Option<InPort<u64>>>,
    outs: Vec<Option<OutPort<u64>>>,
}

/// Ports of any shape as a list.
trait Listed<P> {
    fn list(self) -> Vec<Option<P>>;
}

macro_rules! listed {
    ($($port:ident)*) => {
        impl<P> Listed<P> for ($(listed!(@ $port P),)*) {
            #[allow(non_snake_case)]
            fn list(self) -> Vec<Option<P>> {
                let ($($port,)*) = self;
                vec![$(Some($port)),*]
            }
        }
    };
    (@ $port:ident $p:ident) => { $p };
}
listed!();
listed!(a);
listed!(a b);
listed!(a b c);

impl<P, const N: usize> Listed<P> for [P; N] {
    fn list(self) -> Vec<Option<P>> {
        self.into_iter().map(Some).collect()
    }
}

/// A node's name and place.
struct Manner {
    name: String,
    place: Place,
}

impl Manner {
    fn add<B>(self, builder: &mut Builder<'static>, node: B) -> Loose
    where
        B: Body<'static>,
        <B::Ports as Ports>::Ins: Listed<InPort<u64>>,
        <B::Ports as Ports>::Outs: Listed<OutPort<u64>>,
    {
        let node = node.named(self.name);
        let ports = match self.place {
            Place::Shared => builder.add(node),
            Place::Private => builder.add(node.private()),
            Place::Blocking => builder.add(node.blocking()),
            Place::Priority(priority) => builder.add(node.priority(priority)),
        };
        Loose { ins: ports.ins().list(), outs: ports.outs().list() }
    }
}

impl Plan {
    /// Makes the network.
    ///
    /// # Errors
    ///
    /// Where the builder finds something wrong with it, which it should not.
    pub fn build(&self) -> Result<Built, BuildError> {
        self.build_with(None)
    }

    /// Makes the network with something wrong in it.
    ///
    /// # Errors
    ///
    /// As [`Plan::build`].
    pub fn build_with(&self, sabotage: Option<Sabotage>) -> Result<Built, BuildError> {
        let mut b = Builder::new();
        let heard = Heard::of(self);
        let mut loose: Vec<Loose> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            let manner = Manner { name: Self::name(i), place: node.place };
            let recorder = Recorder::new(i, node, &heard, sabotage.as_ref());
            loose.push(match &node.kind {
                Kind::Process(program) => process::install(&mut b, manner, program.clone(), node.salt, recorder),
                kind => firing::install(&mut b, manner, kind, node.salt, recorder),
            });
        }
        self.wire(&mut b, loose);
        Ok(Built { net: b.build()?, heard })
    }

    fn wire(&self, b: &mut Builder<'static>, mut loose: Vec<Loose>) {
        let wiring = self.wiring();
        // All readers of one output at once: that is how it is fanned out.
        for (node, outputs) in wiring.outputs.iter().enumerate() {
            for (port, edges) in outputs.iter().enumerate() {
                let out = loose[node].outs[port].take().expect("an output is connected once");
                let outs = if edges.len() == 1 { vec![out] } else { b.fan_out(out, edges.len()) };
                for (out, edge) in outs.into_iter().zip(edges) {
                    let edge = &self.edges[*edge];
                    let to = loose[edge.to.node].ins[edge.to.port].take().expect("an input is connected once");
                    let mut wire = b.connect(out, to);
                    if let Some(capacity) = edge.capacity {
                        wire = wire.capacity(capacity);
                    }
                    if let Some(initial) = &edge.initial {
                        wire.initial(initial.iter().copied());
                    }
                }
            }
        }
    }
}
