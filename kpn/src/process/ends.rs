//! The ports of a process, all together: tuples and arrays of [`In`] and [`Out`].

use super::desk::{Port, Side};
use super::{In, Out};
use crate::channel::Consumer;
use crate::node::rate::{Opaque, OpaqueFan, PortShape, Rate, open, open_fan, port, shape};
use crate::node::{InPort, NodeInfo, OutPort, Token};

/// All inputs of a process: `()`, `(In<A>,)`, `(In<A>, In<B>)`, … or `[In<A>; N]`. Sealed: the engine's own.
pub trait InEnds: sealed::Sealed + Send {
    /// The ports, in order.
    type Ports;
    #[doc(hidden)]
    fn ports(builder: u64, node: usize) -> Self::Ports;
    #[doc(hidden)]
    fn shapes() -> Vec<PortShape>;
    #[doc(hidden)]
    fn bind(halves: Vec<Opaque>, process: u64, info: NodeInfo) -> Self;
}

/// All outputs of a process: `()`, `(Out<A>,)`, `(Out<A>, Out<B>)`, … or `[Out<A>; N]`. Sealed: the engine's own.
pub trait OutEnds: sealed::Sealed + Send {
    /// The ports, in order.
    type Ports;
    #[doc(hidden)]
    fn ports(builder: u64, node: usize) -> Self::Ports;
    #[doc(hidden)]
    fn shapes() -> Vec<PortShape>;
    #[doc(hidden)]
    fn bind(fans: Vec<OpaqueFan>, process: u64, info: NodeInfo) -> Self;
}

/// One input. What is asked of the tuples is asked of each of their members, so that the compiler can point at one.
#[doc(hidden)]
pub trait Input: sealed::Sealed + Send + Sized {
    type Token: Token;
    fn end(inputs: &mut Inputs) -> Self;
}

/// One output, as [`Input`].
#[doc(hidden)]
pub trait Output: sealed::Sealed + Send + Sized {
    type Token: Token;
    fn end(outputs: &mut Outputs) -> Self;
}

impl<T: Token> Input for In<T> {
    type Token = T;
    fn end(inputs: &mut Inputs) -> Self {
        inputs.next()
    }
}

impl<T: Token> Output for Out<T> {
    type Token = T;
    fn end(outputs: &mut Outputs) -> Self {
        outputs.next()
    }
}

mod sealed {
    pub trait Sealed {}
    impl<T> Sealed for super::In<T> {}
    impl<T> Sealed for super::Out<T> {}
}

fn name(names: &[&'static str], all: &'static str, index: usize) -> &'static str {
    names.get(index).copied().unwrap_or(all)
}

/// Makes the inputs one after the other.
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub struct Inputs {
    halves: std::vec::IntoIter<Opaque>,
    process: u64,
    names: &'static [&'static str],
    next: usize,
}

impl Inputs {
    fn new(halves: Vec<Opaque>, process: u64, info: NodeInfo) -> Self {
        Self { halves: halves.into_iter(), process, names: info.inputs, next: 0 }
    }

    fn next<T: Token>(&mut self) -> In<T> {
        let half = self.halves.next().expect("a half for every input");
        let index = self.next;
        self.next += 1;
        let port = Port { side: Side::Input, index: index as u32, name: name(self.names, "inputs", index) };
        In::new(open::<Consumer<T>>(half), self.process, port)
    }
}

/// Makes the outputs one after the other.
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub struct Outputs {
    fans: std::vec::IntoIter<OpaqueFan>,
    process: u64,
    names: &'static [&'static str],
    next: usize,
    edges: usize,
}

impl Outputs {
    fn new(fans: Vec<OpaqueFan>, process: u64, info: NodeInfo) -> Self {
        Self { fans: fans.into_iter(), process, names: info.outputs, next: 0, edges: 0 }
    }

    fn next<T: Token>(&mut self) -> Out<T> {
        let fan = open_fan::<T>(self.fans.next().expect("a fan for every output"));
        let (index, first) = (self.next, self.edges);
        self.next += 1;
        self.edges += fan.readers();
        let port = Port { side: Side::Output, index: index as u32, name: name(self.names, "outputs", index) };
        Out::new(fan, self.process, port, first)
    }
}

macro_rules! tuples {
    ($($t:ident)*) => {
        impl<$($t: sealed::Sealed),*> sealed::Sealed for ($($t,)*) {}
        ends!($($t)*);
    };
}

macro_rules! ends {
    ($($t:ident)*) => {
        #[allow(unused_mut, unused_variables, clippy::unused_unit)]
        impl<$($t: Input),*> InEnds for ($($t,)*) {
            type Ports = ($(InPort<$t::Token>,)*);
            fn ports(builder: u64, node: usize) -> Self::Ports {
                let mut next = 0..;
                ($(InPort::<$t::Token>::new(port(builder, node, next.next().unwrap_or(0))),)*)
            }
            fn shapes() -> Vec<PortShape> {
                vec![$(shape::<$t::Token>(1, Rate::Dynamic)),*]
            }
            fn bind(halves: Vec<Opaque>, process: u64, info: NodeInfo) -> Self {
                let mut inputs = Inputs::new(halves, process, info);
                ($($t::end(&mut inputs),)*)
            }
        }

        #[allow(unused_mut, unused_variables, clippy::unused_unit)]
        impl<$($t: Output),*> OutEnds for ($($t,)*) {
            type Ports = ($(OutPort<$t::Token>,)*);
            fn ports(builder: u64, node: usize) -> Self::Ports {
                let mut next = 0..;
                ($(OutPort::<$t::Token>::new(port(builder, node, next.next().unwrap_or(0))),)*)
            }
            fn shapes() -> Vec<PortShape> {
                vec![$(shape::<$t::Token>(1, Rate::Dynamic)),*]
            }
            fn bind(fans: Vec<OpaqueFan>, process: u64, info: NodeInfo) -> Self {
                let mut outputs = Outputs::new(fans, process, info);
                ($($t::end(&mut outputs),)*)
            }
        }
    };
}

impl sealed::Sealed for () {}
ends!();
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);

impl<T, const N: usize> sealed::Sealed for [In<T>; N] {}
impl<T, const N: usize> sealed::Sealed for [Out<T>; N] {}

impl<T: Token, const N: usize> InEnds for [In<T>; N] {
    type Ports = [InPort<T>; N];
    fn ports(builder: u64, node: usize) -> Self::Ports {
        std::array::from_fn(|i| InPort::new(port(builder, node, i)))
    }
    fn shapes() -> Vec<PortShape> {
        vec![shape::<T>(1, Rate::Dynamic); N]
    }
    fn bind(halves: Vec<Opaque>, process: u64, info: NodeInfo) -> Self {
        let mut inputs = Inputs::new(halves, process, info);
        std::array::from_fn(|_| inputs.next())
    }
}

impl<T: Token, const N: usize> OutEnds for [Out<T>; N] {
    type Ports = [OutPort<T>; N];
    fn ports(builder: u64, node: usize) -> Self::Ports {
        std::array::from_fn(|i| OutPort::new(port(builder, node, i)))
    }
    fn shapes() -> Vec<PortShape> {
        vec![shape::<T>(1, Rate::Dynamic); N]
    }
    fn bind(fans: Vec<OpaqueFan>, process: u64, info: NodeInfo) -> Self {
        let mut outputs = Outputs::new(fans, process, info);
        std::array::from_fn(|_| outputs.next())
    }
}
