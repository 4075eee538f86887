//! `tokio`: a task a node, a bounded channel an edge, a runtime of `--threads` workers.

use peers::{Config, Sink, Topology, fail, measure, node};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{Receiver, Sender, channel};

type Ends = (Vec<Sender<u64>>, Vec<Receiver<u64>>);

/// The sum of one token of each input, or the end.
async fn gather(inputs: &mut [Receiver<u64>]) -> Option<u64> {
    let mut sum = 0u64;
    for input in inputs {
        sum = sum.wrapping_add(input.recv().await?);
    }
    Some(sum)
}

/// A reader that is gone ends the network early, which the sink's sum shows.
async fn send(outputs: &[Sender<u64>], token: u64) {
    for output in outputs {
        let _ = output.send(token).await;
    }
}

async fn work(mut inputs: Vec<Receiver<u64>>, outputs: Vec<Sender<u64>>, iters: u64) {
    while let Some(token) = gather(&mut inputs).await {
        send(&outputs, node(token, iters)).await;
    }
}

fn network(config: &Config, n: u64, runtime: &Runtime) -> Sink {
    let iters = config.iters;
    let edges = |count: usize| -> Ends { (0..count).map(|_| channel(config.cap)).unzip() };
    let (source, mut last);
    match config.topology {
        Topology::Chain(depth) => {
            (source, last) = edges(1);
            for _ in 0..depth {
                let (outputs, next) = edges(1);
                runtime.spawn(work(std::mem::replace(&mut last, next), outputs, iters));
            }
        }
        Topology::Wide(width) => {
            let (copies, inputs) = edges(width);
            let (outputs, joined) = edges(width);
            for (input, output) in inputs.into_iter().zip(outputs) {
                runtime.spawn(work(vec![input], vec![output], iters));
            }
            (source, last) = (copies, joined);
        }
        Topology::Diamond => {
            let (first, a_input) = edges(1);
            let (a_outputs, branch_inputs) = edges(2);
            let (branch_outputs, d_inputs) = edges(2);
            let (d_output, end) = edges(1);
            runtime.spawn(work(a_input, a_outputs, iters));
            for (input, output) in branch_inputs.into_iter().zip(branch_outputs) {
                runtime.spawn(work(vec![input], vec![output], iters));
            }
            runtime.spawn(work(d_inputs, d_output, iters));
            (source, last) = (first, end);
        }
    }
    runtime.spawn(async move {
        for item in 0..n {
            send(&source, item).await;
        }
    });
    let mut sink = Sink::new(config.topology);
    let sink = runtime.spawn(async move {
        while let Some(token) = gather(&mut last).await {
            sink.take(token);
        }
        sink
    });
    runtime.block_on(sink).unwrap_or_else(|error| fail(&error.to_string()))
}

fn main() {
    let config = Config::from_args();
    let runtime = Builder::new_multi_thread().worker_threads(config.threads).build();
    let runtime = runtime.unwrap_or_else(|error| fail(&error.to_string()));
    measure(&config, |config, n| network(config, n, &runtime));
}
