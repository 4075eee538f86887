//! The tokens of one edge: a bounded ring with one producer and one consumer, which can grow.
//!
//! Each half keeps its own index and a cached copy of the other's, so that a firing touches the shared
//! lines only when its view runs out (after rtrb and Lamport's queue). Indices are absolute and never
//! wrap: at a token a nanosecond 64 bits last five hundred years.
//!
//! Slots in `[head, tail)` are initialised and belong to the consumer, the others to the producer. A half's
//! own index may run ahead of the published one; the half alone owns the slots between the two.
//!
//! The producer writes to the newest [`Segment`], the consumer reads from the oldest; most of the time they are one. The
//! token at an index lies in the first segment whose end is above it. Only the consumer frees a segment before both
//! halves have gone: once it has taken all of its tokens and has seen a later one published, which the producer does
//! only after its last access to that segment. Whichever half goes second frees all that is left.

use super::link::{Input, Link};
use super::segment::Segment;
use super::shared::LinkRef;
use crate::sync::{drop_quietly, move_out, mutated};

/// Makes an edge with these tokens on it, at most as many as its capacity; `None` where there is no memory for it.
pub(crate) fn ring<T>(link: LinkRef, initial: Vec<T>) -> Option<(Producer<T>, Consumer<T>)> {
    let capacity = link.capacity();
    let segment = Segment::new(capacity)?;
    // SAFETY: it was made just now.
    let mask = unsafe { segment.mask() };
    let consumer = Consumer { link: link.clone(), segment, mask, head: 0, cached_tail: 0, clip: 0, published: 0 };
    let mut producer = Producer {
        link,
        segment,
        mask,
        capacity,
        tail: 0,
        cached_head: 0,
        published: 0,
        open: true,
        #[cfg(loom)]
        late: None,
    };
    initial.into_iter().for_each(|token| producer.push(token));
    producer.publish();
    Some((producer, consumer))
}

/// The last half has gone: drops the tokens left and frees the memory.
///
/// # Safety
///
/// Both halves have published their indices and use no segment any more; `oldest` is where the consumer left off.
unsafe fn free_all<T>(link: &Link, oldest: Segment<T>) {
    let (mut index, tail) = (link.head(), link.tail());
    let mut rest = Some(oldest);
    while let Some(segment) = rest {
        // SAFETY: nobody else is left, and this one is freed below.
        let (end, mask) = unsafe { (segment.end(), segment.mask()) };
        for i in index..tail.min(end) {
            // SAFETY: slots in [head, tail) are initialised, and lie in the first segment whose end is above them.
            let token = unsafe { segment.slot(i & mask).with_mut(|slot| (*slot).assume_init_read()) };
            // One token's panicking `Drop` must not leak the others.
            drop_quietly(token);
        }
        index = index.max(tail.min(end));
        // SAFETY: as above.
        rest = unsafe { segment.next() };
        // SAFETY: its last use was above.
        unsafe { segment.free() };
    }
}

/// The writing half of an edge.
pub(crate) struct Producer<T> {
    link: LinkRef,
    /// The newest one.
    segment: Segment<T>,
    mask: usize,
    /// The link's, which this half alone changes.
    capacity: usize,
    tail: usize,
    cached_head: usize,
    published: usize,
    open: bool,
    /// For the mutant that links too late: what is to be linked, and its end.
    #[cfg(loom)]
    late: Option<(Segment<T>, usize)>,
}

// SAFETY: a slot is accessed by one half at a time, as the module's rule says, and passes from one to the
// other through the release store and acquire load of `tail` or `head`; so tokens need only be `Send`.
unsafe impl<T: Send> Send for Producer<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Consumer<T> {}

impl<T> Producer<T> {
    /// Spaces free, at least `want` of them if there are as many; reads the consumer's line only when its
    /// own view runs out. Without a reader there is always room: its tokens are swallowed.
    ///
    /// Where there are fewer and somebody has asked for more capacity, the edge grows first.
    #[inline]
    pub(crate) fn room(&mut self, want: usize) -> usize {
        let free = self.capacity - (self.tail - self.cached_head);
        if free >= want {
            return free;
        }
        self.cached_head = self.link.head();
        let free = self.capacity - (self.tail - self.cached_head);
        if free >= want {
            return free;
        }
        if !self.has_reader() {
            return want;
        }
        if self.link.cap_target() > self.capacity {
            self.grow();
        }
        self.capacity - (self.tail - self.cached_head)
    }

