//! YUV4MPEG2, the plain format that most video programs read and write through pipes.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::{Meta, Source};
use crate::VideoError;
use crate::error::shown;
use crate::frame::{Colour, Frame, Layout, Range};

/// The first word of a film.
pub(super) const SIGNATURE: &[u8] = b"YUV4MPEG2";

pub(super) fn open(path: &Path) -> Result<Source, VideoError> {
    read(path, File::open(path).map_err(|cause| VideoError::read(path, cause))?)
}

/// Reads Y4M from `input`; `name` stands for it in messages.
///
/// # Errors
///
/// Where the header is missing, broken, or says a layout that is not eight bits a sample.
pub fn read(name: impl Into<PathBuf>, input: impl Read + Send + 'static) -> Result<Source, VideoError> {
    let path = name.into();
    let mut input = BufReader::with_capacity(1 << 16, input);
    let (header, whole) = line(&mut input).map_err(|cause| VideoError::read(&path, cause))?;
    if !header.is_empty() && !header.starts_with(SIGNATURE) {
        return Err(VideoError::malformed(&path, format!("it is no Y4M, but begins with `{}`", shown(&header))));
    }
    if !whole {
        let found = if header.is_empty() { "it is empty" } else { "its header line does not end" };
        return Err(VideoError::Truncated { path, found: found.into() });
    }
    let meta = parse_header(&path, &header)?;
    let mut index = 0u64;
    let frames = std::iter::from_fn(move || next_frame(&path, &mut input, &meta, &mut index).transpose());
    Ok(Source::new(meta, frames))
}

/// A line without its end, and whether it has one. Bounded, since the input may be anything.
fn line(input: &mut impl BufRead) -> std::io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    input.take(4096).read_until(b'\n', &mut bytes)?;
    let whole = bytes.pop_if(|last| *last == b'\n').is_some();
    Ok((bytes, whole))
}

fn parse_header(path: &Path, header: &[u8]) -> Result<Meta, VideoError> {
    let broken = |what: &str| VideoError::malformed(path, format!("{what} in its header `{}`", shown(header)));
    let text = String::from_utf8_lossy(header);
    let mut words = text.split_ascii_whitespace();
    if words.next().map(str::as_bytes) != Some(SIGNATURE) {
        return Err(broken("no Y4M signature"));
    }
    let (mut width, mut height, mut rate) = (0, 0, (25, 1));
    let (mut layout, mut range) = (Layout::Yuv420, Range::Limited);
    for word in words {
        let (key, value) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        match key {
            "W" => width = value.parse().map_err(|_| broken("no width"))?,
            "H" => height = value.parse().map_err(|_| broken("no height"))?,
            "F" => {
                let (num, den) = value.split_once(':').ok_or_else(|| broken("no frame rate"))?;
                let parse = |text: &str| text.parse::<u32>().map_err(|_| broken("no frame rate"));
                rate = (parse(num)?, parse(den)?);
            }
            // "420jpeg" says where the chroma samples sit; the range is limited unless it is said.
            "C" => {
                let known = layout_of(value);
                layout = known.ok_or_else(|| {
                    VideoError::unsupported(path, format!("colour space {}", shown(value.as_bytes())))
                })?;
            }
            "X" if value.starts_with("COLORRANGE=") => {
                range = if value.ends_with("FULL") { Range::Full } else { Range::Limited };
            }
            _ => {}
        }
    }
    if width == 0 || height == 0 || width > 1 << 15 || height > 1 << 15 {
        return Err(broken("no sensible size"));
    }
    if rate.0 == 0 || rate.1 == 0 {
        rate = (25, 1);
    }
    let colour = Colour { range, ..Colour::guess(height) };
    Ok(Meta { width, height, timescale: rate.0, frame_duration: rate.1, frames: None, layout, colour })
}

fn layout_of(name: &str) -> Option<Layout> {
    match name {
        "420" | "420jpeg" | "420mpeg2" | "420paldv" => Some(Layout::Yuv420),
        "422" => Some(Layout::Yuv422),
        "444" => Some(Layout::Yuv444),
        "mono" => Some(Layout::Gray),
        _ => None,
    }
}

fn next_frame(
    path: &Path,
    input: &mut impl BufRead,
    meta: &Meta,
    index: &mut u64,
) -> Result<Option<Frame>, VideoError> {
    if input.fill_buf().map_err(|cause| VideoError::read(path, cause))?.is_empty() {
        return Ok(None);
    }
    let (marker, whole) = line(input).map_err(|cause| VideoError::read(path, cause))?;
    let number = *index + 1;
    match whole {
        true if marker.starts_with(b"FRAME") => {}
        true => {
            return Err(VideoError::malformed(path, format!("no FRAME line before frame {number}")));
        }
        false => {
            return Err(VideoError::Truncated {
                path: path.into(),
                found: format!("the file ends in the head of frame {number}"),
            });
        }
    }
    let want = meta.layout.tight_len(meta.width, meta.height);
    let mut data = Vec::new();
    input.take(want as u64).read_to_end(&mut data).map_err(|cause| VideoError::read(path, cause))?;
    if data.len() < want {
        return Err(VideoError::Truncated {
            path: path.into(),
            found: format!("frame {number} has {} of {want} bytes", data.len()),
        });
    }
    let pts = *index * u64::from(meta.frame_duration);
    *index = number;
    let frame = Frame::from_vec(meta.layout, meta.width, meta.height, meta.colour, data);
    Ok(Some(frame.at(pts, meta.frame_duration)))
}
