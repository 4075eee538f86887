//! What the example programs share: frames, sources, sinks, kernels and options.
//!
//! A film is an iterator of [`Frame`](frame::Frame)s ([`source`]); kernels turn frames into frames
//! ([`kernels`]); a [`sink`] takes them. [`plain`] runs each program as a loop over the kernels,
//! [`nets`] as a network whose nodes are the same kernels, and both give the same frames.
//!
//! [`canon`] has the programs that the theory of process networks is told with.
#![forbid(unsafe_code)]

pub mod canon;
pub mod cli;
pub mod error;
pub mod findings;
pub mod frame;
pub mod kernels;
pub mod nets;
pub mod plain;
pub mod sink;
pub mod source;

pub use error::{Failure, VideoError};
