use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::{fs, process};

use super::mux::{Film, Muxer, Target};
use super::*;
use crate::frame::{Colour, Layout};
use crate::source::{Pattern, Source};

/// A place in the system's folder for temporary files, removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("kpn-sink-{}-{name}", process::id())))
    }

    fn spec(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
        let _ = fs::remove_file(&self.0);
    }
}

/// Writes the pattern and reads it back.
fn round_trip(spec: &str, pattern: Pattern, layout: Layout) -> (Vec<Frame>, Source) {
    let source = pattern.into_source();
    let mut output = Output::open(spec, &source.meta()).unwrap();
    let mut sent = Vec::new();
    for frame in source {
        let frame = frame.unwrap();
        let frame = frame.to(layout, frame.colour());
        output.write(&frame).unwrap();
        sent.push(frame);
    }
    output.finish().unwrap();
    assert_eq!(output.tally().get().frames, pattern.frames);
    (sent, Source::open(spec).unwrap())
}

/// Mean absolute difference of the two frames' pixels, in RGB codes.
fn distance(a: &Frame, b: &Frame) -> f64 {
    let (a, b) = (a.to_rgb().to_vec(), b.to_rgb().to_vec());
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).map(|(x, y)| f64::from(x.abs_diff(*y))).sum::<f64>() / a.len() as f64
}

const ODD: Pattern = Pattern { width: 37, height: 21, frames: 5 };

#[test]
fn y4m_gives_back_every_sample() {
    for layout in [Layout::Yuv420, Layout::Yuv422, Layout::Yuv444, Layout::Gray] {
        let file = Temporary::new(&format!("{layout:?}.y4m"));
        let (sent, source) = round_trip(&file.spec(), ODD, layout);
        assert_eq!((source.meta().timescale, source.meta().frame_duration), (30_000, 1001));
        let back: Vec<Frame> = source.map(Result::unwrap).collect();
        assert_eq!(back, sent, "{layout:?}");
    }
}

#[test]
fn stills_give_back_every_pixel() {
    let folder = Temporary::new("stills");
    let (sent, source) = round_trip(&format!("{}/", folder.spec()), ODD, Layout::Rgb8);
    let back: Vec<_> = source.map(|frame| frame.unwrap().to_vec()).collect();
    assert_eq!(back, sent.iter().map(Frame::to_vec).collect::<Vec<_>>());
    let pattern = format!("{}/*3.png", folder.spec());
    assert_eq!(Source::open(&pattern).unwrap().count(), 1);
}

#[test]
fn gif_keeps_size_length_and_looks() {
    let file = Temporary::new("film.gif");
    let (sent, source) = round_trip(&file.spec(), ODD, Layout::Yuv444);
    let back: Vec<Frame> = source.map(Result::unwrap).collect();
    assert_eq!(back.len(), sent.len());
    let length: u32 = back.iter().map(|frame| frame.duration).sum();
    assert_eq!(length, 160, "five frames at 30000/1001 a second, in hundredths");
    for (a, b) in sent.iter().zip(&back) {
        assert!(distance(a, b) < 12.0, "{}", distance(a, b));
    }
}

#[test]
fn mp4_pads_odd_sizes_and_keeps_times() {
    let file = Temporary::new("odd.mp4");
    let (sent, source) = round_trip(&file.spec(), Pattern { width: 97, height: 55, frames: 70 }, Layout::Rgb8);
    let meta = source.meta();
    assert_eq!((meta.width, meta.height), (98, 56));
    assert_eq!((meta.timescale, meta.frame_duration, meta.frames), (30_000, 1001, Some(70)));
    assert_eq!(meta.colour, Colour::SD);
    let back: Vec<Frame> = source.map(Result::unwrap).collect();
    assert_eq!(back.len(), 70);
    for (a, b) in sent.iter().zip(&back) {
        assert_eq!((a.pts, a.duration), (b.pts, b.duration));
        let padded = a.to(Layout::Yuv420, a.colour()).padded_to(98, 56);
        assert!(distance(&padded, b) < 12.0, "{}", distance(&padded, b));
    }
}

#[test]
fn mp4_keeps_uneven_durations_and_full_range() {
    let file = Temporary::new("uneven.mp4");
    let meta = Meta { colour: Colour::JPEG, timescale: 1000, ..ODD.into_source().meta() };
    let mut sink = open(&file.spec(), &meta).unwrap();
    let durations = [40, 33, 33, 120, 7];
    let mut pts = 0;
    for (i, duration) in durations.into_iter().enumerate() {
        let frame = ODD.frame(i as u64).to(Layout::Yuv420, Colour::JPEG).at(pts, duration);
        pts += u64::from(duration);
        sink.write(&frame).unwrap();
    }
    // Dropped, not finished: the film is whole all the same.
    drop(sink);
    let source = Source::open(&file.spec()).unwrap();
    assert_eq!(source.meta().colour, Colour::JPEG);
    assert_eq!(source.map(|frame| frame.unwrap().duration).collect::<Vec<_>>(), durations);
}

