//! An MP4 file around H.264 samples: samples go to disk as they come, the index at the end.
//!
//! The box layout is that of ISO/IEC 14496-12, with `avcC` from 14496-15. Durations are kept in
//! the source's own timescale. Where the disk is full, the last samples give way to the index, so
//! that the file plays up to there.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use crate::frame::{Colour, Matrix, Range};

/// Where a film can be written: a seekable file that can also be cut.
pub(crate) trait Target: Write + Seek {
    /// Cuts the target to `length` bytes.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Target for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

/// What the index says of the film as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Film {
    pub(crate) width: u16,
    pub(crate) height: u16,
    pub(crate) timescale: u32,
    pub(crate) colour: Colour,
    pub(crate) sps: Vec<u8>,
    pub(crate) pps: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Sample {
    size: u32,
    duration: u32,
    key: bool,
}

/// Samples a chunk: players read chunk by chunk, so neither one nor all.
const CHUNK: usize = 32;
/// Bytes of the `mdat` header with its 64-bit size.
const MDAT_HEADER: u64 = 16;

/// Writes samples and, at the end, their index.
pub(crate) struct Muxer<W: Target> {
    target: W,
    film: Film,
    mdat: u64,
    /// End of the last whole sample.
    end: u64,
    samples: Vec<Sample>,
}

impl<W: Target> Muxer<W> {
    pub(crate) fn new(mut target: W, film: Film) -> io::Result<Self> {
        let ftyp = boxed(b"ftyp", |b| {
            b.extend(b"isom");
            b.extend(512u32.to_be_bytes());
            b.extend(b"isomiso2avc1mp41");
        });
        let mdat = ftyp.len() as u64;
        let mut head = ftyp;
        head.extend(1u32.to_be_bytes());
        head.extend(b"mdat");
        head.extend(MDAT_HEADER.to_be_bytes());
        target.write_all(&head)?;
        Ok(Self { target, film, mdat, end: mdat + MDAT_HEADER, samples: Vec::new() })
    }

    /// Appends a sample of length-prefixed units.
    pub(crate) fn sample(&mut self, data: &[u8], key: bool, duration: u32) -> io::Result<()> {
        self.target.seek(SeekFrom::Start(self.end))?;
        self.target.write_all(data)?;
        self.end += data.len() as u64;
        self.samples.push(Sample { size: data.len() as u32, duration, key });
        Ok(())
    }

    /// Writes the index. Where there is no room for it, leaves out the last samples until there is,
    /// and then still returns the error.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let first = match self.index() {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let room = self.end;
        while let Some(last) = self.samples.pop() {
            self.end -= u64::from(last.size);
            if self.end + self.moov().len() as u64 <= room && self.index().is_ok() {
                break;
            }
        }
        Err(first)
    }

    fn index(&mut self) -> io::Result<()> {
        let moov = self.moov();
        self.target.seek(SeekFrom::Start(self.end))?;
        self.target.write_all(&moov)?;
        self.target.cut(self.end + moov.len() as u64)?;
        self.target.seek(SeekFrom::Start(self.mdat + 8))?;
        self.target.write_all(&(self.end - self.mdat).to_be_bytes())?;
        self.target.flush()
    }

    fn moov(&self) -> Vec<u8> {
        let ticks: u64 = self.samples.iter().map(|s| u64::from(s.duration)).sum();
        let film = &self.film;
        boxed(b"moov", |b| {
            full(b, b"mvhd", 1, 0, |b| {
                b.extend([0; 16]);
                b.extend(film.timescale.to_be_bytes());
                b.extend(ticks.to_be_bytes());
                b.extend(0x0001_0000u32.to_be_bytes()); // rate
                b.extend([1, 0]); // volume
                b.extend([0; 10]);
                matrix(b);
                b.extend([0; 24]);
                b.extend(2u32.to_be_bytes()); // next track
            });
            inner(b, b"trak", |b| {
                full(b, b"tkhd", 1, 3, |b| {
                    b.extend([0; 16]);
                    b.extend(1u32.to_be_bytes());
                    b.extend([0; 4]);
                    b.extend(ticks.to_be_bytes());
                    b.extend([0; 16]);
                    matrix(b);
                    b.extend((u32::from(film.width) << 16).to_be_bytes());
                    b.extend((u32::from(film.height) << 16).to_be_bytes());
                });
                inner(b, b"mdia", |b| {
                    full(b, b"mdhd", 1, 0, |b| {
                        b.extend([0; 16]);
                        b.extend(film.timescale.to_be_bytes());
                        b.extend(ticks.to_be_bytes());
                        b.extend(0x55c4u16.to_be_bytes()); // language "und"
                        b.extend([0; 2]);
                    });
                    full(b, b"hdlr", 0, 0, |b| {
                        b.extend([0; 4]);
                        b.extend(b"vide");
                        b.extend([0; 12]);
                        b.extend(b"film\0");
                    });
                    inner(b, b"minf", |b| {
                        full(b, b"vmhd", 0, 1, |b| b.extend([0; 8]));
                        inner(b, b"dinf", |b| {
                            full(b, b"dref", 0, 0, |b| {
                                b.extend(1u32.to_be_bytes());
                                full(b, b"url ", 0, 1, |_| {});
                            });
                        });
                        inner(b, b"stbl", |b| self.tables(b));
                    });
                });
            });
        })
    }

