//! The macros of `kpn`, which re-exports them: [`macro@node`] makes a node of a function or of a struct,
//! [`network!`] wires nodes to a network.
//!
//! Both go the same way: parse into a model that keeps the user's tokens, check everything, expand. What is wrong is
//! told all at once, each at the tokens that it is about, and what is right is expanded nonetheless.

mod names;
mod network;
mod node;
mod report;

use proc_macro::TokenStream;

#[doc = include_str!("node.md")]
#[proc_macro_attribute]
pub fn node(options: TokenStream, item: TokenStream) -> TokenStream {
    node::expand(options.into(), item.into()).into()
}

#[doc = include_str!("network.md")]
#[proc_macro]
pub fn network(input: TokenStream) -> TokenStream {
    network::expand(input.into()).into()
}
