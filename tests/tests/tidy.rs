//! Invariants of absence: what must not be anywhere in the sources.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of the repository.
struct Source {
    /// Relative to the root, with slashes.
    path: String,
    text: String,
}

impl Source {
    /// Its lines of code with their numbers: without comments, and without the tests at its end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().map(|line| line.find("//").map_or(line, |comment| &line[..comment]));
        // By convention the tests of a module are its last item.
        lines.enumerate().map(|(i, line)| (i + 1, line)).take_while(|(_, line)| !line.starts_with("mod tests {"))
    }

    /// Whether all of it is a test.
    fn is_test(&self) -> bool {
        self.path.ends_with("tests.rs") || self.path.contains("/tests/") || self.path.contains("/models/")
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All text files that belong to the project.
fn sources() -> Vec<Source> {
    let root = root();
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(&root).output();
    let paths: Vec<String> = match listed {
        Ok(output) if output.status.success() && !output.stdout.is_empty() => {
            String::from_utf8_lossy(&output.stdout).split_terminator('\0').map(str::to_owned).collect()
        }
        // A copy without its history.
        _ => walk(&root),
    };
    let read = |path: String| fs::read_to_string(root.join(&path)).ok().map(|text| Source { path, text });
    let sources: Vec<Source> = paths.into_iter().filter_map(read).collect();
    assert!(sources.iter().any(|source| source.path == "kpn/src/lib.rs"), "the sources were not found");
    sources
}

fn walk(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("a readable entry")) {
            let (path, name) = (entry.path(), entry.file_name());
            if path.is_dir() && name != "target" && name != ".git" {
                folders.push(path);
            } else if let Ok(relative) = path.strip_prefix(root).map(|p| p.to_string_lossy().replace('\\', "/")) {
                files.push(relative);
            }
        }
    }
    files
}

/// The library's own sources without their tests.
fn library() -> Vec<Source> {
    let mut sources = sources();
    sources.retain(|source| {
        let library = source.path.starts_with("kpn/src/") || source.path.starts_with("kpn-macros/src/");
        library && source.path.ends_with(".rs") && !source.is_test()
    });
    sources
}

/// Fails with all findings at once.
fn none(rule: &str, findings: impl IntoIterator<Item = String>) {
    let mut text = String::new();
    findings.into_iter().for_each(|finding| writeln!(text, "  {finding}").expect("a string takes it"));
    assert!(text.is_empty(), "{rule}:\n{text}");
}

/// Every place in the code of `sources` that has one of the `words` in it.
fn places<'a>(sources: &'a [Source], words: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
    sources.iter().flat_map(move |source| {
        let found = move |line: &str| words.iter().find(|word| line.contains(**word)).copied();
        source.code().filter_map(move |(i, line)| found(line).map(|word| format!("{}:{i}: {word}", source.path)))
    })
}

/// What each room of the house may import; a token's way through the system is their order.
const IMPORTS: &[(&str, &[&str])] = &[
    ("sync", &[]),
    ("tuning", &[]),
    ("sync_loom", &[]),
    ("error", &[]),
    ("stall", &[]),
    ("digraph", &[]),
    ("table", &[]),
    ("analysis", &["digraph", "table"]),
    ("failure", &["stall"]),
    ("channel", &["sync"]),
    ("stats", &["sync"]),
    ("history", &["channel", "sync"]),
    ("tap", &["channel"]),
    ("node", &["channel", "history", "sync"]),
    ("graph", &["analysis", "digraph", "error", "node"]),
    ("dot", &["graph"]),
    ("plan", &["graph", "history", "node", "stall", "sync"]),
    ("runtime", &["channel", "failure", "history", "node", "plan", "stall", "stats", "sync", "tuning"]),
    ("config", &["failure", "runtime", "sync", "tuning"]),
    ("report", &["runtime", "stall", "stats", "sync", "table"]),
    (
        "net",
        &[
            "analysis", "channel", "config", "dot", "error", "failure", "graph", "history", "node", "plan", "report",
            "runtime", "stall", "sync", "tap",
        ],
    ),
    ("process", &["channel", "node", "runtime", "sync"]),
    ("builder", &["channel", "error", "graph", "net", "node", "plan", "process", "stall", "sync"]),
    ("nodes", &["builder", "node"]),
    ("grow", &["builder", "error", "failure", "node", "process", "runtime"]),
    ("nondet", &["builder", "node", "process", "runtime", "sync"]),
    ("verify", &["config", "failure", "graph", "history", "net", "node", "report", "runtime", "stall", "sync"]),
    ("harness", &["node"]),
    ("io", &["builder", "node", "nodes", "plan", "runtime", "sync"]),
    ("__rt", &["builder", "error", "history", "node", "process"]),
    ("__bench", &["channel", "tuning"]),
];

/// Where a file needs one name of a room above it, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    // What an activation is given is the runtime's.
    ("node/bound.rs", "runtime"),
    ("node/elastic/mod.rs", "runtime"),
    ("node/elastic/crew.rs", "runtime"),
    // A node enters a network by the builder.
    ("node/mod.rs", "builder"),
    ("node/refine.rs", "builder"),
    // An executor is public; what it stands for is started there.
    ("runtime/launch.rs", "config"),
    ("runtime/pool.rs", "config"),
];

