//! Rates: how many tokens a port takes or gives a firing, as types.
//!
//! The macro chooses the marker from the type as written; there is no blanket impl, so an alias or a
//! newtype is always one token. [`Inputs`] and [`Outputs`] are tuples of rates. Fixed rates and windows fit in
//! as further markers: everything below asks for `need` tokens or spaces, never for one.

use std::any::Any as Erased;
use std::marker::PhantomData;

use super::Many;
use super::ports::{InPort, OutPort, PortId, Token};
use crate::channel::{CloneFn, Consumer, Fan, Input, Link, Producer, ring};
use crate::sync::Arc;

/// One token a firing.
#[derive(Debug)]
pub struct One<T>(PhantomData<fn() -> T>);

/// One token a firing, or none.
#[derive(Debug)]
pub struct Maybe<T>(PhantomData<fn() -> T>);

/// Any number of tokens a firing.
#[derive(Debug)]
pub struct Any<T>(PhantomData<fn() -> T>);

/// One half of an edge, or the way to clone a token, with its type erased until the node is bound.
pub(crate) type Opaque = Box<dyn Erased + Send>;

/// Makes both halves of an edge for one type of token; `None` where there is no memory for it.
pub(crate) type MakeEdge = fn(Arc<Link>) -> Option<(Opaque, Opaque)>;

pub(crate) fn make_edge<T: Send + 'static>(link: Arc<Link>) -> Option<(Opaque, Opaque)> {
    let (producer, consumer) = ring::<T>(link)?;
    Some((Box::new(producer), Box::new(consumer)))
}

/// One output's halves, and the way to clone where it was fanned out.
#[doc(hidden)]
pub struct OpaqueFan {
    pub(crate) readers: Vec<Opaque>,
    pub(crate) clone: Option<Opaque>,
}

fn open<T: 'static>(half: Opaque) -> T {
    *half.downcast().expect("an edge connects ports of one type")
}

fn open_fan<T: Send + 'static>(fan: OpaqueFan) -> Fan<T> {
    let readers = fan.readers.into_iter().map(open::<Producer<T>>).collect();
    Fan::new(readers, fan.clone.map(open::<CloneFn<T>>))
}

/// What a port is, for the graph's check: counts and names, never a type.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct PortShape {
    /// The token's type, for messages.
    pub(crate) token: &'static str,
    /// The least capacity that lets the port fire.
    pub(crate) need: usize,
    /// A token's size in bytes.
    pub(crate) size: usize,
}

/// Why an input side can't fire.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// Nothing is in the way any more.
    Met,
    /// Some input has ended.
    End,
    /// Input `.0` waits for the tail `.1`.
    Waits(usize, usize),
}

/// The inputs of a node: `()`, a tuple of [`One`], or `[One<T>; N]`. Sealed: the engine's own.
pub trait Inputs: sealed::Sealed + 'static {
    /// What one firing takes.
    type Items;
    /// The ports, in order.
    type Ports;

    #[doc(hidden)]
    const COUNT: usize;
    #[doc(hidden)]
    type Rx: Send;
    #[doc(hidden)]
    fn ports(builder: u64, node: usize) -> Self::Ports;
    #[doc(hidden)]
    fn shapes() -> Vec<PortShape>;
    #[doc(hidden)]
    fn bind(halves: Vec<Opaque>) -> Self::Rx;
    /// Firings that the tokens at hand allow, up to `want`.
    #[doc(hidden)]
    fn ready(rx: &mut Self::Rx, want: usize) -> usize;
    /// All inputs are tested for their end before the first unmet one is reported.
    #[doc(hidden)]
    fn unmet(rx: &mut Self::Rx) -> Unmet;
    #[doc(hidden)]
    fn take(rx: &mut Self::Rx) -> Self::Items;
    #[doc(hidden)]
    fn publish(rx: &mut Self::Rx);
}