    /// Takes the capacity that was asked for, or says that there is no memory for it.
    #[cold]
    fn grow(&mut self) {
        loop {
            let target = self.link.cap_target();
            if target <= self.capacity {
                return;
            }
            // A segment is a power of two: it may be large enough as it is.
            if target > self.mask + 1 {
                let Some(larger) = Segment::new(target) else {
                    if self.link.refuse_capacity(target) {
                        return;
                    }
                    continue;
                };
                if !mutated("link after publish") {
                    // SAFETY: the newest segment is freed only after a token behind its end was published.
                    unsafe { self.segment.link(larger, self.tail) };
                }
                #[cfg(loom)]
                if mutated("link after publish") {
                    self.late = Some((self.segment, self.tail));
                }
                self.segment = larger;
                // SAFETY: as above, for the new one.
                self.mask = unsafe { larger.mask() };
            }
            self.capacity = target;
            self.link.set_capacity(target);
            return;
        }
    }

    /// False once the consumer has gone.
    #[inline]
    pub(crate) fn has_reader(&mut self) -> bool {
        self.open = self.open && self.link.has_reader();
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
        assert!(self.tail - self.cached_head < self.capacity, "a push needs room");
        // SAFETY: the newest segment has not been freed. The slot at `tail` lies outside [head, tail), so it is ours and
        // holds no token: there are no more than `capacity` indices since `head`, and a segment has as many slots.
        unsafe { self.segment.slot(self.tail & self.mask).with_mut(|slot| (*slot).write(token)) };
        self.tail += 1;
    }

    /// Makes all pushed tokens visible. True if there were any.
    #[inline]
    pub(crate) fn publish(&mut self) -> bool {
        let news = self.published != self.tail;
        if news {
            self.link.publish_tail(self.tail);
            self.published = self.tail;
            #[cfg(loom)]
            if let Some((segment, end)) = self.late.take() {
                // SAFETY: none; this is the mutant.
                unsafe { segment.link(self.segment, end) };
            }
        }
        news
    }

    /// The edge's words.
    pub(crate) fn link(&self) -> &LinkRef {
        &self.link
    }

    /// The head at which `need` spaces are free.
    pub(crate) fn target(&self, need: usize) -> usize {
        (self.tail + need).saturating_sub(self.capacity)
    }
}

impl<T> Drop for Producer<T> {
    fn drop(&mut self) {
        self.publish();
        if let Some(rest) = self.link.leave_tail() {
            // SAFETY: the consumer has gone and left its segment there, and we are about to.
            unsafe { free_all::<T>(&self.link, Segment::from_erased(rest)) };
        }
    }
}

