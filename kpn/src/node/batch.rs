//! The tokens of one firing of a cyclo-static input.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::sync::{Arc, Mutex};

/// The tokens that one firing takes from an input whose rate varies by phase: a slice.
///
/// Its memory goes back to the port when it is dropped, so that firings allocate nothing; one that is kept costs an
/// allocation.
///
/// ```
/// use kpn::node::Batch;
///
/// let mut batch = Batch::from([3, 4]);
/// assert_eq!(batch.iter().sum::<i32>(), 7);
/// assert_eq!(batch.drain().max(), Some(4));
/// ```
pub struct Batch<T> {
    tokens: Vec<T>,
    /// Where its memory goes; `None` where it has none of a port's.
    home: Option<Arc<Shelf<T>>>,
}

/// Memory of a port for its next batch. A lock since a batch may be dropped anywhere.
pub(crate) struct Shelf<T>(Mutex<Vec<T>>);

impl<T> Shelf<T> {
    /// With memory for batches of up to `most` tokens.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Vec::with_capacity(most))))
    }

    /// An empty batch in that memory; in new memory, for `most` tokens, where an earlier batch still has it.
    pub(crate) fn batch(self: &Arc<Self>, most: usize) -> Batch<T> {
        let mut tokens = std::mem::take(&mut *self.0.lock());
        tokens.reserve_exact(most);
        Batch { tokens, home: Some(self.clone()) }
    }
}

impl<T> Batch<T> {
    /// Takes the tokens out.
    pub fn drain(&mut self) -> std::vec::Drain<'_, T> {
        self.tokens.drain(..)
    }

    /// Where its tokens are put.
    pub(crate) fn tokens(&mut self) -> &mut Vec<T> {
        &mut self.tokens
    }
}

impl<T> Drop for Batch<T> {
    fn drop(&mut self) {
        let Some(home) = self.home.take() else { return };
        // Users' code, so before the lock.
        self.tokens.clear();
        let mut spare = std::mem::take(&mut self.tokens);
        {
            let mut kept = home.0.lock();
            if kept.capacity() < spare.capacity() {
                std::mem::swap(&mut *kept, &mut spare);
            }
        }
    }
}

impl<T> Deref for Batch<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.tokens
    }
}

impl<T> DerefMut for Batch<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.tokens
    }
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<T> From<Vec<T>> for Batch<T> {
    fn from(tokens: Vec<T>) -> Self {
        Self { tokens, home: None }
    }
}

impl<T, const N: usize> From<[T; N]> for Batch<T> {
    fn from(tokens: [T; N]) -> Self {
        Self::from(Vec::from(tokens))
    }
}

impl<T> FromIterator<T> for Batch<T> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        Self::from(Vec::from_iter(iter))
    }
}

impl<T: fmt::Debug> fmt::Debug for Batch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tokens.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_and_a_kept_batch_gets_its_own() {
        let shelf = Shelf::new(2);
        let first = shelf.0.lock().as_ptr();
        for _ in 0..3 {
            let mut batch = shelf.batch(2);
            batch.tokens().push(7);
            assert_eq!((batch.as_ptr(), &*batch), (first, &[7][..]));
        }
        let (kept, mut next) = (shelf.batch(2), shelf.batch(2));
        next.tokens().push(8);
        assert_eq!((kept.len(), &*next), (0, &[8][..]));
        assert_ne!(kept.as_ptr(), next.as_ptr());
        drop(next);
        drop(kept);
        assert!(shelf.0.lock().is_empty() && shelf.0.lock().capacity() >= 2);
    }
}