/// The outputs of a node: `()`, or a tuple of [`One`], [`Maybe`] and [`Any`]. Sealed: the engine's own.
pub trait Outputs: sealed::Sealed + 'static {
    /// What one firing gives.
    type Items;
    /// The ports, in order.
    type Ports;

    #[doc(hidden)]
    const COUNT: usize;
    #[doc(hidden)]
    type Tx: Send;
    #[doc(hidden)]
    fn ports(builder: u64, node: usize) -> Self::Ports;
    #[doc(hidden)]
    fn shapes() -> Vec<PortShape>;
    #[doc(hidden)]
    fn bind(fans: Vec<OpaqueFan>) -> Self::Tx;
    /// Firings that the free spaces allow, up to `want`.
    #[doc(hidden)]
    fn room(tx: &mut Self::Tx, want: usize) -> usize;
    /// The first edge without room for a firing, counted over all outputs' edges, and the head that it needs.
    #[doc(hidden)]
    fn full(tx: &mut Self::Tx) -> Option<(usize, usize)>;
    /// The first edge without room for what the last firing left over.
    #[doc(hidden)]
    fn blocked(tx: &mut Self::Tx) -> Option<(usize, usize)>;
    /// False once every output (there being at least one) has lost every reader.
    #[doc(hidden)]
    fn wanted(tx: &mut Self::Tx) -> bool;
    #[doc(hidden)]
    fn give(tx: &mut Self::Tx, items: Self::Items);
    /// Moves tokens that did not fit into edges that have room again; false while some are left.
    #[doc(hidden)]
    fn drain(tx: &mut Self::Tx) -> bool;
    #[doc(hidden)]
    fn publish(tx: &mut Self::Tx);
}

mod sealed {
    pub trait Sealed {}
}

/// One input's rate.
#[doc(hidden)]
pub trait InRate: 'static {
    type Token: Send + 'static;
    type Item;
    const NEED: usize;
    fn take(rx: &mut Consumer<Self::Token>) -> Self::Item;
}

impl<T: Token> InRate for One<T> {
    type Token = T;
    type Item = T;
    const NEED: usize = 1;
    #[inline]
    fn take(rx: &mut Consumer<T>) -> T {
        rx.take()
    }
}

/// One output's rate. `Tx` is its fan, with what did not fit where the rate has no bound.
#[doc(hidden)]
pub trait OutRate: 'static {
    type Token: Send + 'static;
    type Item;
    type Tx: Send;
    const NEED: usize;
    fn bind(fan: Fan<Self::Token>) -> Self::Tx;
    fn fan(tx: &mut Self::Tx) -> &mut Fan<Self::Token>;
    fn give(tx: &mut Self::Tx, item: Self::Item);
    fn drain(_: &mut Self::Tx) -> bool {
        true
    }
    fn left(_: &Self::Tx) -> usize {
        0
    }
}

impl<T: Token> OutRate for One<T> {
    type Token = T;
    type Item = T;
    type Tx = Fan<T>;
    const NEED: usize = 1;
    fn bind(fan: Fan<T>) -> Fan<T> {
        fan
    }
    #[inline]
    fn fan(tx: &mut Fan<T>) -> &mut Fan<T> {
        tx
    }
    #[inline]
    fn give(tx: &mut Fan<T>, item: T) {
        tx.push(item);
    }
}

impl<T: Token> OutRate for Maybe<T> {
    type Token = T;
    type Item = Option<T>;
    type Tx = Fan<T>;
    const NEED: usize = 1;
    fn bind(fan: Fan<T>) -> Fan<T> {
        fan
    }
    #[inline]
    fn fan(tx: &mut Fan<T>) -> &mut Fan<T> {
        tx
    }
    #[inline]
    fn give(tx: &mut Fan<T>, item: Option<T>) {
        if let Some(token) = item {
            tx.push(token);
        }
    }
}

/// A fan and the rest of the last firing: memory is bounded by one firing's result.
#[doc(hidden)]
pub struct Draining<T> {
    fan: Fan<T>,
    pending: std::vec::IntoIter<T>,
}

impl<T: Token> OutRate for Any<T> {
    type Token = T;
    type Item = Many<T>;
    type Tx = Draining<T>;
    const NEED: usize = 1;
    fn bind(fan: Fan<T>) -> Draining<T> {
        Draining { fan, pending: Vec::new().into_iter() }
    }
    #[inline]
    fn fan(tx: &mut Draining<T>) -> &mut Fan<T> {
        &mut tx.fan
    }
    fn give(tx: &mut Draining<T>, item: Many<T>) {
        tx.pending = item.into_iter();
        Self::drain(tx);
    }
    fn left(tx: &Draining<T>) -> usize {
        tx.pending.len()
    }
    fn drain(tx: &mut Draining<T>) -> bool {
        while tx.pending.len() > 0 {
            let room = tx.fan.room(tx.pending.len()).min(tx.pending.len());
            if room == 0 {
                return false;
            }
            tx.pending.by_ref().take(room).for_each(|token| tx.fan.push(token));
        }
        true
    }
}

