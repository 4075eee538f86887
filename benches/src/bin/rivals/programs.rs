//! The peers' programs: building them, and running one of them for one row.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kpn_benches::report::line;
use kpn_benches::topology::Topology;

use crate::roster::{Peer, Program};
use crate::{Outcome, Plan};

/// Where the sources are.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers");

/// What the programs say of a topology that they can't express.
const UNSUPPORTED: i32 = 3;

/// The built programs.
pub(crate) struct Programs {
    folder: PathBuf,
    /// Its version.
    tbb: Option<String>,
}

impl Programs {
    /// The folder `peers` beside the one of this program's profile, so within the same `target`.
    pub(crate) fn folder() -> Outcome<PathBuf> {
        let program = std::env::current_exe()?;
        let target = program.ancestors().nth(2).ok_or("this program is in no target folder")?;
        Ok(target.join("peers"))
    }

    /// Builds what these peers need. Without oneTBB, its programs are left out.
    pub(crate) fn build(peers: &[&Peer]) -> Outcome<Self> {
        let folder = Self::folder()?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--release", "--target-dir"]).arg(&folder).current_dir(SOURCES);
        if peers.iter().any(|peer| peer.program == Program::Rust("timely")) {
            build.args(["--features", "timely"]);
        }
        succeed(&mut build)?;

        let mut cpp: Vec<&str> = peers.iter().filter_map(|peer| peer.cpp()).collect();
        cpp.dedup();
        let tbb = if cpp.is_empty() { None } else { tbb_version() };
        if tbb.is_some() {
            cpp.iter().try_for_each(|name| compile(name, &folder))?;
        } else if !cpp.is_empty() {
            line("# no g++ with oneTBB (`apt install g++ libtbb-dev`): its rows are left out");
        }
        Ok(Self { folder, tbb })
    }

    /// What the C++ programs were built with.
    pub(crate) fn tbb(&self) -> &str {
        self.tbb.as_deref().unwrap_or("none")
    }

    /// Whether this peer's program is there.
    pub(crate) fn has(&self, peer: &Peer) -> bool {
        peer.cpp().is_none() || self.tbb.is_some()
    }

    /// One row in a process of its own: the line that it prints, or nothing where the peer can't express the topology.
    pub(crate) fn run(&self, peer: &Peer, topo: Topology, work_us: f64, plan: &Plan) -> Outcome<Option<String>> {
        let program = match peer.program {
            Program::Rust(name) => self.folder.join("release").join(name),
            Program::Cpp(name) => self.folder.join("cpp").join(name),
        };
        let mut command = Command::new(program);
        command.env("SPIN_PER_US", plan.iters_per_us.to_string()).args(["--peer", peer.name]);
        let options = [
            ("--topo", topo.to_string()),
            ("--work", work_us.to_string()),
            ("--threads", plan.threads.to_string()),
            ("--cap", plan.cap.to_string()),
            ("--reps", plan.reps.to_string()),
            ("--target-ms", plan.target_ms.to_string()),
            ("--min-items", plan.min_items.to_string()),
        ];
        options.iter().for_each(|(name, value)| {
            command.args([name, value.as_str()]);
        });
        let output = command.output().map_err(|error| format!("{}: {error}", peer.name))?;
        if output.status.code() == Some(UNSUPPORTED) {
            return Ok(None);
        }
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{} failed at {topo}, {work_us} µs: {}", peer.name, why.trim()).into());
        }
        Ok(Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()))
    }
}

impl Peer {
    fn cpp(&self) -> Option<&'static str> {
        match self.program {
            Program::Cpp(name) => Some(name),
            Program::Rust(_) => None,
        }
    }
}

/// What the compiler finds, if anything.
fn tbb_version() -> Option<String> {
    let mut compiler = Command::new("g++");
    compiler.args(["-E", "-P", "-x", "c++", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = compiler.spawn().ok()?;
    let source = "#include <oneapi/tbb/version.h>\nTBB_VERSION_MAJOR TBB_VERSION_MINOR\n";
    child.stdin.take()?.write_all(source.as_bytes()).ok()?;
    let output = child.wait_with_output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout);
    Some(text.lines().last()?.trim().replace(' ', "."))
}

/// Compiles `cpp/NAME.cpp` where it is newer than its program.
fn compile(name: &str, folder: &Path) -> Outcome<()> {
    let sources = Path::new(SOURCES).join("cpp");
    let (source, program) = (sources.join(name).with_extension("cpp"), folder.join("cpp").join(name));
    let changed = |path: &Path| path.metadata().and_then(|data| data.modified());
    let newest = changed(&source)?.max(changed(&sources.join("harness.hpp"))?);
    if changed(&program).is_ok_and(|built| built > newest) {
        return Ok(());
    }
    std::fs::create_dir_all(folder.join("cpp"))?;
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O3", "-Wall", "-Wextra", "-pthread", "-o"]).args([&program, &source]).arg("-ltbb");
    succeed(&mut compiler)
}

fn succeed(command: &mut Command) -> Outcome<()> {
    let name = command.get_program().display().to_string();
    let status = command.status().map_err(|error| format!("{name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed").into()) }
}
