//! Doors for the project's own benchmarks. Not part of the public interface.

pub use crate::tuning::Tuning;

use crate::channel::{Consumer, Link, LinkRef, Producer, ring};

/// The writing half of an edge without a network.
pub struct Writer(Producer<u64>);

/// The reading half.
pub struct Reader(Consumer<u64>);

/// An edge without a network; `None` without memory.
pub fn edge(capacity: usize) -> Option<(Writer, Reader)> {
    let (writer, reader) = ring(LinkRef::new(Link::new(capacity)), Vec::new())?;
    Some((Writer(writer), Reader(reader)))
}

impl Writer {
    /// Gives as many tokens as there is room for, `most` at most, and publishes them; the number of them.
    #[inline]
    pub fn give(&mut self, most: usize, mut token: impl FnMut() -> u64) -> usize {
        let count = self.0.room(most).min(most);
        (0..count).for_each(|_| self.0.push(token()));
        self.0.publish();
        count
    }
}

impl Reader {
    /// Takes as many tokens as there are, `most` at most, and gives back their room; the number of them.
    #[inline]
    pub fn take(&mut self, most: usize, mut token: impl FnMut(u64)) -> usize {
        let count = self.0.ready(most).min(most);
        (0..count).for_each(|_| token(self.0.take()));
        self.0.publish();
        count
    }
}
