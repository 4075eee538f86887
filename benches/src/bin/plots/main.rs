//! The sweep over depth and the sweep over work, as pictures.

mod data;
mod draw;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use kpn_benches::options::{Sampling, Selection};
use kpn_benches::report::{complain, line};
use kpn_benches::runner::{Arm, Error, Mode, in_turn};
use kpn_benches::topology::Topology;
use kpn_benches::work::iters_per_us;

use crate::data::{Point, Points, is_loop};
use crate::draw::{Chart, Scale};

/// Draws throughput over the depth of a chain and over the work of its nodes into SVG files.
#[derive(Parser)]
struct Options {
    #[command(flatten)]
    sampling: Sampling,
    /// What `bench_pipeline --csv` printed; measured anew where nothing is said.
    #[arg(long)]
    pipeline: Option<PathBuf>,
    /// What `rivals --csv` printed, for the rivals' rows.
    #[arg(long)]
    rivals: Option<PathBuf>,
    /// Which of the rivals are drawn.
    #[arg(long, value_delimiter = ',', default_value = "tbb_flow,tbb_pipe,xbeam,rtrb,rayon_actors,rayon_bridge,tokio")]
    peers: Vec<String>,
    /// Depths of the chains in the sweep over depth.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16,32")]
    depths: Vec<usize>,
    /// Work a node in the sweeps over depth, in µs: a picture each.
    #[arg(long, value_delimiter = ',', default_value = "0,1")]
    depth_work: Vec<f64>,
    /// Work a node in the sweep over work, in µs.
    #[arg(long, value_delimiter = ',', default_value = "0.1,0.3,1,3,10,30,100", value_parser = kpn_benches::options::not_negative)]
    work: Vec<f64>,
    /// The topology of the sweep over work.
    #[arg(long, default_value = "chain-8")]
    work_topo: Topology,
    /// Where the pictures go.
    #[arg(long, default_value = "benches/plots")]
    out: PathBuf,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("plots: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Error> {
    let own = match &options.pipeline {
        Some(file) => data::pipeline(file)?,
        None => measure(options)?,
    };
    let rivals = options.rivals.as_deref().map(data::rivals).transpose()?.unwrap_or_default();
    let rivals_named = |name: &str| options.peers.iter().any(|peer| peer == name);
    std::fs::create_dir_all(&options.out)?;

    for &work in &options.depth_work {
        let depth = |point: &Point| match point.topology {
            Topology::Chain(depth) if same(point.work, work) => Some(depth as f64),
            _ => None,
        };
        // Without work there is no ideal: one addition a node. Visits show what a node costs.
        let free = work == 0.0;
        let value = |points: &Points, point: &Point| match points.over_loop(point) {
            _ if free => Some(point.rate * point.topology.burns() as f64 / 1e6),
            ratio => ratio,
        };
        let mut chart = Chart {
            title: format!("Chains of nodes of {work} µs"),
            x: "nodes in the chain".to_owned(),
            x_base: 2.0,
            y: if free { "million node visits a second" } else { "items a second over one thread's loop" }.to_owned(),
            y_scale: if free { Scale::Log } else { Scale::FromZero },
            series: Vec::new(),
        };
        chart.add_all(&own, depth, value, |name| !free || !is_loop(name));
        chart.add_all(&rivals, depth, value, rivals_named);
        save(options, &chart, &format!("depth-{work}.svg"))?;
    }

    let work = |point: &Point| (point.topology == options.work_topo && point.work > 0.0).then_some(point.work);
    let mut chart = Chart {
        title: format!("{} over the work of its nodes", options.work_topo),
        x: "work a node, µs".to_owned(),
        x_base: 10.0,
        y: "items a second over one thread's loop".to_owned(),
        y_scale: Scale::FromZero,
        series: Vec::new(),
    };
    chart.add_all(&own, work, Points::over_loop, |_| true);
    chart.add_all(&rivals, work, Points::over_loop, rivals_named);
    save(options, &chart, "work.svg")
}

/// Work as it is written on a command line.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

fn save(options: &Options, chart: &Chart, name: &str) -> Result<(), Error> {
    let path = options.out.join(name);
    if chart.series.is_empty() {
        return Err(format!("nothing to draw in {}: no row has its topology and work", path.display()).into());
    }
    chart.draw(&path)?;
    line(&path.display().to_string());
    Ok(())
}

/// kpn's rows of all pictures, and the loops'.
fn measure(options: &Options) -> Result<Points, Error> {
    let select = |topos: Vec<Topology>, work: &[f64]| Selection {
        topos,
        depths: Vec::new(),
        work: work.to_vec(),
        modes: vec![Mode::Inline, Mode::Shared, Mode::Elastic, Mode::Private],
        pools: Vec::new(),
        cap: 64,
    };
    let chains = options.depths.iter().map(|&depth| Topology::Chain(depth)).collect();
    let depths = select(chains, &options.depth_work);
    let per_us = iters_per_us();
    let mut points = Points::default();
    for rows in depths.groups().into_iter().chain(select(vec![options.work_topo], &options.work).groups()) {
        let budget = options.sampling.budget();
        let mut arms = rows.iter().map(|row| Arm::new(*row, per_us, budget)).collect::<Result<Vec<_>, Error>>()?;
        in_turn(&mut arms, options.sampling.reps, Arm::sample)?;
        for arm in arms {
            let row = arm.runner.row;
            let rate = arm.total.rates.median();
            let name = data::own_name(row.mode, row.workers);
            points.push(Point { name, topology: row.topology, work: row.work, rate });
        }
    }
    Ok(points)
}
