//! Inputs and outputs as tuples of rates.

use super::edge::{open, open_fan};
use super::{
    InRate, Inputs, Leftover, Miscount, Opaque, OpaqueFan, OutRate, Outputs, PortShape, Unmet, port, sealed, shape,
};
use crate::channel::{Consumer, Input};
use crate::node::{InPort, OutPort};

macro_rules! count {
    () => { 0 };
    ($head:ident $($tail:ident)*) => { 1 + count!($($tail)*) };
}

macro_rules! tuples {
    ($($rate:ident $i:tt)*) => {
        impl<$($rate: 'static),*> sealed::Sealed for ($($rate,)*) {}

        #[allow(unused_variables, unused_mut, clippy::unused_unit)]
        impl<$($rate: InRate),*> Inputs for ($($rate,)*) {
            type Items = ($($rate::Item,)*);
            type Ports = ($(InPort<$rate::Token>,)*);
            type Rx = ($($rate::Rx,)*);
            const COUNT: usize = count!($($rate)*);

            fn ports(builder: u64, node: usize) -> Self::Ports {
                ($(InPort::<$rate::Token>::new(port(builder, node, $i)),)*)
            }
            fn shapes() -> Vec<PortShape> {
                vec![$(shape::<$rate::Token>($rate::NEED, $rate::RATE)),*]
            }
            fn bind(halves: Vec<Opaque>) -> Self::Rx {
                let mut halves = halves.into_iter();
                ($($rate::bind(open::<Consumer<$rate::Token>>(halves.next().expect("a half for every input"))),)*)
            }
            #[inline]
            fn ready(rx: &mut Self::Rx, want: usize) -> usize {
                let mut firings = want;
                $(firings = firings.min($rate::ready(&mut rx.$i, want));)*
                firings
            }
            fn unmet(rx: &mut Self::Rx, inner: u16) -> Unmet {
                let mut unmet = Unmet::Met;
                let mut from_outside = false;
                $(
                    let need = $rate::next(&rx.$i);
                    let edge = $rate::edge(&mut rx.$i);
                    match edge.input(need) {
                        Input::End => return Unmet::End,
                        Input::Unmet if !from_outside => {
                            from_outside = inner >> $i & 1 == 0;
                            if from_outside || unmet == Unmet::Met {
                                unmet = Unmet::Waits($i, edge.target(need));
                            }
                        }
                        _ => {}
                    }
                )*
                unmet
            }
            fn leftover(rx: &mut Self::Rx) -> Leftover {
                let mut leftover = Leftover::None;
                $(
                    let need = $rate::next(&rx.$i);
                    let edge = $rate::edge(&mut rx.$i);
                    match edge.input(need) {
                        Input::Ready => {}
                        Input::Unmet => return Leftover::Waits($i, edge.target(need)),
                        Input::End => {
                            let found = edge.ready(need);
                            if found > 0 && leftover == Leftover::None {
                                leftover = Leftover::Some(Miscount { port: $i, expected: need, found });
                            }
                        }
                    }
                )*
                leftover
            }
            #[inline]
            fn take(rx: &mut Self::Rx) -> Self::Items {
                ($($rate::take(&mut rx.$i),)*)
            }
            fn discard(items: Self::Items) {
                $($rate::discard(items.$i);)*
            }
            #[inline]
            fn publish(rx: &mut Self::Rx) {
                $($rate::edge(&mut rx.$i).publish();)*
            }
        }

        #[allow(unused_variables, unused_mut, unused_assignments, clippy::unused_unit)]
        impl<$($rate: OutRate),*> Outputs for ($($rate,)*) {
            type Items = ($($rate::Item,)*);
            type Ports = ($(OutPort<$rate::Token>,)*);
            type Tx = ($($rate::Tx,)*);
            const COUNT: usize = count!($($rate)*);
            const BOUNDED: bool = true $(&& $rate::BOUNDED)*;
            const MOST: usize = {
                let mut most = 1;
                $(if $rate::NEED > most {
                    most = $rate::NEED;
                })*
                most
            };

            fn ports(builder: u64, node: usize) -> Self::Ports {
                ($(OutPort::<$rate::Token>::new(port(builder, node, $i)),)*)
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
                let mut firings = want;
                $(firings = firings.min($rate::room(&mut tx.$i, want));)*
                firings
            }
            fn full(tx: &mut Self::Tx) -> Option<(usize, usize)> {
                let mut before = 0;
                $(
                    let need = $rate::next(&tx.$i);
                    let fan = $rate::fan(&mut tx.$i);
                    if let Some((i, target)) = fan.full(need) {
                        return Some((before + i, target));
                    }
                    before += fan.readers();
                )*
                None
            }
            fn blocked(tx: &mut Self::Tx) -> Option<(usize, usize)> {
                let mut before = 0;
                $(
                    let left = $rate::left(&tx.$i);
                    let fan = $rate::fan(&mut tx.$i);
                    if left > 0 && let Some((i, target)) = fan.full(1) {
                        return Some((before + i, target));
                    }
                    before += fan.readers();
                )*
                None
            }
            #[inline]
            fn wanted(tx: &mut Self::Tx) -> bool {
                let mut wanted = <Self as Outputs>::COUNT == 0;
                $(wanted |= $rate::fan(&mut tx.$i).has_reader();)*
                wanted
            }
            #[inline]
            fn miscount(tx: &Self::Tx, items: &Self::Items) -> Option<Miscount> {
                $(
                    if let Some((expected, found)) = $rate::miscount(&items.$i, $rate::phase(&tx.$i)) {
                        return Some(Miscount { port: $i, expected, found });
                    }
                )*
                None
            }
            fn miscount_at(firing: usize, items: &Self::Items) -> Option<Miscount> {
                $(
                    if let Some((expected, found)) = $rate::miscount(&items.$i, firing) {
                        return Some(Miscount { port: $i, expected, found });
                    }
                )*
                None
            }
            #[inline]
            fn give(tx: &mut Self::Tx, items: Self::Items) {
                $($rate::give(&mut tx.$i, items.$i);)*
            }
            fn discard(items: Self::Items) {
                $($rate::discard(items.$i);)*
            }
            #[inline]
            fn drain(tx: &mut Self::Tx) -> bool {
                let mut empty = true;
                $(empty &= $rate::drain(&mut tx.$i);)*
                empty
            }
            #[inline]
            fn publish(tx: &mut Self::Tx) {
                $($rate::fan(&mut tx.$i).publish();)*
            }
        }
    };
}

tuples!();
tuples!(A 0);
tuples!(A 0 B 1);
tuples!(A 0 B 1 C 2);
tuples!(A 0 B 1 C 2 D 3);
tuples!(A 0 B 1 C 2 D 3 E 4);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
