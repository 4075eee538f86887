//! Runs random networks for as long as one likes, and ends with an error at the first thing that is not as the theory
//! says: `cargo run --release -p kpn-soak -- --case random --seconds 60`.

mod cases;
mod watchdog;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use kpn_tests::Dice;

use cases::Case;
use watchdog::Watchdog;

/// Runs random networks and compares them with the theory.
#[derive(Debug, Parser)]
struct Args {
    /// What to run; all cases in turn where none is given.
    #[arg(long, value_enum)]
    case: Option<Case>,
    /// Iterations; without end where neither this nor --seconds is given.
    #[arg(long)]
    iters: Option<u64>,
    /// The first iteration's seed; the next one's is one more. A failure is repeated by its seed and --iters 1.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// No iteration begins after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// An iteration that takes longer than so many seconds hangs.
    #[arg(long, default_value_t = 60)]
    patience: u64,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let cases = args.case.map_or_else(|| Case::value_variants().to_vec(), |case| vec![case]);
    let deadline = args.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let watchdog = Watchdog::start(Duration::from_secs(args.patience));
    let mut bench = cases::Bench::new();
    let mut done = 0;
    let over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    while args.iters.is_none_or(|iters| done < iters) && !over() {
        let seed = args.seed.wrapping_add(done);
        for &case in &cases {
            watchdog.begin(case, done, seed);
            let mut dice = Dice::new(seed);
            let run = AssertUnwindSafe(|| case.run(&mut bench, &mut dice, &watchdog));
            if catch_unwind(run).is_err() {
                say(&format!("FAILED {}", watchdog.state()));
                return ExitCode::FAILURE;
            }
        }
        done += 1;
        if done.is_multiple_of(1000) {
            say(&format!("{done} iterations"));
        }
    }
    say(&format!("passed: {done} iterations of {cases:?} from seed {}, {bench}", args.seed));
    ExitCode::SUCCESS
}

/// To the terminal, which is what this program talks to.
#[expect(clippy::print_stdout, reason = "the program's output")]
fn say(text: &str) {
    println!("{text}");
}
