//! `#[node]` on an `async fn`: a process, which waits for its ports one by one.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, ItemFn, ReturnType, Type, parse_quote};

use super::end;
use super::func::{self, Func};
use super::generics::{self, Claim};
use super::model::{self, Output};
use super::options::Options;
use super::output::{peel, wrapped};
use super::port::{self, Arg, Kept};
use super::rate::Rate;
use super::traits;
use crate::names::{ends, inside, local};
use crate::report::Report;

pub(crate) fn node(item: ItemFn, options: &Options, mut report: Report) -> TokenStream {
    let func = read(item, options, &mut report);
    if report.is_empty() { expand(&func, options.nondet) } else { func::stub(&func, report) }
}

fn read(mut item: ItemFn, options: &Options, report: &mut Report) -> Func {
    func::check_signature(&item.sig, report);
    options.check_process(report);
    let args = end::sort(item.sig.inputs.iter_mut(), report);
    check_returns(&item.sig.output, report);
    let outputs: Vec<Output> = args
        .outputs
        .iter()
        .map(|end| Output { name: end.name.clone(), docs: end.docs.clone(), rate: Rate::One, token: end.token.clone() })
        .collect();
    model::check_ports(&item.sig.ident, &args.inputs, &outputs, report);
    Func::new(item, args, outputs, report)
}

/// Nothing, or `Result<(), E>` as it is written.
fn check_returns(written: &ReturnType, report: &mut Report) {
    let ReturnType::Type(_, ty) = written else { return };
    let is_unit = |ty: &Type| matches!(peel(ty), Type::Tuple(tuple) if tuple.elems.is_empty());
    let fits = match wrapped(ty, "Result") {
        Some(args) => args.first().is_none_or(|ok| is_unit(ok)),
        None => is_unit(ty),
    };
    if !fits {
        report.at(ty, "a process sends by its `Out`s, so it returns nothing or a `Result<(), E>`");
    }
}

fn returns_result(written: &ReturnType) -> bool {
    matches!(written, ReturnType::Type(_, ty) if wrapped(ty, "Result").is_some())
}

/// The error's type, where it is written.
fn error_type(written: &ReturnType) -> Option<&Type> {
    let ReturnType::Type(_, ty) = written else { return None };
    wrapped(ty, "Result")?.get(1).copied()
}

fn expand(func: &Func, nondet: bool) -> TokenStream {
    let node = func::struct_and_constructor(func);
    let (ports, traits) = (traits::ports(&func.model), traits::node(&func.model));
    let function = func::plain_function(func);
    let call = call(func);
    let body = traits::body(&func.model, &living(func), &install(func, nondet));
    let cfgs = &func.model.cfgs;
    // The function stands beside its two callers, of which `install` hands it the parameters themselves: a node that
    // is only lent would have to be `Sync`.
    quote! {
        #node #ports #traits
        #(#cfgs)*
        const _: () = { #function #call #body };
    }
}

/// `call`, which runs the process to its end on ports that the caller has.
fn call(func: &Func) -> TokenStream {
    let Func { item, args, model, .. } = func;
    let (vis, ident, output) = (&item.vis, &item.sig.ident, &item.sig.output);
    let (params, generic_args, clause) = model.generics.split_for_impl();
    let borrowed = func::call_lifetimes(&item.sig.generics, &model.generics);
    let (call_params, _, call_clause) = borrowed.split_for_impl();
    let ports: Vec<_> = args.order.iter().filter_map(|arg| port_of(func, *arg)).collect();
    let names: Vec<Ident> = ports.iter().map(|port| func::own_name(&port.name)).collect();
    let types = ports.iter().map(|port| &port.written);
    let handed = args.order.iter().map(|arg| match *arg {
        Arg::Param(i) => func::lent(&args.params[i], i, &item.sig.generics),
        arg => port_of(func, arg).map(|port| func::own_name(&port.name)).to_token_stream(),
    });
    let borrows = func::borrows(args);
    let turbofish = func::turbofish(&item.sig.generics);
    quote! {
        impl #params #ident #generic_args #clause {
            /// Runs to the end as a part of another process.
            #[allow(dead_code, clippy::too_many_arguments)]
            #vis async fn call #call_params (&self, #(#names: #types),*) #output #call_clause {
                #borrows
                #ident #turbofish (#(#handed),*).await
            }
        }
    }
}

