//! A folder, a pattern or a single file of PNG and JPEG pictures.

use std::path::{Path, PathBuf};

use super::{Meta, Source};
use crate::VideoError;
use crate::frame::{Colour, Frame, Layout};

/// Pictures don't say how long they are shown: 25 a second.
const TIMESCALE: u32 = 25;

/// Pictures of a folder or pattern, as a film.
pub(super) fn open(spec: &str) -> Result<Source, VideoError> {
    film(list(spec)?)
}

/// Pictures of a folder or pattern, in the order of their names; numbers count as numbers.
pub(super) fn list(spec: &str) -> Result<Vec<PathBuf>, VideoError> {
    let no_input = || VideoError::NoInput { pattern: spec.into() };
    let pattern = if Path::new(spec).is_dir() {
        format!("{}/*", glob::Pattern::escape(spec.trim_end_matches('/')))
    } else {
        spec.into()
    };
    let is_picture = |path: &PathBuf| {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        matches!(extension.as_str(), "png" | "jpg" | "jpeg")
    };
    let found = glob::glob(&pattern).map_err(|_| no_input())?;
    let mut paths: Vec<PathBuf> = found.flatten().filter(is_picture).collect();
    paths.sort_by_cached_key(|path| natural(&path.to_string_lossy()));
    if paths.is_empty() {
        return Err(no_input());
    }
    Ok(paths)
}

/// One picture, as a film of one frame.
pub(super) fn open_one(path: &Path) -> Result<Source, VideoError> {
    film(vec![path.into()])
}

fn film(paths: Vec<PathBuf>) -> Result<Source, VideoError> {
    let first = load(&paths[0])?;
    let meta = Meta {
        width: first.width(),
        height: first.height(),
        timescale: TIMESCALE,
        frame_duration: 1,
        frames: Some(paths.len() as u64),
        layout: Layout::Rgb8,
        colour: first.colour(),
    };
    let rest = paths.into_iter().skip(1).map(move |path| {
        let frame = load(&path)?;
        let (expected, found) = ((meta.width, meta.height), frame.size());
        if expected == found { Ok(frame) } else { Err(VideoError::SizeChanged { expected, found }) }
    });
    let timed = std::iter::once(Ok(first)).chain(rest);
    Ok(Source::new(meta, timed.enumerate().map(|(i, frame)| Ok(frame?.at(i as u64, 1)))))
}

fn load(path: &Path) -> Result<Frame, VideoError> {
    let picture = image::open(path).map_err(|error| match error {
        image::ImageError::IoError(cause) => VideoError::read(path, cause),
        other => VideoError::malformed(path, other.to_string()),
    })?;
    let rgb = picture.into_rgb8();
    let (w, h) = (rgb.width() as usize, rgb.height() as usize);
    Ok(Frame::from_vec(Layout::Rgb8, w, h, Colour::guess(h), rgb.into_raw()))
}

/// A name cut into text and numbers, so that `2.png` comes before `10.png`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = vec![(String::new(), 0u64)];
    let mut in_number = false;
    for c in name.chars() {
        match c.to_digit(10) {
            Some(digit) => {
                in_number = true;
                if let Some((_, number)) = parts.last_mut() {
                    *number = number.saturating_mul(10).saturating_add(u64::from(digit));
                }
            }
            None => {
                if std::mem::take(&mut in_number) {
                    parts.push((String::new(), 0));
                }
                if let Some((text, _)) = parts.last_mut() {
                    text.push(c);
                }
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::natural;

    #[test]
    fn numbers_sort_as_numbers() {
        let mut names = ["f10.png", "f9.png", "a.png", "f9b.png"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["a.png", "f9.png", "f9b.png", "f10.png"]);
    }
}
