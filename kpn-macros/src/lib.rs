//! The macros of `kpn`: `#[node]` and `network!`.

mod names;
mod network;
mod node;
mod report;

use proc_macro::TokenStream;

/// Makes a node of a function or of a struct's `impl`.
#[proc_macro_attribute]
pub fn node(options: TokenStream, item: TokenStream) -> TokenStream {
    node::expand(options.into(), item.into()).into()
}

/// Declares a network.
#[proc_macro]
pub fn network(input: TokenStream) -> TokenStream {
    network::expand(input.into()).into()
}
