//! read → {cuts, motion → areas} → track → annotate → {film, sheet}

use kpn::prelude::*;

use super::{read, write};
use crate::VideoError;
use crate::findings::Findings;
use crate::frame::Frame;
use crate::kernels::{self, Area, Track, Tracked, Verdict, moving_areas};
use crate::sink::{Output, RowSheet};
use crate::source::Source;

/// What the network found in the film so far.
#[derive(Default)]
pub struct Found {
    cuts: Vec<u64>,
    tracks: Vec<Track>,
}

impl Found {
    /// Everything, once the network has ended.
    #[must_use]
    pub fn into_findings(self) -> Findings {
        Findings::new(self.cuts, self.tracks)
    }
}

/// Says of each frame whether a scene starts there.
#[derive(Default)]
struct Cuts(kernels::Cuts);

#[node]
impl Cuts {
    fn fire(&mut self, frame: &Frame) -> Verdict {
        self.0.next(frame)
    }
}

/// Marks what moves.
#[derive(Default)]
struct Motion(kernels::Background);

#[node]
impl Motion {
    fn fire(&mut self, frame: &Frame, verdict: Verdict) -> Vec<Area> {
        let mask = self.0.next(frame, verdict.cut);
        moving_areas(&mask, frame.width(), frame.height())
    }
}

/// Follows what moves, and after the last frame tells all tracks.
#[derive(Default)]
struct Follow(kernels::Tracker);

#[node(outputs(actors, tracks))]
impl Follow {
    fn fire(&mut self, areas: Vec<Area>, verdict: Verdict) -> (Many<Vec<Tracked>>, Many<Track>) {
        let actors = self.0.next(verdict.index, &areas, verdict.cut);
        ([actors].into_iter().collect(), Many::new())
    }

    fn finish(&mut self) -> (Many<Vec<Tracked>>, Many<Track>) {
        (Many::new(), self.0.finish().into_iter().collect())
    }
}

/// Draws what was found into the frame.
#[derive(Default)]
struct Annotate(kernels::Annotate);

#[node]
impl Annotate {
    fn fire(&mut self, frame: &Frame, verdict: Verdict, actors: Vec<Tracked>) -> Frame {
        self.0.next(frame, verdict.cut, &actors)
    }
}

/// Keeps a row of pictures for each scene.
struct Rows(Option<RowSheet>);

#[node]
impl Rows {
    fn fire(&mut self, frame: &Frame, verdict: Verdict) {
        if let Some(sheet) = &mut self.0 {
            sheet.add(frame, verdict.cut);
        }
    }

    fn finish(&mut self) -> Result<(), VideoError> {
        self.0.as_mut().map_or(Ok(()), RowSheet::finish)
    }
}

/// Finds cuts and moving actors in a film, draws them into `film`, and gives `sheet` a row for each
/// scene. The network borrows `found`, which is whole when it has ended.
///
/// # Errors
///
/// None, unless the wiring below is wrong.
pub fn scenes(
    source: Source,
    film: Output,
    sheet: Option<RowSheet>,
    found: &mut Found,
) -> Result<Network<'_>, BuildError> {
    let Found { cuts: found_cuts, tracks } = found;
    network! {
        read = read(source);
        cuts = Cuts::default();
        motion = Motion::default();
        follow = Follow::default();
        annotate = Annotate::default();
        rows = Rows(sheet);
        write = write(film);

        read -> { cuts, motion.frame, annotate.frame };
        cuts -> {
            motion.verdict,
            follow.verdict,
            annotate.verdict,
            rows.verdict,
            sink(|verdict: Verdict| found_cuts.extend(verdict.cut.then_some(verdict.index))).named("note cuts"),
        };
        motion -> follow.areas;
        follow.actors -> annotate.actors;
        follow.tracks -> sink(|track: Track| tracks.push(track)).named("note tracks");
        annotate -> { write, rows.frame };
    }
}
