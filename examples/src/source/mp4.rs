//! MP4 films in H.264: the `mp4` crate finds the samples, OpenH264 decodes them.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use mp4::{MediaType, Mp4Reader, Mp4Track, TrackType};
use openh264::OpenH264API;
use openh264::decoder::{DecodedYUV, Decoder, DecoderConfig, Flush};
use openh264::formats::YUVSource;

use super::sps::Sps;
use super::{Meta, Source};
use crate::VideoError;
use crate::frame::{Colour, Frame, Layout};

/// Opens a film; frames come in the order in which they are shown.
pub(super) fn open(path: &Path) -> Result<Source, VideoError> {
    let fail = |cause| VideoError::read(path, cause);
    let mut file = BufReader::new(File::open(path).map_err(fail)?);
    let size = file.get_ref().metadata().map_err(fail)?.len();
    check_boxes(path, &mut file, size)?;
    file.seek(SeekFrom::Start(0)).map_err(fail)?;
    let reader = Mp4Reader::read_header(file, size).map_err(|error| {
        VideoError::malformed(path, format!("its header can't be read: {error}"))
    })?;

    let mut tracks: Vec<_> = reader.tracks().values().collect();
    tracks.sort_by_key(|track| track.track_id());
    let track = tracks
        .into_iter()
        .find(|track| matches!(track.track_type(), Ok(TrackType::Video)))
        .ok_or_else(|| VideoError::unsupported(path, "it has no film track"))?;
    if !matches!(track.media_type(), Ok(MediaType::H264)) {
        return Err(VideoError::unsupported(path, "its film is not H.264"));
    }
    let sps_nal = track.sequence_parameter_set().map_err(|error| {
        VideoError::malformed(path, format!("no sequence parameter set: {error}"))
    })?;
    let sps = Sps::parse(sps_nal)
        .ok_or_else(|| VideoError::malformed(path, "its sequence parameter set ends early"))?;
    check_profile(path, &sps)?;

    let times = shown_times(track);
    let avcc = track
        .trak
        .mdia
        .minf
        .stbl
        .stsd
        .avc1
        .as_ref()
        .map(|avc1| &avc1.avcc);
    let (length_size, headers) = avcc.map_or((4, Vec::new()), |avcc| {
        let sets = avcc
            .sequence_parameter_sets
            .iter()
            .chain(&avcc.picture_parameter_sets);
        let headers = sets
            .flat_map(|set| [&[0, 0, 0, 1], set.bytes.as_slice()].concat())
            .collect();
        (usize::from(avcc.length_size_minus_one & 3) + 1, headers)
    });
    let config = DecoderConfig::new().flush_after_decode(Flush::NoFlush);
    let decoder =
        Decoder::with_api_config(OpenH264API::from_source(), config).map_err(|error| {
            VideoError::unsupported(path, format!("the decoder did not start: {error}"))
        })?;
    let (width, height) = (usize::from(track.width()), usize::from(track.height()));
    let mut frames = Frames {
        path: path.into(),
        colour: sps.colour(height),
        track: track.track_id(),
        next: 1,
        count: track.sample_count(),
        ended: false,
        failed: None,
        length_size,
        headers,
        times: times.into(),
        reader,
        decoder,
        ready: VecDeque::new(),
        packet: Vec::new(),
    };
    let mut meta = Meta {
        width,
        height,
        timescale: frames.reader.tracks()[&frames.track].timescale().max(1),
        frame_duration: frames.times.front().map_or(1, |time| time.1),
        frames: Some(u64::from(frames.count)),
        layout: Layout::Yuv420,
        colour: frames.colour,
    };
    // The track header says the size to show; the pixels may differ (aspect ratio), and they rule.
    match frames.next() {
        Some(Ok(first)) => {
            (meta.width, meta.height) = first.size();
            Ok(Source::new(meta, std::iter::once(Ok(first)).chain(frames)))
        }
        Some(Err(error)) => Err(error),
        None => Err(VideoError::Truncated {
            path: path.into(),
            found: "its film has no frame".into(),
        }),
    }
}

/// Walks the top-level boxes, since what is missing is best said before anything is parsed.
fn check_boxes(path: &Path, file: &mut (impl Read + Seek), size: u64) -> Result<(), VideoError> {
    let mut found = Vec::new();
    let (mut at, mut has_moov, mut cut) = (0, false, false);
    while at + 8 <= size && found.len() < 64 {
        let mut head = [0; 16];
        file.seek(SeekFrom::Start(at))
            .map_err(|cause| VideoError::read(path, cause))?;
        let have = (size - at).min(16) as usize;
        file.read_exact(&mut head[..have])
            .map_err(|cause| VideoError::read(path, cause))?;
        let name = String::from_utf8_lossy(&head[4..8]).into_owned();
        let declared = match u64::from(u32::from_be_bytes(head[..4].try_into().unwrap_or_default()))
        {
            0 => size - at,
            1 => u64::from_be_bytes(head[8..].try_into().unwrap_or_default()),
            n => n,
        };
        if declared < 8 {
            return Err(VideoError::malformed(
                path,
                format!("box `{name}` claims {declared} bytes"),
            ));
        }
        let there = declared.min(size - at);
        cut = there < declared;
        has_moov |= name == "moov" && !cut;
        found.push(if cut {
            format!("{name} ({there} of {declared} bytes)")
        } else {
            format!("{name} ({there} bytes)")
        });
        at = at.saturating_add(declared);
    }
    if has_moov {
        return Ok(());
    }
    let found = format!(
        "found {}; the index (moov) is missing, so no frame can be located",
        found.join(", ")
    );
    Err(if cut {
        VideoError::Truncated {
            path: path.into(),
            found,
        }
    } else {
        VideoError::malformed(path, found)
    })
}