#[test]
fn a_change_of_size_is_an_error_that_closes_the_film() {
    let file = Temporary::new("sizes.mp4");
    let mut sink = open(&file.spec(), &ODD.into_source().meta()).unwrap();
    sink.write(&ODD.frame(0)).unwrap();
    let wide = Pattern { width: 64, ..ODD }.frame(1);
    assert!(matches!(sink.write(&wide), Err(VideoError::SizeChanged { .. })));
    assert_eq!(Source::open(&file.spec()).unwrap().count(), 1);
}

#[test]
fn outputs_that_cannot_be_are_said() {
    let meta = ODD.into_source().meta();
    for spec in ["/no/such/folder/film.mp4", "/no/such/folder/film.y4m", "/no/such/folder/sheet.png"] {
        let Err(error) = open(spec, &meta) else { panic!("opened {spec}") };
        assert!(matches!(error, VideoError::Write { .. }), "{error}");
        assert!(error.to_string().starts_with(&format!("can't write {spec}: ")), "{error}");
    }
    assert!(matches!(open("film.xyz", &meta), Err(VideoError::UnknownOutput { .. })));
}

/// A target on a disk of so many bytes.
struct Small {
    disk: Cursor<Vec<u8>>,
    room: u64,
}

impl Write for &mut Small {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let left = self.room.saturating_sub(self.disk.position());
        match data.len().min(left as usize) {
            0 => Err(io::ErrorKind::StorageFull.into()),
            n => self.disk.write(&data[..n]),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for &mut Small {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.disk.seek(to)
    }
}

impl Target for &mut Small {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.disk.get_mut().truncate(length as usize);
        Ok(())
    }
}

/// A unit that claims to be longer than its sample.
const SAMPLE: [u8; 100] = {
    let mut sample = [0xff; 100];
    (sample[0], sample[1], sample[2], sample[3]) = (0, 0, 0, 200);
    sample
};

#[test]
fn a_full_disk_keeps_a_film_with_its_index() {
    let film = Film {
        width: 64,
        height: 64,
        timescale: 25,
        colour: Colour::HD,
        sps: vec![0x67, 66, 0, 30, 0xf4, 0x21, 0x32],
        pps: vec![0x68, 1],
    };
    let mut small = Small { disk: Cursor::default(), room: 6_000 };
    let mut muxer = Muxer::new(&mut small, film).unwrap();
    let error = (0..).find_map(|i| muxer.sample(&SAMPLE, i == 0, 1).err()).unwrap();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(muxer.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    let bytes = small.disk.into_inner();
    assert!(bytes.len() <= 6_000);
    let file = Temporary::new("full.mp4");
    fs::write(&file.0, bytes).unwrap();
    // The samples are no film, so the decoder meets them and fails; the index was read before.
    let Err(error) = Source::open(&file.spec()) else { panic!("decoded") };
    let text = error.to_string();
    let count: u32 = text.split(" of ").nth(1).and_then(|t| t.split(' ').next()?.parse().ok()).unwrap();
    assert!((35..58).contains(&count), "{text}");
}

#[test]
fn hashes_tell_frames_apart() {
    let hash = |frames: &[Frame]| {
        let mut hash = FrameHash::default();
        frames.iter().for_each(|frame| hash.add(frame));
        hash
    };
    let (a, b) = (ODD.frame(0), ODD.frame(1));
    assert_eq!(hash(&[a.clone(), b.clone()]), hash(&[a.clone(), b.clone()]));
    assert_ne!(hash(&[a.clone(), b.clone()]), hash(&[b, a.clone()]));
    assert_ne!(hash(std::slice::from_ref(&a)), hash(&[a.clone().at(7, 1)]));
    let mut other = a.clone();
    other.row_mut(0, 20)[110] ^= 1;
    assert_ne!(hash(&[a]), hash(&[other]));
}

#[test]
fn sheets_hold_a_picture_of_every_part() {
    let file = Temporary::new("sheet.png");
    let pattern = Pattern { width: 96, height: 54, frames: 100 };
    let (_, source) = round_trip(&file.spec(), pattern, Layout::Rgb8);
    assert_eq!((source.meta().width, source.meta().height), (3 * 488 + 8, 3 * 278 + 8));

    let rows = Temporary::new("rows.png");
    let mut sheet = RowSheet::create(&rows.0).unwrap();
    (0..30).for_each(|i| sheet.add(&pattern.frame(i), i == 10));
    sheet.finish().unwrap();
    let meta = Source::open(&rows.spec()).unwrap().meta();
    assert_eq!((meta.width, meta.height), (5 * 264 + 8, 2 * 152 + 8));
}
