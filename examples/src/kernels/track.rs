//! Follows rectangles from frame to frame by how much they overlap.
//!
//! As in Bochinski, Eiselein and Sikora, "High-speed tracking-by-detection without using image
//! information" (2017), with a short memory for rectangles that go missing.

use super::components::Area;

/// A rectangle that belongs to a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// Number of the track, from 1 in the order of their starts.
    pub id: u64,
    /// Where it is.
    pub area: Area,
}

/// A whole track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// Number of the track.
    pub id: u64,
    /// Frame and rectangle, one for each frame in which it was seen.
    pub boxes: Vec<(u64, Area)>,
}

/// Overlap from which on two rectangles are the same actor.
const OVERLAP: f64 = 0.25;
/// Frames that an actor may be missing.
const PATIENCE: u64 = 5;
/// Frames that an actor must be seen in before it counts.
const PROBATION: usize = 8;

#[derive(Clone, Debug)]
struct Open {
    id: Option<u64>,
    boxes: Vec<(u64, Area)>,
}

impl Open {
    fn last(&self) -> (u64, Area) {
        // A track opens with a box.
        self.boxes[self.boxes.len() - 1]
    }
}

/// Follows rectangles; tracks end at cuts.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    open: Vec<Open>,
    closed: Vec<Track>,
    given: u64,
}

impl Tracker {
    /// Takes the rectangles of frame `index` and returns those that belong to a settled track.
    /// `fresh` ends all tracks first.
    pub fn next(&mut self, index: u64, areas: &[Area], fresh: bool) -> Vec<Tracked> {
        let (stale, open): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.open).into_iter().partition(|t| fresh || t.last().0 + PATIENCE < index);
        self.open = open;
        self.close(stale);

        // The best pairs first; ties go to the older track and the earlier rectangle.
        let mut pairs = Vec::new();
        for (t, track) in self.open.iter().enumerate() {
            for (a, area) in areas.iter().enumerate() {
                let overlap = track.last().1.iou(area);
                if overlap >= OVERLAP {
                    pairs.push((overlap, t, a));
                }
            }
        }
        pairs.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        let mut taken = vec![false; areas.len()];
        for (_, t, a) in pairs {
            let track = &mut self.open[t];
            if track.last().0 != index && !taken[a] {
                track.boxes.push((index, areas[a]));
                taken[a] = true;
            }
        }
        let fresh_areas = areas.iter().zip(&taken).filter(|(_, taken)| !**taken);
        self.open.extend(fresh_areas.map(|(area, _)| Open { id: None, boxes: vec![(index, *area)] }));

        let mut seen = Vec::new();
        for track in &mut self.open {
            if track.id.is_none() && track.boxes.len() >= PROBATION {
                self.given += 1;
                track.id = Some(self.given);
            }
            if let (Some(id), (at, area)) = (track.id, track.last())
                && at == index
            {
                seen.push(Tracked { id, area });
            }
        }
        seen
    }

    /// Ends all tracks and returns the settled ones, in the order of their numbers.
    #[must_use]
    pub fn finish(&mut self) -> Vec<Track> {
        let open = std::mem::take(&mut self.open);
        self.close(open);
        self.closed.sort_by_key(|track| track.id);
        std::mem::take(&mut self.closed)
    }

    fn close(&mut self, tracks: Vec<Open>) {
        let settled = tracks.into_iter().filter_map(|t| Some(Track { id: t.id?, boxes: t.boxes }));
        self.closed.extend(settled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_actors_keep_their_numbers_and_a_cut_ends_them() {
        let mut tracker = Tracker::default();
        for i in 0..20u32 {
            let right = Area { x: i, y: 0, w: 10, h: 10 };
            let left = Area { x: 100 - i, y: 50, w: 10, h: 10 };
            let areas = if i == 12 { vec![right] } else { vec![right, left] };
            let seen = tracker.next(u64::from(i), &areas, false);
            if i >= 8 && i != 12 {
                assert_eq!(seen, [Tracked { id: 1, area: right }, Tracked { id: 2, area: left }]);
            }
        }
        assert_eq!(tracker.next(20, &[Area { x: 20, y: 0, w: 10, h: 10 }], true), []);
        let tracks = tracker.finish();
        assert_eq!(tracks.iter().map(|t| (t.id, t.boxes.len())).collect::<Vec<_>>(), [(1, 20), (2, 19)]);
    }
}
