//! The questions that come up with films, beside rayon: map every frame, map it several times, compute two things of it and join
//! them. Every arm gives a digest of each frame in order, and all must be equal.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput};
use kpn::prelude::*;
use kpn_benches::report::line;
use rayon::iter::{IntoParallelRefIterator, ParallelBridge, ParallelIterator};

const WIDTH: usize = 640;
const HEIGHT: usize = 360;
const FRAMES: usize = 256;

/// Frames an edge: enough to keep both ends busy, few enough to stay in a cache.
const CAPACITY: usize = 4;

/// Luma, row by row. A copy for another reader shares the pixels.
type Frame = Arc<Vec<u8>>;

type Digests = Vec<u64>;
type Outcome = Result<Digests, Box<dyn Error>>;

/// A gradient that moves, with noise on it.
fn film() -> Vec<Frame> {
    let mut noise = 1u64;
    let mut pixel = |t: usize, i: usize| {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let gradient = (i % WIDTH + 2 * (i / WIDTH) + 3 * t) as u8;
        gradient.wrapping_add((noise >> 60) as u8)
    };
    (0..FRAMES).map(|t| Arc::new((0..WIDTH * HEIGHT).map(|i| pixel(t, i)).collect())).collect()
}

/// Computes each pixel from itself and its eight neighbours; the border stays. Rows are arrays, so that no index is checked.
#[inline(always)]
fn neighbours(frame: &[u8], of: impl Fn([[i16; 3]; 3]) -> i16) -> Frame {
    let mut out = frame.to_vec();
    let (rows, out_rows) = (frame.as_chunks::<WIDTH>().0, out.as_chunks_mut::<WIDTH>().0);
    for y in 1..HEIGHT - 1 {
        for x in 1..WIDTH - 1 {
            let three = |row: &[u8; WIDTH]| [row[x - 1].into(), row[x].into(), row[x + 1].into()];
            out_rows[y][x] = of([three(&rows[y - 1]), three(&rows[y]), three(&rows[y + 1])]) as u8;
        }
    }
    Arc::new(out)
}

// None of the functions is inlined: every arm runs the same code.

/// A binomial blur.
#[inline(never)]
fn smooth(frame: &Frame) -> Frame {
    neighbours(frame, |[a, b, c]| {
        let row = |[l, m, r]: [i16; 3]| l + 2 * m + r;
        (row(a) + 2 * row(b) + row(c)) / 16
    })
}

/// Sobel's gradient.
#[inline(never)]
fn edges(frame: &Frame) -> Frame {
    neighbours(frame, |[a, b, c]| {
        let across = (a[2] + 2 * b[2] + c[2]) - (a[0] + 2 * b[0] + c[0]);
        let down = (c[0] + 2 * c[1] + c[2]) - (a[0] + 2 * a[1] + a[2]);
        (across.abs() + down.abs()).min(255)
    })
}

/// Four shades.
#[inline(never)]
fn tones(frame: &Frame) -> Frame {
    Arc::new(smooth(frame).iter().map(|pixel| pixel / 64 * 85).collect())
}

/// Lines over tones.
#[inline(never)]
fn ink(lines: &Frame, tones: &Frame) -> Frame {
    Arc::new(lines.iter().zip(tones.iter()).map(|(line, tone)| if *line > 96 { 0 } else { *tone }).collect())
}

