//! Inputs and outputs as tuples of rates.

use super::edge::{open, open_fan};
use super::{InRate, Inputs, Opaque, OpaqueFan, OutRate, Outputs, PortShape, Unmet, port, sealed, shape};
use crate::channel::{Consumer, Input};
use crate::node::{InPort, OutPort};

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
                vec![$(shape::<$rate::Token>($rate::NEED, $rate::RATE)),*]
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
                vec![$(shape::<$rate::Token>($rate::NEED, $rate::RATE)),*]
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
