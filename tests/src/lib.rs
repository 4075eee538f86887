//! What the tests share: executors to run everything on, a watchdog, counted tokens, seeded dice, nodes of any shape,
//! and random networks with the histories that they must have.

pub mod dice;
pub mod graph;
pub mod on;
pub mod step;
pub mod threads;
pub mod token;
pub mod watch;

pub use dice::Dice;
pub use on::{On, everywhere};
pub use token::{Counted, Ledger};
pub use watch::{doing, watch};
