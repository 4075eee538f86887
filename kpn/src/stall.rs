//! What a network does when it stalls, and what is said of it. A leaf: it imports nothing of the crate.

use std::fmt;

/// What happens when bounded edges stall a network that would go on if they were larger (an artificial deadlock, Parks 1995).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stall {
    /// The nodes on the cycle end, what can drain drains, and the run returns the [`Deadlock`].
    #[default]
    Error,
    /// The smallest full edge of the cycle grows, as in Parks' algorithm; [`Report::growths`](crate::Report::growths) tells.
    /// What the edges grow by, all together, stays within these bytes, counted by the size of a token without
    /// what it points to; beyond them it is an error as above.
    Grow {
        /// The bound in bytes.
        max_bytes: usize,
    },
}

/// An edge that grew.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Growth {
    /// The edge, as `a.out -> b.in`.
    pub edge: String,
    /// Its capacity before, in tokens.
    pub from: usize,
    /// Its capacity from then on, in tokens.
    pub to: usize,
}

/// Some nodes of a network wait for one another, and nothing else could wake them. It is known at once when the last of
/// them begins to wait; the rest of the network may still be running.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Deadlock {
    /// What kind it is.
    pub kind: DeadlockKind,
    /// The nodes on the cycle: each one waits for the next, and the last one for the first.
    pub cycle: Vec<Blocked>,
}

/// Kinds of deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum DeadlockKind {
    /// Some of the nodes wait for space: with larger edges the network would go on.
    Artificial {
        /// The smallest full edge of the cycle.
        edge: String,
        /// The capacity with which its writer could go on, in tokens.
        needed: usize,
        /// The bound of [`Stall::Grow`] that growing so would have passed, in bytes; `None` under [`Stall::Error`].
        max_bytes: Option<usize>,
    },
    /// All of the nodes wait for tokens: no capacity helps.
    True,
    /// A node waits for what is there already. That is a bug of this library, not of the network.
    LostWakeUp,
}

/// A node that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Blocked {
    /// Its name.
    pub node: String,
    /// The edge that it waits on, as `a.out -> b.in`: its own port is the one on its side.
    pub edge: String,
    /// What it waits for.
    pub waits_for: Waits,
    /// How many tokens or spaces it needs.
    pub need: usize,
    /// Tokens on the edge.
    pub len: usize,
    /// The edge's capacity.
    pub capacity: usize,
    /// The node at the edge's other end.
    pub peer: String,
}

/// What a node waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Waits {
    /// Tokens from its peer.
    Tokens,
    /// Space that its peer makes by taking tokens.
    Space,
}

/// Longer cycles are cut in the middle where they are printed.
const SHOWN: usize = 12;

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, edge, need, len, capacity, peer, .. } = self;
        let plural = if *need == 1 { "" } else { "s" };
        match self.waits_for {
            Waits::Tokens => {
                write!(
                    f,
                    "`{node}` needs {need} token{plural} from `{peer}` on `{edge}`, which has {len} of {capacity}"
                )
            }
            Waits::Space => {
                write!(
                    f,
                    "`{node}` needs {need} space{plural} from `{peer}` on `{edge}`, which has {len} of {capacity}"
                )
            }
        }
    }
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            DeadlockKind::Artificial { edge, needed, max_bytes: None } => write!(
                f,
                "an artificial deadlock: with a capacity of {needed} on `{edge}`, or with `Stall::Grow`, it would go on"
            )?,
            DeadlockKind::Artificial { edge, needed, max_bytes: Some(max_bytes) } => write!(
                f,
                "an artificial deadlock: with a capacity of {needed} on `{edge}` it would go on, but there is no memory for \
                 that within the {max_bytes} bytes by which edges may grow"
            )?,
            DeadlockKind::True => {
                f.write_str("a deadlock: each of these nodes waits for a token of the next, at any capacity")?
            }
            DeadlockKind::LostWakeUp => {
                f.write_str("a wake-up was lost, which is a bug of kpn and not of this network: please report it")?;
            }
        }
        for (i, blocked) in self.cycle.iter().enumerate() {
            if self.cycle.len() > SHOWN && i == SHOWN / 2 {
                write!(f, "; … {} more …", self.cycle.len() - SHOWN)?;
            }
            if self.cycle.len() <= SHOWN || i < SHOWN / 2 || i >= self.cycle.len() - SHOWN / 2 {
                write!(f, "{} {blocked}", if i == 0 { ":" } else { ";" })?;
            }
        }
        Ok(())
    }
}

/// As it is printed: errors that end a program are shown by `Debug`.
impl fmt::Debug for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Deadlock {}
