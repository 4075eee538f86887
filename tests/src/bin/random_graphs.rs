//! Random networks of all kinds on every executor, each history compared with what the theory says:
//! `cargo run --release -p kpn-tests --bin random_graphs -- --count 2000 --seed 0`. It ends with an error at the first
//! difference and prints the seed, which `--seed S --count 1` runs alone.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kpn_tests::On;
use kpn_tests::graph::plan::{Difference, Everywhere, Kind, Plan, Take, Trial, shrink};

#[derive(Clone, Copy)]
struct Args {
    count: u64,
    seed: u64,
    nodes: usize,
    patience: u64,
}

const HELP: &str = "random_graphs [--count N] [--seed S] [--nodes MOST] [--patience SECONDS]";

impl Args {
    fn parse() -> Result<Self, String> {
        let mut args = Self { count: 2_000, seed: 0, nodes: 200, patience: 60 };
        let mut words = std::env::args().skip(1);
        while let Some(name) = words.next() {
            let value = words.next().and_then(|value| value.parse::<u64>().ok());
            let value = value.ok_or_else(|| format!("`{name}` is not an option with a number: {HELP}"))?;
            match &*name {
                "--count" => args.count = value,
                "--seed" => args.seed = value,
                "--nodes" => args.nodes = value as usize,
                "--patience" => args.patience = value,
                _ => return Err(format!("there is no option `{name}`: {HELP}")),
            }
        }
        Ok(args)
    }
}

/// The seed at hand, for the watchdog.
static SEED: AtomicU64 = AtomicU64::new(0);
/// Runs so far.
static RUNS: AtomicU64 = AtomicU64::new(0);

fn main() -> ExitCode {
    let args = match Args::parse() {
        Ok(args) => args,
        Err(error) => {
            say(&error);
            return ExitCode::from(2);
        }
    };
    watch(args);
    let everywhere = Everywhere::new(3);
    let start = Instant::now();
    let mut sum = Sum::default();
    for seed in args.seed..args.seed + args.count {
        SEED.store(seed, Ordering::Relaxed);
        let trial = Trial::of_seed(seed, args.nodes);
        sum.add(&trial);
        match everywhere.run(&trial, count) {
            Ok((runs, outcome)) => {
                sum.runs += runs;
                sum.tokens += outcome.tokens;
                sum.growths += outcome.growths;
            }
            Err(difference) => {
                report(seed, trial, &everywhere, &difference);
                return ExitCode::FAILURE;
            }
        }
        if sum.graphs.is_multiple_of(500) {
            say(&format!("{sum}; {:.0} graphs/s", sum.graphs as f64 / start.elapsed().as_secs_f64()));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    say(&format!(
        "passed: {sum}, from seed {}, {seconds:.1} s, {:.0} graphs/s",
        args.seed,
        sum.graphs as f64 / seconds
    ));
    ExitCode::SUCCESS
}

/// For the watchdog: a run begins.
fn count(_: &On) {
    RUNS.fetch_add(1, Ordering::Relaxed);
}

/// Says what is wrong, and with how little.
fn report(seed: u64, trial: Trial, everywhere: &Everywhere, difference: &Difference) {
    say(&format!("FAILED: seed {seed}: {difference}\n{}", trial.plan));
    let mode = trial.mode;
    let mut last = difference.clone();
    let mut again = |plan: &Plan| {
        let Ok(trial) = Trial::of(plan.clone(), mode) else { return false };
        let failed = (0..5).find_map(|_| everywhere.run(&trial, count).err());
        // Smaller networks may fail for other reasons, too.
        let same = failed.filter(|failed| failed.sort == difference.sort);
        same.inspect(|difference| last = difference.clone()).is_some()
    };
    let small = shrink(trial.plan, &mut again);
    say(&format!("the same in small: {last}\n{small}seed {seed} failed"));
}

/// Ends the program where one network takes too long.
fn watch(args: Args) {
    std::thread::spawn(move || {
        let mut last = (u64::MAX, Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let runs = RUNS.load(Ordering::Relaxed);
            if runs != last.0 {
                last = (runs, Instant::now());
            } else if last.1.elapsed().as_secs() >= args.patience {
                let seed = SEED.load(Ordering::Relaxed);
                say(&format!(
                    "FAILED: seed {seed} hangs, in run {runs}\n{}seed {seed} hangs",
                    Trial::of_seed(seed, args.nodes).plan
                ));
                std::process::exit(1);
            }
        }
    });
}

/// What was run so far.
#[derive(Default)]
struct Sum {
    graphs: u64,
    loops: usize,
    runs: u64,
    nodes: usize,
    most: usize,
    processes: usize,
    rates: usize,
    joins: usize,
    edges: usize,
    exact: usize,
    copies: usize,
    tokens: usize,
    growths: usize,
}

impl Sum {
    fn add(&mut self, trial: &Trial) {
        let plan = &trial.plan;
        let count = |what: &dyn Fn(&Kind) -> bool| plan.nodes.iter().filter(|node| what(&node.kind)).count();
        self.graphs += 1;
        self.loops += usize::from(plan.has_loops());
        self.nodes += plan.nodes.len();
        self.most = self.most.max(plan.nodes.len());
        self.processes += count(&Kind::is_process);
        let rate = |take: &Take| *take != Take::One;
        self.rates += count(&|kind| matches!(kind, Kind::Firing(firing) if firing.takes.iter().any(rate)));
        self.joins += count(&|kind| kind.inputs() > 1);
        self.edges += plan.edges.len();
        self.exact += trial.exact();
        self.copies += plan.wiring().outputs.iter().flatten().filter(|edges| edges.len() > 1).count();
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { graphs, loops, runs, nodes, most, processes, rates, joins, edges, exact, copies, .. } = self;
        let Self { tokens, growths, .. } = self;
        write!(
            f,
            "{graphs} graphs ({loops} with loops) in {runs} runs; {nodes} nodes ({processes} processes, {rates} that take \
             several tokens, {joins} with several inputs, {most} in the largest graph); {edges} edges ({exact} compared in \
             full), {copies} outputs copied; {tokens} tokens, {growths} growths"
        )
    }
}

/// To the terminal, which is what this program talks to.
#[expect(clippy::print_stdout, reason = "the program's output")]
fn say(text: &str) {
    println!("{text}");
}
