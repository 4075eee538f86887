//! Cycles that can't start, as far as they can be seen without types.
//!
//! What may be a composite is no way through: its inside may have the initial tokens, or lead nowhere. `build` sees
//! that, and says the same of the cycles that are left here.

use std::collections::{HashMap, VecDeque};

use proc_macro2::TokenStream;
use syn::{Expr, Lit};

use super::check::{Known, Names};
use super::model::{Arrow, Chain, Kind, Stage, Written};
use crate::names::plain;
use crate::report::Report;

/// A row of more nodes is left to `build`.
const MOST_OF_A_ROW: usize = 256;

/// Reports each arrow that closes a cycle on which no arrow has `initial`.
///
/// The arrows are taken in the order of the source, and one that closes a cycle is taken for one with initial tokens
/// from then on. So each is the last of its cycle, and once all of them have tokens there is no such cycle.
pub(crate) fn check(written: &Written, names: &Names, report: &mut Report) {
    let mut graph = Graph { names, nodes: Vec::new(), edges: Vec::new(), arrows: Vec::new() };
    for node in &written.nodes {
        let solid = node.node.as_ref().and_then(function).is_some();
        graph.nodes.push(Node { name: plain(&node.name), solid, next: Vec::new() });
    }
    for chain in &written.chains {
        graph.chain(chain);
    }
    graph.edges.sort_by_key(|edge| edge.arrow);
    for edge in std::mem::take(&mut graph.edges) {
        let Shown { tokens, starts, edges, told } = &graph.arrows[edge.arrow];
        if *starts {
            continue;
        }
        let Some(way) = graph.way(edge.to, edge.from) else {
            graph.nodes[edge.from].next.push(edge.to);
            continue;
        };
        if *told {
            continue;
        }
        let way = way.iter().chain([&edge.to]).map(|&node| format!("`{}`", graph.nodes[node].name));
        let cycle = way.collect::<Vec<_>>().join(" -> ");
        let cure = match edges {
            Edges::One => {
                "give this arrow `-[initial: [..]]->`, or `-[initial: []]->` where a process on it sends first"
            }
            Edges::IntoBlock => {
                "this arrow stands for several edges, so put a node into the block: \
                 `{ map(|x| x) -[initial: [..]]-> node.port, .. }`"
            }
            Edges::OutOfBlock => {
                "this arrow stands for several edges, so name the port: `node -[initial: [..]]-> node.port`"
            }
        };
        report.at(tokens, format_args!("the cycle {cycle} can't start: no token is on it; {cure}"));
        graph.arrows[edge.arrow].told = true;
    }
}

struct Node {
    name: String,
    /// What comes in may go out. A composite may keep the two apart.
    solid: bool,
    /// Where the arrows without initial tokens lead that have been looked at.
    next: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Edge {
    from: usize,
    to: usize,
    arrow: usize,
}

struct Shown {
    tokens: TokenStream,
    starts: bool,
    edges: Edges,
    told: bool,
}

/// How many edges an arrow stands for.
#[derive(Clone, Copy)]
enum Edges {
    One,
    IntoBlock,
    OutOfBlock,
}

struct Graph<'a> {
    names: &'a Names,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// In the order of the source.
    arrows: Vec<Shown>,
}

/// The nodes at both sides of a stage; none where an open port or a composite is.
#[derive(Clone, Default)]
struct Placed {
    ins: Vec<Option<usize>>,
    outs: Vec<Option<usize>>,
}

impl Placed {
    fn one(node: Option<usize>) -> Self {
        Self { ins: vec![node], outs: vec![node] }
    }

    fn beside(mut self, other: Self) -> Self {
        self.ins.extend(other.ins);
        self.outs.extend(other.outs);
        self
    }
}

