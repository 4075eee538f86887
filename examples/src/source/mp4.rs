//! MP4 films in H.264: the index finds the samples, OpenH264 decodes them.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use openh264::OpenH264API;
use openh264::decoder::{DecodedYUV, Decoder, DecoderConfig, Flush};
use openh264::formats::YUVSource;

use super::index::{Fault, Index, Sample};
use super::sps::Sps;
use super::{Meta, Source};
use crate::VideoError;
use crate::error::shown;
use crate::frame::{Colour, Frame, Layout};

/// No index of a film that is read here is larger.
const LARGEST_INDEX: u64 = 1 << 28;

/// Opens a film; frames come in the order in which they are shown.
pub(super) fn open(path: &Path) -> Result<Source, VideoError> {
    let fail = |cause| VideoError::read(path, cause);
    let mut file = BufReader::new(File::open(path).map_err(fail)?);
    let size = file.get_ref().metadata().map_err(fail)?.len();
    let moov = read_index(path, &mut file, size)?;
    let index = Index::parse(&moov, size).map_err(|fault| match fault {
        Fault::Broken(found) => VideoError::malformed(path, found),
        Fault::Other(found) => VideoError::unsupported(path, found),
    })?;
    let sps = index.sps.first().and_then(|sps| Sps::parse(sps));
    let sps = sps.ok_or_else(|| VideoError::malformed(path, "its sequence parameter set ends early"))?;
    check_profile(path, &sps)?;

    let config = DecoderConfig::new().flush_after_decode(Flush::NoFlush);
    let decoder = Decoder::with_api_config(OpenH264API::from_source(), config)
        .map_err(|error| VideoError::unsupported(path, format!("the decoder did not start: {error}")))?;
    let headers = index.sps.iter().chain(&index.pps);
    let headers = headers.flat_map(|set| [&[0, 0, 0, 1], set.as_slice()].concat()).collect();
    let (timescale, count) = (index.timescale, index.samples.len());
    let frame_duration = index.times.first().map_or(1, |time| time.1).max(1);
    let mut frames = Frames {
        path: path.into(),
        file,
        colour: sps.colour(index.height),
        next: 0,
        samples: index.samples,
        times: index.times.into(),
        length_size: index.length_size,
        headers,
        decoder,
        ready: VecDeque::new(),
        packet: Vec::new(),
        ended: false,
        failed: None,
    };
    let first = frames
        .next()
        .unwrap_or_else(|| Err(VideoError::Truncated { path: path.into(), found: "its film has no frame".into() }))?;
    let meta = Meta {
        width: first.width(),
        height: first.height(),
        timescale,
        frame_duration,
        frames: Some(count as u64),
        layout: Layout::Yuv420,
        colour: first.colour(),
    };
    let frames = std::iter::once(Ok(first)).chain(frames);
    Ok(Source::new(meta, frames))
}

/// Walks the top-level boxes for the index (`moov`). What is there is listed where it is missing,
/// since that tells a cut download from a file that is no film.
fn read_index(path: &Path, file: &mut (impl Read + Seek), size: u64) -> Result<Vec<u8>, VideoError> {
    let mut found = Vec::new();
    let (mut at, mut cut) = (0, false);
    while at + 8 <= size && found.len() < 64 {
        let mut head = [0; 16];
        file.seek(SeekFrom::Start(at)).map_err(|cause| VideoError::read(path, cause))?;
        let have = (size - at).min(16) as usize;
        file.read_exact(&mut head[..have]).map_err(|cause| VideoError::read(path, cause))?;
        let [a, b, c, d, name @ .., _, _, _, _, _, _, _, _] = head;
        let (declared, header) = match u64::from(u32::from_be_bytes([a, b, c, d])) {
            0 => (size - at, 8),
            1 => (u64::from_be_bytes(*head.last_chunk().unwrap_or(&[0; 8])), 16),
            n => (n, 8),
        };
        let shown = shown(&name);
        if declared < header {
            return Err(VideoError::malformed(path, format!("box `{shown}` claims {declared} bytes")));
        }
        let there = declared.min(size - at);
        cut = there < declared;
        if &name == b"moov" && !cut && declared <= LARGEST_INDEX {
            let mut moov = vec![0; (declared - header) as usize];
            file.seek(SeekFrom::Start(at + header))
                .and_then(|_| file.read_exact(&mut moov))
                .map_err(|cause| VideoError::read(path, cause))?;
            return Ok(moov);
        }
        let of = if cut { format!(" of {declared}") } else { String::new() };
        found.push(format!("{shown} ({there}{of} bytes)"));
        at = at.saturating_add(declared);
    }
    let found = found.join(", ");
    let found = format!("found {found}; without a whole index (moov) no frame can be located");
    Err(if cut { VideoError::Truncated { path: path.into(), found } } else { VideoError::malformed(path, found) })
}

