//! What the nodes of a run say of it, and how they are made to do wrong.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::rules::chain;
use super::super::{Node, Plan};

/// What one node took and gave.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    /// By input.
    taken: Vec<Vec<u64>>,
    /// By output: how many, and their digest.
    given: Vec<(usize, u64)>,
}

/// What was seen of a run.
#[derive(Debug)]
pub(in super::super) struct Seen {
    /// By edge: what its reader took.
    pub(in super::super) taken: Vec<Vec<u64>>,
    /// By node and output: how many tokens, and their digest.
    pub(in super::super) given: Vec<Vec<(usize, u64)>>,
}

/// What the nodes of a network took and gave. A node hands in its book when it is dropped, so all are there when a run has
/// ended.
#[derive(Clone, Debug)]
pub struct Heard(Arc<Mutex<Vec<Option<Book>>>>);

impl Heard {
    pub(super) fn of(plan: &Plan) -> Self {
        Self(Arc::new(Mutex::new(vec![None; plan.nodes.len()])))
    }

    fn books(&self) -> MutexGuard<'_, Vec<Option<Book>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was taken from each edge, and what each output gave; `None` where a node has not been dropped.
    pub(in super::super) fn all(&self, plan: &Plan) -> Option<Seen> {
        let mut books = self.books().clone().into_iter().collect::<Option<Vec<Book>>>()?;
        let given = books.iter().map(|book| book.given.clone()).collect();
        let taken = plan.edges.iter().map(|edge| std::mem::take(&mut books[edge.to.node].taken[edge.to.port]));
        Some(Seen { taken: taken.collect(), given })
    }
}

/// Something that a node does wrong, so that it is known that the tests see it.
#[derive(Clone, Debug)]
pub enum Sabotage {
    /// Its output 0 leaves out this token.
    Loses {
        /// The node.
        node: usize,
        /// Counted from 0.
        token: usize,
    },
    /// Its output 0 gives this token and the next one in the wrong order.
    Swaps {
        /// The node.
        node: usize,
        /// Counted from 0.
        token: usize,
    },
    /// What it gives depends on whether another node has given more than it has by then: on the schedule.
    Races {
        /// The node.
        node: usize,
        /// Whom it looks at.
        rival: usize,
        /// How many each has given.
        given: Arc<[AtomicUsize; 2]>,
    },
}

impl Sabotage {
    /// See [`Sabotage::Races`].
    pub fn races(node: usize, rival: usize) -> Self {
        Self::Races { node, rival, given: Arc::default() }
    }

    /// The same for another run.
    pub fn again(&self) -> Self {
        match self {
            Self::Races { node, rival, .. } => Self::races(*node, *rival),
            other => other.clone(),
        }
    }
}

/// A node's own book.
pub(super) struct Recorder {
    node: usize,
    book: Book,
    heard: Heard,
    work: u32,
    sabotage: Option<Sabotage>,
    /// A token held back by [`Sabotage::Swaps`].
    held: Option<u64>,
}

impl Recorder {
    pub(super) fn new(number: usize, node: &Node, heard: &Heard, sabotage: Option<&Sabotage>) -> Self {
        let book = Book { taken: vec![Vec::new(); node.kind.inputs()], given: vec![(0, 0); node.kind.outputs()] };
        let concerns = |sabotage: &&Sabotage| match **sabotage {
            Sabotage::Loses { node, .. } | Sabotage::Swaps { node, .. } => node == number,
            Sabotage::Races { node, rival, .. } => node == number || rival == number,
        };
        let sabotage = sabotage.filter(concerns).cloned();
        Self { node: number, book, heard: heard.clone(), work: node.work, sabotage, held: None }
    }

    pub(super) fn took(&mut self, port: usize, tokens: &[u64]) {
        self.book.taken[port].extend(tokens);
        (0..self.work).for_each(|i| _ = black_box(i));
    }

    /// What to give in place of a token: mostly that itself. It is booked as given.
    pub(super) fn gives(&mut self, port: usize, token: u64) -> Vec<u64> {
        let mut tokens = vec![token];
        let number = self.book.given[port].0;
        match &self.sabotage {
            Some(Sabotage::Loses { token, .. }) if (port, number) == (0, *token) => tokens.clear(),
            Some(Sabotage::Swaps { token: first, .. }) if (port, number) == (0, *first) => self.held = tokens.pop(),
            Some(Sabotage::Swaps { .. }) if port == 0 => tokens.extend(self.held.take()),
            Some(Sabotage::Races { node, given, .. }) => {
                let own = usize::from(*node != self.node);
                given[own].fetch_add(1, Ordering::Relaxed);
                let behind = given[0].load(Ordering::Relaxed) < given[1].load(Ordering::Relaxed);
                if own == 0 && behind {
                    tokens[0] ^= 1;
                }
            }
            _ => {}
        }
        // Booked is what it was to give: what it gave instead must show at the other end.
        let (count, digest) = &mut self.book.given[port];
        *count += 1;
        *digest = chain(*digest, token);
        tokens
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.heard.books()[self.node] = Some(std::mem::take(&mut self.book));
    }
}
