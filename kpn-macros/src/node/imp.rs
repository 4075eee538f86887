//! `#[node]` on the `impl` of a struct.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, ImplItem, ImplItemFn, ItemImpl, ReturnType, Signature, Type, Visibility};

use super::generics;
use super::model::{self, Fires, Model, Seen};
use super::options::Options;
use super::output::{self, Of, Returns, peel};
use super::port::{self, Input};
use super::rate::Rates;
use super::{not_a_node, pure, traits};
use crate::names::camel;
use crate::report::Report;

pub(crate) fn node(mut item: ItemImpl, options: &Options, mut report: Report) -> TokenStream {
    let model = read(&mut item, options, &mut report);
    match model {
        Some((model, fires)) if report.is_empty() => {
            let traits = traits::firing_node(&model, &fires);
            quote!(#item #traits)
        }
        _ => stub(&item, report),
    }
}

fn read(item: &mut ItemImpl, options: &Options, report: &mut Report) -> Option<(Model, Fires)> {
    if let Some((_, path, _)) = &item.trait_ {
        report.at(path, format_args!("{}; this is the `impl` of a trait", not_a_node()));
        return None;
    }
    if let Some(unsafety) = item.unsafety {
        report.at(unsafety, "the `impl` of a node is not `unsafe`");
    }
    let Type::Path(path) = peel(&item.self_ty) else {
        report.at(&item.self_ty, "a node with state is a struct or an enum of your own");
        return None;
    };
    let name: Ident = path.path.segments.last()?.ident.clone();
    let mut generics = item.generics.clone();
    let mut self_ty = (*item.self_ty).clone();
    generics::name_lifetimes(&mut self_ty, &mut generics);

    let Some(fire) = method(item, "fire", report) else {
        report.at(
            &item.self_ty,
            format_args!("`{name}` needs a `fn fire(&mut self, ..)`, which is called for each firing"),
        );
        return None;
    };
    check_signature(&fire.sig, true, report);
    options.check_fires(report);
    let mut args = port::sort(fire.sig.inputs.iter_mut(), false, report);
    let mut rates = Rates::new(&generics);
    rates.inputs(&mut args.inputs, options, report);
    if args.inputs.iter().any(Input::by_ref) {
        // A token is a `String` and not a `str`, so a reference to one is what it has to be.
        fire.attrs.push(syn::parse_quote!(#[allow(clippy::ptr_arg)]));
    }
    let source = args.inputs.is_empty();
    let returns = output::read(&fire.sig.output, if source { Of::Source } else { Of::Fire }, report);
    let documented = matches!(fire.vis, Visibility::Public(_));
    let pure = pure::method(&fire.sig, source, &self_ty, &generics);

    let finish = method(item, "finish", report).map(|finish| read_finish(finish, source, report));
    let outputs = model::outputs(&returns, finish.as_ref(), source, options, &mut rates, report);
    check_finish_types(finish.as_ref(), &outputs, report);
    model::check_ports(&name, &args.inputs, &outputs, report);
    let model = Model {
        ports: format_ident!("{}Ports", camel(&name), span = name.span()),
        name,
        seen: Seen::Public { documented },
        cfgs: item.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect(),
        generics,
        self_ty,
        inputs: args.inputs,
        outputs,
    };
    let partial_fails = options.partial_fails(source, report);
    Some((model, Fires { call: quote!(Self::fire), returns, finish, rates, partial_fails, pure }))
}

/// The method of this name, if there is one.
fn method<'a>(item: &'a mut ItemImpl, name: &str, report: &mut Report) -> Option<&'a mut ImplItemFn> {
    let mut methods = item.items.iter_mut().filter_map(|item| match item {
        ImplItem::Fn(method) if method.sig.ident == name => Some(method),
        _ => None,
    });
    let first = methods.next();
    if let Some(second) = methods.next() {
        report.at(&second.sig.ident, format_args!("`{name}` stands here twice"));
    }
    first
}

fn read_finish(finish: &mut ImplItemFn, source: bool, report: &mut Report) -> Returns {
    if source {
        report.at(
            &finish.sig.ident,
            "`finish` is called when the inputs have ended, but this node has no inputs: give what is left before \
             `None`",
        );
    }
    check_signature(&finish.sig, false, report);
    if let Some(arg) = finish.sig.inputs.iter().find(|arg| matches!(arg, FnArg::Typed(_))) {
        report.at(arg, "`finish` takes no inputs, since they have ended: `fn finish(&mut self)`");
    }
    // As in a source, an outer `None` is the end, so that `Option<(A, B)>` holds for all outputs.
    match &finish.sig.output {
        ReturnType::Default => Returns::default(),
        written => output::read(written, Of::Finish, report),
    }
}

fn check_signature(sig: &Signature, fire: bool, report: &mut Report) {
    let name = &sig.ident;
    if let Some(asyncness) = sig.asyncness {
        report.at(
            asyncness,
            format_args!(
                "`{name}` is called for each firing and doesn't wait: a process, which does, is an `async fn` of its \
                 own with `#[node]` on it, and keeps its state in locals"
            ),
        );
    }
    let modifiers = [sig.constness.map(|c| c.to_token_stream()), sig.unsafety.map(|u| u.to_token_stream())];
    for modifier in modifiers.into_iter().flatten().chain(sig.abi.as_ref().map(|abi| abi.to_token_stream())) {
        report.at(
            &modifier,
            format_args!("`{name}` is called by the network, so it is a plain `fn`, not `{modifier} fn`"),
        );
    }
    if sig.generics.type_params().next().is_some() || sig.generics.const_params().next().is_some() {
        report.at(
            &sig.generics,
            format_args!("the types of a node's ports are the node's: put the generics of `{name}` on the `impl`"),
        );
    }
    match sig.receiver() {
        Some(receiver) if receiver.reference.is_some() || matches!(&*receiver.ty, Type::Reference(_)) => {}
        Some(receiver) => {
            report.at(receiver, format_args!("the network keeps the node, so `{name}` borrows it: `&mut self`"))
        }
        None => {
            let rest = if fire { ", .." } else { "" };
            report.at(name, format_args!("`{name}` is a method of the node: `fn {name}(&mut self{rest})`"));
        }
    }
}

/// Both functions speak of the same ports, as far as the macro can see.
fn check_finish_types(finish: Option<&Returns>, outputs: &[model::Output], report: &mut Report) {
    for (written, output) in finish.iter().flat_map(|finish| &finish.outputs).zip(outputs) {
        let (finished, fired) = (written.token.to_token_stream(), output.token.to_token_stream());
        if finished.to_string() != fired.to_string() {
            report.at(
                &written.token,
                format_args!("`fire` gives `{fired}` at this output, so `finish` gives `{fired}` there as well"),
            );
        }
    }
}

/// The `impl` as it is, and a node whose ports carry the errors, so that what uses it adds none of its own.
fn stub(item: &ItemImpl, report: Report) -> TokenStream {
    let errors = report.into_tokens();
    if item.trait_.is_some() || !matches!(peel(&item.self_ty), Type::Path(_)) {
        return quote!(#item #errors);
    }
    let mut generics = item.generics.clone();
    let mut self_ty = (*item.self_ty).clone();
    generics::name_lifetimes(&mut self_ty, &mut generics);
    let (params, _, clause) = generics.split_for_impl();
    let (living, env) = generics::living(&generics);
    let (living_params, ..) = living.split_for_impl();
    quote! {
        #[allow(dead_code, unused_variables)]
        #item
        impl #params ::kpn::__rt::Node for #self_ty #clause {
            type Ports = [(); { #errors }];
        }
        #[allow(clippy::all)]
        impl #living_params ::kpn::__rt::Body<#env> for #self_ty #clause {
            fn install(self, _: &mut ::kpn::__rt::Builder<#env>) -> Self::Ports {
                loop {}
            }
        }
    }
}
