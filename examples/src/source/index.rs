//! The index of an MP4 file: where the samples of its film lie and when they are shown.
//!
//! Boxes as in ISO/IEC 14496-12, `avcC` as in 14496-15. The bytes are not trusted: whatever a count
//! or size says, nothing is read outside its box and nothing grows beyond the file.

use crate::error::shown;

/// A film track.
#[derive(Debug)]
pub(super) struct Index {
    /// Ticks a second.
    pub(super) timescale: u32,
    /// Height in pixels, as the index has it.
    pub(super) height: usize,
    /// In decoding order.
    pub(super) samples: Vec<Sample>,
    /// In the order shown: when, counted from the first frame, and for how long, in ticks.
    pub(super) times: Vec<(u64, u32)>,
    /// Bytes of the length before each unit of a sample.
    pub(super) length_size: usize,
    pub(super) sps: Vec<Vec<u8>>,
    pub(super) pps: Vec<Vec<u8>>,
}

/// Where a sample lies in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) offset: u64,
    pub(super) size: u32,
}

/// Why an index can't be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The bytes contradict each other or end early.
    Broken(String),
    /// Sound, but not a film that is decoded here.
    Other(String),
}

type Name = [u8; 4];

/// The boxes in `bytes`, up to the first that does not fit.
fn boxes(mut bytes: &[u8]) -> impl Iterator<Item = (Name, &[u8])> {
    std::iter::from_fn(move || {
        let (&size, rest) = bytes.split_first_chunk::<4>()?;
        let (&name, _) = rest.split_first_chunk::<4>()?;
        let size = match u32::from_be_bytes(size) as usize {
            0 => bytes.len(),
            size => size,
        };
        let payload = bytes.get(8..size)?;
        bytes = &bytes[size..];
        Some((name, payload))
    })
}

/// The first box along `path`.
fn find<'a>(bytes: &'a [u8], path: &[&Name]) -> Result<&'a [u8], Fault> {
    path.iter().try_fold(bytes, |bytes, name| {
        let found = boxes(bytes).find(|(found, _)| found == *name);
        found.map(|(_, payload)| payload).ok_or_else(|| missing(name))
    })
}

fn missing(name: &Name) -> Fault {
    Fault::Broken(format!("its index has no whole `{}` box", shown(name)))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_be_bytes(*chunk))
}

/// The rows of a table after its header and count; a table that is cut short gives what is there.
fn rows<const N: usize>(table: &[u8], header: usize) -> impl Iterator<Item = [u32; N]> {
    let count = u32_at(table, header).unwrap_or(0) as usize;
    let body = table.get(header + 4..).unwrap_or_default();
    body.chunks_exact(4 * N).take(count).map(|row| {
        std::array::from_fn(|i| u32::from_be_bytes([row[4 * i], row[4 * i + 1], row[4 * i + 2], row[4 * i + 3]]))
    })
}

impl Index {
    /// Reads the film track out of the payload of a `moov` box of a file of `file_size` bytes.
    pub(super) fn parse(moov: &[u8], file_size: u64) -> Result<Self, Fault> {
        let is_film = |trak: &&[u8]| find(trak, &[b"mdia", b"hdlr"]).is_ok_and(|hdlr| hdlr.get(8..12) == Some(b"vide"));
        let trak = boxes(moov)
            .filter(|(name, _)| name == b"trak")
            .map(|(_, trak)| trak)
            .find(is_film)
            .ok_or_else(|| Fault::Other("it has no film track".into()))?;
        let mdhd = find(trak, &[b"mdia", b"mdhd"])?;
        let timescale = u32_at(mdhd, if mdhd.first() == Some(&1) { 20 } else { 12 })
            .filter(|&ticks| ticks > 0)
            .ok_or_else(|| Fault::Broken("its film has no timescale".into()))?;
        let stbl = find(trak, &[b"mdia", b"minf", b"stbl"])?;
        let (height, length_size, sps, pps) = parse_avc(find(stbl, &[b"stsd"])?)?;
        let samples = places(stbl, file_size)?;
        if samples.is_empty() {
            let fragmented = boxes(moov).any(|(name, _)| &name == b"mvex");
            let what = if fragmented { "a fragmented film" } else { "a film of no frame" };
            return Err(Fault::Other(format!("it holds {what}")));
        }
        let times = times(stbl, samples.len())?;
        Ok(Self { timescale, height, samples, times, length_size, sps, pps })
    }
}

