//! What a network costs and gains where nodes do real work: `cellshade` as a plain loop, as a network, and as
//! hand-written threads with channels, taken in turn.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use crossbeam_channel::{Receiver, Sender, bounded};
use kpn::prelude::*;
use kpn_benches::measure::{Samples, interleaved};
use kpn_examples::frame::Frame;
use kpn_examples::kernels::{self, Edges, Posterise, Smooth};
use kpn_examples::sink::{Nothing, Output, Sink, Tally};
use kpn_examples::source::Source;
use kpn_examples::{cli, nets, plain};

/// Frames a second of cellshade, and ratios. Exits non-zero below a floor.
#[derive(Parser)]
struct Options {
    /// The film.
    #[arg(long)]
    input: Option<String>,
    /// Frames a sample.
    #[arg(long, default_value_t = 60)]
    frames: u64,
    /// Samples an arm, taken in turn.
    #[arg(long, default_value_t = 7, value_parser = kpn_benches::options::at_least_one::<usize>)]
    reps: usize,
    /// Frames an edge.
    #[arg(long, default_value_t = nets::CAPACITY)]
    capacity: usize,
    /// The least ratio of one worker to the plain loop.
    #[arg(long, default_value_t = 0.0)]
    floor_one: f64,
    /// The least ratio of two workers to one.
    #[arg(long, default_value_t = 0.0)]
    floor_two: f64,
    /// The least ratio of two workers to hand-written threads.
    #[arg(long, default_value_t = 0.0)]
    floor_threads: f64,
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            line("a ratio is below its floor");
            ExitCode::FAILURE
        }
        Err(error) => {
            kpn_benches::report::complain(&format!("bench_cellshade: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<bool> {
    let one = Shared::new().workers(1).build()?;
    let two = Shared::new().workers(2).build()?;
    let mut truth: Option<Tally> = None;
    let mut checked = |sample: Result<(Duration, Tally)>| {
        let (took, tally) = sample.expect("the film can be read and no node fails");
        assert_eq!(*truth.get_or_insert(tally), tally, "two ways gave different films");
        took
    };
    // The arms share the check, so each one is made where it is called.
    let names = ["plain loop", "kpn, 1 worker", "kpn, 2 workers", "kpn, private threads", "threads with channels"];
    let mut samples = vec![Samples::default(); names.len()];
    {
        let arm = |i: usize| match i {
            0 => as_loop(options),
            1 => as_network(options, |net| net.run_on(&one)),
            2 => as_network(options, |net| net.run_on(&two)),
            3 => as_network(options, |net| net.run_on(Private::new())),
            _ => as_threads(options),
        };
        let check = std::cell::RefCell::new(&mut checked);
        let mut arms: Vec<_> = (0..names.len())
            .map(|i| {
                let check = &check;
                move || (check.borrow_mut())(arm(i))
            })
            .collect();
        let mut dynamic: Vec<&mut dyn FnMut() -> Duration> = Vec::new();
        for arm in &mut arms {
            dynamic.push(arm);
        }
        samples.clone_from(&interleaved(options.reps, &mut dynamic));
    }
    let frames = truth.map_or(0, |tally| tally.frames) as f64;
    line(&format!("cellshade, {frames} frames a sample, {} samples, capacity {}", options.reps, options.capacity));
    line("arm                      frames/s   seconds: median [quartiles]");
    for (name, samples) in names.iter().zip(&samples) {
        line(&format!("{name:<24} {:>8.2}   {samples}", frames / samples.median()));
    }
    line("ratio                                        median [quartiles]");
    let mut held = true;
    for (what, slow, fast, floor) in [
        ("1 worker over the plain loop", 0, 1, options.floor_one),
        ("2 workers over 1", 1, 2, options.floor_two),
        ("2 workers over threads with channels", 4, 2, options.floor_threads),
        ("private threads over threads with channels", 4, 3, 0.0),
    ] {
        let ratio = samples[slow].ratio(&samples[fast]);
        line(&format!("{what:<43}  {ratio}"));
        held &= ratio.median() >= floor;
    }
    Ok(held)
}

fn source(options: &Options) -> Result<Source> {
    let input = options.input.clone().unwrap_or_else(|| cli::default_clip().display().to_string());
    Ok(Source::open(&input)?.first(options.frames))
}

fn as_loop(options: &Options) -> Result<(Duration, Tally)> {
    let mut output = Output::new(Box::new(Nothing));
    let source = source(options)?;
    let began = Instant::now();
    plain::cellshade(source, &mut output)?;
    Ok((began.elapsed(), output.tally().get()))
}

fn as_network(
    options: &Options,
    run: impl FnOnce(Network<'static>) -> std::result::Result<Report, RunError>,
) -> Result<(Duration, Tally)> {
    let output = Output::new(Box::new(Nothing));
    let tally = output.tally();
    let net = nets::cellshade(source(options)?, output)?.with_capacity(options.capacity)?;
    let began = Instant::now();
    run(net)?;
    Ok((began.elapsed(), tally.get()))
}

/// What one would write by hand: a thread a node, bounded channels between them.
fn as_threads(options: &Options) -> Result<(Duration, Tally)> {
    let mut output = Output::new(Box::new(Nothing));
    let tally = output.tally();
    let source = source(options)?;
    let cap = options.capacity;
    let began = Instant::now();
    let read: std::result::Result<(), String> = std::thread::scope(|scope| {
        let (to_steady, steady_in) = bounded::<Frame>(cap);
        let (to_smooth, smooth_in) = bounded::<Frame>(cap);
        let (to_edges, edges_in) = bounded::<Frame>(cap);
        let (to_tones, tones_in) = bounded::<Frame>(cap);
        let (to_lines, lines) = bounded::<Frame>(cap);
        let (to_colours, colours) = bounded::<Frame>(cap);
        let (to_write, frames) = bounded::<Frame>(cap);
        let reader = scope.spawn(move || {
            for frame in source {
                if to_steady.send(frame.map_err(|e| e.to_string())?).is_err() {
                    break;
                }
            }
            Ok(())
        });
        let mut steady = kernels::Steady::default();
        scope.spawn(move || each(&steady_in, &to_smooth, |frame| steady.next(&frame)));
        scope.spawn(move || {
            for frame in smooth_in {
                let frame = kernels::smooth(&frame, Smooth::default());
                if to_edges.send(frame.clone()).is_err() || to_tones.send(frame).is_err() {
                    break;
                }
            }
        });
        scope.spawn(move || each(&edges_in, &to_lines, |frame| kernels::edges(&frame, Edges::default())));
        scope.spawn(move || each(&tones_in, &to_colours, |frame| kernels::posterise(&frame, Posterise::default())));
        scope.spawn(move || {
            for (lines, colours) in lines.iter().zip(colours.iter()) {
                if to_write.send(kernels::ink(&lines, &colours)).is_err() {
                    break;
                }
            }
        });
        let writer = scope.spawn(move || {
            for frame in frames {
                output.write(&frame).map_err(|e| e.to_string())?;
            }
            output.finish().map_err(|e| e.to_string())
        });
        reader.join().unwrap_or_else(|_| Err("the reader panicked".to_owned()))?;
        writer.join().unwrap_or_else(|_| Err("the writer panicked".to_owned()))
    });
    read?;
    Ok((began.elapsed(), tally.get()))
}

fn each(from: &Receiver<Frame>, to: &Sender<Frame>, mut apply: impl FnMut(Frame) -> Frame) {
    for frame in from {
        if to.send(apply(frame)).is_err() {
            break;
        }
    }
}

#[expect(clippy::print_stdout, reason = "a program's result")]
fn line(text: &str) {
    println!("{text}");
}
