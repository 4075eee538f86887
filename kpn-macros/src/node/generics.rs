//! Which generics a piece of the expansion needs.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, Generics, Lifetime, Type, WherePredicate, parse_quote};

use super::model::{Model, Output};
use super::output::peel;
use super::port::Input;
use crate::names::{ends, local};

/// The names in a piece of code, lifetimes with their quote.
pub(crate) fn mentioned(tokens: impl ToTokens) -> HashSet<String> {
    fn scan(tokens: TokenStream, names: &mut HashSet<String>) {
        let mut quoted = false;
        for token in tokens {
            let quote = quoted;
            quoted = false;
            match token {
                TokenTree::Group(group) => scan(group.stream(), names),
                TokenTree::Punct(punct) => quoted = punct.as_char() == '\'',
                TokenTree::Ident(ident) if quote => drop(names.insert(format!("'{ident}"))),
                TokenTree::Ident(ident) => drop(names.insert(ident.to_string())),
                TokenTree::Literal(_) => {}
            }
        }
    }
    let mut names = HashSet::new();
    scan(tokens.to_token_stream(), &mut names);
    names
}

fn name(param: &GenericParam) -> String {
    match param {
        GenericParam::Lifetime(param) => param.lifetime.to_string(),
        GenericParam::Type(param) => param.ident.to_string(),
        GenericParam::Const(param) => param.ident.to_string(),
    }
}

/// The generics whose names pass, with the bounds and predicates that speak only of those.
pub(crate) fn keep(generics: &Generics, kept: impl Fn(&str) -> bool) -> Generics {
    let dropped: HashSet<String> = generics.params.iter().map(name).filter(|name| !kept(name)).collect();
    let speaks_of_dropped = |tokens: &dyn ToTokens| !mentioned(tokens.to_token_stream()).is_disjoint(&dropped);
    let mut result = generics.clone();
    result.params = result.params.into_iter().filter(|param| !dropped.contains(&name(param))).collect();
    for param in &mut result.params {
        match param {
            GenericParam::Lifetime(param) => {
                param.bounds =
                    std::mem::take(&mut param.bounds).into_iter().filter(|b| !speaks_of_dropped(b)).collect();
            }
            GenericParam::Type(param) => {
                param.bounds =
                    std::mem::take(&mut param.bounds).into_iter().filter(|b| !speaks_of_dropped(b)).collect();
                param.default = None;
            }
            GenericParam::Const(param) => param.default = None,
        }
    }
    if let Some(clause) = &mut result.where_clause {
        clause.predicates =
            std::mem::take(&mut clause.predicates).into_iter().filter(|p| !speaks_of_dropped(p)).collect();
    }
    result
}

/// The generics that these types need: those that they name, and those that the bounds of these name.
pub(crate) fn needed(generics: &Generics, types: impl ToTokens) -> Generics {
    let mut names = mentioned(types);
    loop {
        let bounds = generics.params.iter().filter(|param| names.contains(&name(param))).map(|p| p.to_token_stream());
        let more: HashSet<String> = bounds.flat_map(mentioned).filter(|name| !names.contains(name)).collect();
        if more.is_empty() {
            return keep(generics, |name| names.contains(name));
        }
        names.extend(more);
    }
}

/// Whether a type names one of the type parameters.
pub(crate) fn depends(ty: &Type, generics: &Generics) -> bool {
    let names = mentioned(ty);
    generics.type_params().any(|param| names.contains(&param.ident.to_string()))
}

