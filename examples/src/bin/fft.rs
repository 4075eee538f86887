//! Transforms a signal by butterflies.

use std::process::ExitCode;

use clap::Parser;
use kpn_examples::Failure;
use kpn_examples::canon::{self, Complex};
use kpn_examples::cli::{self, Run};

/// Prints the spectra of frames with a sine in each, one cycle in the first, two in the second, and so on: the sine's line is
/// N/2 high, and all others are nearly 0.
#[derive(Parser)]
#[command(name = "fft", version)]
struct Arguments {
    #[command(flatten)]
    run: Run,
    /// Points of a frame, a power of two
    #[arg(long, default_value_t = 8, value_parser = power_of_two)]
    points: usize,
    /// Frames to transform
    #[arg(long, default_value_t = 3)]
    frames: usize,
}

fn power_of_two(text: &str) -> Result<usize, String> {
    const MOST: usize = 1 << 12;
    match text.parse::<usize>() {
        Ok(points) if points.is_power_of_two() && points <= MOST => Ok(points),
        _ => Err(format!("it must be a power of two, {MOST} at most")),
    }
}

fn main() -> ExitCode {
    let arguments = cli::parse(|arguments: &Arguments| &arguments.run);
    cli::main(|| fft(&arguments))
}

fn fft(Arguments { run, points, frames }: &Arguments) -> Result<ExitCode, Failure> {
    let sine = |cycles: usize| {
        (0..*points).map(|i| Complex::from(Complex::turn((cycles * i % points) as f64 / *points as f64).im)).collect()
    };
    let signal: Vec<Vec<Complex>> = (1..=*frames).map(sine).collect();
    let mut lines = vec![Vec::new(); *points];
    canon::run(canon::fft(&signal, &mut lines)?, run)?;
    for frame in 0..*frames {
        let heights: Vec<String> = lines.iter().map(|line| format!("{:.3}", line[frame].abs())).collect();
        cli::say(&heights.join(" "))?;
    }
    Ok(ExitCode::SUCCESS)
}
