//! One output with all its readers.

use super::ring::Producer;
use super::shared::LinkRef;

/// How a token is copied for a further reader; known only where an output was fanned out.
pub(crate) type CloneFn<T> = fn(&T) -> T;

/// Somebody who looks at the tokens of an output before its readers get them.
pub(crate) trait Watch<T>: Send {
    fn token(&mut self, token: &T);
}

/// The writing end of an output: every reader gets each token.
pub struct Fan<T> {
    /// There where the output was fanned out or is watched. Apart, since most outputs have one reader and many are kept. It goes
    /// first: who watches sees then whether there are readers.
    others: Option<Box<Others<T>>>,
    /// The reader that gets the token itself.
    last: Producer<T>,
}

struct Others<T> {
    watches: Vec<Box<dyn Watch<T>>>,
    /// The readers before the last, each of which gets a clone.
    readers: Vec<Producer<T>>,
    clone: Option<CloneFn<T>>,
}

/// The readers, the way to clone, and who watches.
pub(crate) type FanParts<T> = (Vec<Producer<T>>, Option<CloneFn<T>>, Vec<Box<dyn Watch<T>>>);

impl<T> Fan<T> {
    /// An output with these readers, of which there is at least one.
    ///
    /// # Panics
    ///
    /// Without a reader, or with several and no way to clone: the graph's check refuses both.
    pub(crate) fn new((mut readers, clone, watches): FanParts<T>) -> Self {
        let last = readers.pop().expect("a checked graph has a reader at every output");
        assert!(readers.is_empty() || clone.is_some(), "a fanned-out output knows how to clone");
        let plain = clone.is_none() && watches.is_empty();
        Self { others: (!plain).then(|| Box::new(Others { watches, readers, clone })), last }
    }

    /// What it consists of, for another writer.
    pub(crate) fn into_parts(self) -> FanParts<T> {
        let (mut readers, clone, watches) = match self.others {
            Some(others) => (others.readers, others.clone, others.watches),
            None => (Vec::new(), None, Vec::new()),
        };
        readers.push(self.last);
        (readers, clone, watches)
    }

    /// How many readers there are, gone ones included.
    pub(crate) fn readers(&self) -> usize {
        self.others.as_ref().map_or(0, |others| others.readers.len()) + 1
    }

    /// The words of every reader's edge, in order.
    pub(crate) fn links(&self) -> impl Iterator<Item = &LinkRef> {
        let others = self.others.iter().flat_map(|others| &others.readers);
        others.chain([&self.last]).map(Producer::link)
    }

    /// Room for tokens with every reader, up to `want`.
    #[inline]
    pub(crate) fn room(&mut self, want: usize) -> usize {
        let mut room = self.last.room(want);
        if let Some(others) = &mut self.others {
            for reader in &mut others.readers {
                room = room.min(reader.room(want));
            }
        }
        room
    }

    /// The first reader without room for `need`, and the head that it must reach.
    pub(crate) fn full(&mut self, need: usize) -> Option<(usize, usize)> {
        let others = self.others.iter_mut().flat_map(|others| &mut others.readers);
        others.chain([&mut self.last]).enumerate().find_map(|(i, r)| (r.room(need) < need).then(|| (i, r.target(need))))
    }

    /// False once no reader is left.
    #[inline]
    pub(crate) fn has_reader(&mut self) -> bool {
        // No short cut: each call also refreshes what the reader knows of itself.
        let mut any = self.last.has_reader();
        if let Some(others) = &mut self.others {
            others.readers.iter_mut().for_each(|reader| any |= reader.has_reader());
        }
        any
    }

    /// Appends a token for every reader: one clone fewer than there are readers.
    #[inline]
    pub(crate) fn push(&mut self, token: T) {
        if let Some(others) = &mut self.others {
            others.push(&token);
        }
        self.last.push(token);
    }

    #[inline]
    pub(crate) fn publish(&mut self) -> bool {
        let mut any = self.last.publish();
        if let Some(others) = &mut self.others {
            others.readers.iter_mut().for_each(|reader| any |= reader.publish());
        }
        any
    }
}

impl<T> Others<T> {
    // Apart, so that the push to a plain output is small enough to be inlined.
    #[inline(never)]
    fn push(&mut self, token: &T) {
        self.watches.iter_mut().for_each(|watch| watch.token(token));
        if let Some(clone) = self.clone {
            self.readers.iter_mut().filter(|reader| reader.is_open()).for_each(|reader| reader.push(clone(token)));
        }
    }
}