impl Graph<'_> {
    fn chain(&mut self, chain: &Chain) -> Placed {
        let Some(first) = chain.stages.first() else { return Placed::default() };
        let first = self.stage(first);
        let ins = first.ins.clone();
        let mut outs = first.outs;
        for (stage, arrow) in chain.stages.iter().skip(1).zip(&chain.arrows) {
            let at = self.arrows.len();
            let starts = arrow.initial().is_some();
            self.arrows.push(Shown { tokens: arrow.tokens.clone(), starts, edges: Edges::One, told: false });
            let to = self.stage(stage);
            self.arrows[at].edges = match (outs.len(), to.ins.len()) {
                (_, 2..) => Edges::IntoBlock,
                (2.., _) => Edges::OutOfBlock,
                _ => Edges::One,
            };
            self.arrow(at, &outs, &to.ins);
            outs = to.outs;
        }
        Placed { ins, outs }
    }

    fn stage(&mut self, stage: &Stage) -> Placed {
        match &stage.kind {
            Kind::Name(name) | Kind::Port(name, _) => match self.names.get(name) {
                Some(Known::Node(node)) => Placed::one(self.nodes[node].solid.then_some(node)),
                _ => Placed::one(None),
            },
            Kind::Node(expr, _) => Placed::one(function(expr).map(|name| {
                self.nodes.push(Node { name, solid: true, next: Vec::new() });
                self.nodes.len() - 1
            })),
            Kind::Block(members) => {
                members.iter().fold(Placed::default(), |placed, member| placed.beside(self.chain(member)))
            }
            Kind::Row(node, count) => match literal(count).filter(|&count| count <= MOST_OF_A_ROW) {
                Some(count) => (0..count).fold(Placed::default(), |placed, _| placed.beside(self.chain(node))),
                None => Placed::one(None),
            },
        }
    }

    /// Equal numbers pair up; otherwise one side is one node, with one port or with several.
    fn arrow(&mut self, arrow: usize, outs: &[Option<usize>], ins: &[Option<usize>]) {
        let most = outs.len().max(ins.len());
        let all = |side: &[Option<usize>]| side.iter().copied().cycle().take(most).collect::<Vec<_>>();
        for (from, to) in all(outs).into_iter().zip(all(ins)) {
            if let (Some(from), Some(to)) = (from, to) {
                self.edges.push(Edge { from, to, arrow });
            }
        }
    }

    /// The shortest way from one node to another, both included.
    fn way(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut before = HashMap::from([(from, from)]);
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                let mut way = vec![node];
                while let Some(&node) = way.last().filter(|&&node| node != from) {
                    way.push(before[&node]);
                }
                way.reverse();
                return Some(way);
            }
            for &next in &self.nodes[node].next {
                before.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    node
                });
            }
        }
        None
    }
}

impl Arrow {
    /// The value of the option `initial`.
    pub(crate) fn initial(&self) -> Option<&Expr> {
        self.options.iter().find(|(name, _)| name == "initial").map(|(_, value)| value)
    }
}

/// The name of the function or the struct that an expression makes a node of; `None` where it may be a composite.
fn function(expr: &Expr) -> Option<String> {
    let last = |path: &syn::Path| path.segments.last().map(|last| plain(&last.ident));
    match expr {
        Expr::Call(call) => match &*call.func {
            // Of `Mean::default()` the type says more.
            Expr::Path(path) => {
                let owner = path.path.segments.iter().rev().nth(1).map(|owner| plain(&owner.ident));
                owner.filter(|owner| owner.starts_with(char::is_uppercase)).or_else(|| last(&path.path))
            }
            _ => None,
        },
        Expr::Struct(node) => last(&node.path),
        Expr::MethodCall(call) if call.method == "unwrap" || call.method == "expect" => None,
        Expr::MethodCall(call) => function(&call.receiver),
        Expr::Paren(inner) => function(&inner.expr),
        Expr::Group(inner) => function(&inner.expr),
        _ => None,
    }
}

fn literal(count: &Expr) -> Option<usize> {
    match count {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        Expr::Paren(inner) => literal(&inner.expr),
        Expr::Group(inner) => literal(&inner.expr),
        _ => None,
    }
}
