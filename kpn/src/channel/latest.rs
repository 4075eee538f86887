//! The newest token of an output: three slots, so that neither side ever waits for the other.
//!
//! The writer owns `back`, the reader owns `front`, and they exchange their slot for the middle one, each by one swap. The middle
//! one is marked while it holds a token that the reader has not seen.

use super::fan::Watch;
use crate::sync::{Arc, AtomicU8, ModelMutex, Ordering, UnsafeCell, drop_quietly, mutated};

/// The middle slot holds a newer token than the reader's.
const FRESH: u8 = 4;
const SLOT: u8 = 3;

struct Newest<T> {
    slots: [UnsafeCell<Option<T>>; 3],
    middle: AtomicU8,
    /// Of the one who reads just now: its slot.
    front: ModelMutex<u8>,
}

// SAFETY: each slot belongs to the writer, to whoever has locked `front`, or, as the middle one, to nobody; a swap of `middle`
// hands it on with acquire and release. So tokens need only be `Send`.
unsafe impl<T: Send> Sync for Newest<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Newest<T> {}

/// The writer's side, at an output.
pub(crate) struct Tap<T> {
    newest: Arc<Newest<T>>,
    back: u8,
}

/// The reader's side.
pub(crate) struct TapReader<T>(Arc<Newest<T>>);

/// A tap and its reader.
pub(crate) fn tap<T>() -> (Tap<T>, TapReader<T>) {
    let slots = [(); 3].map(|()| UnsafeCell::new(None));
    let newest = Arc::new(Newest { slots, middle: AtomicU8::new(1), front: ModelMutex::new(2) });
    (Tap { newest: newest.clone(), back: 0 }, TapReader(newest))
}

impl<T> Tap<T> {
    /// Makes a token the newest one.
    pub(crate) fn put(&mut self, token: T) {
        let slot = &self.newest.slots[usize::from(self.back)];
        // SAFETY: the back slot is the writer's.
        let old = slot.with_mut(|slot| unsafe { (*slot).replace(token) });
        // AcqRel: hands the token to the reader's swap, and takes over the slot that it gave back.
        self.back = self.newest.middle.swap(self.back | FRESH, Ordering::AcqRel) & SLOT;
        drop_quietly(old);
    }
}

impl<T: Clone + Send> Watch<T> for Tap<T> {
    fn token(&mut self, token: &T) {
        // Nobody to read it any more: no clone.
        if Arc::strong_count(&self.newest) > 1 {
            self.put(token.clone());
        }
    }
}

impl<T: Clone> TapReader<T> {
    /// A clone of the newest token.
    pub(crate) fn get(&self) -> Option<T> {
        let (mut front, middle) = (self.0.front.lock(), &self.0.middle);
        if mutated("newest by load and store") {
            let taken = middle.load(Ordering::Acquire);
            middle.store(*front, Ordering::Release);
            *front = taken & SLOT;
        } else if middle.load(Ordering::Relaxed) & FRESH != 0 {
            // AcqRel: as in `put`.
            *front = middle.swap(*front, Ordering::AcqRel) & SLOT;
        }
        // SAFETY: the front slot belongs to whoever has the lock.
        self.0.slots[usize::from(*front)].with_mut(|slot| unsafe { (*slot).clone() })
    }
}

impl<T> Clone for TapReader<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync::thread;

    #[test]
    fn the_newest_is_seen_again_and_again() {
        let (mut tap, reader) = tap();
        assert_eq!(reader.get(), None);
        for x in 0..5 {
            tap.put(Box::new(x));
            assert_eq!((reader.get().as_deref(), reader.get().as_deref()), (Some(&x), Some(&x)));
        }
        tap.put(Box::new(5));
        tap.put(Box::new(6));
        assert_eq!(reader.get(), Some(Box::new(6)));
    }

    #[test]
    fn what_is_seen_never_goes_back() {
        const TOKENS: u64 = if cfg!(miri) { 100 } else { 100_000 };
        let (mut tap, reader) = tap();
        let writer = thread::spawn(move || (1..=TOKENS).for_each(|x| tap.put(vec![x])));
        let mut last = 0;
        while last < TOKENS {
            let now = reader.get().map_or(0, |token| token[0]);
            assert!(now >= last, "{now} after {last}");
            last = now;
        }
        assert!(writer.join().is_ok());
    }
}
