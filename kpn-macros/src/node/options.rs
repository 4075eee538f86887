//! The options of `#[node(..)]`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Token, parenthesized};

use crate::names;
use crate::report::Report;

/// What `#[node(..)]` says.
#[derive(Default)]
pub(crate) struct Options {
    /// Names of the outputs, in order.
    pub(crate) outputs: Option<Vec<Ident>>,
    /// The process may use what is not determinate; where that is said.
    pub(crate) nondet: Option<Span>,
}

impl Options {
    /// Reports what only a process may say.
    pub(crate) fn check_fires(&self, report: &mut Report) {
        if let Some(nondet) = self.nondet {
            report.span(
                nondet,
                "`nondet` stands on an `async fn`: what fires takes its tokens in their order and can't do otherwise",
            );
        }
    }
}

const KNOWN: [&str; 2] = ["outputs", "nondet"];

pub(crate) fn read(tokens: TokenStream, report: &mut Report) -> Options {
    let mut options = Options::default();
    let parser = syn::meta::parser(|meta| option(&meta, &mut options));
    if let Err(error) = parser.parse2(tokens) {
        report.add(error);
    }
    options
}

fn option(meta: &ParseNestedMeta<'_>, options: &mut Options) -> syn::Result<()> {
    if meta.path.is_ident("nondet") {
        if options.nondet.replace(meta.path.span()).is_some() {
            return Err(meta.error("`nondet` is said twice"));
        }
        return match meta.input.is_empty() || meta.input.peek(Token![,]) {
            true => Ok(()),
            false => Err(meta.input.error("`nondet` takes no value")),
        };
    }
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
