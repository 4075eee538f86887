//! The threads of this process, and what they cost, as Linux shows them.

use std::fs;
use std::time::{Duration, Instant};

/// The names of all threads, cut to fifteen bytes by the system. Empty where there is no `/proc`.
pub fn names() -> Vec<String> {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return Vec::new() };
    // A thread may end between the listing and the look.
    let name = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).ok();
    tasks.filter_map(|task| name(task.ok()?)).map(|name| name.trim_end().to_owned()).collect()
}

/// How many threads have a name that begins with `prefix`.
pub fn count(prefix: &str) -> usize {
    names().iter().filter(|name| name.starts_with(prefix)).count()
}

/// Waits until no more than `most` threads have that prefix; false where that does not come within a few seconds. A
/// thread that nobody joins takes a moment to go.
pub fn settle(prefix: &str, most: usize) -> bool {
    let until = Instant::now() + Duration::from_secs(5);
    while count(prefix) > most {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// The processor time of all threads of this process that live.
pub fn processor_time() -> Duration {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return Duration::ZERO };
    let ran = |task: fs::DirEntry| {
        let stat = fs::read_to_string(task.path().join("schedstat")).ok()?;
        stat.split_whitespace().next()?.parse::<u64>().ok()
    };
    Duration::from_nanos(tasks.filter_map(|task| ran(task.ok()?)).sum())
}

/// The pages of address space that this process has.
pub fn address_space() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split_whitespace().next().and_then(|pages| pages.parse().ok()).unwrap_or(0)
}
