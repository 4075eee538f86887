//! The tokens of one edge: a bounded ring with one producer and one consumer.
//!
//! Each half keeps its own index and a cached copy of the other's, so that a firing touches the shared
//! lines only when its view runs out (after rtrb and Lamport's queue). Indices are absolute and never
//! wrap: at a token a nanosecond 64 bits last five hundred years.
//!
//! Slots in `[head, tail)` are initialised and belong to the consumer, the others to the producer. A half's
//! own index may run ahead of the published one; the half alone owns the slots between the two.

use std::mem::MaybeUninit;

use super::link::{Input, Link};
use crate::sync::{Arc, ModelArc, UnsafeCell, drop_quietly};

struct Buffer<T> {
    slots: Box<[UnsafeCell<MaybeUninit<T>>]>,
    mask: usize,
    link: Arc<Link>,
}

// SAFETY: a slot is accessed by one half at a time, as the module's rule says, and passes from one to the
// other through the release store and acquire load of `tail` or `head`; so tokens need only be `Send`.
unsafe impl<T: Send> Sync for Buffer<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Buffer<T> {}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        // Both halves are gone and published their indices when they went.
        for i in self.link.head()..self.link.tail() {
            // SAFETY: slots in [head, tail) are initialised, and nobody else is left to read them.
            let token = self.slots[i & self.mask].with_mut(|slot| unsafe { (*slot).assume_init_read() });
            // One token's panicking `Drop` must not leak the others.
            drop_quietly(token);
        }
    }
}

/// Makes an edge with these tokens on it, at most as many as its capacity; `None` where there is no memory for it.
pub(crate) fn ring<T>(link: Arc<Link>, initial: Vec<T>) -> Option<(Producer<T>, Consumer<T>)> {
    let size = link.capacity().next_power_of_two();
    let mut slots = Vec::new();
    slots.try_reserve_exact(size).ok()?;
    slots.resize_with(size, || UnsafeCell::new(MaybeUninit::uninit()));
    let buffer = ModelArc::new(Buffer { slots: slots.into(), mask: size - 1, link });
    let mut producer = Producer { buffer: buffer.clone(), tail: 0, cached_head: 0, published: 0, open: true };
    initial.into_iter().for_each(|token| producer.push(token));
    producer.publish();
    let consumer = Consumer { buffer, head: 0, cached_tail: 0, published: 0 };
    Some((producer, consumer))
}

/// The writing half of an edge.
pub(crate) struct Producer<T> {
    buffer: ModelArc<Buffer<T>>,
    tail: usize,
    cached_head: usize,
    published: usize,
    open: bool,
}

impl<T> Producer<T> {
    /// Spaces free, at least `want` of them if there are as many; reads the consumer's line only when its
    /// own view runs out. Without a reader there is always room: its tokens are swallowed.
    #[inline]
    pub(crate) fn room(&mut self, want: usize) -> usize {
        let link = &*self.buffer.link;
        let free = link.capacity() - (self.tail - self.cached_head);
        if free >= want {
            return free;
        }
        self.cached_head = link.head();
        let free = link.capacity() - (self.tail - self.cached_head);
        if free < want && !self.has_reader() { want } else { free }
    }

    /// False once the consumer has gone.
    #[inline]
    pub(crate) fn has_reader(&mut self) -> bool {
        self.open = self.open && self.buffer.link.has_reader();
        self.open
    }

    /// As [`Producer::has_reader`] last saw it.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Appends a token; it is seen after the next [`Producer::publish`].
    ///
    /// # Panics
    ///
    /// Where there is no room: the caller asks [`Producer::room`] first.
    #[inline]
    pub(crate) fn push(&mut self, token: T) {
        if !self.open {
            return; // swallowed
        }
        assert!(self.tail - self.cached_head < self.buffer.link.capacity(), "a push needs room");
        // SAFETY: the slot at `tail` lies outside [head, tail), so it is ours and holds no token.
        self.buffer.slots[self.tail & self.buffer.mask].with_mut(|slot| unsafe { (*slot).write(token) });
        self.tail += 1;
    }

    /// Makes all pushed tokens visible. True if there were any.
    #[inline]
    pub(crate) fn publish(&mut self) -> bool {
        let news = self.published != self.tail;
        if news {
            self.buffer.link.publish_tail(self.tail);
            self.published = self.tail;
        }
        news
    }

    /// The edge's words.
    pub(crate) fn link(&self) -> &Arc<Link> {
        &self.buffer.link
    }

    /// The head at which `need` spaces are free.
    pub(crate) fn target(&self, need: usize) -> usize {
        (self.tail + need).saturating_sub(self.buffer.link.capacity())
    }
}

impl<T> Drop for Producer<T> {
    fn drop(&mut self) {
        self.publish();
        self.buffer.link.close_tail();
    }
}

/// The reading half of an edge.
pub struct Consumer<T> {
    buffer: ModelArc<Buffer<T>>,
    head: usize,
    cached_tail: usize,
    published: usize,
}

impl<T> Consumer<T> {
    /// Tokens ready, at least `want` of them if there are as many.
    #[inline]
    pub(crate) fn ready(&mut self, want: usize) -> usize {
        let seen = self.cached_tail - self.head;
        if seen >= want {
            return seen;
        }
        self.cached_tail = self.buffer.link.tail();
        self.cached_tail - self.head
    }

    /// The edge's words.
    pub(crate) fn link(&self) -> &Arc<Link> {
        &self.buffer.link
    }

    /// The oldest token, where it is.
    ///
    /// # Panics
    ///
    /// Where none is ready.
    #[inline]
    pub(crate) fn peek(&mut self) -> &T {
        assert!(self.head != self.cached_tail, "a peek needs a token");
        let slot = &self.buffer.slots[self.head & self.buffer.mask];
        // SAFETY: the slot was below the published tail and not taken, so it is initialised and ours while we are borrowed.
        slot.with_mut(|slot| unsafe { (*slot).assume_init_ref() })
    }

    /// What stands between the consumer and `need` tokens.
    pub(crate) fn input(&self, need: usize) -> Input {
        self.buffer.link.input(self.head, need)
    }

    /// Takes the oldest token; its slot is given back by the next [`Consumer::publish`].
    ///
    /// # Panics
    ///
    /// Where none is ready: the caller asks [`Consumer::ready`] first.
    #[inline]
    pub(crate) fn take(&mut self) -> T {
        assert!(self.head != self.cached_tail, "a take needs a token");
        let i = self.head & self.buffer.mask;
        // First the index, then the user's code: an unwind later finds the token already counted as taken.
        self.head += 1;
        // SAFETY: the slot was below the published tail and not taken before, so it is initialised and ours;
        // the index has moved past it, so it is read once.
        self.buffer.slots[i].with_mut(|slot| unsafe { (*slot).assume_init_read() })
    }

    /// Gives back the slots of all taken tokens. True if there were any.
    #[inline]
    pub(crate) fn publish(&mut self) -> bool {
        let news = self.published != self.head;
        if news {
            self.buffer.link.publish_head(self.head);
            self.published = self.head;
        }
        news
    }

    /// The tail at which `need` tokens are ready.
    pub(crate) fn target(&self, need: usize) -> usize {
        self.head + need
    }
}

impl<T> Drop for Consumer<T> {
    fn drop(&mut self) {
        self.publish();
        self.buffer.link.close_head();
    }
}
