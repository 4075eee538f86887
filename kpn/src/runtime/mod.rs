//! The engine. Its protocol, with the argument why nothing is lost, is in the README beside this file.

mod assemble;
mod core;
mod court;
mod cx;
pub(crate) mod dice;
mod drive;
mod grow;
mod inside;
mod lanes;
pub(crate) mod launch;
pub(crate) mod life;
mod near;
mod pace;
pub(crate) mod pool;
mod private;
pub(crate) mod shuffle;
pub(crate) mod sleep;
mod suspects;
mod task;
#[cfg(all(test, not(loom)))]
mod tests;
pub(crate) mod timeline;
mod wait;
pub(crate) mod word;

pub(crate) use core::notify;
pub(crate) use cx::{Cx, Notify, Site};
pub(crate) use grow::{Addition, Rewire};
pub(crate) use inside::Inside;
pub(crate) use pool::blocking;
pub(crate) use shuffle::virtual_clock;
pub(crate) use task::TaskRef;
