//! Inputs as an array, for [`gather`](crate::gather).

use super::edge::open;
use super::{Inputs, Leftover, One, Opaque, PortShape, Rate, Unmet, port, sealed, shape};
use crate::channel::{Consumer, Input};
use crate::node::InPort;
use crate::sync::drop_quietly;

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
        vec![shape::<T>(1, Rate::Phases(&[1])); N]
    }
    fn bind(halves: Vec<Opaque>) -> Self::Rx {
        halves.into_iter().map(open).collect()
    }
    fn ready(rx: &mut Self::Rx, want: usize) -> usize {
        rx.iter_mut().fold(want, |firings, rx| firings.min(rx.ready(want)))
    }
    fn unmet(rx: &mut Self::Rx, inner: u16) -> Unmet {
        if rx.iter().any(|rx| rx.input(1) == Input::End) {
            return Unmet::End;
        }
        let waits =
            |(i, rx): (usize, &Consumer<T>)| (rx.input(1) != Input::Ready).then(|| Unmet::Waits(i, rx.target(1)));
        let is_inner = |unmet: &Unmet| matches!(unmet, Unmet::Waits(i, _) if *i < 16 && inner >> i & 1 == 1);
        rx.iter().enumerate().filter_map(waits).min_by_key(is_inner).unwrap_or(Unmet::Met)
    }
    /// A firing needs one token of each, so none can be left for less than one.
    fn leftover(_: &mut Self::Rx) -> Leftover {
        Leftover::None
    }
    fn take(rx: &mut Self::Rx) -> [T; N] {
        std::array::from_fn(|i| rx[i].take())
    }
    fn discard(items: [T; N]) {
        items.into_iter().for_each(drop_quietly);
    }
    fn publish(rx: &mut Self::Rx) {
        for rx in rx {
            rx.publish();
        }
    }
}