/// `PhantomData` of all type parameters, where there are some: it makes each of them used.
pub(crate) fn phantom(generics: &Generics) -> Option<TokenStream> {
    let types: Vec<&Ident> = generics.type_params().map(|param| &param.ident).collect();
    let data = quote!(::core::marker::PhantomData);
    (!types.is_empty()).then(|| quote!(#data<(#(fn() -> #data<#types>,)*)>))
}

/// What is asked of a type that is made of a port's token: that it implements a trait of the runtime.
pub(crate) struct Claim<'a> {
    pub(crate) token: &'a Type,
    /// `One`, and what stands behind the token between its angle brackets.
    pub(crate) marker: (&'static str, TokenStream),
    /// `InRate`, and its associated types beside `Token`.
    pub(crate) bound: (&'static str, TokenStream),
}

/// The claims of a node that fires.
pub(crate) fn rates(model: &Model) -> Vec<Claim<'_>> {
    let inputs = model.inputs.iter().map(|Input { token, rate, .. }| {
        let item = rate.item(token);
        Claim { token, marker: rate.marker(), bound: ("InRate", quote!(, Item = #item)) }
    });
    let outputs = model.outputs.iter().map(|Output { token, rate, .. }| {
        let item = rate.item(token);
        Claim { token, marker: rate.marker(), bound: ("OutRate", quote!(, Item = #item)) }
    });
    inputs.chain(outputs).collect()
}

/// The node's generics with what its running needs: tokens that may travel, a body that may change threads.
///
/// A predicate on a type without parameters is no loss: where it doesn't hold the compiler says so there, once, and
/// takes it for granted in the rest of the `impl`. It has to name the rate then, since of a type that is not `Send`
/// the compiler says only that.
pub(crate) fn running(model: &Model, claims: &[Claim<'_>]) -> Generics {
    let mut generics = model.generics.clone();
    let types: HashSet<String> = generics.type_params().map(|param| param.ident.to_string()).collect();
    let mut seen = HashSet::new();
    let clause = generics.make_where_clause();
    for Claim { token, marker: (name, args), bound: (side, more) } in claims {
        if !seen.insert((quote!(#token #args).to_string(), name, side)) {
            continue;
        }
        let (first, last) = ends(token);
        if depends(token, &model.generics) {
            let held = bare(token).into_iter().filter(|name| types.contains(&name.to_string()));
            let bound = quote_spanned!(last=> ::kpn::__rt::Token);
            clause.predicates.push(parse_quote!(#token: #bound));
            if *name == "Window" {
                // It shows its tokens more than once.
                let bound = quote_spanned!(last=> ::core::clone::Clone);
                clause.predicates.push(parse_quote!(#token: #bound));
            }
            clause.predicates.extend(held.map(|name| -> WherePredicate { parse_quote!(#name: #bound) }));
        } else {
            let (name, side) = (Ident::new(name, first), Ident::new(side, first));
            let begin = quote_spanned!(first=> ::kpn::__rt::#name);
            let bound = quote_spanned!(first=> ::kpn::__rt::#side);
            let end = quote_spanned!(last=> >);
            clause.predicates.push(parse_quote!(#begin<#token #args>: #bound<Token = #token #more #end));
        }
    }
    if !types.is_empty() {
        let self_ty = &model.self_ty;
        clause.predicates.push(parse_quote!(#self_ty: ::core::marker::Send));
    }
    generics
}

/// The names of one segment in a type, which may be type parameters that the token holds.
pub(crate) fn bare(ty: &Type) -> Vec<Ident> {
    struct Bare(Vec<Ident>);
    impl syn::visit::Visit<'_> for Bare {
        fn visit_type_path(&mut self, path: &syn::TypePath) {
            if let Some(ident) = path.path.get_ident() {
                self.0.push(ident.clone());
            }
            syn::visit::visit_type_path(self, path);
        }
    }
    let mut names = Bare(Vec::new());
    syn::visit::Visit::visit_type(&mut names, ty);
    names.0
}

/// The generics with a lifetime for the network, which everything in the node outlives.
pub(crate) fn living(generics: &Generics) -> (Generics, Lifetime) {
    let env = Lifetime { apostrophe: local("env").span(), ident: local("__env") };
    let mut living = generics.clone();
    for param in &mut living.params {
        match param {
            GenericParam::Lifetime(param) => param.bounds.push(env.clone()),
            GenericParam::Type(param) => param.bounds.push(parse_quote!(#env)),
            GenericParam::Const(_) => {}
        }
        if let GenericParam::Lifetime(param) = param {
            param.colon_token.get_or_insert_default();
        }
        if let GenericParam::Type(param) = param {
            param.colon_token.get_or_insert_default();
        }
    }
    living.params.insert(0, parse_quote!(#env));
    (living, env)
}

/// Writes the type out where the user wrote `Self`.
pub(crate) fn without_self(mut ty: Type, self_ty: &Type) -> Type {
    struct Replace<'a>(&'a Type);
    impl VisitMut for Replace<'_> {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            visit_mut::visit_type_mut(self, ty);
            let Type::Path(path) = peel(ty) else { return };
            if path.qself.is_some() || path.path.segments.first().is_none_or(|first| first.ident != "Self") {
                return;
            }
            let rest = path.path.segments.iter().skip(1);
            let self_ty = self.0;
            *ty = if path.path.segments.len() == 1 { self_ty.clone() } else { parse_quote!(<#self_ty> #(::#rest)*) };
        }
    }
    Replace(self_ty).visit_type_mut(&mut ty);
    ty
}

/// Gives each `'_` of an `impl`'s type a name, since the impls of the expansion speak of it.
pub(crate) fn name_lifetimes(self_ty: &mut Type, generics: &mut Generics) {
    struct Name<'a>(&'a mut Generics);
    impl VisitMut for Name<'_> {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            if lifetime.ident == "_" {
                lifetime.ident = local(&format!("__{}", self.0.params.len()));
                let named = lifetime.clone();
                self.0.params.insert(0, parse_quote!(#named));
            }
        }
    }
    Name(generics).visit_type_mut(self_ty);
}