/// Height, bytes of a length, sequence and picture parameter sets.
type Coding = (usize, usize, Vec<Vec<u8>>, Vec<Vec<u8>>);

fn parse_avc(stsd: &[u8]) -> Result<Coding, Fault> {
    let (codec, entry) = boxes(stsd.get(8..).unwrap_or_default()).next().ok_or_else(|| missing(b"stsd"))?;
    if &codec != b"avc1" && &codec != b"avc3" {
        return Err(Fault::Other(format!("its film is not H.264 but `{}`", shown(&codec))));
    }
    let height = u32_at(entry, 24).map_or(0, |size| size as usize & 0xffff);
    let avcc = find(entry.get(78..).unwrap_or_default(), &[b"avcC"])?;
    let sets = || {
        let length_size = usize::from(avcc.get(4)? & 3) + 1;
        let mut rest = avcc.get(6..)?;
        let mut read = |count: u8| {
            let mut sets = Vec::new();
            for _ in 0..count {
                let (&length, tail) = rest.split_first_chunk::<2>()?;
                let (set, tail) = tail.split_at_checked(usize::from(u16::from_be_bytes(length)))?;
                sets.push(set.to_vec());
                rest = tail;
            }
            let next = rest.split_first().map(|(&first, tail)| {
                rest = tail;
                first
            });
            Some((sets, next))
        };
        let (sps, next) = read(avcc.get(5)? & 31)?;
        let (pps, _) = read(next?)?;
        Some((height, length_size, sps, pps))
    };
    sets().ok_or_else(|| Fault::Broken("its parameter sets end early".into()))
}

/// Where the samples lie: chunks have offsets, samples have sizes, and `stsc` says how many samples
/// each chunk holds.
fn places(stbl: &[u8], file_size: u64) -> Result<Vec<Sample>, Fault> {
    let stsz = find(stbl, &[b"stsz"])?;
    let (common, count) = (u32_at(stsz, 4).unwrap_or(0), u32_at(stsz, 8).unwrap_or(0) as usize);
    let sizes: Vec<u32> = if common > 0 {
        // More samples than bytes can't be.
        vec![common; count.min((file_size / u64::from(common)) as usize)]
    } else {
        rows::<1>(stsz, 8).map(|[size]| size).collect()
    };
    let offsets: Vec<u64> = match find(stbl, &[b"stco"]) {
        Ok(stco) => rows::<1>(stco, 4).map(|[offset]| u64::from(offset)).collect(),
        Err(_) => {
            rows::<2>(find(stbl, &[b"co64"])?, 4).map(|[high, low]| u64::from(high) << 32 | u64::from(low)).collect()
        }
    };
    let runs: Vec<[u32; 3]> = rows::<3>(find(stbl, &[b"stsc"])?, 4).collect();
    let mut run = 0;
    let mut sizes = sizes.into_iter();
    let mut samples = Vec::with_capacity(sizes.len());
    for (chunk, &start) in (1u32..).zip(&offsets) {
        while runs.get(run + 1).is_some_and(|next| next[0] <= chunk) {
            run += 1;
        }
        let per_chunk = runs.get(run).map_or(0, |run| run[1] as usize);
        let mut offset = start;
        for size in sizes.by_ref().take(per_chunk) {
            samples.push(Sample { offset, size });
            offset = offset.saturating_add(u64::from(size));
        }
    }
    match sizes.len() {
        0 => Ok(samples),
        left => Err(Fault::Broken(format!("its index gives no place for {left} of its frames"))),
    }
}