/// Four sums at once: one alone would wait for its multiplication at every word, and take a third of the time of a map.
fn digest(frame: &Frame) -> u64 {
    let mut lanes = [1u64, 2, 3, 4];
    for words in frame.as_chunks::<8>().0.as_chunks::<4>().0 {
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = (*lane ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    }
    lanes.iter().fold(0, |sum, lane| sum.rotate_left(7) ^ lane)
}

/// The functions above as stateless nodes. Closures in `map` count as nodes with state.
mod elastic {
    use kpn::node;

    use super::Frame;

    #[node]
    pub(super) fn smooth(frame: &Frame) -> Frame {
        super::smooth(frame)
    }

    #[node]
    pub(super) fn edges(frame: &Frame) -> Frame {
        super::edges(frame)
    }

    #[node]
    pub(super) fn tones(frame: &Frame) -> Frame {
        super::tones(frame)
    }

    #[node]
    pub(super) fn ink(lines: &Frame, tones: &Frame) -> Frame {
        super::ink(lines, tones)
    }
}

/// A join that fires serially, since it could have state.
struct SerialInk;

#[node]
impl SerialInk {
    fn fire(&mut self, lines: &Frame, tones: &Frame) -> Frame {
        ink(lines, tones)
    }
}

/// The three questions, each as a function of one frame.
#[derive(Clone, Copy)]
enum Question {
    Map,
    Chain,
    FanOut,
}

impl Question {
    fn answer(self, frame: &Frame) -> u64 {
        digest(&match self {
            Self::Map => edges(frame),
            Self::Chain => tones(&edges(&smooth(frame))),
            Self::FanOut => ink(&edges(frame), &tones(frame)),
        })
    }

    fn serial(self, film: &[Frame], pool: &ThreadPool) -> Outcome {
        let mut seen = Vec::with_capacity(film.len());
        let take = sink(|frame: Frame| seen.push(digest(&frame)));
        let frames = source(film.iter().cloned());
        let net = match self {
            Self::Map => network! { frames -> map(|frame: Frame| edges(&frame)) -> take },
            Self::Chain => network! {
                frames -> map(|frame: Frame| smooth(&frame)) -> map(|frame: Frame| edges(&frame))
                    -> map(|frame: Frame| tones(&frame)) -> take
            },
            Self::FanOut => network! {
                frames -> { map(|frame: Frame| edges(&frame)), map(|frame: Frame| tones(&frame)) } -> SerialInk -> take
            },
        };
        net?.with_capacity(CAPACITY)?.run_on(pool)?;
        Ok(seen)
    }

    fn elastic(self, film: &[Frame], pool: &ThreadPool) -> Outcome {
        use elastic::{edges, ink, smooth, tones};
        let mut seen = Vec::with_capacity(film.len());
        let take = sink(|frame: Frame| seen.push(digest(&frame)));
        let frames = source(film.iter().cloned());
        let net = match self {
            Self::Map => network! { frames -> edges() -> take },
            Self::Chain => network! { frames -> smooth() -> edges() -> tones() -> take },
            Self::FanOut => network! { frames -> { edges(), tones() } -> ink() -> take },
        };
        net?.with_capacity(CAPACITY)?.run_on(pool)?;
        Ok(seen)
    }

    /// All frames are there before it starts; the digests are collected in order.
    fn par_iter(self, film: &[Frame]) -> Digests {
        film.par_iter().map(|frame| self.answer(frame)).collect()
    }

    /// Frames come one by one; the order is lost, and put back by sorting.
    fn par_bridge(self, film: &[Frame]) -> Digests {
        let answers = film.iter().enumerate().par_bridge().map(|(i, frame)| (i, self.answer(frame)));
        let mut answers: Vec<(usize, u64)> = answers.collect();
        answers.sort_unstable();
        answers.into_iter().map(|(_, digest)| digest).collect()
    }
}

fn bench(criterion: &mut Criterion, name: &str, question: Question, film: &[Frame], pool: &ThreadPool) {
    let plain = || -> Digests { film.iter().map(|frame| question.answer(frame)).collect() };
    let expected = plain();
    let arms: [(&str, &dyn Fn() -> Outcome); 5] = [
        ("one_thread", &|| Ok(plain())),
        ("kpn_serial", &|| question.serial(film, pool)),
        ("kpn_elastic", &|| question.elastic(film, pool)),
        ("rayon_par_iter", &|| Ok(question.par_iter(film))),
        ("rayon_par_bridge", &|| Ok(question.par_bridge(film))),
    ];
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(FRAMES as u64)).sampling_mode(SamplingMode::Flat).sample_size(10);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
    for (arm, run) in arms {
        group.bench_function(arm, |bencher| bencher.iter(|| check(arm, &run(), &expected)));
    }
    group.finish();
}

/// Ends the program where an answer is wrong.
fn check(arm: &str, got: &Outcome, expected: &[u64]) {
    let wrong = match got {
        Ok(digests) if digests == expected => return,
        Ok(_) => "frames are lost, changed or out of order".to_owned(),
        Err(error) => error.to_string(),
    };
    line(&format!("everyday: {arm}: {wrong}"));
    std::process::exit(1);
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut criterion = Criterion::default().configure_from_args();
    let film = film();
    let pool = Shared::new().build()?;
    bench(&mut criterion, "map", Question::Map, &film, &pool);
    bench(&mut criterion, "chain", Question::Chain, &film, &pool);
    bench(&mut criterion, "fan_out_join", Question::FanOut, &film, &pool);
    criterion.final_summary();
    Ok(())
}
