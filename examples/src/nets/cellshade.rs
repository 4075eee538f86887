//! read → steady → smooth → smooth → {edges, posterise} → ink → write

use kpn::prelude::*;

use super::{read, write};
use crate::frame::Frame;
use crate::kernels::{self, Edges, Posterise, Smooth};
use crate::sink::Output;
use crate::source::Source;

/// Takes the flicker of grain out of a film.
#[derive(Default)]
struct Steady(kernels::Steady);

#[node]
impl Steady {
    fn fire(&mut self, frame: &Frame) -> Frame {
        self.0.next(frame)
    }
}

/// Makes flat areas flat and leaves edges where they are.
#[node]
fn smooth(frame: &Frame, #[param] how: Smooth) -> Frame {
    kernels::smooth(frame, how)
}

/// Finds the lines.
#[node]
fn edges(frame: &Frame, #[param] how: Edges) -> Frame {
    kernels::edges(frame, how)
}

/// Leaves few tones.
#[node]
fn posterise(frame: &Frame, #[param] how: Posterise) -> Frame {
    kernels::posterise(frame, how)
}

/// Lays the lines over the colours.
#[node]
fn ink(lines: &Frame, colours: &Frame) -> Frame {
    kernels::ink(lines, colours)
}

/// Half of what `Smooth::default()` does: smoothing is as much work as all the rest, and two nodes of half the
/// work let two cores share it.
const HALF: Smooth = {
    let whole = Smooth::DEFAULT;
    Smooth { passes: whole.passes / 2, ..whole }
};

/// Draws a film as a cartoon.
///
/// # Errors
///
/// None, unless the wiring above is wrong.
pub fn cellshade(source: Source, output: Output) -> Result<Network<'static>, BuildError> {
    network! {
        read(source).named("read")
            -> Steady::default().named("steady")
            -> smooth(HALF).named("smooth_a")
            -> smooth(HALF).named("smooth_b")
            -> { edges(Edges::default()), posterise(Posterise::default()) }
            -> ink()
            -> write(output).named("write")
    }
}
