//! What both forms of `#[node]` have in common: the ports and the impls of the traits.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::model::{Fires, Model, Output, Seen};
use super::output::Returns;
use super::port::Hand;
use super::rate::Rate;
use super::{generics, pure};
use crate::names::{ends, inside, local, plain};

/// The ports' struct and the impls of `Ports`, `Node`, `Firing` and `Body` of a node that fires.
pub(crate) fn firing_node(model: &Model, fires: &Fires) -> TokenStream {
    let ports = ports(model);
    let node = node(model);
    let firing = firing(model, fires);
    let (builder, info) = (local("builder"), local("info"));
    let install = match fires.pure {
        true => pure::install(&builder, &info),
        false => quote!(::kpn::__rt::Builder::firing(#builder, #info, self)),
    };
    let body = body(model, &generics::running(model, &generics::rates(model)), &install);
    let asserts = fires.rates.asserts();
    match fires.rates.hidden() {
        None => quote!(#ports #node #firing #body #asserts),
        Some(hidden) => {
            let cfgs = &model.cfgs;
            quote!(#ports #node #(#cfgs)* const _: () = { #hidden #firing #body #asserts };)
        }
    }
}

/// The generics that the ports' struct has.
fn port_generics(model: &Model) -> syn::Generics {
    let tokens = model.inputs.iter().map(|i| &i.token).chain(model.outputs.iter().map(|o| &o.token));
    let tokens = tokens.map(|ty| generics::without_self(ty.clone(), &model.self_ty));
    let mut needed = generics::needed(&model.generics, quote!(#(#tokens,)*));
    // A token lives as long as it likes, and a port names nothing but tokens.
    needed.params = needed.params.into_iter().filter(|p| !matches!(p, syn::GenericParam::Lifetime(_))).collect();
    needed
}

/// The ports' struct and its impl of `Ports`.
pub(crate) fn ports(model: &Model) -> TokenStream {
    let Model { name, ports, cfgs, self_ty, .. } = model;
    let needed = port_generics(model);
    let (params, args, clause) = needed.split_for_impl();
    let struct_params = around_types(&needed, model);
    let in_names: Vec<&Ident> = model.inputs.iter().map(|input| &input.name).collect();
    let in_docs = model.inputs.iter().map(|input| docs(&input.docs, "input", &input.name));
    let in_types = model.inputs.iter().map(|input| generics::without_self(input.token.clone(), self_ty));
    let in_types: Vec<_> = in_types.collect();
    let out_names: Vec<&Ident> = model.outputs.iter().map(|output| &output.name).collect();
    let out_docs = model.outputs.iter().map(|output| docs(&output.docs, "output", &output.name));
    let out_types = model.outputs.iter().map(|output| generics::without_self(output.token.clone(), self_ty));
    let out_types: Vec<_> = out_types.collect();
    let doc = format!("The ports of `{}`.", plain(name));
    let (vis, hidden) = match &model.seen {
        Seen::As(vis) => (vis.to_token_stream(), None),
        Seen::Public { documented: true } => (quote!(pub), None),
        Seen::Public { documented: false } => (quote!(pub), Some(quote!(#[doc(hidden)]))),
    };
    // Parameters that only bounds name would be unused.
    let fields = quote!(#(#in_types,)* #(#out_types,)*);
    let direct = generics::mentioned(&fields);
    let indirect = needed.type_params().any(|param| !direct.contains(&param.ident.to_string()));
    let phantom = generics::phantom(&needed).filter(|_| indirect);
    let phantom_field = phantom.as_ref().map(|ty| quote!(__types: #ty,));
    quote! {
        #(#cfgs)*
        #[doc = #doc]
        #hidden
        #[allow(dead_code, unreachable_pub, private_interfaces, private_bounds, missing_debug_implementations)]
        #[allow(clippy::type_complexity, clippy::exhaustive_structs)]
        #vis struct #ports #struct_params #clause {
            #(#in_docs pub #in_names: ::kpn::__rt::InPort<#in_types>,)*
            #(#out_docs pub #out_names: ::kpn::__rt::OutPort<#out_types>,)*
            #phantom_field
        }

        #(#cfgs)*
        #[automatically_derived]
        #[allow(clippy::type_complexity, clippy::unused_unit)]
        impl #params ::kpn::__rt::Ports for #ports #args #clause {
            type Ins = (#(::kpn::__rt::InPort<#in_types>,)*);
            type Outs = (#(::kpn::__rt::OutPort<#out_types>,)*);
            fn ins(&self) -> Self::Ins {
                (#(::kpn::__rt::InPort::again(&self.#in_names),)*)
            }
            fn outs(&self) -> Self::Outs {
                (#(::kpn::__rt::OutPort::again(&self.#out_names),)*)
            }
        }
    }
}

/// What the user says of a port, or else that it is one.
fn docs(written: &[syn::Attribute], what: &str, name: &Ident) -> TokenStream {
    if written.is_empty() {
        let doc = format!("The {what} `{}`.", plain(name));
        return quote!(#[doc = #doc]);
    }
    quote!(#(#written)*)
}

/// The parameters of the ports' struct, with angle brackets that lie around all the types that the user wrote. So the
/// compiler doesn't propose a type that it can't find as a parameter of this struct, and tells of it once.
fn around_types(needed: &syn::Generics, model: &Model) -> TokenStream {
    let written =
        model.inputs.iter().map(|input| &input.written).chain(model.outputs.iter().map(|output| &output.token));
    let (first, last) = ends(quote!(#(#written)*));
    let params = &needed.params;
    let (open, close) = (quote_spanned!(first=> <), quote_spanned!(last=> >));
    quote!(#open #params #close)
}

fn firing(model: &Model, fires: &Fires) -> TokenStream {
    let Model { self_ty, cfgs, .. } = model;
    let Fires { call, returns, finish, .. } = fires;
    let generics = generics::running(model, &generics::rates(model));
    let (params, _, clause) = generics.split_for_impl();
    let items: Vec<Ident> = (0..model.inputs.len()).map(|i| local(&format!("item{i}"))).collect();
    let taken: Vec<_> = model.inputs.iter().map(|input| input.rate.item(&input.token)).collect();
    let handed = model.inputs.iter().zip(&items).map(|(input, item)| match input.hand {
        Hand::Value => quote!(#item),
        Hand::Ref => quote!(&#item),
        Hand::Slice => quote!(&#item[..]),
    });
    let marked = |token: &syn::Type, (name, args): (&str, TokenStream)| {
        let name = local(name);
        quote_spanned!(inside(token.span())=> ::kpn::__rt::#name<#token #args>)
    };
    let in_rates = model.inputs.iter().map(|input| marked(&input.token, input.rate.marker()));
    let out_rates = model.outputs.iter().map(|output| marked(&output.token, output.rate.marker()));
    let partial_fails = fires.partial_fails.then(|| {
        quote!(
            const PARTIAL_FAILS: bool = true;
        )
    });
    let source = model.inputs.is_empty();
    let call = quote!(#call(self #(, #handed)*));
    let fired = emit(&call, returns, &model.outputs, source);
    let finish = finish.as_ref().map(|returns| {
        let fired = emit(&quote!(<#self_ty>::finish(self)), returns, &model.outputs, true);
        let fired = if returns.outputs.is_empty() && !model.outputs.is_empty() {
            // Nothing to add is no firing.
            let done = finished(returns);
            quote!(#done ::kpn::__rt::Fired::End)
        } else {
            fired
        };
        quote! {
            const FINISHES: bool = true;
            fn finish(&mut self) -> ::kpn::__rt::Fired<<Self::Out as ::kpn::__rt::Outputs>::Items> {
                #fired
            }
        }
    });
    let shared = fires.pure.then(|| {
        let generics = pure::shareable(generics.clone(), self_ty);
        let clause = &generics.where_clause;
        quote! {
            #(#cfgs)*
            #[automatically_derived]
            #[allow(trivial_bounds, clippy::type_complexity, clippy::unused_unit, clippy::let_unit_value)]
            impl #params ::kpn::__rt::Pure for #self_ty #clause {
                #[inline]
                fn fire_shared(
                    &self,
                    (#(#items,)*): (#(#taken,)*),
                ) -> ::kpn::__rt::Fired<<Self::Out as ::kpn::__rt::Outputs>::Items> {
                    #fired
                }
            }
        }
    });
    quote! {
        #shared
        #(#cfgs)*
        #[automatically_derived]
        #[allow(trivial_bounds, clippy::type_complexity, clippy::unused_unit, clippy::let_unit_value)]
        impl #params ::kpn::__rt::Firing for #self_ty #clause {
            type In = (#(#in_rates,)*);
            type Out = (#(#out_rates,)*);
            #[inline]
            fn fire(
                &mut self,
                (#(#items,)*): (#(#taken,)*),
            ) -> ::kpn::__rt::Fired<<Self::Out as ::kpn::__rt::Outputs>::Items> {
                #fired
            }
            #finish
            #partial_fails
        }
    }
}

/// Calls a `finish` without outputs.
fn finished(returns: &Returns) -> TokenStream {
    let call = quote!(Self::finish(self));
    match &returns.fails {
        None => quote!(#call;),
        Some(written) => {
            let failed = failed(written.as_ref());
            let error = error_name(written.as_ref());
            quote!(if let ::core::result::Result::Err(#error) = #call { #failed })
        }
    }
}

fn error_name(error: Option<&syn::Type>) -> Ident {
    Ident::new("error", error.map_or_else(Span::mixed_site, |error| ends(error).1))
}

fn failed(error: Option<&syn::Type>) -> TokenStream {
    let (first, last) = error.map_or_else(|| (Span::mixed_site(), Span::mixed_site()), ends);
    // In the user's own context, where no code of the user's is.
    let error = Ident::new("error", last);
    let same = quote_spanned!(first=> ::kpn::__rt::);
    let moved = quote_spanned!(last=> same(#error));
    quote!(return ::kpn::__rt::Fired::Failed(::kpn::__rt::failure(#same #moved));)
}

/// Turns what a call returns into `Fired`. Where `ends`, an outer `None` is the end.
fn emit(call: &TokenStream, returns: &Returns, outputs: &[Output], ends: bool) -> TokenStream {
    let fired = local("fired");
    let unwrap = returns.fails.as_ref().map(|written| {
        let failed = failed(written.as_ref());
        let error = error_name(written.as_ref());
        quote! {
            let #fired = match #fired {
                ::core::result::Result::Ok(#fired) => #fired,
                ::core::result::Result::Err(#error) => { #failed }
            };
        }
    });
    let names: Vec<Ident> = (0..returns.outputs.len()).map(|i| local(&format!("out{i}"))).collect();
    let pattern = if returns.tuple { quote!((#(#names,)*)) } else { quote!(#(#names)*) };
    let items = returns.outputs.iter().zip(outputs).zip(&names);
    let items: Vec<_> = items.map(|((written, output), name)| convert(name, &written.rate, &output.rate)).collect();
    let emitted = match (returns.outputs.is_empty(), returns.optional) {
        (true, _) => {
            let empty = outputs.iter().map(nothing);
            quote!(let () = #fired; ::kpn::__rt::Fired::Emit((#(#empty,)*)))
        }
        (false, false) => {
            quote!(let #pattern = #fired; ::kpn::__rt::Fired::Emit((#(#items,)*)))
        }
        (false, true) => {
            let none = if ends {
                quote!(::kpn::__rt::Fired::End)
            } else {
                let empty = outputs.iter().map(nothing);
                quote!(::kpn::__rt::Fired::Emit((#(#empty,)*)))
            };
            quote! {
                match #fired {
                    ::core::option::Option::Some(#pattern) => ::kpn::__rt::Fired::Emit((#(#items,)*)),
                    ::core::option::Option::None => #none,
                }
            }
        }
    };
    quote!(let #fired = #call; #unwrap #emitted)
}

/// No token, at an output that allows it.
fn nothing(output: &Output) -> TokenStream {
    match output.rate {
        Rate::Any | Rate::Counted(_) => quote!(::kpn::__rt::Many::new()),
        _ => quote!(::core::option::Option::None),
    }
}

/// An item of one rate as an item of another that allows as much.
fn convert(item: &Ident, from: &Rate, to: &Rate) -> TokenStream {
    match (from, to) {
        (Rate::One, Rate::Maybe) => quote!(::core::option::Option::Some(#item)),
        (Rate::One, Rate::Any) => quote!(::kpn::__rt::many(::core::option::Option::Some(#item))),
        (Rate::Maybe | Rate::Exactly(_), Rate::Any) => quote!(::kpn::__rt::many(#item)),
        _ => quote!(#item),
    }
}

/// The impl of `Node`.
pub(crate) fn node(model: &Model) -> TokenStream {
    let Model { ports, self_ty, cfgs, .. } = model;
    let (params, _, clause) = model.generics.split_for_impl();
    let needed = port_generics(model);
    let (_, port_args, _) = needed.split_for_impl();
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        impl #params ::kpn::__rt::Node for #self_ty #clause {
            type Ports = #ports #port_args;
        }
    }
}

/// The impl of `Body`. `install` makes the ports from `info`, `builder` and `self`; `generics` say what that asks for.
pub(crate) fn body(model: &Model, generics: &syn::Generics, install: &TokenStream) -> TokenStream {
    let Model { name, ports, self_ty, cfgs, .. } = model;
    let clause = &generics.where_clause;
    let (living, env) = generics::living(&model.generics);
    let (living_params, ..) = living.split_for_impl();
    let (info, builder) = (local("info"), local("builder"));
    let shown = plain(name);
    let in_names: Vec<&Ident> = model.inputs.iter().map(|input| &input.name).collect();
    let out_names: Vec<&Ident> = model.outputs.iter().map(|output| &output.name).collect();
    let in_shown = in_names.iter().map(|name| plain(name));
    let out_shown = out_names.iter().map(|name| plain(name));
    let ins: Vec<Ident> = (0..in_names.len()).map(|i| local(&format!("in{i}"))).collect();
    let outs: Vec<Ident> = (0..out_names.len()).map(|i| local(&format!("out{i}"))).collect();
    let phantom = ports_have_phantom(model).then(|| quote!(__types: ::core::marker::PhantomData,));
    let probes = probes(&ins, &outs);
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        #[allow(trivial_bounds)]
        impl #living_params ::kpn::__rt::Body<#env> for #self_ty #clause {
            fn install(self, #builder: &mut ::kpn::__rt::Builder<#env>) -> Self::Ports {
                let #info = ::kpn::__rt::NodeInfo {
                    name: #shown,
                    inputs: &[#(#in_shown),*],
                    outputs: &[#(#out_shown),*],
                };
                let ((#(#ins,)*), (#(#outs,)*)) = #install;
                #probes
                #ports { #(#in_names: #ins,)* #(#out_names: #outs,)* #phantom }
            }
        }
    }
}

/// Lets verifications know how tokens can be told apart: here their types are known, and what these can do.
fn probes(ins: &[Ident], outs: &[Ident]) -> TokenStream {
    if ins.is_empty() && outs.is_empty() {
        return TokenStream::new();
    }
    let probed = local("probed");
    let probe = |function: &str, port: &Ident| {
        let function = local(function);
        quote! {
            let #probed = ::kpn::__rt::#function(&#port);
            #probed.keep((&&&#probed).hash(), (&&&#probed).text());
        }
    };
    let ins = ins.iter().map(|port| probe("probed_in", port));
    let outs = outs.iter().map(|port| probe("probed_out", port));
    quote!({ use ::kpn::__rt::probing::*; #(#ins)* #(#outs)* })
}

fn ports_have_phantom(model: &Model) -> bool {
    let tokens = model.inputs.iter().map(|i| &i.token).chain(model.outputs.iter().map(|o| &o.token));
    let tokens = tokens.map(|ty| generics::without_self(ty.clone(), &model.self_ty));
    let direct = generics::mentioned(quote!(#(#tokens,)*));
    port_generics(model).type_params().any(|param| !direct.contains(&param.ident.to_string()))
}
