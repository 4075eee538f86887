//! An [`Analysis`] as text.

use std::fmt;

use super::{Analysis, Fitness, Liveness, NodeKind, Part, Rates};
use crate::table::table;

/// Names that are printed of a longer list, at its beginning.
const SHOWN: usize = 12;

/// The width of a kind's name.
const KIND: usize = "not determinate".len();

impl fmt::Display for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} nodes, {} edges, {} bytes of edges", self.nodes.len(), self.edges.len(), self.bytes())?;
        let several = self.parts.len() > 1;
        let nodes: Vec<[String; 3]> = self.nodes.iter().map(|node| node_row(node, several)).collect();
        table(f, ["node", &format!("{:<KIND$}", "kind"), "firings"], &nodes)?;
        let edges: Vec<[String; 8]> = self.edges.iter().map(edge_row).collect();
        table(f, ["edge", "gives", "takes", "initial", "bound", "least", "capacity", "bytes"], &edges)?;
        for (i, part) in self.parts.iter().enumerate() {
            writeln!(f)?;
            self.part(f, i, part)?;
        }
        writeln!(f)?;
        self.determinacy(f)?;
        if self.taps.is_empty() {
            return Ok(());
        }
        let taps = self.names(self.taps.iter().map(|tap| &**tap), ", ");
        writeln!(f, "seen from outside as time has it: {taps}")
    }
}

fn node_row(node: &super::NodeAnalysis, several: bool) -> [String; 3] {
    let part = node.part.filter(|_| several).map_or_else(String::new, |part| format!(" (part {})", part + 1));
    let firings = match (node.firings, node.part) {
        (Some(firings), _) => firings.to_string(),
        (None, Some(_)) => "?".to_owned(),
        (None, None) => "-".to_owned(),
    };
    [node.name.clone(), format!("{:<KIND$}", node.kind), firings + &part]
}

fn edge_row(edge: &super::EdgeAnalysis) -> [String; 8] {
    [
        edge.name.clone(),
        edge.gives.to_string(),
        edge.takes.to_string(),
        edge.initial.to_string(),
        edge.bound.to_string(),
        edge.least.map_or_else(|| "-".to_owned(), |least| least.to_string()),
        if edge.chosen { format!("{} (asked)", edge.capacity) } else { edge.capacity.to_string() },
        edge.bytes.to_string(),
    ]
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Fixed => "fixed",
            Self::Dynamic => "dynamic",
            Self::Process => "process",
            Self::Nondeterminate => "not determinate",
        })
    }
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Phases(phases) => match &phases[..] {
                [one] => write!(f, "{one}"),
                several => {
                    let shown: Vec<String> = several.iter().take(SHOWN).map(usize::to_string).collect();
                    let rest = if several.len() > SHOWN { ", …" } else { "" };
                    write!(f, "[{}{rest}]", shown.join(", "))
                }
            },
            Self::Window { peek, consume } => write!(f, "{consume} of {peek}"),
            Self::Dynamic => f.write_str("dynamic"),
        }
    }
}

impl Analysis {
    /// Names in quotes, those behind the first few left out.
    fn names<'a>(&self, names: impl ExactSizeIterator<Item = &'a str>, between: &str) -> String {
        let all = names.len();
        let mut parts: Vec<String> = names.take(SHOWN).map(|name| format!("`{name}`")).collect();
        if all > SHOWN {
            parts.push(format!("({} more)", all - SHOWN));
        }
        parts.join(between)
    }

    fn node_names(&self, nodes: &[usize], between: &str) -> String {
        self.names(nodes.iter().map(|&node| &*self.nodes[node].name), between)
    }

    fn part(&self, f: &mut fmt::Formatter<'_>, index: usize, part: &Part) -> fmt::Result {
        if self.parts.len() > 1 {
            write!(f, "part {}, {}: ", index + 1, self.node_names(&part.nodes, ", "))?;
        }
        match part.firings {
            Some(1) => write!(f, "an iteration is 1 firing; ")?,
            Some(firings) => write!(f, "an iteration is {firings} firings; ")?,
            None => {}
        }
        match &part.liveness {
            Liveness::Live { ahead } => {
                writeln!(f, "it can go on for ever")?;
                if !ahead.is_empty() {
                    let firings = part.nodes.iter().zip(ahead).filter(|(_, firings)| **firings > 0);
                    let firings: Vec<String> =
                        firings.map(|(&node, firings)| format!("{firings} {}", self.nodes[node].name)).collect();
                    let (shown, rest) = firings.split_at(firings.len().min(SHOWN));
                    let rest = if rest.is_empty() { String::new() } else { format!(", … ({} more)", rest.len()) };
                    writeln!(f, "  to fill the windows first: {}{rest}", shown.join(", "))?;
                }
            }
            Liveness::Deadlock(shortages) => {
                writeln!(f, "it comes to a deadlock, however large its edges are")?;
                for shortage in shortages {
                    let (edge, tokens) = (&self.edges[shortage.edge].name, shortage.tokens);
                    let nodes = self.node_names(&shortage.nodes, " -> ");
                    match shortage.needed {
                        Some(needed) => {
                            writeln!(f, "  the cycle {nodes} needs {needed} initial tokens on `{edge}`, not {tokens}")?;
                        }
                        None => writeln!(f, "  the cycle {nodes} needs more initial tokens on `{edge}` than {tokens}")?,
                    }
                }
            }
            Liveness::Inconsistent => writeln!(f, "its rates don't agree")?,
            Liveness::Unknown => writeln!(f, "too many firings to try an iteration out")?,
        }
        if let Fitness::Deadlock { nodes, full } = &part.fit {
            let full = self.names(full.iter().map(|&edge| &*self.edges[edge].name), ", ");
            let nodes = self.node_names(nodes, ", ");
            let are = if full.contains(", ") { "are" } else { "is" };
            writeln!(f, "  not with the capacities it has: {nodes} wait for one another, and {full} {are} full")?;
        }
        if !matches!(part.liveness, Liveness::Live { .. }) {
            return Ok(());
        }
        let text = |schedule: &Option<super::Schedule>| match schedule {
            Some(schedule) => self.notation(schedule),
            None => "too long to be written down".to_owned(),
        };
        writeln!(f, "  schedule: {}", text(&part.schedule))?;
        if part.tight != part.schedule && part.edges.iter().all(|&edge| self.edges[edge].least.is_some()) {
            writeln!(f, "  within the least capacities: {}", text(&part.tight))?;
        }
        Ok(())
    }

    fn determinacy(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_determinate() {
            return writeln!(f, "determinate: every edge carries the same tokens whatever the schedule");
        }
        let named = self.node_names(&self.nondeterminate, ", ");
        writeln!(f, "not determinate: time or the order of arrivals decides what comes from {named}")?;
        if self.downstream.is_empty() {
            return Ok(());
        }
        writeln!(f, "  and so what reaches {}", self.node_names(&self.downstream, ", "))
    }
}
