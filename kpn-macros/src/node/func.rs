//! `#[node]` on a function.

use std::collections::HashSet;

use proc_macro2::{Delimiter, Group, Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, FnArg, GenericParam, Generics, ItemFn, Signature, Visibility, WherePredicate, parse_quote};

use super::generics;
use super::model::{self, Fires, Model, Output, Seen};
use super::options::Options;
use super::output::{self, Of};
use super::port::{self, Arg, Args, Input, Kept, Param};
use super::rate::Rates;
use super::{process, pure, traits};
use crate::names::{camel, ends, inside};
use crate::report::Report;

/// A function that is to be a node.
pub(crate) struct Func {
    pub(crate) item: ItemFn,
    pub(crate) args: Args,
    pub(crate) attrs: Attrs,
    pub(crate) model: Model,
}

/// The function's attributes by where they go.
#[derive(Default)]
pub(crate) struct Attrs {
    /// To the constructor.
    pub(crate) outer: Vec<Attribute>,
    /// To the function itself.
    pub(crate) inner: Vec<Attribute>,
    /// To everything.
    pub(crate) cfgs: Vec<Attribute>,
}

pub(crate) fn node(item: ItemFn, options: &Options, mut report: Report) -> TokenStream {
    if item.sig.asyncness.is_some() {
        return process::node(item, options, report);
    }
    let (func, fires) = read(item, options, &mut report);
    if report.is_empty() { expand(&func, &fires) } else { stub(&func, report) }
}

fn read(mut item: ItemFn, options: &Options, report: &mut Report) -> (Func, Fires) {
    check_signature(&item.sig, report);
    options.check_fires(report);
    let mut args = port::sort(item.sig.inputs.iter_mut(), true, report);
    let mut rates = Rates::new(&item.sig.generics);
    rates.inputs(&mut args.inputs, options, report);
    let source = args.inputs.is_empty();
    let returns = output::read(&item.sig.output, if source { Of::Source } else { Of::Fire }, report);
    let outputs = model::outputs(&returns, None, source, options, &mut rates, report);
    model::check_ports(&item.sig.ident, &args.inputs, &outputs, report);
    let pure = pure::function(&args, &item.sig.generics);
    let func = Func::new(item, args, outputs, report);
    let partial_fails = options.partial_fails(source, report);
    (func, Fires { call: quote!(Self::call), returns, finish: None, rates, partial_fails, pure })
}

