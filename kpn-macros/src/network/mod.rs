//! `network!`: cut the tokens, parse statements, check names, expand to calls of the builder.

mod check;
mod cut;
mod cycles;
mod expand;
mod model;
mod parse;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;

use crate::report::Report;

/// Expands `network! { input }`.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let mut written = parse::parse(input, &mut report);
    let names = check::Names::of(&written);
    check::check(&mut written, &names, &mut report);
    expand::expand(&written, &names, report)
}