fn check_profile(path: &Path, sps: &Sps) -> Result<(), VideoError> {
    let problem = if sps.depth != 8 {
        format!("{} bits a sample, and the decoder knows 8", sps.depth)
    } else if sps.chroma_format != 1 {
        format!("chroma format {}, and the decoder knows 4:2:0", sps.chroma_format)
    } else if sps.interlaced {
        format!("interlaced H.264 (profile {}), and the decoder knows progressive", sps.profile)
    } else {
        return Ok(());
    };
    Err(VideoError::unsupported(path, format!("it has {problem}")))
}

struct Frames {
    path: PathBuf,
    file: BufReader<File>,
    colour: Colour,
    /// The next sample.
    next: usize,
    samples: Vec<Sample>,
    times: VecDeque<(u64, u32)>,
    length_size: usize,
    headers: Vec<u8>,
    decoder: Decoder,
    ready: VecDeque<Frame>,
    packet: Vec<u8>,
    ended: bool,
    /// What ended the film early, until it is told.
    failed: Option<VideoError>,
}

impl Frames {
    /// Decodes the next sample into `ready`.
    fn decode(&mut self, Sample { offset, size }: Sample) -> Result<(), VideoError> {
        self.next += 1;
        let place = format!("frame {} of {}", self.next, self.samples.len());
        let mut sample = Vec::new();
        self.file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| (&mut self.file).take(u64::from(size)).read_to_end(&mut sample))
            .map_err(|cause| VideoError::read(&self.path, cause))?;
        if sample.len() < size as usize {
            let found = format!("{place} has {} of {size} bytes", sample.len());
            return Err(VideoError::Truncated { path: self.path.clone(), found });
        }
        self.packet.clear();
        if self.next == 1 {
            self.packet.extend_from_slice(&self.headers);
        }
        annex_b(&sample, self.length_size, &mut self.packet).ok_or_else(|| {
            VideoError::malformed(&self.path, format!("{place} has a unit that is longer than the frame"))
        })?;
        let picture = self
            .decoder
            .decode(&self.packet)
            .map_err(|error| VideoError::malformed(&self.path, format!("{place} can't be decoded: {error}")))?;
        self.ready.extend(picture.map(|picture| copy(&picture, self.colour)));
        Ok(())
    }

    /// Takes the frames that the decoder held back for their order.
    fn flush(&mut self) -> Result<(), VideoError> {
        self.ended = true;
        let rest = self
            .decoder
            .flush_remaining()
            .map_err(|error| VideoError::malformed(&self.path, format!("its last frames can't be decoded: {error}")))?;
        self.ready.extend(rest.iter().map(|picture| copy(picture, self.colour)));
        Ok(())
    }
}

impl Iterator for Frames {
    type Item = Result<Frame, VideoError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                let (pts, duration) = self.times.pop_front().unwrap_or((0, 1));
                return Some(Ok(frame.at(pts, duration)));
            }
            if self.ended {
                return self.failed.take().map(Err);
            }
            let step = match self.samples.get(self.next) {
                Some(&sample) => self.decode(sample),
                None => self.flush(),
            };
            if let Err(error) = step {
                // What was decoded before is still shown; then comes the error.
                if !self.ended {
                    let _ = self.flush();
                }
                self.failed = Some(error);
            }
        }
    }
}

/// Rewrites length-prefixed units with start codes; `None` where a unit ends outside its sample.
fn annex_b(mut sample: &[u8], length_size: usize, out: &mut Vec<u8>) -> Option<()> {
    while sample.len() > length_size {
        let (length, rest) = sample.split_at(length_size);
        let length = length.iter().fold(0usize, |n, &byte| n << 8 | usize::from(byte));
        out.extend_from_slice(&[0, 0, 0, 1]);
        out.extend_from_slice(rest.get(..length)?);
        sample = &rest[length..];
    }
    Some(())
}

/// Copies a picture out of the decoder's buffers, without their padding.
fn copy(picture: &DecodedYUV<'_>, colour: Colour) -> Frame {
    let (width, height) = picture.dimensions();
    let (y_stride, u_stride, v_stride) = picture.strides();
    let planes = [(picture.y(), y_stride), (picture.u(), u_stride), (picture.v(), v_stride)];
    let mut data = Vec::with_capacity(Layout::Yuv420.tight_len(width, height));
    for (i, (plane, stride)) in planes.into_iter().enumerate() {
        let (w, h) = Layout::Yuv420.plane_size(i, width, height);
        plane.chunks(stride).take(h).for_each(|row| data.extend_from_slice(&row[..w]));
    }
    Frame::from_vec(Layout::Yuv420, width, height, colour, data)
}
