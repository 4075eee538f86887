//! read → [band; N] → join → write, for an N that is known only when the program runs

use kpn::prelude::*;

use super::{read, write};
use crate::frame::Frame;
use crate::kernels::{self, Filter, join_bands};
use crate::sink::Output;
use crate::source::Source;

/// A band of a frame: none where the frame has fewer rows than there are bands. One token.
type Band = Option<Frame>;
/// The bands of a frame, top to bottom.
type Bands = Vec<Band>;

/// Filters one band of the frame.
#[node]
fn band(frame: &Frame, #[param] filter: Filter, #[param] i: usize, #[param] n: usize) -> Band {
    kernels::band(frame, filter, i, n)
}

/// Starts the bands of a frame.
#[node]
fn first(band: Band) -> Bands {
    vec![band]
}

/// Adds the next band of a frame.
#[node]
fn and(mut bands: Bands, band: Band) -> Bands {
    bands.push(band);
    bands
}

/// Puts the bands of a frame together.
#[node]
fn join(bands: Bands) -> Frame {
    join_bands(&bands)
}

/// Puts a film through a filter in `wide` bands, one node each.
///
/// # Errors
///
/// None, unless the wiring below is wrong.
pub fn frames(source: Source, output: Output, filter: Filter, wide: usize) -> Result<Network<'static>, BuildError> {
    let wide = wide.max(1);
    let mut net = Builder::new();
    let film = net.add(read(source).named("read"));
    let mut bands = None;
    for (i, copy) in net.fan_out(film.out, wide).into_iter().enumerate() {
        let band = net.pipe(copy, band(filter, i, wide).named(format!("band{i}")));
        bands = Some(match bands {
            None => net.pipe(band, first()),
            Some(above) => {
                let both = net.add(and().named(format!("and{i}")));
                net.connect(above, both.bands);
                net.connect(band, both.band);
                both.out
            }
        });
    }
    if let Some(bands) = bands {
        let joined = net.pipe(bands, join());
        net.pipe(joined, write(output).named("write"));
    }
    net.build()
}