impl Func {
    /// Sorts attributes and generics.
    pub(crate) fn new(item: ItemFn, args: Args, outputs: Vec<Output>, report: &mut Report) -> Self {
        let attrs = sort_attrs(&item.attrs);
        let kept: Vec<TokenStream> = args.params.iter().map(|param| param.kept.ty()).collect();
        let stored = generics::mentioned(quote!(#(#kept,)*));
        let lifetimes: Vec<String> = item.sig.generics.lifetimes().map(|l| l.lifetime.to_string()).collect();
        let own =
            generics::keep(&item.sig.generics, |name| !lifetimes.iter().any(|l| l == name) || stored.contains(name));
        for port in args.inputs.iter().chain(&args.outputs).filter(|port| port.by_ref()) {
            let borrowed = generics::mentioned(&port.written);
            if let Some(lifetime) = own.lifetimes().find(|l| borrowed.contains(&l.lifetime.to_string())) {
                let name = &lifetime.lifetime;
                report.at(
                    &port.written,
                    format_args!("a port doesn't live as long as the node's parameter: leave `{name}` out here"),
                );
            }
        }

        let ident = &item.sig.ident;
        let (_, own_args, _) = own.split_for_impl();
        let model = Model {
            name: ident.clone(),
            ports: format_ident!("{}Ports", camel(ident), span = ident.span()),
            seen: Seen::As(item.vis.clone()),
            cfgs: attrs.cfgs.clone(),
            self_ty: parse_quote!(#ident #own_args),
            generics: own,
            inputs: args.inputs.clone(),
            outputs,
        };
        Self { item, args, attrs, model }
    }
}

pub(crate) fn check_signature(sig: &Signature, report: &mut Report) {
    if let Some(constness) = sig.constness {
        report.at(constness, "a node is fired while a network runs, so it can't be a `const fn`");
    }
    if let Some(unsafety) = sig.unsafety {
        report.at(
            unsafety,
            "a network fires its nodes by itself, so a node can't be an `unsafe fn`: put an `unsafe` block inside",
        );
    }
    if let Some(abi) = &sig.abi {
        report.at(abi, "a network fires its nodes from Rust, so a node can't be an `extern fn`");
    }
    if let Some(variadic) = &sig.variadic {
        report.at(variadic, "a node has a fixed number of ports, so it can't be variadic");
    }
    if let Some(receiver) = sig.receiver() {
        report.at(
            receiver,
            "a function that is a node has no `self`: for a node with state put `#[node]` on the `impl` of its struct",
        );
    }
}

fn sort_attrs(attrs: &[Attribute]) -> Attrs {
    let mut sorted = Attrs::default();
    for attr in attrs.iter().cloned() {
        let path = attr.path();
        if path.is_ident("cfg") {
            sorted.cfgs.push(attr);
        } else if path.is_ident("doc") || path.is_ident("deprecated") {
            sorted.outer.push(attr);
        } else if path.is_ident("allow") {
            sorted.outer.push(attr.clone());
            sorted.inner.push(attr);
        } else {
            sorted.inner.push(attr);
        }
    }
    sorted
}

fn expand(func: &Func, fires: &Fires) -> TokenStream {
    let node = struct_and_constructor(func);
    let call = call(func);
    let traits = traits::firing_node(&func.model, fires);
    quote!(#node #call #traits)
}

pub(crate) fn struct_and_constructor(func: &Func) -> TokenStream {
    let Func { item, args, attrs, model } = func;
    let Attrs { outer, cfgs, .. } = attrs;
    let vis = &item.vis;
    // The user's own `fn` and braces, so that a function that nobody uses is told of.
    let (fn_token, ident) = (&item.sig.fn_token, &item.sig.ident);
    let (params, generic_args, clause) = model.generics.split_for_impl();
    let names: Vec<&Ident> = args.params.iter().map(|param| &param.name).collect();
    let types: Vec<TokenStream> = args.params.iter().map(|param| param.kept.ty()).collect();
    let phantom = generics::phantom(&model.generics);
    let field = phantom.as_ref().map(|ty| quote!(__types: #ty,));
    let value = phantom.as_ref().map(|_| quote!(__types: ::core::marker::PhantomData,));
    let mut body = Group::new(Delimiter::Brace, quote!(#ident { #(#names,)* #value }));
    body.set_span(item.block.brace_token.span.join());
    let doc = format!("The node that [`{ident}()`] makes.");
    quote! {
        #(#cfgs)*
        #[doc = #doc]
        #[must_use = "a node does nothing until a network has it"]
        #[allow(non_camel_case_types, dead_code, missing_debug_implementations, clippy::type_complexity)]
        #vis struct #ident #params #clause { #(#names: #types,)* #field }

        #(#cfgs)*
        #(#outer)*
        #vis #fn_token #ident #params (#(#names: #types),*) -> #ident #generic_args #clause #body
    }
}

/// The function itself, without what only the macro reads.
pub(crate) fn plain_function(func: &Func) -> TokenStream {
    let ItemFn { sig, block, .. } = &func.item;
    let inner = &func.attrs.inner;
    // A lifetime that the function could do without says that the node borrows.
    let borrows = func.model.generics.lifetimes().next().map(|_| quote!(#[allow(clippy::needless_lifetimes)]));
    quote!(#borrows #(#inner)* #sig #block)
}

/// `call`, with the function nested whole inside.
fn call(func: &Func) -> TokenStream {
    let Func { item, args, model, .. } = func;
    let cfgs = &model.cfgs;
    let vis = &item.vis;
    let sig = &item.sig;
    let ident = &sig.ident;
    let (params, generic_args, clause) = model.generics.split_for_impl();
    let borrowed = call_lifetimes(&sig.generics, &model.generics);
    let (call_params, _, call_clause) = borrowed.split_for_impl();
    // The macro's own hygiene and a block around the function: an argument may have its name.
    let names: Vec<Ident> = args.inputs.iter().map(|input| own_name(&input.name)).collect();
    let types = args.inputs.iter().map(|input| &input.written);
    let output = &sig.output;
    let handed = args.order.iter().filter_map(|arg| match *arg {
        Arg::Input(i) => Some(names[i].to_token_stream()),
        Arg::Param(i) => Some(lent(&args.params[i], i, &sig.generics)),
        Arg::Output(_) => None,
    });
    let borrows = borrows(args);
    // A token is a `String` and not a `str`, so a reference to one is what it has to be.
    let by_ref = args.inputs.iter().any(Input::by_ref).then(|| quote!(#[allow(clippy::ptr_arg)]));
    let turbofish = turbofish(&sig.generics);
    let function = plain_function(func);
    quote! {
        #(#cfgs)*
        impl #params #ident #generic_args #clause {
            /// Fires once, outside a network.
            #[inline]
            #by_ref
            #vis fn call #call_params (&self, #(#names: #types),*) #output #call_clause {
                #borrows
                ({ #function #ident #turbofish })(#(#handed),*)
            }
        }
    }
}

/// The parameter as the function takes it from `&self`; those that are cloned are bound by [`borrows`] before.
pub(crate) fn lent(param: &Param, i: usize, generics: &Generics) -> TokenStream {
    match &param.kept {
        Kept::Value(ty) => {
            let (first, last) = ends(ty);
            let kept = Ident::new(&format!("param{i}"), last);
            // Of a type parameter without the bound the compiler's own message knows more.
            let clone = match generics::depends(ty, generics) {
                true => quote_spanned!(first=> ::core::clone::Clone::clone),
                false => quote_spanned!(first=> ::kpn::__rt::param),
            };
            let borrow = quote_spanned!(first=> &*);
            quote!(#clone(#borrow #kept))
        }
        kept => {
            let name = &param.name;
            borrowed(kept, &quote!(self.#name))
        }
    }
}

/// What a function borrows of a parameter that is kept as `place`.
pub(crate) fn borrowed(kept: &Kept, place: &TokenStream) -> TokenStream {
    match kept {
        Kept::Value(_) => place.clone(),
        Kept::Owned(_) => quote!(&#place),
        Kept::Slice(_) | Kept::Str => quote!(&#place[..]),
        Kept::Unsized(_) => quote!(::std::borrow::Borrow::borrow(&#place)),
    }
}

/// Binds the parameters that [`lent`] clones.
pub(crate) fn borrows(args: &Args) -> TokenStream {
    let borrows = args.params.iter().enumerate().filter_map(|(i, param)| {
        let (Kept::Value(ty), name) = (&param.kept, &param.name) else { return None };
        // In the user's own context, where no code of the user's is.
        let kept = Ident::new(&format!("param{i}"), ends(ty).1);
        Some(quote!(let #kept = &self.#name;))
    });
    quote!(#(#borrows)*)
}

pub(crate) fn own_name(name: &Ident) -> Ident {
    let mut own = name.clone();
    own.set_span(inside(name.span()));
    own
}

/// Lifetimes that the function has but the node doesn't, those of one call, with all that is said of them.
pub(crate) fn call_lifetimes(all: &Generics, own: &Generics) -> Generics {
    let own: Vec<_> = own.lifetimes().map(|l| l.lifetime.clone()).collect();
    let params: Vec<_> = all.lifetimes().filter(|l| !own.contains(&l.lifetime)).cloned().collect();
    let names: HashSet<String> = params.iter().map(|param| param.lifetime.to_string()).collect();
    let mut result =
        Generics { params: params.into_iter().map(GenericParam::Lifetime).collect(), ..Generics::default() };
    let said = all.type_params().flat_map(|param| {
        let ident = &param.ident;
        param.bounds.iter().map(move |bound| -> WherePredicate { parse_quote!(#ident: #bound) })
    });
    let said = said.chain(all.where_clause.iter().flat_map(|clause| clause.predicates.iter().cloned()));
    let said: Vec<_> = said.filter(|predicate| !generics::mentioned(predicate).is_disjoint(&names)).collect();
    if !said.is_empty() {
        result.make_where_clause().predicates.extend(said);
    }
    result
}

pub(crate) fn turbofish(generics: &Generics) -> Option<TokenStream> {
    let args: Vec<TokenStream> = generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Lifetime(_) => None,
            GenericParam::Type(param) => Some(param.ident.to_token_stream()),
            GenericParam::Const(param) => Some(param.ident.to_token_stream()),
        })
        .collect();
    (!args.is_empty()).then(|| quote!(::<#(#args),*>))
}

/// The constructor with the errors in its type, so that what uses it adds none of its own.
pub(crate) fn stub(func: &Func, report: Report) -> TokenStream {
    let ItemFn { vis, sig, .. } = &func.item;
    let ident = &sig.ident;
    let Attrs { cfgs, outer, .. } = &func.attrs;
    let errors = report.into_tokens();
    let args = func.args.params.iter().map(|_| quote!(_: impl ::core::marker::Sized));
    let vis: &Visibility = vis;
    let function = nests(sig).then(|| plain_function(func));
    quote! {
        #(#cfgs)*
        #(#outer)*
        #[allow(dead_code, unused_variables, clippy::all)]
        #vis fn #ident(#(#args),*) -> [(); { #errors }] {
            #function
            loop {}
        }
    }
}

/// Whether the function can stand in another one as it is.
fn nests(sig: &Signature) -> bool {
    sig.receiver().is_none() && sig.variadic.is_none() && sig.inputs.iter().all(|arg| matches!(arg, FnArg::Typed(_)))
}