fn port(builder: u64, node: usize, port: usize) -> PortId {
    PortId { builder, node, port }
}

fn shape<T>(need: usize) -> PortShape {
    PortShape { token: std::any::type_name::<T>(), need, size: size_of::<T>() }
}

macro_rules! count {
    () => { 0 };
    ($head:ident $($tail:ident)*) => { 1 + count!($($tail)*) };
}

macro_rules! tuples {
    ($($rate:ident)*) => {
        impl<$($rate: 'static),*> sealed::Sealed for ($($rate,)*) {}

        #[allow(non_snake_case, unused_variables, unused_mut, unused_assignments, clippy::unused_unit)]
        impl<$($rate: InRate),*> Inputs for ($($rate,)*) {
            type Items = ($($rate::Item,)*);
            type Ports = ($(InPort<$rate::Token>,)*);
            type Rx = ($(Consumer<$rate::Token>,)*);
            const COUNT: usize = count!($($rate)*);

            fn ports(builder: u64, node: usize) -> Self::Ports {
                let mut next = 0..;
                ($(InPort::<$rate::Token>::new(port(builder, node, next.next().unwrap_or(0))),)*)
            }
            fn shapes() -> Vec<PortShape> {
                vec![$(shape::<$rate::Token>($rate::NEED)),*]
            }
            fn bind(halves: Vec<Opaque>) -> Self::Rx {
                let mut halves = halves.into_iter();
                ($(open::<Consumer<$rate::Token>>(halves.next().expect("a half for every input")),)*)
            }
            #[inline]
            fn ready(rx: &mut Self::Rx, want: usize) -> usize {
                let ($($rate,)*) = rx;
                let mut firings = want;
                $(firings = firings.min($rate.ready(want * <$rate as InRate>::NEED) / <$rate as InRate>::NEED);)*
                firings
            }
            fn unmet(rx: &mut Self::Rx) -> Unmet {
                let ($($rate,)*) = rx;
                let mut unmet = Unmet::Met;
                let mut i = 0;
                $(
                    match $rate.input(<$rate as InRate>::NEED) {
                        Input::End => return Unmet::End,
                        Input::Unmet if unmet == Unmet::Met => {
                            unmet = Unmet::Waits(i, $rate.target(<$rate as InRate>::NEED));
                        }
                        _ => {}
                    }
                    i += 1;
                )*
                unmet
            }
            #[inline]
            fn take(rx: &mut Self::Rx) -> Self::Items {
                let ($($rate,)*) = rx;
                ($(<$rate as InRate>::take($rate),)*)
            }
            #[inline]
            fn publish(rx: &mut Self::Rx) {
                let ($($rate,)*) = rx;
                $($rate.publish();)*
            }
        }

        #[allow(non_snake_case, unused_variables, unused_mut, unused_assignments, clippy::unused_unit)]
        impl<$($rate: OutRate),*> Outputs for ($($rate,)*) {
            type Items = ($($rate::Item,)*);
            type Ports = ($(OutPort<$rate::Token>,)*);
            type Tx = ($($rate::Tx,)*);
            const COUNT: usize = count!($($rate)*);

            fn ports(builder: u64, node: usize) -> Self::Ports {
                let mut next = 0..;
                ($(OutPort::<$rate::Token>::new(port(builder, node, next.next().unwrap_or(0))),)*)
            }
            fn shapes() -> Vec<PortShape> {
                vec![$(shape::<$rate::Token>($rate::NEED)),*]
            }
            fn bind(fans: Vec<OpaqueFan>) -> Self::Tx {
                let mut fans = fans.into_iter();
                ($($rate::bind(open_fan::<$rate::Token>(fans.next().expect("a fan for every output"))),)*)
            }
            #[inline]
            fn room(tx: &mut Self::Tx, want: usize) -> usize {
                let ($($rate,)*) = tx;
                let mut firings = want;
                $(firings = firings.min(<$rate as OutRate>::fan($rate).room(want * <$rate as OutRate>::NEED) / <$rate as OutRate>::NEED);)*
                firings
            }
            fn full(tx: &mut Self::Tx) -> Option<(usize, usize)> {
                let ($($rate,)*) = tx;
                let mut before = 0;
                $(
                    let fan = <$rate as OutRate>::fan($rate);
                    if let Some((i, target)) = fan.full(<$rate as OutRate>::NEED) {
                        return Some((before + i, target));
                    }
                    before += fan.readers();
                )*
                None
            }
            fn blocked(tx: &mut Self::Tx) -> Option<(usize, usize)> {
                let ($($rate,)*) = tx;
                let mut before = 0;
                $(
                    let left = <$rate as OutRate>::left($rate);
                    let fan = <$rate as OutRate>::fan($rate);
                    if left > 0 && let Some((i, target)) = fan.full(1) {
                        return Some((before + i, target));
                    }
                    before += fan.readers();
                )*
                None
            }
            #[inline]
            fn wanted(tx: &mut Self::Tx) -> bool {
                let ($($rate,)*) = tx;
                let mut wanted = <Self as Outputs>::COUNT == 0;
                $(wanted |= <$rate as OutRate>::fan($rate).has_reader();)*
                wanted
            }
            #[inline]
            fn give(tx: &mut Self::Tx, items: Self::Items) {
                let ($($rate,)*) = tx;
                give!(items; $($rate)*);
            }
            #[inline]
            fn drain(tx: &mut Self::Tx) -> bool {
                let ($($rate,)*) = tx;
                let mut empty = true;
                $(empty &= <$rate as OutRate>::drain($rate);)*
                empty
            }
            #[inline]
            fn publish(tx: &mut Self::Tx) {
                let ($($rate,)*) = tx;
                $(<$rate as OutRate>::fan($rate).publish();)*
            }
        }
    };
}

/// Gives each item of a tuple to the transmitter that is named like its rate.
macro_rules! give {
    (@ $items:ident; ) => {};
    ($items:ident; ) => {};
    ($items:ident; $($rate:ident)+) => { give!(@ $items; ($($rate)+) (0 1 2 3 4 5 6 7 8 9 10 11)) };
    (@ $items:ident; () ($($i:tt)*)) => {};
    (@ $items:ident; ($rate:ident $($rates:ident)*) ($i:tt $($is:tt)*)) => {
        <$rate as OutRate>::give($rate, $items.$i);
        give!(@ $items; ($($rates)*) ($($is)*));
    };
}

tuples!();
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

impl<T: 'static, const N: usize> sealed::Sealed for [One<T>; N] {}

impl<T: Send + 'static, const N: usize> Inputs for [One<T>; N] {
    type Items = [T; N];
    type Ports = [InPort<T>; N];
    type Rx = Vec<Consumer<T>>;
    const COUNT: usize = N;

    fn ports(builder: u64, node: usize) -> Self::Ports {
        std::array::from_fn(|i| InPort::new(port(builder, node, i)))
    }
    fn shapes() -> Vec<PortShape> {
        vec![shape::<T>(1); N]
    }
    fn bind(halves: Vec<Opaque>) -> Self::Rx {
        halves.into_iter().map(open).collect()
    }
    fn ready(rx: &mut Self::Rx, want: usize) -> usize {
        rx.iter_mut().fold(want, |firings, rx| firings.min(rx.ready(want)))
    }
    fn unmet(rx: &mut Self::Rx) -> Unmet {
        if rx.iter().any(|rx| rx.input(1) == Input::End) {
            return Unmet::End;
        }
        let waits =
            |(i, rx): (usize, &Consumer<T>)| (rx.input(1) != Input::Ready).then(|| Unmet::Waits(i, rx.target(1)));
        rx.iter().enumerate().find_map(waits).unwrap_or(Unmet::Met)
    }
    fn take(rx: &mut Self::Rx) -> [T; N] {
        std::array::from_fn(|i| rx[i].take())
    }
    fn publish(rx: &mut Self::Rx) {
        for rx in rx {
            rx.publish();
        }
    }
}
