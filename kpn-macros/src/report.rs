//! Collects all errors of one macro call, each at the tokens that it is about.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// All that is wrong with one macro call, in the order in which it was found.
#[derive(Default)]
pub(crate) struct Report(Vec<syn::Error>);

impl Report {
    /// An error at these tokens, from the first to the last.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.0.push(syn::Error::new_spanned(tokens, message));
    }

    /// An error at one token.
    pub(crate) fn span(&mut self, span: Span, message: impl Display) {
        self.0.push(syn::Error::new(span, message));
    }

    /// An error that the parser found.
    pub(crate) fn add(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The errors as statements or items; what stands first in the source comes first as far as is known.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }

    /// The messages, for tests.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.0.iter().flat_map(|error| error.clone().into_iter().map(|e| e.to_string())).collect()
    }
}
