//! Counted tokens: each that is made, or cloned from another, must be dropped exactly once.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
struct Book {
    made: u64,
    cloned: u64,
    alive: HashSet<u64>,
    /// Drops of tokens that were not alive.
    ghosts: u64,
}

/// Where tokens are booked.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Arc<Mutex<Book>>);

impl Ledger {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, clone: bool) -> u64 {
        let mut book = self.book();
        let id = book.made + book.cloned;
        *if clone { &mut book.cloned } else { &mut book.made } += 1;
        book.alive.insert(id);
        id
    }

    /// Makes a token.
    pub fn token(&self, value: u64) -> Counted {
        Counted { value, id: self.enter(false), ledger: self.clone() }
    }

    /// Tokens made so far, clones not counted.
    pub fn made(&self) -> u64 {
        self.book().made
    }

    /// Clones made so far.
    pub fn cloned(&self) -> u64 {
        self.book().cloned
    }

    /// Tokens that are alive.
    pub fn alive(&self) -> usize {
        self.book().alive.len()
    }

    /// Whether nobody else has it any more: neither a token nor a node that makes some.
    pub fn is_alone(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// The law of conservation, once everything has ended.
    ///
    /// # Panics
    ///
    /// Where a token was lost or dropped twice.
    pub fn settle(&self) {
        let book = self.book();
        let (alive, made) = (book.alive.len(), book.made + book.cloned);
        assert_eq!(book.ghosts, 0, "tokens were dropped that weren't alive (of {made} made)");
        assert_eq!(alive, 0, "{alive} of {made} tokens were never dropped");
    }
}

/// A token that is booked in a [`Ledger`].
pub struct Counted {
    /// What it carries.
    pub value: u64,
    id: u64,
    ledger: Ledger,
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self { value: self.value, id: self.ledger.enter(true), ledger: self.ledger.clone() }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut book = self.ledger.book();
        if !book.alive.remove(&self.id) {
            book.ghosts += 1;
        }
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Counted({})", self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_books_settle() {
        let ledger = Ledger::new();
        let token = ledger.token(1);
        drop(token.clone());
        drop(token);
        assert_eq!((ledger.made(), ledger.cloned()), (1, 1));
        ledger.settle();
    }

    #[test]
    #[should_panic(expected = "1 of 1 tokens were never dropped")]
    fn a_lost_token_is_found() {
        let ledger = Ledger::new();
        std::mem::forget(ledger.token(1));
        ledger.settle();
    }

    #[test]
    #[should_panic(expected = "weren't alive")]
    fn a_second_drop_is_found() {
        let ledger = Ledger::new();
        let token = ledger.token(1);
        let ghost = Counted { value: 1, id: token.id, ledger: ledger.clone() };
        drop(token);
        drop(ghost);
        ledger.settle();
    }
}
