//! From a specification to a network.

use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};

use kpn::node::{Any, Body, Failure, Fired, InPort, Maybe, One, OutPort, Ports};
use kpn::prelude::*;

use super::{Behaviour, Kind, NodeSpec, Place, Spec};
use crate::step::{step, step_to_end};
use crate::token::{Counted, Ledger};

type T = Counted;

/// A failure to come.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The node.
    pub node: usize,
    /// Its firing, counted from 0.
    pub firing: usize,
    /// Whether it panics; else it returns an error.
    pub panics: bool,
}

/// A network and what its sinks see.
#[derive(Debug)]
pub struct Built {
    /// Ready to run.
    pub net: Network<'static>,
    seen: Vec<(usize, Seen)>,
}

type Seen = Arc<Mutex<Vec<u64>>>;

/// What the sinks of a network have seen.
#[derive(Clone, Debug)]
pub struct Sights(Vec<(usize, Seen)>);

impl Sights {
    /// What each sink has seen so far, by node.
    pub fn all(&self) -> impl Iterator<Item = (usize, Vec<u64>)> {
        self.0.iter().map(|(node, seen)| (*node, seen.lock().unwrap_or_else(PoisonError::into_inner).clone()))
    }
}

impl Built {
    /// The network apart from its sinks' sights.
    pub fn parts(self) -> (Network<'static>, Sights) {
        (self.net, Sights(self.seen))
    }
}

/// A node's behaviour in the runtime: over counted tokens, with its work and perhaps its failure.
struct Acting {
    behaviour: Behaviour,
    ledger: Ledger,
    work: u32,
    fired: usize,
    fault: Option<Fault>,
}

impl Acting {
    /// Counts a firing, which may be the one to fail.
    fn begin(&mut self) -> Result<(), Failure> {
        let firing = self.fired;
        self.fired += 1;
        match self.fault.filter(|fault| fault.firing == firing) {
            // A panic without its report on stderr.
            Some(Fault { panics: true, .. }) => std::panic::resume_unwind(Box::new("out of order")),
            Some(_) => Err("out of order".into()),
            None => Ok(()),
        }
    }

    fn fire(&mut self, inputs: &[&T]) -> Fired<[Vec<T>; 2]> {
        if let Err(error) = self.begin() {
            return Fired::Failed(error);
        }
        (0..self.work).for_each(|i| _ = black_box(i));
        let values: Vec<u64> = inputs.iter().map(|token| token.value).collect();
        let Some(outputs) = self.behaviour.fire(&values) else { return Fired::End };
        Fired::Emit(outputs.map(|tokens| tokens.into_iter().map(|value| self.ledger.token(value)).collect()))
    }
}

/// Turns the tokens of one output into an item of its rate.
trait Item {
    fn of(tokens: Vec<T>) -> Self;
}

impl Item for T {
    fn of(mut tokens: Vec<T>) -> Self {
        tokens.pop().expect("an output of rate one gives one")
    }
}

impl Item for Option<T> {
    fn of(mut tokens: Vec<T>) -> Self {
        tokens.pop()
    }
}

impl Item for Many<T> {
    fn of(tokens: Vec<T>) -> Self {
        tokens.into()
    }
}

fn one<A: Item>(fired: Fired<[Vec<T>; 2]>) -> Fired<(A,)> {
    match fired {
        Fired::Emit([x, _]) => Fired::Emit((A::of(x),)),
        Fired::End => Fired::End,
        Fired::Failed(error) => Fired::Failed(error),
    }
}

fn two<A: Item, B: Item>(fired: Fired<[Vec<T>; 2]>) -> Fired<(A, B)> {
    match fired {
        Fired::Emit([x, y]) => Fired::Emit((A::of(x), B::of(y))),
        Fired::End => Fired::End,
        Fired::Failed(error) => Fired::Failed(error),
    }
}

/// The ports of a node under construction.
struct Loose {
    ins: Vec<Option<InPort<T>>>,
    outs: Vec<Option<OutPort<T>>>,
}

/// Ports of any shape as a list.
trait Listed<P> {
    fn list(self) -> Vec<Option<P>>;
}

impl<P> Listed<P> for () {
    fn list(self) -> Vec<Option<P>> {
        Vec::new()
    }
}

impl<P> Listed<P> for (P,) {
    fn list(self) -> Vec<Option<P>> {
        vec![Some(self.0)]
    }
}

impl<P> Listed<P> for (P, P) {
    fn list(self) -> Vec<Option<P>> {
        vec![Some(self.0), Some(self.1)]
    }
}

impl<P> Listed<P> for (P, P, P) {
    fn list(self) -> Vec<Option<P>> {
        vec![Some(self.0), Some(self.1), Some(self.2)]
    }
}