#[test]
fn imports_point_one_way() {
    let mut findings = BTreeSet::new();
    for source in library() {
        let Some(file) = source.path.strip_prefix("kpn/src/").filter(|file| *file != "lib.rs") else { continue };
        let room = file.split(['/', '.']).next().unwrap_or_default();
        let Some((_, allowed)) = IMPORTS.iter().find(|(known, _)| *known == room) else {
            findings.insert(format!("{file}: give the module `{room}` its line in `IMPORTS`"));
            continue;
        };
        for (i, line) in source.code() {
            for target in line.split("crate::").skip(1) {
                let target = target.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                let module = IMPORTS.iter().any(|(known, _)| *known == target);
                let allowed = target == room || allowed.contains(&target) || EXCEPTIONS.contains(&(file, target));
                if module && !allowed {
                    findings.insert(format!("{file}:{i}: `{room}` imports `{target}`"));
                } else if target.is_empty() {
                    findings.insert(format!("{file}:{i}: spell out one `use crate::…` a module"));
                }
            }
        }
    }
    none("imports point one way", findings);
}

#[test]
fn sync_is_the_only_home_of_primitives() {
    let mut sources = library();
    sources.retain(|source| !matches!(&*source.path, "kpn/src/sync.rs" | "kpn/src/sync_loom.rs"));
    let words = [
        "sync::atomic",
        "std::thread",
        "sync::Mutex",
        "sync::RwLock",
        "sync::Condvar",
        "sync::Barrier",
        "sync::mpsc",
        "time::Instant",
        "spin_loop",
        "available_parallelism",
        "parking_lot",
        "crossbeam_utils",
        "crossbeam_deque",
        "loom::",
    ];
    none("atomics, locks, threads, parking, clock and core count come from `sync`", places(&sources, &words));
}

/// A wait with a deadline of the user's, and a few turns for others before a park: no wake-up depends on either.
const KNOWN_WAITS: &[(&str, &str)] = &[
    ("kpn/src/runtime/life.rs", "self.end.wait_until(&mut ended, deadline)"),
    ("kpn/src/runtime/private.rs", "thread::yield_now();"),
];

#[test]
fn the_runtime_has_no_timed_wait() {
    let words =
        ["wait_until(", "wait_for(", "wait_while_for(", "_timeout(", "_deadline(", "thread::sleep", "yield_now"];
    let mut findings = Vec::new();
    for source in library().iter().filter(|source| source.path.starts_with("kpn/src/runtime/")) {
        for (i, line) in source.code().filter(|(_, line)| words.iter().any(|word| line.contains(word))) {
            let declares = line.contains("fn ");
            let known = KNOWN_WAITS.iter().any(|(path, call)| *path == source.path && line.contains(call));
            if !declares && !known {
                findings.push(format!("{}:{i}: {}", source.path, line.trim()));
            }
        }
    }
    none("a wake-up that was lost is a defect, which a timed wait would hide", findings);
}

/// A line without what stands between quotes.
fn outside_strings(line: &str) -> String {
    line.replace("'\"'", "").split('"').step_by(2).collect()
}

#[test]
fn every_unsafe_has_its_reason() {
    let mut findings = Vec::new();
    // Programs under `ui` are wrong on purpose.
    let read = |source: &&Source| {
        let exempt = source.path == "tests/tests/tidy.rs" || source.path.starts_with("tests/ui/");
        source.path.ends_with(".rs") && !exempt
    };
    for source in sources().iter().filter(read) {
        let lines: Vec<&str> = source.text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            let bare = outside_strings(line);
            let code = bare.find("//").map_or(&*bare, |comment| &bare[..comment]);
            let is_block =
                code.contains("unsafe {") || code.contains("unsafe impl") || code.trim_end().ends_with("unsafe");
            // A method of an unsafe trait has its contract there, and its argument inside.
            let is_fn = code.contains("unsafe fn");
            let above = |lines_above: usize, reason: &str| {
                lines[i.saturating_sub(lines_above)..=i].iter().any(|line| line.contains(reason))
            };
            if (is_block && !above(6, "SAFETY:")) || (is_fn && !above(12, "# Safety") && !above(12, "SAFETY:")) {
                findings.push(format!("{}:{}: {}", source.path, i + 1, line.trim()));
            }
        }
    }
    none("every `unsafe` argues from an invariant, in a comment `SAFETY:` above it", findings);
}

#[test]
fn nothing_is_left_to_do() {
    let words = ["todo!", "unimplemented!", "dbg!", "print!(", "println!("];
    let sources = library();
    let marks = [concat!("FIX", "ME"), concat!("TO", "DO"), concat!("XX", "X")];
    let comments = sources.iter().flat_map(|source| {
        let marked = move |line: &str| marks.iter().any(|mark| line.contains(mark));
        let lines = source.text.lines().enumerate().filter(move |(_, line)| marked(line));
        lines.map(|(i, line)| format!("{}:{}: {}", source.path, i + 1, line.trim()))
    });
    none("a library doesn't print, and is finished", places(&sources, &words).chain(comments));
}

#[test]
fn a_file_is_read_in_one_sitting() {
    let lines = |source: &Source| source.text.lines().count();
    let sources = sources();
    let long = sources.iter().filter(|source| source.path.ends_with(".rs") && lines(source) > 400);
    none("files over 400 lines", long.map(|source| format!("{}: {} lines", source.path, lines(source))));
}

#[test]
fn no_file_names_a_machine() {
    let places = [
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
        concat!("/Us", "ers/"),
        concat!("/wo", "rk/"),
        concat!("/t", "mp/"),
        concat!("C:", "\\"),
    ];
    let mut findings = Vec::new();
    for source in sources() {
        for (i, line) in source.text.lines().enumerate() {
            let absolute = |place: &&str| line.match_indices(*place).any(|(at, _)| !line[..at].ends_with(is_path_part));
            findings.extend(
                places
                    .iter()
                    .filter(|place| absolute(place))
                    .map(|place| format!("{}:{}: {place}", source.path, i + 1)),
            );
        }
    }
    none("paths of one machine", findings);
}

/// What stands before a slash inside a longer path.
fn is_path_part(c: char) -> bool {
    c.is_alphanumeric() || "._-}~".contains(c)
}
