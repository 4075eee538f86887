//! The macros of `kpn`: `#[node]` and `network!`.

use proc_macro::TokenStream;

/// Makes a node of a function or of a struct's `impl`.
#[proc_macro_attribute]
pub fn node(_options: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Declares a network.
#[proc_macro]
pub fn network(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}