fn check_profile(path: &Path, sps: &Sps) -> Result<(), VideoError> {
    let problem = if sps.depth != 8 {
        format!("{} bits a sample, and the decoder knows 8", sps.depth)
    } else if sps.chroma_format != 1 {
        format!(
            "chroma format {}, and the decoder knows 4:2:0",
            sps.chroma_format
        )
    } else if sps.interlaced {
        format!(
            "interlaced H.264 (profile {}), and the decoder knows progressive",
            sps.profile
        )
    } else {
        return Ok(());
    };
    Err(VideoError::unsupported(path, format!("it has {problem}")))
}

/// When each frame is shown and for how long, in the order shown and in the track's ticks, counted
/// from the first. Samples lie in decoding order; `ctts` moves them.
fn shown_times(track: &Mp4Track) -> Vec<(u64, u32)> {
    let stbl = &track.trak.mdia.minf.stbl;
    let limit = track.sample_count() as usize;
    let deltas = stbl
        .stts
        .entries
        .iter()
        .flat_map(|e| (0..e.sample_count).map(|_| e.sample_delta));
    let offsets = stbl.ctts.iter().flat_map(|ctts| {
        ctts.entries
            .iter()
            .flat_map(|e| (0..e.sample_count).map(|_| e.sample_offset))
    });
    let mut decoded = 0i64;
    let mut last_delta = 0;
    let mut shown: Vec<i64> = deltas
        .take(limit)
        .zip(offsets.chain(std::iter::repeat(0)))
        .map(|(delta, offset)| {
            let at = decoded + i64::from(offset);
            decoded += i64::from(delta);
            last_delta = delta;
            at
        })
        .collect();
    shown.sort_unstable();
    let first = shown.first().copied().unwrap_or(0);
    let ends = shown
        .iter()
        .skip(1)
        .copied()
        .chain(shown.last().map(|&at| at + i64::from(last_delta)));
    shown
        .iter()
        .zip(ends)
        .map(|(&at, end)| ((at - first) as u64, (end - at) as u32))
        .collect()
}

struct Frames {
    path: PathBuf,
    colour: Colour,
    track: u32,
    /// The next sample; samples count from one.
    next: u32,
    count: u32,
    ended: bool,
    /// What ended the film early, until it is told.
    failed: Option<VideoError>,
    length_size: usize,
    headers: Vec<u8>,
    times: VecDeque<(u64, u32)>,
    reader: Mp4Reader<BufReader<File>>,
    decoder: Decoder,
    ready: VecDeque<Frame>,
    packet: Vec<u8>,
}

impl Frames {
    /// Decodes the next sample into `ready`.
    fn decode(&mut self) -> Result<(), VideoError> {
        let index = self.next;
        self.next += 1;
        let sample = self.reader.read_sample(self.track, index);
        let missing = |what: String| VideoError::Truncated {
            path: self.path.clone(),
            found: format!("{what} frame {index} of {}", self.count),
        };
        let sample = match sample {
            Ok(Some(sample)) => sample,
            Ok(None) => return Err(missing("the index leads nowhere for".into())),
            Err(mp4::Error::IoError(cause))
                if cause.kind() == std::io::ErrorKind::UnexpectedEof =>
            {
                return Err(missing("the file ends before".into()));
            }
            Err(error) => return Err(missing(format!("{error} at"))),
        };
        self.packet.clear();
        if index == 1 {
            self.packet.extend_from_slice(&self.headers);
        }
        annex_b(&sample.bytes, self.length_size, &mut self.packet).ok_or_else(|| {
            VideoError::malformed(
                &self.path,
                format!("frame {index} has a unit longer than itself"),
            )
        })?;
        let broken = |error: openh264::Error| {
            let found = format!("frame {index} of {} can't be decoded: {error}", self.count);
            VideoError::malformed(&self.path, found)
        };
        match self.decoder.decode(&self.packet) {
            Ok(picture) => self
                .ready
                .extend(picture.map(|picture| copy(&picture, self.colour))),
            Err(error) => return Err(broken(error)),
        }
        Ok(())
    }

    /// Takes the frames that the decoder held back for their order.
    fn flush(&mut self) -> Result<(), VideoError> {
        self.ended = true;
        let rest = self.decoder.flush_remaining().map_err(|error| {
            VideoError::malformed(
                &self.path,
                format!("its last frames can't be decoded: {error}"),
            )
        })?;
        self.ready
            .extend(rest.iter().map(|picture| copy(picture, self.colour)));
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
            let step = if self.next <= self.count {
                self.decode()
            } else {
                self.flush()
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
        let length = length
            .iter()
            .fold(0usize, |n, &byte| n << 8 | usize::from(byte));
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
    let planes = [
        (picture.y(), y_stride),
        (picture.u(), u_stride),
        (picture.v(), v_stride),
    ];
    let mut data = Vec::with_capacity(Layout::Yuv420.tight_len(width, height));
    for (i, (plane, stride)) in planes.into_iter().enumerate() {
        let (w, h) = Layout::Yuv420.plane_size(i, width, height);
        plane
            .chunks(stride)
            .take(h)
            .for_each(|row| data.extend_from_slice(&row[..w]));
    }
    Frame::from_vec(Layout::Yuv420, width, height, colour, data)
}
