//! What a process costs: time a token where it receives, computes and sends, and memory where it waits.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::Parser;
use kpn::node::NodeInfo;
use kpn::prelude::*;
use kpn_benches::measure::{interleaved, timed};

/// Nanoseconds a token and a process on one worker, and bytes a process that waits. Exits non-zero above a limit.
#[derive(Parser)]
struct Options {
    /// Tokens a sample.
    #[arg(long, default_value_t = 300_000, value_parser = kpn_benches::options::at_least_one::<u64>)]
    items: u64,
    /// Samples a row, taken in turn.
    #[arg(long, default_value_t = 15, value_parser = kpn_benches::options::at_least_one::<usize>)]
    reps: usize,
    /// Processes that wait.
    #[arg(long, default_value_t = 10_000)]
    processes: usize,
    /// The most nanoseconds a token.
    #[arg(long, default_value_t = 60.0)]
    limit: f64,
    /// The most bytes a process, its edge and ring of 64 words included.
    #[arg(long, default_value_t = 1536)]
    limit_bytes: usize,
}

/// Counts what is allocated and not freed.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator; counting touches no memory of its.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Processes in the chains that are timed.
const DEPTH: usize = 8;

const INFO: NodeInfo = NodeInfo { name: "process", inputs: &["x"], outputs: &["y"] };

async fn single(x: &mut In<u64>, y: &mut Out<u64>) -> Result<(), Closed> {
    while let Some(token) = x.recv().await {
        y.send(token + 1).await?;
    }
    Ok(())
}

async fn many(x: &mut In<u64>, y: &mut Out<u64>) -> Result<(), Closed> {
    let mut tokens = Vec::with_capacity(64);
    while x.recv_many(&mut tokens, 64).await > 0 {
        y.send_many(tokens.drain(..).map(|token| token + 1)).await?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            report(&format!("bench_process: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<bool, Box<dyn std::error::Error>> {
    let pool = Shared::new().workers(1).build()?;
    let (mut one, mut batch) = (|| chain(options.items, &pool, false), || chain(options.items, &pool, true));
    let samples = interleaved(options.reps, &mut [&mut one, &mut batch]);
    let ns = 1e9 / (options.items as f64 * DEPTH as f64);
    report("a chain of processes on one worker    ns a token and process: median [quartiles]");
    for (name, samples) in ["recv, add, send", "recv_many, add, send_many, by 64"].iter().zip(&samples) {
        let quantile = |q| samples.quantile(q) * ns;
        report(&format!("{name:<36}  {:.1} [{:.1}, {:.1}]", quantile(0.5), quantile(0.25), quantile(0.75)));
    }
    let bytes = waiting(options.processes)?;
    report(&format!("{} processes, each waiting on an edge of 64 words: {bytes} bytes apiece", options.processes));
    report(&format!("at most {} ns and {} bytes are allowed", options.limit, options.limit_bytes));
    Ok(samples[0].median() * ns <= options.limit && bytes <= options.limit_bytes)
}

fn chain(items: u64, pool: &kpn::ThreadPool, batched: bool) -> Duration {
    let (mut count, mut sum) = (0u64, 0u64);
    let mut b = Builder::new();
    let mut tail = b.add(source(0..items)).out;
    for _ in 0..DEPTH {
        let ((x,), (y,)) = b.process(INFO, move |(mut x,): (In<u64>,), (mut y,): (Out<u64>,)| async move {
            if batched { many(&mut x, &mut y).await } else { single(&mut x, &mut y).await }
        });
        b.connect(tail, x);
        tail = y;
    }
    b.pipe(
        tail,
        sink(|x| {
            count += 1;
            sum += x;
        }),
    );
    let net = b.build().expect("a chain is a valid network");
    let took = timed(|| {
        net.run_on(pool).expect("no node fails");
    });
    assert_eq!((count, sum), (items, items * (items - 1) / 2 + items * DEPTH as u64), "a token was lost or changed");
    took
}

/// A chain of processes that wait for a token from outside; bytes a process.
fn waiting(processes: usize) -> Result<usize, Box<dyn std::error::Error>> {
    let pool = Shared::new().workers(1).build()?;
    let before = LIVE.load(Ordering::SeqCst);
    let (input, inlet) = kpn::inlet::<u64>();
    let (outlet, mut output) = kpn::outlet::<u64>();
    let mut b = Builder::new();
    let mut tail = b.add(inlet).out;
    for _ in 0..processes {
        let ((x,), (y,)) =
            b.process(INFO, |(mut x,): (In<u64>,), (mut y,): (Out<u64>,)| async move { single(&mut x, &mut y).await });
        b.connect(tail, x).capacity(64);
        tail = y;
    }
    b.pipe(tail, outlet);
    let running = b.build()?.start_on(&pool)?;
    let mut input = input;
    // One token has passed all of them, so all have begun and wait.
    input.send(0)?;
    assert_eq!(output.recv()?, processes as u64);
    let bytes = (LIVE.load(Ordering::SeqCst) - before) / processes;
    drop(input);
    running.wait()?;
    Ok(bytes)
}

#[expect(clippy::print_stdout, reason = "a program's result")]
fn report(line: &str) {
    println!("{line}");
}
