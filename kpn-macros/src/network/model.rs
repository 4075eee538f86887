//! A network as it was written.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{Expr, Type};

/// All statements by their kind, each in the order of the source.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) opens: Vec<Open>,
    pub(crate) nodes: Vec<Declared>,
    pub(crate) chains: Vec<Chain>,
}

/// An open port: `in x: T;` or `out y: T;`.
pub(crate) struct Open {
    pub(crate) inward: bool,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
}

/// A declared node: `name = node;`. `None` where the node could not be parsed.
pub(crate) struct Declared {
    pub(crate) name: Ident,
    pub(crate) node: Option<Expr>,
}

/// Stages with an arrow between each two.
#[derive(Default)]
pub(crate) struct Chain {
    pub(crate) stages: Vec<Stage>,
    pub(crate) arrows: Vec<Arrow>,
    /// Something is missing from it, which was reported; nothing is said of what follows from that.
    pub(crate) broken: bool,
}

/// An arrow and what stands in its brackets.
pub(crate) struct Arrow {
    pub(crate) tokens: TokenStream,
    pub(crate) options: Vec<(Ident, Expr)>,
}

/// What stands between arrows, with its tokens for messages.
pub(crate) struct Stage {
    pub(crate) kind: Kind,
    pub(crate) tokens: TokenStream,
}

pub(crate) enum Kind {
    /// A declared node, an open port, or a node value from outside.
    Name(Ident),
    /// A port of a declared node.
    Port(Ident, Ident),
    /// An expression for a node value, with its first two tokens.
    Node(Box<Expr>, [Option<TokenTree>; 2]),
    /// `{ a, b, .. }`.
    Block(Vec<Chain>),
    /// `[ node; N ]`.
    Row(Box<Chain>, Box<Expr>),
}