    fn tables(&self, b: &mut Vec<u8>) {
        full(b, b"stsd", 0, 0, |b| {
            b.extend(1u32.to_be_bytes());
            inner(b, b"avc1", |b| self.film.avc1(b));
        });
        let runs = self.samples.chunk_by(|a, b| a.duration == b.duration);
        let runs: Vec<_> = runs.map(|run| [run.len() as u32, run[0].duration]).collect();
        full(b, b"stts", 0, 0, |b| table(b, &runs));
        let keys = self.samples.iter().zip(1u32..).filter(|(s, _)| s.key).map(|(_, i)| [i]);
        full(b, b"stss", 0, 0, |b| table(b, &keys.collect::<Vec<_>>()));
        let (whole, rest) = ((self.samples.len() / CHUNK) as u32, (self.samples.len() % CHUNK) as u32);
        let mut chunks = Vec::new();
        if whole > 0 {
            chunks.push([1, CHUNK as u32, 1]);
        }
        if rest > 0 {
            chunks.push([whole + 1, rest, 1]);
        }
        full(b, b"stsc", 0, 0, |b| table(b, &chunks));
        full(b, b"stsz", 0, 0, |b| {
            b.extend([0; 4]); // no common size
            table(b, &self.samples.iter().map(|s| [s.size]).collect::<Vec<_>>());
        });
        full(b, b"co64", 0, 0, |b| {
            b.extend((self.samples.len().div_ceil(CHUNK) as u32).to_be_bytes());
            let mut at = self.mdat + MDAT_HEADER;
            for chunk in self.samples.chunks(CHUNK) {
                b.extend(at.to_be_bytes());
                at += chunk.iter().map(|s| u64::from(s.size)).sum::<u64>();
            }
        });
    }
}

impl Film {
    fn avc1(&self, b: &mut Vec<u8>) {
        b.extend([0, 0, 0, 0, 0, 0, 0, 1]); // data reference
        b.extend([0; 16]);
        b.extend(self.width.to_be_bytes());
        b.extend(self.height.to_be_bytes());
        b.extend([0, 0x48, 0, 0, 0, 0x48, 0, 0]); // 72 dpi
        b.extend([0, 0, 0, 0, 0, 1]);
        b.extend([0; 32]);
        b.extend([0, 0x18, 0xff, 0xff]);
        inner(b, b"avcC", |b| {
            b.extend([1, self.sps[1], self.sps[2], self.sps[3], 0xff, 0xe1]);
            b.extend((self.sps.len() as u16).to_be_bytes());
            b.extend(&self.sps);
            b.push(1);
            b.extend((self.pps.len() as u16).to_be_bytes());
            b.extend(&self.pps);
        });
        inner(b, b"colr", |b| {
            let code: u16 = match self.colour.matrix {
                Matrix::Bt601 => 6,
                Matrix::Bt709 => 1,
            };
            b.extend(b"nclx");
            (0..3).for_each(|_| b.extend(code.to_be_bytes()));
            b.push(if self.colour.range == Range::Full { 0x80 } else { 0 });
        });
    }
}

fn boxed(name: &[u8; 4], fill: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    inner(&mut out, name, fill);
    out
}

/// Appends a box whose size is known once it is filled.
fn inner(out: &mut Vec<u8>, name: &[u8; 4], fill: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([0; 4]);
    out.extend(name);
    fill(out);
    let size = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&size.to_be_bytes());
}

/// Appends a box with version and flags.
fn full(out: &mut Vec<u8>, name: &[u8; 4], version: u8, flags: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    inner(out, name, |b| {
        b.extend((u32::from(version) << 24 | flags).to_be_bytes());
        fill(b);
    });
}

fn table<const N: usize>(out: &mut Vec<u8>, rows: &[[u32; N]]) {
    out.extend((rows.len() as u32).to_be_bytes());
    rows.iter().flatten().for_each(|value| out.extend(value.to_be_bytes()));
}

/// The unity transformation.
fn matrix(out: &mut Vec<u8>) {
    for value in [0x1_0000u32, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] {
        out.extend(value.to_be_bytes());
    }
}
