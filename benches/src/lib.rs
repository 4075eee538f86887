//! What the benchmarks share: calibrated work, topologies, rows and
//! their options, samples and their spread, the host, tables.

pub mod allocations;
pub mod burner;
pub mod histogram;
pub mod host;
pub mod measure;
pub mod options;
pub mod report;
pub mod runner;
pub mod topology;
pub mod work;
