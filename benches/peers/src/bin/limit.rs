//! No network. `limit_1t`: one thread does the whole topology inline. `limit_2t`: two threads share the items.

use peers::{Config, Sink, measure, unsupported};

fn span(config: &Config, items: std::ops::Range<u64>) -> u64 {
    let (topology, iters) = (config.topology, config.iters);
    // Without the black box work 0 would be summed as a formula.
    items.fold(0, |sum, item| sum.wrapping_add(topology.inline(std::hint::black_box(item), iters)))
}

fn main() {
    let config = Config::from_args();
    match config.peer.as_str() {
        "limit_1t" => measure(&config, |config, n| Sink::unordered(span(config, 0..n))),
        "limit_2t" => measure(&config, |config, n| {
            let halves = std::thread::scope(|scope| {
                let upper = scope.spawn(|| span(config, n / 2..n));
                (span(config, 0..n / 2), upper.join().expect("a span doesn't panic"))
            });
            Sink::unordered(halves.0.wrapping_add(halves.1))
        }),
        _ => unsupported(),
    }
}
