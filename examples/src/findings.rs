//! What `scenes` found in a film, as JSON.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::VideoError;
use crate::kernels::{Area, Track};

/// The cuts and the tracks of a film: `{"cuts": [frame, …], "tracks": [{"id": …, "boxes": […]}]}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// First frames of all scenes but the first.
    pub cuts: Vec<u64>,
    /// Tracks of moving actors, in the order of their starts.
    pub tracks: Vec<Path2d>,
}

/// A moving actor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path2d {
    /// Number of the track, as drawn into the film.
    pub id: u64,
    /// Where the actor was, one entry for each frame in which it was seen.
    pub boxes: Vec<Sighting>,
}

/// Where an actor was in one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// Index of the frame.
    pub frame: u64,
    /// Where, in pixels.
    #[serde(flatten)]
    pub area: Area,
}

impl Findings {
    /// Of cuts and tracks.
    #[must_use]
    pub fn new(cuts: Vec<u64>, tracks: Vec<Track>) -> Self {
        let sightings = |track: &Track| track.boxes.iter().map(|&(frame, area)| Sighting { frame, area }).collect();
        let tracks = tracks.iter().map(|t| Path2d { id: t.id, boxes: sightings(t) }).collect();
        Self { cuts, tracks }
    }

    /// The cuts in a line: the word `cuts`, then their frames.
    #[must_use]
    pub fn cuts_line(&self) -> String {
        self.cuts.iter().fold("cuts".into(), |line, cut| format!("{line} {cut}"))
    }

    /// Writes them as JSON.
    ///
    /// # Errors
    ///
    /// Where the file can't be written.
    pub fn save(&self, path: &Path) -> Result<(), VideoError> {
        let text = serde_json::to_string(self).map_err(std::io::Error::other);
        text.and_then(|text| fs::write(path, text + "\n")).map_err(|cause| VideoError::write(path, cause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_cuts() {
        assert_eq!(Findings::default().cuts_line(), "cuts");
        assert_eq!(Findings::new(vec![44, 148], Vec::new()).cuts_line(), "cuts 44 148");
    }

    #[test]
    fn the_form_of_the_json() {
        let boxes = vec![(7, Area { x: 1, y: 2, w: 3, h: 4 })];
        let findings = Findings::new(vec![44], vec![Track { id: 1, boxes }]);
        let text = serde_json::to_string(&findings).unwrap();
        let want = r#"{"cuts":[44],"tracks":[{"id":1,"boxes":[{"frame":7,"x":1,"y":2,"w":3,"h":4}]}]}"#;
        assert_eq!(text, want);
        assert_eq!(serde_json::from_str::<Findings>(want).unwrap(), findings);
    }
}
