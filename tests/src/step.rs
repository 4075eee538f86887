//! Nodes of any shape from one closure, for what the ready-made ones don't cover: joins, several outputs, other
//! rates, failures, a last word.

use std::marker::PhantomData;

use kpn::Builder;
use kpn::node::{Body, Fired, Firing, InPort, Inputs, Node, NodeInfo, OutPort, Outputs, Ports};

/// A node that fires a closure; made by [`step`] or [`step_to_end`].
pub struct Step<I, O, F, const FINISHES: bool> {
    fire: F,
    rates: PhantomData<fn(I) -> O>,
}

/// A node that takes `I` and gives `O` by a closure.
#[expect(clippy::type_complexity, reason = "the closure has no name")]
pub fn step<I: Inputs, O: Outputs, F>(mut fire: F) -> Step<I, O, impl FnMut(Option<I::Items>) -> Fired<O::Items>, false>
where
    F: FnMut(I::Items) -> Fired<O::Items>,
{
    Step { fire: move |items: Option<I::Items>| fire(items.expect("it finishes nothing")), rates: PhantomData }
}

/// The same, called once more with `None` at the end of its inputs.
pub fn step_to_end<I: Inputs, O: Outputs, F>(fire: F) -> Step<I, O, F, true>
where
    F: FnMut(Option<I::Items>) -> Fired<O::Items>,
{
    Step { fire, rates: PhantomData }
}

impl<I, O, F, const FINISHES: bool> Firing for Step<I, O, F, FINISHES>
where
    I: Inputs,
    O: Outputs,
    F: FnMut(Option<I::Items>) -> Fired<O::Items> + Send,
{
    type In = I;
    type Out = O;
    const FINISHES: bool = FINISHES;

    fn fire(&mut self, items: I::Items) -> Fired<O::Items> {
        (self.fire)(Some(items))
    }

    fn finish(&mut self) -> Fired<O::Items> {
        (self.fire)(None)
    }
}

/// The ports of a [`Step`].
#[derive(Debug)]
pub struct StepPorts<I, O> {
    /// The inputs, in order.
    pub ins: I,
    /// The outputs, in order.
    pub outs: O,
}

/// Ports once more: the contract of [`Ports`].
pub trait Again {
    /// Once more.
    fn again(&self) -> Self;
}

impl<T> Again for InPort<T> {
    fn again(&self) -> Self {
        Self::again(self)
    }
}

impl<T> Again for OutPort<T> {
    fn again(&self) -> Self {
        Self::again(self)
    }
}

impl<P: Again, const N: usize> Again for [P; N] {
    fn again(&self) -> Self {
        std::array::from_fn(|i| self[i].again())
    }
}

impl Again for () {
    fn again(&self) {}
}

impl<A: Again> Again for (A,) {
    fn again(&self) -> Self {
        (self.0.again(),)
    }
}

impl<A: Again, B: Again> Again for (A, B) {
    fn again(&self) -> Self {
        (self.0.again(), self.1.again())
    }
}

impl<A: Again, B: Again, C: Again> Again for (A, B, C) {
    fn again(&self) -> Self {
        (self.0.again(), self.1.again(), self.2.again())
    }
}

impl<I: Again, O: Again> Ports for StepPorts<I, O> {
    type Ins = I;
    type Outs = O;
    fn ins(&self) -> I {
        self.ins.again()
    }
    fn outs(&self) -> O {
        self.outs.again()
    }
}

impl<I, O, F, const FINISHES: bool> Node for Step<I, O, F, FINISHES>
where
    I: Inputs<Ports: Again>,
    O: Outputs<Ports: Again>,
{
    type Ports = StepPorts<I::Ports, O::Ports>;
}

impl<'env, I, O, F, const FINISHES: bool> Body<'env> for Step<I, O, F, FINISHES>
where
    I: Inputs<Ports: Again>,
    O: Outputs<Ports: Again>,
    F: FnMut(Option<I::Items>) -> Fired<O::Items> + Send + 'env,
{
    fn install(self, builder: &mut Builder<'env>) -> Self::Ports {
        let info = NodeInfo { name: "step", inputs: &["a", "b", "c"], outputs: &["x", "y", "z"] };
        let (ins, outs) = builder.firing(info, self);
        StepPorts { ins, outs }
    }
}

impl<I, O, F, const FINISHES: bool> std::fmt::Debug for Step<I, O, F, FINISHES> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Step")
    }
}
