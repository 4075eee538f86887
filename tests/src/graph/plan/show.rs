//! Plans in print: one line a node, one an edge.

use std::fmt::{self, Display, Formatter};

use super::program::{Count, Op, Until, Value};
use super::{CYCLES, Firing, Give, Kind, Node, Place, Plan, Program, Take};

fn list<T: Display>(f: &mut Formatter<'_>, items: impl IntoIterator<Item = T>, between: &str) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        write!(f, "{}{item}", if i == 0 { "" } else { between })?;
    }
    Ok(())
}

impl Display for Take {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::One => f.write_str("1"),
            Self::Exactly(n) => write!(f, "{n}"),
            Self::Window { peek, consume } => write!(f, "{consume} of {peek}"),
            Self::Cyclic(cycle) => write!(f, "{:?}", CYCLES[*cycle]),
        }
    }
}

impl Display for Give {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::One => f.write_str("1"),
            Self::Maybe => f.write_str("0..1"),
            Self::Any => f.write_str("any"),
            Self::Exactly(n) => write!(f, "{n}"),
            Self::Counted(cycle) => write!(f, "{:?}", CYCLES[*cycle]),
        }
    }
}

impl Display for Firing {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("takes (")?;
        list(f, &self.takes, ", ")?;
        f.write_str(") gives (")?;
        list(f, &self.gives, ", ")?;
        f.write_str(")")?;
        if let Some(limit) = self.limit {
            write!(f, " {limit} times")?;
        }
        let traits = [(self.stateful, "stateful"), (self.ascending, "ascending"), (self.finishes, "with a last word")];
        traits.iter().filter(|(has, _)| *has).try_for_each(|(_, name)| write!(f, ", {name}"))
    }
}

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "{n}"),
            Self::UpTo(n) => write!(f, "0..{n}"),
        }
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let last = |value: &Value| if *value == Value::Last { " last" } else { "" };
        match self {
            Self::Recv(port) => write!(f, "recv {port}"),
            Self::Peek(port) => write!(f, "peek {port}"),
            Self::RecvMany(port, count) => write!(f, "recv {port} times {count}"),
            Self::Both(a, b) => write!(f, "join {a} {b}"),
            Self::Least(a, b) => write!(f, "least of {a} {b}"),
            Self::RecvBy(a, b) => write!(f, "recv {a} or {b}"),
            Self::Send(port, value) => write!(f, "send{} {port}", last(value)),
            Self::SendMany(port, count) => write!(f, "send {port} times {count}"),
            Self::SendBy(a, b, value) => write!(f, "send{} {a} or {b}", last(value)),
            Self::Skip { once_in, ops } => write!(f, "skip {ops} once in {once_in}"),
            Self::Again { once_in, ops } => write!(f, "back {ops} but once in {once_in}"),
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "process {} -> {}", self.inputs, self.outputs)?;
        for phase in &self.phases {
            f.write_str(" { ")?;
            list(f, &phase.ops, "; ")?;
            match phase.until {
                Until::One => f.write_str(" } until one ends")?,
                Until::All => f.write_str(" } until all end")?,
                Until::Rounds(n) => write!(f, " }} {n} times")?,
            }
        }
        Ok(())
    }
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Firing(firing) => write!(f, "{firing}")?,
            Kind::Process(program) => write!(f, "{program}")?,
            Kind::Replay(tokens) => write!(f, "gives {tokens:?}")?,
            Kind::Drain => f.write_str("takes all")?,
        }
        write!(f, ", salt {:#x}", self.salt)?;
        if self.place != Place::Shared {
            write!(f, ", {:?}", self.place)?;
        }
        if self.work > 0 { write!(f, ", work {}", self.work) } else { Ok(()) }
    }
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} nodes, {} edges", self.nodes.len(), self.edges.len())?;
        for (i, node) in self.nodes.iter().enumerate() {
            writeln!(f, "  n{i}: {node}")?;
        }
        for edge in &self.edges {
            write!(f, "  n{}.{} -", edge.from.node, edge.from.port)?;
            match (edge.capacity, &edge.initial) {
                (None, None) => f.write_str("")?,
                (Some(capacity), None) => write!(f, "[{capacity}]-")?,
                (None, Some(initial)) => write!(f, "[initial {initial:?}]-")?,
                (Some(capacity), Some(initial)) => write!(f, "[{capacity}, initial {initial:?}]-")?,
            }
            writeln!(f, "> n{}.{}", edge.to.node, edge.to.port)?;
        }
        Ok(())
    }
}
