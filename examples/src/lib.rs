//! What the example programs share: frames, sources, sinks, kernels and options.
//!
//! A film is an iterator of [`Frame`](frame::Frame)s ([`source`]); kernels turn frames into frames
//! ([`kernels`]); a [`sink`] takes them. Nothing here knows of networks: [`plain`] runs each
//! program as a loop over the kernels, and the programs in `bin` run the same kernels as nodes.
#![forbid(unsafe_code)]

pub mod cli;
pub mod error;
pub mod findings;
pub mod frame;
pub mod kernels;
pub mod plain;
pub mod sink;
pub mod source;

pub use error::VideoError;