fn add<B>(builder: &mut Builder<'static>, spec: &NodeSpec, name: String, node: B) -> Loose
where
    B: Body<'static>,
    <B::Ports as Ports>::Ins: Listed<InPort<T>>,
    <B::Ports as Ports>::Outs: Listed<OutPort<T>>,
{
    let node = node.named(name);
    let ports = match spec.place {
        Place::Shared => builder.add(node),
        Place::Private => builder.add(node.private()),
        Place::Blocking => builder.add(node.blocking()),
        Place::Pinned => builder.add(node.pinned(0)),
        Place::Priority(priority) => builder.add(node.priority(priority)),
    };
    Loose { ins: ports.ins().list(), outs: ports.outs().list() }
}

impl Spec {
    /// Makes the network; tokens are booked in `ledger`.
    pub fn build(&self, ledger: &Ledger, fault: Option<Fault>) -> Built {
        let mut b = Builder::new();
        let mut seen = Vec::new();
        let mut loose: Vec<Loose> = Vec::new();
        for (i, spec) in self.nodes.iter().enumerate() {
            let fault = fault.filter(|fault| fault.node == i);
            let acting =
                Acting { behaviour: Behaviour::new(spec), ledger: ledger.clone(), work: spec.work, fired: 0, fault };
            loose.push(install(&mut b, spec, Self::name(i), acting, |sight| seen.push((i, sight))));
        }
        self.connect(&mut b, loose);
        Built { net: b.build().expect("a random network is sound"), seen }
    }

    fn connect(&self, b: &mut Builder<'static>, mut loose: Vec<Loose>) {
        // All readers of one output at once: that is how it is fanned out.
        for from in 0..self.nodes.len() {
            for output in 0..loose[from].outs.len() {
                let mut readers = Vec::new();
                for (to, node) in self.nodes.iter().enumerate() {
                    for (input, feed) in node.feeds.iter().enumerate() {
                        if (feed.0, feed.1) == (from, output) {
                            readers.push((to, input, feed.2));
                        }
                    }
                }
                let out = loose[from].outs[output].take().expect("an output is connected once");
                let outs = if readers.len() == 1 { vec![out] } else { b.fan_out(out, readers.len()) };
                for (out, (to, input, capacity)) in outs.into_iter().zip(readers) {
                    let wire = b.connect(out, loose[to].ins[input].take().expect("an input is connected once"));
                    if let Some(capacity) = capacity {
                        wire.capacity(capacity);
                    }
                }
            }
        }
    }
}

fn install(
    b: &mut Builder<'static>,
    spec: &NodeSpec,
    name: String,
    mut acting: Acting,
    see: impl FnOnce(Seen),
) -> Loose {
    type In1 = (One<T>,);
    type In2 = (One<T>, One<T>);
    type In3 = (One<T>, One<T>, One<T>);
    match spec.kind {
        Kind::Source(_) => add(b, spec, name, step::<(), (One<T>,), _>(move |()| one(acting.fire(&[])))),
        Kind::Map => add(b, spec, name, step::<In1, (One<T>,), _>(move |(x,)| one(acting.fire(&[&x])))),
        Kind::Filter => add(b, spec, name, step::<In1, (Maybe<T>,), _>(move |(x,)| one(acting.fire(&[&x])))),
        Kind::Spread => add(b, spec, name, step::<In1, (Any<T>,), _>(move |(x,)| one(acting.fire(&[&x])))),
        Kind::Last => {
            let last = step_to_end::<In1, (Maybe<T>,), _>(move |items| match items {
                Some((x,)) => one(acting.fire(&[&x])),
                None => Fired::Emit((acting.behaviour.finish().map(|value| acting.ledger.token(value)),)),
            });
            add(b, spec, name, last)
        }
        Kind::Twin => add(b, spec, name, step::<In1, (One<T>, Maybe<T>), _>(move |(x,)| two(acting.fire(&[&x])))),
        Kind::Join2 => add(b, spec, name, step::<In2, (One<T>,), _>(move |(x, y)| one(acting.fire(&[&x, &y])))),
        Kind::Join3 => add(b, spec, name, step::<In3, (One<T>,), _>(move |(x, y, z)| one(acting.fire(&[&x, &y, &z])))),
        Kind::Butterfly => {
            add(b, spec, name, step::<In2, (One<T>, One<T>), _>(move |(x, y)| two(acting.fire(&[&x, &y]))))
        }
        Kind::Sink => {
            let seen = Seen::default();
            see(seen.clone());
            let record = move |(x,): (T,)| {
                if let Err(error) = acting.begin() {
                    return Fired::Failed(error);
                }
                seen.lock().unwrap_or_else(PoisonError::into_inner).push(x.value);
                Fired::Emit(())
            };
            add(b, spec, name, step::<In1, (), _>(record))
        }
    }
}
