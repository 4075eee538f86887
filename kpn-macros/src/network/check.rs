//! What the macro can see without types: names, and who is wired how often.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, TokenTree};

use super::cycles;
use super::model::{Arrow, Chain, Kind, Stage, Written};
use crate::names::{meant, plain};
use crate::report::Report;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Node(usize),
    In(usize),
    Out(usize),
    /// Declared, but in a way that can't be expanded.
    Broken,
}

/// The names that are declared inside.
pub(crate) struct Names(HashMap<String, Known>);

impl Names {
    pub(crate) fn of(written: &Written) -> Self {
        let mut names = HashMap::new();
        for (i, open) in written.opens.iter().enumerate() {
            let known = if open.inward { Known::In(i) } else { Known::Out(i) };
            names.entry(plain(&open.name)).or_insert(known);
        }
        for (i, node) in written.nodes.iter().enumerate() {
            names.entry(plain(&node.name)).or_insert(if node.node.is_some() { Known::Node(i) } else { Known::Broken });
        }
        Self(names)
    }

    pub(crate) fn get(&self, name: &Ident) -> Option<Known> {
        self.0.get(&plain(name)).copied()
    }
}

/// Which side of a node an arrow touches.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Inputs,
    Outputs,
}

/// Reports every rule that the network breaks, and marks the chains that can't be expanded.
pub(crate) fn check(written: &mut Written, names: &Names, report: &mut Report) {
    let mut checker = Checker { names, used: HashMap::new(), outer: HashSet::new(), unsound: false, report };
    checker.duplicates(written);
    for chain in &mut written.chains {
        checker.unsound = false;
        checker.chain(chain, false, false);
        chain.broken |= checker.unsound;
    }
    // A broken chain may be meant to use what is now unused, and to put a token on a cycle.
    if written.chains.iter().all(|chain| !chain.broken) {
        checker.unused(written);
        cycles::check(written, names, report);
    }
}

struct Checker<'a> {
    names: &'a Names,
    /// Per node and side, the ports wired so far; `None` stands for the whole side.
    used: HashMap<(String, Side), Vec<Option<String>>>,
    /// Node values from outside, which stand in one place each.
    outer: HashSet<String>,
    /// Something was found that keeps the chain at hand from being expanded.
    unsound: bool,
    report: &'a mut Report,
}

