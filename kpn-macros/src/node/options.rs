//! The options of `#[node(..)]`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{LitStr, Token, parenthesized};

use super::count::Count;
use crate::names::{self, plain};
use crate::report::Report;

/// What `#[node(..)]` says.
#[derive(Default)]
pub(crate) struct Options {
    /// Names of the outputs, in order.
    pub(crate) outputs: Option<Vec<Ident>>,
    /// Tokens that a firing takes at some inputs.
    pub(crate) consume: Option<Vec<Count>>,
    /// Tokens that a firing sees at some inputs.
    pub(crate) peek: Option<Vec<Count>>,
    /// Tokens that a firing gives at some outputs.
    pub(crate) produce: Option<Vec<Count>>,
    /// Whether tokens that are left over at the end are an error.
    partial: bool,
    /// The process may use what is not determinate.
    pub(crate) nondet: bool,
    /// Each option that was said, and where.
    said: Vec<(String, Span)>,
}

const KNOWN: [&str; 6] = ["outputs", "consume", "peek", "produce", "partial", "nondet"];

impl Options {
    /// Reports what only a process may say.
    pub(crate) fn check_fires(&self, report: &mut Report) {
        if let Some(nondet) = self.at("nondet") {
            report.span(
                nondet,
                "`nondet` stands on an `async fn`: what fires takes its tokens in their order and can't do otherwise",
            );
        }
    }

    /// Reports what only a node that fires may say.
    pub(crate) fn check_process(&self, report: &mut Report) {
        if let Some(outputs) = self.at("outputs") {
            report.span(
                outputs,
                "the outputs of a process are its arguments, which have names: leave `outputs(..)` out here",
            );
        }
        for name in ["consume", "peek", "produce", "partial"] {
            if let Some(option) = self.at(name) {
                report.span(
                    option,
                    format_args!(
                        "a process takes and gives its tokens one by one, so it has no rates: leave `{name}` out here"
                    ),
                );
            }
        }
    }

    /// Whether tokens that are left over at the end are an error.
    pub(crate) fn partial_fails(&self, source: bool, report: &mut Report) -> bool {
        if let Some(partial) = self.at("partial").filter(|_| source) {
            report.span(partial, "a node without inputs has no tokens left over: leave `partial` out here");
        }
        self.partial
    }

    /// Where an option was said.
    fn at(&self, name: &str) -> Option<Span> {
        self.said.iter().find(|(said, _)| said == name).map(|(_, at)| *at)
    }
}

pub(crate) fn read(tokens: TokenStream, report: &mut Report) -> Options {
    let mut options = Options::default();
    let parser = syn::meta::parser(|meta| option(&meta, &mut options, report));
    if let Err(error) = parser.parse2(tokens) {
        report.add(error);
    }
    options
}

fn option(meta: &ParseNestedMeta<'_>, options: &mut Options, report: &mut Report) -> syn::Result<()> {
    let name = meta.path.get_ident().map(plain).unwrap_or_default();
    if !KNOWN.contains(&&*name) {
        let name = quote::ToTokens::to_token_stream(&meta.path);
        let message = format!("`#[node]` has no option `{name}`; known: {}", names::list(KNOWN));
        return Err(meta.error(message));
    }
    if options.at(&name).is_some() {
        let what = if name == "outputs" {
            "the outputs are named twice".to_owned()
        } else {
            format!("`{name}` is said twice")
        };
        return Err(meta.error(what));
    }
    options.said.push((name.clone(), meta.path.span()));
    match &*name {
        "outputs" => {
            options.outputs = Some(list(meta, "the outputs' names stand in parentheses: `outputs(sum, diff)`")?)
        }
        "partial" => options.partial = partial(meta)?,
        "nondet" if meta.input.is_empty() || meta.input.peek(Token![,]) => options.nondet = true,
        "nondet" => return Err(meta.input.error("`nondet` takes no value")),
        _ => {
            let example = match &*name {
                "peek" => "`peek(a = 5)`",
                "consume" => "`consume(a = 4, b = [1, 2])`",
                _ => "`produce(out = 2)`",
            };
            let counts: Vec<Count> =
                list(meta, &format!("each port's number of tokens stands in parentheses: {example}"))?;
            for (i, count) in counts.iter().enumerate() {
                if counts[..i].iter().any(|other| plain(&other.port) == plain(&count.port)) {
                    report.at(&count.port, format_args!("`{name}` names `{}` twice", plain(&count.port)));
                }
            }
            match &*name {
                "consume" => options.consume = Some(counts),
                "peek" => options.peek = Some(counts),
                _ => options.produce = Some(counts),
            }
        }
    }
    Ok(())
}

/// What stands in parentheses, separated by commas.
fn list<T: Parse>(meta: &ParseNestedMeta<'_>, otherwise: &str) -> syn::Result<Vec<T>> {
    if !meta.input.peek(syn::token::Paren) {
        return Err(meta.error(otherwise));
    }
    let inside;
    parenthesized!(inside in meta.input);
    let written = Punctuated::<T, Token![,]>::parse_terminated(&inside);
    Ok(written?.into_iter().collect())
}

fn partial(meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
    const WRITTEN: &str = "`partial = \"error\"` makes tokens that are left over at the end an error, and `partial = \
                           \"drop\"` drops and counts them, as is done where nothing is said";
    let value = meta.value().map_err(|_| meta.error(WRITTEN))?;
    let value: LitStr = value.parse().map_err(|error| syn::Error::new(error.span(), WRITTEN))?;
    match &*value.value() {
        "error" => Ok(true),
        "drop" => Ok(false),
        _ => Err(syn::Error::new(value.span(), WRITTEN)),
    }
}
