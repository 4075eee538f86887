//! Edges with the token's type erased, between the port that knows it and the node that is bound to it.

use std::any::Any as Erased;

use crate::channel::{CloneFn, Fan, FanParts, Link, LinkRef, Producer, Watch, ring};
use crate::history::{Recorder, Recording};
use crate::sync::Arc;

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
#[derive(Default)]
pub struct OpaqueFan {
    pub(crate) readers: Vec<Opaque>,
    pub(crate) clone: Option<Opaque>,
    /// Who watches it: each a `Box<dyn Watch<T>>`.
    pub(crate) watches: Vec<Opaque>,
    /// Who records it, and under which name.
    pub(crate) recorder: Option<(Arc<Recorder>, String)>,
}

pub(crate) fn open<T: 'static>(half: Opaque) -> T {
    *half.downcast().expect("an edge connects ports of one type")
}

pub(crate) fn open_fan<T: Send + 'static>(fan: OpaqueFan) -> Fan<T> {
    let readers: Vec<Producer<T>> = fan.readers.into_iter().map(open).collect();
    let mut watches: Vec<Box<dyn Watch<T>>> = fan.watches.into_iter().map(open).collect();
    if let Some((recorder, name)) = fan.recorder {
        let links = readers.iter().map(|reader| reader.link().clone()).collect();
        watches.push(Box::new(Recording::new(recorder, name, links)));
    }
    Fan::new((readers, fan.clone.map(open::<CloneFn<T>>), watches))
}

/// Forgets the type again.
pub(crate) fn close_fan<T: Send + 'static>((readers, clone, watches): FanParts<T>) -> OpaqueFan {
    OpaqueFan {
        readers: readers.into_iter().map(|reader| Box::new(reader) as Opaque).collect(),
        clone: clone.map(|clone| Box::new(clone) as Opaque),
        watches: watches.into_iter().map(|watch| Box::new(watch) as Opaque).collect(),
        recorder: None,
    }
}

/// Whether these edges carry tokens of type `T`: one that is made to be looked at tells.
pub(crate) fn carries<T: 'static>(make: MakeEdge) -> bool {
    make(LinkRef::new(Link::new(1)), None).is_some_and(|(producer, _)| producer.is::<Producer<T>>())
}
