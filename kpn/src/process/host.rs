//! A process that adds to its network: its ports exchange their edges, or new ports come.

use super::desk::{self, Port, Side};
use super::{In, Out};
use crate::channel::{Consumer, LinkRef};
use crate::node::Token;
use crate::node::rate::{Opaque, OpaqueFan, close_fan, open, open_fan};
use crate::runtime::{Rewire, TaskRef};

/// The process that this thread runs just now.
pub(crate) struct Host {
    task: TaskRef,
    id: u64,
}

/// The process that this thread runs just now, if it runs one.
pub(crate) fn host() -> Option<Host> {
    desk::here().map(|(task, id)| Host { task, id })
}

impl Host {
    pub(crate) fn task(&self) -> TaskRef {
        self.task
    }

    pub(crate) fn name(&self) -> &str {
        // SAFETY: the process is being polled, so it has not ended.
        &unsafe { self.task.get() }.name
    }

    /// How often it has added to its network, this time included.
    pub(crate) fn number(&self) -> usize {
        let number = desk::at(self.id, |desk| {
            desk.kept.additions += 1;
            desk.kept.additions
        });
        number.unwrap_or_default() as usize
    }

    /// A new input of the process.
    pub(crate) fn new_input<T: Token>(&self, name: &'static str, half: (Opaque, LinkRef)) -> In<T> {
        let (half, link) = half;
        let index = desk::at(self.id, |desk| {
            let index = desk.kept.edges.0;
            desk.kept.edges.0 += 1;
            desk.rewired.push(Rewire::Input(index as usize, link));
            index
        });
        let port = Port { side: Side::Input, index: index.unwrap_or_default(), name };
        In::new(open::<Consumer<T>>(half), self.id, port)
    }

    /// A new output of the process.
    pub(crate) fn new_output<T: Token>(&self, name: &'static str, fan: (OpaqueFan, Vec<LinkRef>)) -> Out<T> {
        let (fan, links) = fan;
        let first = desk::at(self.id, |desk| {
            let first = desk.kept.edges.1;
            for link in links {
                let at = desk.kept.edges.1 as usize;
                desk.rewired.push(Rewire::Outputs(at..at + 1, link));
                desk.kept.edges.1 += 1;
            }
            first
        });
        let first = first.unwrap_or_default();
        Out::new(open_fan::<T>(fan), self.id, Port { side: Side::Output, index: first, name }, first as usize)
    }
}

impl<T: Token> In<T> {
    /// The port's name.
    pub(crate) fn name(&self) -> &'static str {
        self.port.name
    }

    /// Reads from a new edge from now on, and gives the old one.
    pub(crate) fn exchange(&mut self, host: &Host, half: (Opaque, LinkRef)) -> (Opaque, LinkRef) {
        let (half, link) = half;
        let own = desk::at(self.process, |desk| desk.rewired.push(Rewire::Input(self.port.index as usize, link)));
        assert!(own.is_some() && self.process == host.id, "an input belongs to the process that uses it");
        let old = std::mem::replace(&mut self.rx, open::<Consumer<T>>(half));
        // What is new may give something at its end, even where the old edge has nothing any more.
        self.ended = false;
        let link = old.link().clone();
        (Box::new(old), link)
    }
}

impl<T: Token> Out<T> {
    /// The port's name.
    pub(crate) fn name(&self) -> &'static str {
        self.port.name
    }

    /// Writes to a new edge from now on, and gives the old ones.
    pub(crate) fn exchange(&mut self, host: &Host, fan: (OpaqueFan, Vec<LinkRef>)) -> (OpaqueFan, Vec<LinkRef>) {
        let (fan, links) = fan;
        let first = self.first as usize;
        let places = first..first + self.tx.readers();
        let link = links.into_iter().next().expect("one edge leads to what is new");
        // Where there were several edges, the others name the new one as well, which does no harm.
        let own = desk::at(self.process, |desk| desk.rewired.push(Rewire::Outputs(places, link)));
        assert!(own.is_some() && self.process == host.id, "an output belongs to the process that uses it");
        let old = std::mem::replace(&mut self.tx, open_fan::<T>(fan));
        let parts = old.into_parts();
        let links = parts.0.iter().map(|reader| reader.link().clone()).collect();
        (close_fan(parts), links)
    }
}
