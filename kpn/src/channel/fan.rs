//! One output with all its readers.

use super::link::Link;
use super::ring::Producer;

/// How a token is copied for a further reader; known only where an output was fanned out.
pub(crate) type CloneFn<T> = fn(&T) -> T;

/// The writing end of an output: every reader gets each token.
pub struct Fan<T> {
    /// The readers but the last, each of which gets a clone.
    copies: Vec<Producer<T>>,
    /// The reader that gets the token itself.
    last: Producer<T>,
    clone: Option<CloneFn<T>>,
}

impl<T> Fan<T> {
    /// An output with these readers, of which there is at least one.
    ///
    /// # Panics
    ///
    /// Without a reader, or with several and no way to clone: the graph's check refuses both.
    pub(crate) fn new(mut readers: Vec<Producer<T>>, clone: Option<CloneFn<T>>) -> Self {
        let last = readers.pop().expect("a checked graph has a reader at every output");
        assert!(readers.is_empty() || clone.is_some(), "a fanned-out output knows how to clone");
        Self { copies: readers, last, clone }
    }

    /// The readers, the way to clone, and their edges, for another writer.
    pub(crate) fn into_parts(self) -> (Vec<Producer<T>>, Option<CloneFn<T>>) {
        let Self { copies: mut readers, last, clone } = self;
        readers.push(last);
        (readers, clone)
    }

    /// How many readers there are, gone ones included.
    pub(crate) fn readers(&self) -> usize {
        self.copies.len() + 1
    }

    /// The words of every reader's edge, in order.
    pub(crate) fn links(&self) -> impl Iterator<Item = &Link> {
        self.copies.iter().chain([&self.last]).map(|reader| &**reader.link())
    }

    /// Room for tokens with every reader, up to `want`.
    #[inline]
    pub(crate) fn room(&mut self, want: usize) -> usize {
        let mut room = self.last.room(want);
        for reader in &mut self.copies {
            room = room.min(reader.room(want));
        }
        room
    }

    /// The first reader without room for `need`, and the head that it must reach.
    pub(crate) fn full(&mut self, need: usize) -> Option<(usize, usize)> {
        let readers = self.copies.iter_mut().chain(Some(&mut self.last));
        readers.enumerate().find_map(|(i, r)| (r.room(need) < need).then(|| (i, r.target(need))))
    }

    /// False once no reader is left.
    #[inline]
    pub(crate) fn has_reader(&mut self) -> bool {
        // No short cut: each call also refreshes what the reader knows of itself.
        self.copies.iter_mut().fold(self.last.has_reader(), |any, r| r.has_reader() | any)
    }

    /// Appends a token for every reader: one clone fewer than there are readers.
    #[inline]
    pub(crate) fn push(&mut self, token: T) {
        if let Some(clone) = self.clone {
            for reader in self.copies.iter_mut().filter(|reader| reader.is_open()) {
                reader.push(clone(&token));
            }
        }
        self.last.push(token);
    }

    #[inline]
    pub(crate) fn publish(&mut self) -> bool {
        self.copies.iter_mut().fold(self.last.publish(), |any, r| r.publish() | any)
    }
}
