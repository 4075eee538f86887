//! `#[node]`: parse, sort arguments and returns into a model, check, expand.

mod count;
mod end;
mod func;
mod generics;
mod imp;
mod model;
mod options;
mod output;
mod port;
mod process;
mod pure;
mod rate;
#[cfg(test)]
mod tests;
mod traits;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Item;

use crate::report::Report;

/// Expands `#[node(options)] item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let options = options::read(options, &mut report);
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Fn(function)) => func::node(function, &options, report),
        Ok(Item::Impl(block)) => imp::node(block, &options, report),
        Ok(other) => {
            let what = what(&other);
            report.at(head(&other), format_args!("{}, not on {what}", not_a_node()));
            let errors = report.into_tokens();
            quote!(#item #errors)
        }
        Err(error) => {
            report.add(error);
            let errors = report.into_tokens();
            quote!(#item #errors)
        }
    }
}

fn not_a_node() -> &'static str {
    "`#[node]` stands on a function or on the `impl` of a struct"
}

/// The kind of an item, in a sentence.
fn what(item: &Item) -> &'static str {
    match item {
        Item::Struct(_) => "a struct: put it on the `impl` that has `fire`",
        Item::Enum(_) => "an enum: put it on the `impl` that has `fire`",
        Item::Union(_) => "a union",
        Item::Trait(_) | Item::TraitAlias(_) => "a trait",
        Item::Mod(_) => "a module",
        Item::Const(_) => "a constant",
        Item::Static(_) => "a static",
        Item::Type(_) => "a type alias",
        Item::Use(_) => "an import",
        Item::Macro(_) => "a macro",
        _ => "this",
    }
}

/// The tokens that say what an item is: the keyword and the name, where it has one.
fn head(item: &Item) -> TokenStream {
    match item {
        Item::Struct(i) => keyword(i.struct_token, &i.ident),
        Item::Enum(i) => keyword(i.enum_token, &i.ident),
        Item::Union(i) => keyword(i.union_token, &i.ident),
        Item::Trait(i) => keyword(i.trait_token, &i.ident),
        Item::Mod(i) => keyword(i.mod_token, &i.ident),
        Item::Const(i) => keyword(i.const_token, &i.ident),
        Item::Static(i) => keyword(i.static_token, &i.ident),
        Item::Type(i) => keyword(i.type_token, &i.ident),
        item => quote!(#item),
    }
}

fn keyword(keyword: impl quote::ToTokens, name: &proc_macro2::Ident) -> TokenStream {
    quote!(#keyword #name)
}