/// When the frames are shown, in that order. Samples lie in decoding order; `ctts` moves them.
fn times(stbl: &[u8], count: usize) -> Result<Vec<(u64, u32)>, Fault> {
    let mut deltas = Vec::with_capacity(count);
    for [run, delta] in rows::<2>(find(stbl, &[b"stts"])?, 4) {
        let left = count - deltas.len();
        deltas.resize(deltas.len() + left.min(run as usize), delta);
    }
    // Where the table ends early, the last duration goes on.
    deltas.resize(count, deltas.last().copied().unwrap_or(1));
    let mut offsets = Vec::with_capacity(count);
    if let Ok(ctts) = find(stbl, &[b"ctts"]) {
        for [run, offset] in rows::<2>(ctts, 4) {
            // Version 0 is unsigned, but writers put negative offsets there too.
            let left = count - offsets.len();
            offsets.resize(offsets.len() + left.min(run as usize), i64::from(offset as i32));
        }
    }
    offsets.resize(count, 0);
    let mut decoded = 0i64;
    let mut shown: Vec<i64> = Vec::with_capacity(count);
    for (&delta, offset) in deltas.iter().zip(offsets) {
        shown.push(decoded + offset);
        decoded += i64::from(delta);
    }
    shown.sort_unstable();
    let (Some(&first), Some(&last)) = (shown.first(), shown.last()) else {
        return Ok(Vec::new());
    };
    let end = last + i64::from(deltas.last().copied().unwrap_or(1));
    let ends = shown.iter().skip(1).copied().chain([end]);
    Ok(shown.iter().zip(ends).map(|(&at, end)| ((at - first) as u64, (end - at) as u32)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(name: &Name, payload: &[u8]) -> Vec<u8> {
        [&(payload.len() as u32 + 8).to_be_bytes(), name.as_slice(), payload].concat()
    }

    fn table(values: &[u32]) -> Vec<u8> {
        [0].iter().chain(values).flat_map(|value| value.to_be_bytes()).collect()
    }

    #[test]
    fn samples_follow_their_chunks() {
        let stbl = [
            boxed(b"stsz", &table(&[0, 5, 10, 11, 12, 13, 14])),
            boxed(b"stco", &table(&[3, 1000, 2000, 3000])),
            boxed(b"stsc", &table(&[2, 1, 2, 1, 3, 1, 1])),
        ]
        .concat();
        let found: Vec<_> = places(&stbl, 9999).unwrap().iter().map(|s| (s.offset, s.size)).collect();
        assert_eq!(found, [(1000, 10), (1010, 11), (2000, 12), (2012, 13), (3000, 14)]);
    }

    #[test]
    fn frames_are_shown_in_order_and_the_durations_add_up() {
        // Decoded as I P B B: shown 0, 3, 1, 2, each moved by the one frame of delay.
        let stbl =
            [boxed(b"stts", &table(&[1, 4, 10])), boxed(b"ctts", &table(&[4, 1, 10, 1, 30, 1, 0, 1, 0]))].concat();
        assert_eq!(times(&stbl, 4).unwrap(), [(0, 10), (10, 10), (20, 10), (30, 10)]);
    }

    #[test]
    fn counts_are_not_trusted() {
        let huge = [
            boxed(b"stsz", &table(&[1, u32::MAX])),
            boxed(b"stco", &table(&[u32::MAX, 8])),
            boxed(b"stsc", &table(&[1, 1, u32::MAX, 1])),
            boxed(b"stts", &table(&[1, u32::MAX, u32::MAX])),
        ]
        .concat();
        assert_eq!(places(&huge, 100).unwrap().len(), 100);
        assert_eq!(times(&huge, 3).unwrap().len(), 3);
    }
}
