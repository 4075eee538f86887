use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use super::*;

fn clip(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("clips").join(name)
}

fn open(path: &Path) -> Result<Source, VideoError> {
    Source::open(&path.display().to_string())
}

/// A file in the system's folder for temporary ones, removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("kpn-source-{}-{name}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn clips_keep_their_times_and_sizes() {
    for (name, size, timescale, duration, frames) in
        [("city-cc0.mp4", (720, 404), 12_800, 512, 190), ("cup.mp4", (640, 480), 26_777, 1_000, 217)]
    {
        let source = open(&clip(name)).unwrap();
        let meta = source.meta();
        assert_eq!((meta.width, meta.height), size, "{name}");
        assert_eq!((meta.timescale, meta.frame_duration), (timescale, duration), "{name}");
        let mut next = 0;
        let mut count = 0;
        for frame in source {
            let frame = frame.unwrap();
            assert_eq!((frame.size(), frame.pts), (size, next), "{name}");
            next += u64::from(frame.duration);
            count += 1;
        }
        assert_eq!(count, frames, "{name}");
    }
}

#[test]
fn a_film_without_its_index_says_what_it_has() {
    let whole = fs::read(clip("city-cc0.mp4")).unwrap();
    let moov = whole.windows(4).position(|w| w == b"moov").unwrap();
    let mdat = whole.windows(4).position(|w| w == b"mdat").unwrap();
    // Whatever the order of the two in the clip: the index goes missing.
    let cut = if moov < mdat { moov + 20 } else { mdat + 10_000 };
    let file = Temporary::new("no-index.mp4", &whole[..cut]);
    let Err(error) = open(&file.0) else { panic!("opened") };
    let text = error.to_string();
    assert!(matches!(error, VideoError::Truncated { .. }), "{text}");
    assert!(text.contains("ftyp") && text.contains("moov") && text.contains(" of "), "{text}");
}

#[test]
fn a_film_cut_in_its_samples_plays_up_to_there() {
    // This film has its index in front, whatever the clips have.
    let whole = index_first(&fs::read(clip("city-cc0.mp4")).unwrap());
    let file = Temporary::new("cut.mp4", &whole[..whole.len() / 2]);
    let mut frames = open(&file.0).unwrap();
    let good = frames.by_ref().take_while(|frame| frame.is_ok()).count();
    assert!((20..180).contains(&good), "{good} frames");
    assert!(frames.next().is_none(), "after the error it ends");
    let last = open(&file.0).unwrap().last().unwrap();
    let Err(error) = last else { panic!("no error") };
    let text = error.to_string();
    assert!(matches!(error, VideoError::Truncated { .. }), "{text}");
    assert!(text.contains("of 190"), "{text}");
}

/// Moves the `moov` box before the `mdat` box and corrects the chunk offsets.
fn index_first(file: &[u8]) -> Vec<u8> {
    let mut boxes = Vec::new();
    let mut at = 0;
    while at < file.len() {
        let size = u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        boxes.push((&file[at + 4..at + 8], &file[at..at + size], at));
        at += size;
    }
    let find = |name: &[u8]| *boxes.iter().find(|b| b.0 == name).unwrap();
    let (ftyp, moov, mdat) = (find(b"ftyp"), find(b"moov"), find(b"mdat"));
    let shift = (ftyp.1.len() + moov.1.len()) as i64 - mdat.2 as i64;
    let mut index = moov.1.to_vec();
    let stco = index.windows(4).position(|w| w == b"stco").unwrap() + 8;
    let count = u32::from_be_bytes(index[stco..stco + 4].try_into().unwrap()) as usize;
    for entry in index[stco + 4..][..4 * count].chunks_exact_mut(4) {
        let old = i64::from(u32::from_be_bytes((&*entry).try_into().unwrap()));
        entry.copy_from_slice(&((old + shift) as u32).to_be_bytes());
    }
    [ftyp.1, &index, mdat.1].concat()
}

#[test]
fn broken_films_are_errors_and_never_panics() {
    let whole = fs::read(clip("city-cc0.mp4")).unwrap();
    let moov = whole.windows(4).position(|w| w == b"moov").unwrap();
    let mut seed = 12345u32;
    for round in 0..60 {
        let mut bytes = whole.clone();
        for _ in 0..4 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = moov + (seed >> 8) as usize % 1200;
            if at < bytes.len() {
                bytes[at] = seed as u8;
            }
        }
        let file = Temporary::new(&format!("broken-{round}.mp4"), &bytes);
        // Either is fine: many bytes of an index mean nothing to a decoder.
        if let Ok(source) = open(&file.0) {
            source.take(3).for_each(drop);
        }
    }
}

#[test]
fn what_nothing_reads_is_said() {
    let file = Temporary::new("empty.mp4", b"");
    assert!(matches!(open(&file.0), Err(VideoError::Truncated { .. })));
    assert!(matches!(open(Path::new("no-such-film.mp4")), Err(VideoError::Read { .. })));
    assert!(matches!(Source::open("no-such-*.png"), Err(VideoError::NoInput { .. })));
    assert!(matches!(Source::open("pattern:12"), Err(VideoError::Malformed { .. })));
    let noise = Temporary::new("noise.xyz", b"no film at all, just a few words");
    assert!(matches!(open(&noise.0), Err(VideoError::Unsupported { .. } | VideoError::Read { .. })));
}

