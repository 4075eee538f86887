//! The options of `#[node(..)]`.

use proc_macro2::{Ident, TokenStream};
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Token, parenthesized};

use crate::names;
use crate::report::Report;

/// What `#[node(..)]` says.
#[derive(Default)]
pub(crate) struct Options {
    /// Names of the outputs, in order.
    pub(crate) outputs: Option<Vec<Ident>>,
}

const KNOWN: [&str; 1] = ["outputs"];

pub(crate) fn read(tokens: TokenStream, report: &mut Report) -> Options {
    let mut options = Options::default();
    let parser = syn::meta::parser(|meta| option(&meta, &mut options));
    if let Err(error) = parser.parse2(tokens) {
        report.add(error);
    }
    options
}

fn option(meta: &ParseNestedMeta<'_>, options: &mut Options) -> syn::Result<()> {
    if !meta.path.is_ident("outputs") {
        let name = quote::ToTokens::to_token_stream(&meta.path);
        let message = format!("`#[node]` has no option `{name}`; known: {}", names::list(KNOWN));
        return Err(meta.error(message));
    }
    if options.outputs.is_some() {
        return Err(meta.error("the outputs are named twice"));
    }
    if !meta.input.peek(syn::token::Paren) {
        return Err(meta.error("the outputs' names stand in parentheses: `outputs(sum, diff)`"));
    }
    let inside;
    parenthesized!(inside in meta.input);
    let written = Punctuated::<Ident, Token![,]>::parse_terminated(&inside);
    options.outputs = Some(written?.into_iter().collect());
    Ok(())
}
