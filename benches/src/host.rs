//! The machine that a benchmark ran on, as facts for its header.

use std::fs::read_to_string;
use std::process::Command;
use std::thread::available_parallelism;

/// Processor, cores, governor, power state, kernel, compiler, commit; what can't be read is said to be so.
pub fn facts() -> Vec<String> {
    vec![
        format!("processor: {}; cores: {}", processor(), cores()),
        format!("governor: {}; power: {}", governor(), power()),
        format!("kernel: {}", read("/proc/sys/kernel/osrelease")),
        format!("compiler: {}; commit: {}", said("rustc", &["--version"]), commit()),
    ]
}

/// How many threads run at once.
pub fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

fn processor() -> String {
    let info = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    model.map_or_else(unknown, |model| model.trim().to_owned())
}

fn governor() -> String {
    read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
}

/// On mains or on battery, where the machine tells.
fn power() -> String {
    let supplies = std::fs::read_dir("/sys/class/power_supply").into_iter().flatten().flatten();
    let online = supplies.filter_map(|supply| {
        let state = read_to_string(supply.path().join("online")).ok()?;
        Some(format!("{} {}", supply.file_name().display(), if state.trim() == "1" { "online" } else { "offline" }))
    });
    let all: Vec<String> = online.collect();
    if all.is_empty() { unknown() } else { all.join(", ") }
}

fn commit() -> String {
    let commit = said("git", &["rev-parse", "--short", "HEAD"]);
    // Its words are caught, since outside of a repository it has many.
    let compared = Command::new("git").args(["diff", "--quiet", "HEAD"]).output();
    let dirty = compared.is_ok_and(|output| output.status.code() == Some(1));
    if dirty { format!("{commit}, changed") } else { commit }
}

fn read(path: &str) -> String {
    read_to_string(path).map_or_else(|_| unknown(), |text| text.trim().to_owned())
}

fn said(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().ok().filter(|output| output.status.success());
    output.map_or_else(unknown, |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn unknown() -> String {
    "unreadable".to_owned()
}
