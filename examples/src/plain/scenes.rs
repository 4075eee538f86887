//! read → {cuts, motion → areas} → track → annotate → {film, sheet}

use super::closing;
use crate::VideoError;
use crate::findings::Findings;
use crate::kernels::{Annotate, Background, Cuts, Tracker, moving_areas};
use crate::sink::{RowSheet, Sink};
use crate::source::Source;

/// Finds cuts and moving actors in `source`, draws them into `film`, and gives `sheet` a row for each
/// scene.
///
/// # Errors
///
/// The first of reading or writing; what came before it was written and closed.
pub fn scenes(source: Source, film: &mut dyn Sink, mut sheet: Option<&mut RowSheet>) -> Result<Findings, VideoError> {
    let (mut cuts, mut background, mut tracker) = (Cuts::default(), Background::default(), Tracker::default());
    let (mut annotate, mut found) = (Annotate::default(), Vec::new());
    let run = || {
        for frame in source {
            let frame = frame?;
            let verdict = cuts.next(&frame);
            let mask = background.next(&frame, verdict.cut);
            let areas = moving_areas(&mask, frame.width(), frame.height());
            let actors = tracker.next(verdict.index, &areas, verdict.cut);
            found.extend(verdict.cut.then_some(verdict.index));
            let shown = annotate.next(&frame, verdict.cut, &actors);
            film.write(&shown)?;
            if let Some(sheet) = sheet.as_deref_mut() {
                sheet.add(&shown, verdict.cut);
            }
        }
        Ok(())
    };
    let result = run();
    let drawn = sheet.map_or(Ok(()), RowSheet::finish);
    closing(result, film)?;
    drawn?;
    Ok(Findings::new(found, tracker.finish()))
}