impl Checker<'_> {
    fn duplicates(&mut self, written: &Written) {
        let all = written.opens.iter().map(|open| &open.name).chain(written.nodes.iter().map(|node| &node.name));
        let mut seen = HashSet::new();
        for name in all {
            if !seen.insert(plain(name)) {
                self.report.at(
                    name,
                    format_args!("`{name}` is declared twice: each node and each open port has a name of its own"),
                );
            }
        }
        if let Some(open) = written.opens.get(12) {
            self.report.at(&open.name, "a network has 12 open ports at most: put some together in a struct");
        }
    }

    /// Reports at a stage that can't be expanded.
    fn unsound(&mut self, at: impl quote::ToTokens, message: impl std::fmt::Display) {
        self.unsound = true;
        self.report.at(at, message);
    }

    fn chain(&mut self, chain: &Chain, fed: bool, read: bool) {
        let last = chain.stages.len().saturating_sub(1);
        for (i, stage) in chain.stages.iter().enumerate() {
            self.stage(stage, fed || i > 0, read || i < last);
        }
        for (stages, arrow) in chain.stages.windows(2).zip(&chain.arrows) {
            if let [from, to] = stages {
                self.initial(from, to, arrow);
            }
        }
    }

    /// Initial tokens lie on one edge.
    fn initial(&mut self, from: &Stage, to: &Stage, arrow: &Arrow) {
        let several = |stage: &Stage| match &stage.kind {
            Kind::Block(members) => members.len() > 1,
            Kind::Row(..) => true,
            _ => false,
        };
        let Some(value) = arrow.initial() else { return };
        let instead = match (several(from), several(to)) {
            (false, false) => return,
            (_, true) => {
                "give them inside the block to the arrow that leads to one port, \
                          `{ map(|x| x) -[initial: [..]]-> node.port, .. }`"
            }
            (true, false) => "name the port, `a -[initial: [..]]-> node.port`",
        };
        self.unsound(
            value,
            format_args!("initial tokens lie on one edge, but this arrow stands for several: {instead}"),
        );
    }

    fn stage(&mut self, stage: &Stage, fed: bool, read: bool) {
        match &stage.kind {
            Kind::Name(name) => self.name(name, fed, read),
            Kind::Port(node, port) => self.port(stage, node, port, fed, read),
            Kind::Node(_, [Some(TokenTree::Ident(first)), Some(TokenTree::Punct(dot))])
                if dot.as_char() == '.' && self.names.get(first).is_some() =>
            {
                self.unsound(
                    &stage.tokens,
                    format_args!(
                        "`{first}` is declared here, so it is refined where it is declared: `{first} = node.named(..);`"
                    ),
                );
            }
            Kind::Node(..) => {}
            Kind::Block(members) => members.iter().for_each(|member| self.chain(member, fed, read)),
            Kind::Row(node, _) => self.row(node, fed, read),
        }
    }

    fn name(&mut self, name: &Ident, fed: bool, read: bool) {
        match self.names.get(name) {
            Some(Known::Node(_)) => {
                if fed {
                    self.wire(name, Side::Inputs, None);
                }
                if read {
                    self.wire(name, Side::Outputs, None);
                }
            }
            Some(Known::In(_)) if fed => {
                self.unsound(name, format_args!("`{name}` is an `in` port: arrows lead away from it, not to it"));
            }
            Some(Known::Out(_)) if read => {
                self.unsound(name, format_args!("`{name}` is an `out` port: arrows lead to it, not away from it"));
            }
            Some(Known::In(_)) => self.wire(name, Side::Outputs, None),
            Some(Known::Out(_)) => self.wire(name, Side::Inputs, None),
            Some(Known::Broken) => {}
            None => {
                if !self.outer.insert(plain(name)) {
                    self.report.at(
                        name,
                        format_args!(
                            "`{name}` is a node from outside and stands here for the second time: declare it, \
                             `node = {name};`, and name `node`"
                        ),
                    );
                }
            }
        }
    }

    fn port(&mut self, stage: &Stage, node: &Ident, port: &Ident, fed: bool, read: bool) {
        match self.names.get(node) {
            Some(Known::Node(_)) if fed && read => {
                self.unsound(
                    &stage.tokens,
                    format_args!(
                        "a chain begins or ends at a port, it doesn't go through one: end it here, and begin another \
                         at an output of `{node}`"
                    ),
                );
            }
            Some(Known::Node(_)) => {
                let side = if fed { Side::Inputs } else { Side::Outputs };
                if fed || read {
                    self.wire_at(&stage.tokens, node, side, Some(plain(port)));
                }
            }
            Some(Known::In(_) | Known::Out(_)) => {
                self.unsound(port, format_args!("`{node}` is an open port, so it has no port `{port}`"));
            }
            Some(Known::Broken) => {}
            None => self.unknown_node(node),
        }
    }

    fn unknown_node(&mut self, node: &Ident) {
        let known: Vec<&str> =
            self.names.0.iter().filter(|(_, k)| matches!(k, Known::Node(_))).map(|(n, _)| &**n).collect();
        let hint = match meant(&plain(node), known) {
            Some(meant) => format!("; did you mean `{meant}`?"),
            None => format!(": declare it, `{node} = ..;`"),
        };
        self.unsound(node, format_args!("no node `{node}` is declared here{hint}"));
    }

    fn row(&mut self, node: &Chain, fed: bool, read: bool) {
        for stage in &node.stages {
            match &stage.kind {
                Kind::Node(..) => self.stage(stage, fed, read),
                Kind::Name(name) => self.unsound(
                    name,
                    format_args!(
                        "`{name}` is one node, and `[node; N]` makes `N` of them: write what makes one, `[{name}(); N]`"
                    ),
                ),
                _ => self.unsound(&stage.tokens, "`[node; N]` makes `N` nodes: write what makes one of them"),
            }
        }
    }

    fn wire(&mut self, name: &Ident, side: Side, port: Option<String>) {
        self.wire_at(name, name, side, port);
    }

    /// Notes that a port, or a whole side of a node, is wired here.
    fn wire_at(&mut self, at: impl quote::ToTokens, name: &Ident, side: Side, port: Option<String>) {
        let used = self.used.entry((plain(name), side)).or_default();
        let again = used.iter().any(|other| other.is_none() || port.is_none() || *other == port);
        used.push(port.clone());
        if !again {
            return;
        }
        let what = match (side, &port, self.names.get(name)) {
            (_, _, Some(Known::In(_) | Known::Out(_))) => format!("the open port `{name}` is"),
            (Side::Inputs, Some(port), _) => format!("the input `{name}.{port}` is"),
            (Side::Outputs, Some(port), _) => format!("the output `{name}.{port}` is"),
            (Side::Inputs, None, _) => format!("the inputs of `{name}` are"),
            (Side::Outputs, None, _) => format!("the outputs of `{name}` are"),
        };
        let rule = match side {
            Side::Inputs => "an input has one writer",
            Side::Outputs => "an output has one arrow, and a block `-> { a, b }` copies its tokens",
        };
        self.report.at(at, format_args!("{what} wired twice: {rule}"));
    }

    fn unused(&mut self, written: &Written) {
        let used = |name: &Ident| {
            [Side::Inputs, Side::Outputs].into_iter().any(|side| self.used.contains_key(&(plain(name), side)))
        };
        let nodes: Vec<&Ident> = written
            .nodes
            .iter()
            .filter(|node| node.node.is_some())
            .map(|node| &node.name)
            .filter(|name| !used(name))
            .collect();
        let opens: Vec<&Ident> = written.opens.iter().map(|open| &open.name).filter(|name| !used(name)).collect();
        for name in nodes {
            self.report.at(name, format_args!("`{name}` is declared, but no arrow leads to it or away from it"));
        }
        for name in opens {
            self.report.at(name, format_args!("the open port `{name}` is wired to nothing inside"));
        }
    }
}