/// The reading half of an edge.
pub struct Consumer<T> {
    link: LinkRef,
    /// The oldest one.
    segment: Segment<T>,
    mask: usize,
    head: usize,
    cached_tail: usize,
    /// The cached tail, or the end of the segment where that comes first.
    clip: usize,
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
        // SAFETY: the oldest segment is freed by this half alone.
        let end = || unsafe { self.segment.end() };
        let early = if mutated("end before tail") { end() } else { 0 };
        self.cached_tail = self.link.tail();
        // The tail first: all ends below it are then seen.
        self.clip = self.cached_tail.min(if mutated("end before tail") { early } else { end() });
        self.cached_tail - self.head
    }

    /// The edge's words.
    pub(crate) fn link(&self) -> &LinkRef {
        &self.link
    }

    /// What stands between the consumer and `need` tokens.
    pub(crate) fn input(&self, need: usize) -> Input {
        self.link.input(self.head, need)
    }

    /// Goes on to the segment that has the next token, and frees those before it.
    #[cold]
    fn follow(&mut self) {
        assert!(self.head != self.cached_tail, "a take needs a token");
        while self.head == self.clip {
            // SAFETY: the oldest segment is freed by this half alone.
            let next = unsafe { self.segment.next() };
            let next = next.expect("a segment is linked before a token behind its end is published");
            // SAFETY: all its tokens are taken, and one behind its end was published, after which the producer doesn't
            // use it any more.
            unsafe { std::mem::replace(&mut self.segment, next).free() };
            // SAFETY: this is the oldest one now.
            let (mask, end) = unsafe { (next.mask(), next.end()) };
            self.mask = mask;
            self.clip = self.cached_tail.min(end);
        }
    }

    /// Takes the oldest token; its slot is given back by the next [`Consumer::publish`].
    ///
    /// # Panics
    ///
    /// Where none is ready: the caller asks [`Consumer::ready`] first.
    #[inline]
    pub(crate) fn take(&mut self) -> T {
        if self.head == self.clip {
            self.follow();
        }
        let at = self.head & self.mask;
        // First the index, then the user's code: an unwind later finds the token already counted as taken.
        self.head += 1;
        // SAFETY: the slot was below the published tail and the segment's end and not taken before, so it is
        // initialised and ours; the index has moved past it, so it is read once.
        unsafe { self.segment.slot(at).with_mut(|slot| (*slot).assume_init_read()) }
    }

    /// Appends the oldest `n` tokens to `into`, and takes them.
    ///
    /// # Panics
    ///
    /// Where fewer are ready: the caller asks [`Consumer::ready`] first.
    pub(crate) fn take_many(&mut self, mut n: usize, into: &mut Vec<T>) {
        assert!(n <= self.cached_tail - self.head, "a take needs a token");
        into.reserve(n);
        while n > 0 {
            if self.head == self.clip {
                self.follow();
            }
            let at = self.head & self.mask;
            let run = n.min(self.clip - self.head).min(self.mask + 1 - at);
            self.head += run;
            // SAFETY: as in `take`, for a run of slots; there is room for them behind the vector's tokens.
            unsafe {
                move_out(self.segment.slots(at, run), into.as_mut_ptr().add(into.len()));
                into.set_len(into.len() + run);
            }
            n -= run;
        }
    }

    /// The oldest token, in its place.
    ///
    /// # Panics
    ///
    /// Where none is ready: the caller asks [`Consumer::ready`] first.
    #[allow(dead_code, reason = "for rates above one, and for processes")]
    #[inline]
    pub(crate) fn peek(&mut self) -> &T {
        if self.head == self.clip {
            self.follow();
        }
        // SAFETY: as in `take`; it is not taken while it is borrowed.
        unsafe { self.segment.slot(self.head & self.mask).with(|slot| (*slot).assume_init_ref()) }
    }

    /// The token `i` places after the oldest one, in its place.
    ///
    /// # Panics
    ///
    /// Where it isn't ready: the caller asks [`Consumer::ready`] for `i + 1` tokens first.
    #[allow(dead_code, reason = "for rates above one, and for processes")]
    #[inline]
    pub(crate) fn peek_at(&self, i: usize) -> &T {
        let index = self.head + i;
        assert!(index < self.cached_tail, "a look needs a token");
        let (mut segment, mut mask, mut end) = (self.segment, self.mask, self.clip);
        while index >= end {
            // SAFETY: this segment is the oldest or a later one, which only this half could free.
            let next = unsafe { segment.next() };
            segment = next.expect("a segment is linked before a token behind its end is published");
            // SAFETY: as above.
            (mask, end) = unsafe { (segment.mask(), segment.end()) };
        }
        // SAFETY: the slot is below the published tail and not taken, nor is it while it is borrowed.
        unsafe { segment.slot(index & mask).with(|slot| (*slot).assume_init_ref()) }
    }

    /// Gives back the slots of all taken tokens. True if there were any.
    #[inline]
    pub(crate) fn publish(&mut self) -> bool {
        let news = self.published != self.head;
        if news {
            self.link.publish_head(self.head);
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
        if self.link.leave_head(self.segment.erase()) {
            // SAFETY: the producer has gone, and we are about to.
            unsafe { free_all(&self.link, self.segment) };
        }
    }
}
