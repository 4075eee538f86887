//! Who takes part, by which program, and what may be compared with what.

/// What a row does with its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No network: one thread does all inline.
    Inline,
    /// A network of serial nodes whose tokens stay in order.
    InOrder,
    /// A network of serial nodes whose tokens may overtake each other.
    Unordered,
    /// Data-parallel: one stateless node, or the whole topology, on several cores at once.
    Parallel,
    /// kpn with serial nodes.
    Kpn,
    /// kpn with stateless nodes.
    KpnElastic,
}

/// Where a row's program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Rust(&'static str),
    /// It needs oneTBB.
    Cpp(&'static str),
}

/// A row of every table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) program: Program,
    /// Whether it runs where nothing is said.
    pub(crate) usual: bool,
}

impl Peer {
    const fn new(name: &'static str, kind: Kind, program: Program) -> Self {
        Self { name, kind, program, usual: true }
    }

    /// The peer of that name.
    pub(crate) fn named(name: &str) -> Result<&'static Self, String> {
        PEERS.iter().find(|peer| peer.name == name).ok_or_else(|| {
            let all: Vec<&str> = PEERS.iter().map(|peer| peer.name).collect();
            format!("unknown peer `{name}`: {}", all.join(", "))
        })
    }
}

pub(crate) const PEERS: &[Peer] = &[
    Peer::new("limit_1t", Kind::Inline, Program::Rust("limit")),
    Peer::new("limit_2t", Kind::Parallel, Program::Rust("limit")),
    Peer::new("tbb_flow", Kind::Unordered, Program::Cpp("tbb_flow")),
    Peer::new("tbb_flow_lw", Kind::Unordered, Program::Cpp("tbb_flow")),
    Peer::new("tbb_flow_key", Kind::Unordered, Program::Cpp("tbb_flow")),
    Peer::new("tbb_pipe", Kind::InOrder, Program::Cpp("tbb_pipeline")),
    Peer::new("tbb_pipe_par", Kind::Parallel, Program::Cpp("tbb_pipeline")),
    Peer::new("xbeam", Kind::InOrder, Program::Rust("threads")),
    Peer::new("rtrb", Kind::InOrder, Program::Rust("threads")),
    Peer::new("rayon_fused", Kind::Parallel, Program::Rust("rayon")),
    Peer::new("rayon_bridge", Kind::Parallel, Program::Rust("rayon")),
    Peer::new("rayon_actors", Kind::InOrder, Program::Rust("rayon")),
    Peer::new("tokio", Kind::InOrder, Program::Rust("tokio")),
    Peer { usual: false, ..Peer::new("timely", Kind::Parallel, Program::Rust("timely")) },
    Peer::new("kpn_shared", Kind::Kpn, Program::Rust("kpn")),
    Peer::new("kpn_private", Kind::Kpn, Program::Rust("kpn")),
    Peer::new("kpn_elastic", Kind::KpnElastic, Program::Rust("kpn")),
];