fn port_of(func: &Func, arg: Arg) -> Option<&port::Input> {
    match arg {
        Arg::Input(i) => func.args.inputs.get(i),
        Arg::Output(i) => func.args.outputs.get(i),
        Arg::Param(_) => None,
    }
}

/// The ports, from a future that owns the node and its ends.
fn install(func: &Func, nondet: bool) -> TokenStream {
    let Func { item, args, .. } = func;
    let ident = &item.sig.ident;
    let (builder, info) = (local("builder"), local("info"));
    let tokens = |ends: &[port::Input], name: &str| -> Vec<TokenStream> {
        let typed = ends.iter().map(|end| {
            let (token, name) = (&end.token, local(name));
            quote_spanned!(inside(token.span())=> ::kpn::__rt::#name<#token>)
        });
        typed.collect()
    };
    let (in_types, out_types) = (tokens(&args.inputs, "In"), tokens(&args.outputs, "Out"));
    let ins: Vec<Ident> = (0..in_types.len()).map(|i| local(&format!("in{i}"))).collect();
    let outs: Vec<Ident> = (0..out_types.len()).map(|i| local(&format!("out{i}"))).collect();
    let handed = args.order.iter().map(|arg| match *arg {
        Arg::Input(i) => lend(&ins[i]),
        Arg::Output(i) => lend(&outs[i]),
        Arg::Param(i) => {
            let (kept, name) = (&args.params[i].kept, &args.params[i].name);
            func::borrowed(kept, &quote!(self.#name))
        }
    });
    let turbofish = func::turbofish(&item.sig.generics);
    let run = quote!(#ident #turbofish (#(#handed),*).await);
    // What its future may not hold is told at its name, what it may not return at the error's type.
    let at = inside(ident.span());
    let run = match returns_result(&item.sig.output) {
        false => run,
        true => {
            let (first, last) = error_type(&item.sig.output).map_or((at, at), ends);
            // In the user's own context, where no code of the user's is.
            let ended = Ident::new("ended", last);
            let begin = quote_spanned!(first=> ::kpn::__rt::);
            let end = quote_spanned!(last=> ended(#ended));
            quote!(let #ended = #run; #begin #end)
        }
    };
    quote_spanned! {at=>
        ::kpn::__rt::process::<(#(#in_types,)*), (#(#out_types,)*), _, _>(
            #builder,
            #info,
            #nondet,
            move |(#(mut #ins,)*), (#(mut #outs,)*)| async move { #run },
        )
    }
}

fn lend(end: &Ident) -> TokenStream {
    quote!(&mut #end)
}

/// What the node's future asks for: tokens that may travel, and parameters that may change threads.
fn living(func: &Func) -> Generics {
    let Func { args, model, .. } = func;
    let claims: Vec<Claim<'_>> =
        claims(&args.inputs, "In", "Input").chain(claims(&args.outputs, "Out", "Output")).collect();
    let mut generics = generics::running(model, &claims);
    let types: Vec<String> = model.generics.type_params().map(|param| param.ident.to_string()).collect();
    let clause = generics.make_where_clause();
    for param in &args.params {
        let (Kept::Value(ty) | Kept::Owned(ty) | Kept::Slice(ty) | Kept::Unsized(ty)) = &param.kept else { continue };
        for name in generics::bare(ty).into_iter().filter(|name| types.contains(&name.to_string())) {
            clause.predicates.push(parse_quote!(#name: ::core::marker::Send));
            // It is borrowed while the process waits.
            if !matches!(param.kept, Kept::Value(_)) {
                clause.predicates.push(parse_quote!(#name: ::core::marker::Sync));
            }
        }
    }
    generics
}

fn claims<'a>(ends: &'a [port::Input], marker: &'static str, bound: &'static str) -> impl Iterator<Item = Claim<'a>> {
    ends.iter().map(move |end| Claim {
        token: &end.token,
        marker: (marker, TokenStream::new()),
        bound: (bound, TokenStream::new()),
    })
}