#[test]
fn y4m_headers() {
    let film = |text: &'static [u8]| y4m("test", Cursor::new(text)).map(|source| source.meta());
    let meta = film(b"YUV4MPEG2 W3 H5 F30000:1001 Ip A1:1 C422 XCOLORRANGE=FULL\n").unwrap();
    assert_eq!((meta.width, meta.height, meta.timescale, meta.frame_duration), (3, 5, 30_000, 1001));
    assert_eq!((meta.layout, meta.colour), (Layout::Yuv422, Colour::JPEG));
    assert!(matches!(film(b"YUV4MPEG2 W3 H5 C420p10\n"), Err(VideoError::Unsupported { .. })));
    assert!(matches!(film(b"YUV4MPEG2 W0 H5\n"), Err(VideoError::Malformed { .. })));
    assert!(matches!(film(b"YUV4MPEG2 W3 H5"), Err(VideoError::Truncated { .. })));
}

#[test]
fn a_short_y4m_gives_its_whole_frames() {
    let mut bytes = b"YUV4MPEG2 W2 H2 F25:1\n".to_vec();
    bytes.extend(b"FRAME\n123456FRAME\n1234");
    let mut source = y4m("test", Cursor::new(bytes)).unwrap();
    assert_eq!(source.next().unwrap().unwrap().to_vec(), b"123456");
    let error = source.next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "test is cut short: frame 2 has 4 of 6 bytes");
    assert!(source.next().is_none());
}

#[test]
fn first_ends_a_film_early() {
    let pattern = Pattern { width: 8, height: 8, frames: 10 };
    let source = pattern.into_source().first(4);
    assert_eq!(source.meta().frames, Some(4));
    assert_eq!(source.count(), 4);
}

/// A GIF film of the pattern.
fn gif(frames: u64) -> Vec<u8> {
    let file = Temporary::new(&format!("{frames}.gif"), b"");
    let source = Pattern { width: 40, height: 30, frames }.into_source();
    let mut sink = crate::sink::open(&file.0.display().to_string(), &source.meta()).unwrap();
    source.for_each(|frame| sink.write(&frame.unwrap()).unwrap());
    sink.finish().unwrap();
    fs::read(&file.0).unwrap()
}

#[test]
fn a_gif_cut_anywhere_ends() {
    let whole = gif(6);
    for cut in (1..whole.len()).step_by(97) {
        let file = Temporary::new("cut.gif", &whole[..cut]);
        let Ok(source) = open(&file.0) else { continue };
        let frames: Vec<_> = source.take(20).collect();
        assert!(frames.len() < 8, "cut at {cut}: {} frames", frames.len());
        assert!(frames.iter().rev().skip(1).all(Result::is_ok), "cut at {cut}");
    }
    // In the middle of the film it is an error, and tells which file it is.
    let file = Temporary::new("half.gif", &whole[..whole.len() / 2]);
    let last = open(&file.0).unwrap().last().unwrap();
    let Err(error) = last else { panic!("no error") };
    assert!(error.to_string().contains("half.gif"), "{error}");
}

#[test]
fn a_gif_is_decoded_as_it_is_read() {
    let file = Temporary::new("long.gif", &gif(60));
    let mut source = open(&file.0).unwrap();
    assert!(source.next().unwrap().is_ok());
    drop(source);
    assert_eq!(open(&file.0).unwrap().count(), 60);
}

#[test]
fn what_is_no_y4m_is_shown_printable() {
    let Err(error) = y4m("test", Cursor::new(b"\x1b[2Jnoise without an end")) else { panic!("opened") };
    assert_eq!(error.to_string(), r"test is broken: it is no Y4M, but begins with `\x1b[2Jnoise without an end`");
    let Err(error) = y4m("test", Cursor::new(b"")).map_err(y4m_only) else { panic!("opened") };
    assert_eq!(error.to_string(), "test is cut short: it is empty; standard input takes Y4M only");
    let noise = Temporary::new("noise.mp4", b"\0\0\0\x10ftypisom\0\0\0\0\0\0\0\x20\x1b\xff\0\x07");
    let Err(error) = open(&noise.0) else { panic!("opened") };
    assert!(error.to_string().contains(r"\x1b\xff\x00\x07 (8 of 32 bytes)"), "{error}");
}

#[test]
fn films_of_no_frame_are_said() {
    let none = |source: Source| matches!(source.not_empty("film"), Err(VideoError::NoFrames { .. }));
    assert!(none(Source::open("pattern:64x48x0").unwrap()));
    assert!(none(Source::open("pattern:64x48").unwrap().first(0)));
    assert!(none(y4m("test", Cursor::new(b"YUV4MPEG2 W3 H5\n")).unwrap()));
    assert_eq!(Source::open("pattern:64x48x2").unwrap().not_empty("film").unwrap().count(), 2);
}
