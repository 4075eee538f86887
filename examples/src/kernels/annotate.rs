//! Shows in a frame what was found in it.

use super::components::Area;
use super::draw;
use super::track::Tracked;
use crate::frame::Frame;

/// Frames for which a cut is shown.
const FLASH: u64 = 6;

/// Draws frames around actors and their numbers, the scene's number in the upper left corner, and a
/// bar along the top for a few frames after a cut.
#[derive(Clone, Debug, Default)]
pub struct Annotate {
    scene: u64,
    since_cut: Option<u64>,
}

impl Annotate {
    /// The next frame, drawn upon; `cut` starts a scene.
    pub fn next(&mut self, frame: &Frame, cut: bool, actors: &[Tracked]) -> Frame {
        if cut {
            self.scene += 1;
        }
        self.since_cut = if cut { Some(0) } else { self.since_cut.map(|n| n + 1) };
        let mut frame = frame.to_planar();
        let line = (frame.height() as u32 / 200).max(2);
        for actor in actors {
            let colour = draw::palette(actor.id);
            draw::outline(&mut frame, actor.area, line, colour);
            draw::number(&mut frame, (actor.area.x, actor.area.y), actor.id, colour);
        }
        let white = [frame.colour().range.white(), 128, 128];
        draw::number(&mut frame, (4, 4), self.scene + 1, white);
        if self.since_cut.is_some_and(|n| n < FLASH) {
            let bar = Area { x: 0, y: 0, w: frame.width() as u32, h: line };
            draw::fill(&mut frame, bar, white);
        }
        frame
    }
}
