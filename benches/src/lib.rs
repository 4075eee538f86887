//! What the benchmarks share: calibrated work, topologies, samples and their spread.

pub mod measure;
pub mod topology;
pub mod work;
