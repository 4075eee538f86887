//! What the benchmarks share: calibrated work, topologies, samples and their spread, the host, tables.

pub mod allocations;
pub mod host;
pub mod measure;
pub mod report;
pub mod topology;
pub mod work;
