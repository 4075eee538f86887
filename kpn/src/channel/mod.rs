//! Bounded single-producer single-consumer channels, and their fan-out.
//!
//! [`Link`] holds the words both ends share, without the tokens' type: the runtime wakes by it.
//! [`Producer`] and [`Consumer`] move the tokens. [`Fan`] is one output with all its readers.

mod fan;
mod latest;
mod link;
mod ring;
mod segment;
mod shared;
#[cfg(test)]
mod tests;

pub(crate) use fan::{CloneFn, Fan, FanParts, Watch};
pub(crate) use latest::{TapReader, tap};
pub(crate) use link::{Input, Link};
pub(crate) use ring::{Consumer, Producer, ring};
pub(crate) use shared::LinkRef;
