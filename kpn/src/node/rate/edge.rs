//! Edges with the token's type erased, between the port that knows it and the node that is bound to it.

use std::any::Any as Erased;

use crate::channel::{CloneFn, Fan, LinkRef, Producer, ring};

/// One half of an edge, or the way to clone a token, with its type erased until the node is bound.
pub(crate) type Opaque = Box<dyn Erased + Send>;

/// Makes both halves of an edge for one type of token, with the initial tokens of a `Vec<T>` on it; `None` where there is no memory for it.
pub(crate) type MakeEdge = fn(LinkRef, Option<Opaque>) -> Option<(Opaque, Opaque)>;

pub(crate) fn make_edge<T: Send + 'static>(link: LinkRef, initial: Option<Opaque>) -> Option<(Opaque, Opaque)> {
    let (producer, consumer) = ring::<T>(link, initial.map(open::<Vec<T>>).unwrap_or_default())?;
    Some((Box::new(producer), Box::new(consumer)))
}

/// One output's halves, and the way to clone where it was fanned out.
#[doc(hidden)]
pub struct OpaqueFan {
    pub(crate) readers: Vec<Opaque>,
    pub(crate) clone: Option<Opaque>,
}

pub(crate) fn open<T: 'static>(half: Opaque) -> T {
    *half.downcast().expect("an edge connects ports of one type")
}

pub(crate) fn open_fan<T: Send + 'static>(fan: OpaqueFan) -> Fan<T> {
    let readers = fan.readers.into_iter().map(open::<Producer<T>>).collect();
    Fan::new(readers, fan.clone.map(open::<CloneFn<T>>))
}

/// Forgets the type again.
pub(crate) fn close_fan<T: Send + 'static>(readers: Vec<Producer<T>>, clone: Option<CloneFn<T>>) -> OpaqueFan {
    let readers = readers.into_iter().map(|reader| Box::new(reader) as Opaque).collect();
    OpaqueFan { readers, clone: clone.map(|clone| Box::new(clone) as Opaque) }
}
