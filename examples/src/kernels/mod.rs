//! What is done to pixels: each kernel is a function, or a struct with a method that takes the
//! next frame, on one thread and with the same result everywhere.
//!
//! Kernels take luma and chroma in planes ([`Frame::to_planar`](crate::frame::Frame::to_planar)).

pub mod annotate;
pub mod bands;
pub mod components;
pub mod cuts;
pub mod draw;
pub mod edges;
pub mod hsv;
pub mod ink;
pub mod motion;
mod plane;
pub mod posterise;
pub mod smooth;
pub mod steady;
pub mod track;

pub use annotate::Annotate;
pub use bands::{Filter, band, band_rows, join_bands};
pub use components::{Area, components, moving_areas};
pub use cuts::{Cuts, Verdict};
pub use edges::{Edges, edges};
pub use ink::ink;
pub use motion::Background;
pub use posterise::{Posterise, posterise};
pub use smooth::{Smooth, smooth};
pub use steady::Steady;
pub use track::{Track, Tracked, Tracker};
