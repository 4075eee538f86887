//! Arguments: which are parameters, which are inputs, and how each is kept and handed on.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, FnArg, Pat, PatIdent, PatType, Type, TypeReference};

use super::end::{End, Side, end};
use super::output::{peel, shown};
use super::rate::Taken;
use crate::report::Report;

/// An input port.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) name: Ident,
    pub(crate) docs: Vec<Attribute>,
    /// As the function takes it.
    pub(crate) written: Type,
    /// What the edge carries.
    pub(crate) token: Type,
    pub(crate) hand: Hand,
    /// The length of an array that is written out.
    pub(crate) array: Option<Expr>,
    pub(crate) rate: Taken,
}

impl Input {
    pub(crate) fn by_ref(&self) -> bool {
        self.hand != Hand::Value
    }
}

/// How a function takes what its input gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hand {
    Value,
    Ref,
    /// `&[T]`, tokens whose number the options say.
    Slice,
}

/// A parameter: fixed when the node is made.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: Ident,
    pub(crate) kept: Kept,
}

/// How a parameter is kept in the node and handed to the function.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    /// Cloned for each firing.
    Value(Type),
    /// `&T` is kept as `T`.
    Owned(Type),
    /// `&[T]` is kept as `Vec<T>`.
    Slice(Type),
    /// `&str` is kept as `String`.
    Str,
    /// `&Path` and its like are kept as what they are a borrow of.
    Unsized(Type),
}

impl Kept {
    /// The type of the field.
    pub(crate) fn ty(&self) -> TokenStream {
        match self {
            Self::Value(ty) | Self::Owned(ty) => ty.to_token_stream(),
            Self::Slice(elem) => quote!(::std::vec::Vec<#elem>),
            Self::Str => quote!(::std::string::String),
            Self::Unsized(ty) => quote!(<#ty as ::std::borrow::ToOwned>::Owned),
        }
    }
}

/// The arguments of a function, sorted.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) params: Vec<Param>,
    pub(crate) inputs: Vec<Input>,
    /// Those of a process; what fires returns its outputs.
    pub(crate) outputs: Vec<Input>,
    /// All of them in the order in which the function takes them.
    pub(crate) order: Vec<Arg>,
}

/// An argument's place among the parameters, the inputs or the outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg {
    Param(usize),
    Input(usize),
    Output(usize),
}

/// Sorts the arguments of what fires; `#[param]` and the inputs' doc comments are taken off them.
pub(crate) fn sort<'a>(args: impl Iterator<Item = &'a mut FnArg>, params_allowed: bool, report: &mut Report) -> Args {
    let mut sorted = Args::default();
    for arg in args {
        let FnArg::Typed(arg) = arg else { continue };
        let Some(Head { name, docs, param }) = head(arg, report) else { continue };
        if param && !params_allowed {
            report.at(
                &*arg,
                "what is fixed when the node is made is a field of the struct: `#[param]` stands on arguments of a \
                 function",
            );
        }
        if param {
            sorted.param(name, kept(&arg.ty, report));
        } else {
            sorted.order.push(Arg::Input(sorted.inputs.len()));
            let Token { token, hand, array } = token(&arg.ty, &name, report);
            let written = (*arg.ty).clone();
            sorted.inputs.push(Input { name, docs, written, token, hand, array, rate: Taken::One });
        }
    }
    sorted
}

impl Args {
    pub(crate) fn param(&mut self, name: Ident, kept: Kept) {
        self.order.push(Arg::Param(self.params.len()));
        self.params.push(Param { name, kept });
    }
}

/// What stands before the type of an argument.
pub(crate) struct Head {
    pub(crate) name: Ident,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) param: bool,
}

/// Takes what only the macro reads off an argument.
pub(crate) fn head(arg: &mut PatType, report: &mut Report) -> Option<Head> {
    let param = take_param(arg, report);
    let docs = arg.attrs.extract_if(.., |attr| attr.path().is_ident("doc")).collect();
    if let Some(cfg) = arg.attrs.iter().find(|attr| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr")) {
        report.at(
            cfg,
            "an argument can't be conditional, since it is a port or a parameter: put `#[cfg]` on the whole function",
        );
    }
    Some(Head { name: name(arg, report)?, docs, param })
}

/// Takes `#[param]` off an argument.
fn take_param(arg: &mut PatType, report: &mut Report) -> bool {
    let params: Vec<Attribute> = arg.attrs.extract_if(.., |attr| attr.path().is_ident("param")).collect();
    if let Some(more) = params.get(1) {
        report.at(more, "`#[param]` stands here twice");
    }
    for attr in &params {
        if attr.meta.require_path_only().is_err() {
            report.at(attr, "`#[param]` takes no options");
        }
    }
    !params.is_empty()
}

fn name(arg: &PatType, report: &mut Report) -> Option<Ident> {
    match &*arg.pat {
        Pat::Ident(PatIdent { by_ref: None, subpat: None, ident, .. }) => Some(ident.clone()),
        pat => {
            report.at(
                pat,
                "an argument needs a name, since it is a port or a parameter: take it apart in the function's body",
            );
            None
        }
    }
}

fn is_static(reference: &TypeReference) -> bool {
    reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static")
}

/// What an input's edge carries, and how the function takes it.
struct Token {
    token: Type,
    hand: Hand,
    array: Option<Expr>,
}

/// Takes the type of an input apart.
fn token(written: &Type, name: &Ident, report: &mut Report) -> Token {
    let ty = peel(written);
    if let Some(End { side, token, .. }) = end(written) {
        let instead = match side {
            Side::In => format!("take the token itself: `{name}: {}`", shown(token)),
            Side::Out => "return what it gives".to_owned(),
        };
        report.at(
            ty,
            format_args!(
                "an `{}` is a port of a process: write `async fn`, or, where the node fires, {instead}",
                side.name()
            ),
        );
        return Token { token: token.clone(), hand: Hand::Value, array: None };
    }
    let Type::Reference(reference) = ty else {
        return array_or_one(ty, Hand::Value, report);
    };
    if is_static(reference) {
        return Token { token: ty.clone(), hand: Hand::Value, array: None };
    }
    let elem = peel(&reference.elem);
    if reference.mutability.is_some() {
        let instead = match elem {
            Type::Slice(slice) => format!("an array of a fixed length, `mut {name}: [{}; 4]`", shown(&slice.elem)),
            elem => format!("`mut {name}: {}`", shown(elem)),
        };
        report.at(ty, format_args!("an input is the node's own: take it by value, {instead}"));
        return Token { token: elem.clone(), hand: Hand::Ref, array: None };
    }
    match elem {
        Type::Path(path) if path.path.is_ident("str") => {
            report.at(ty, "an input's token is owned: take a `String` or a `&String`");
            Token { token: elem.clone(), hand: Hand::Ref, array: None }
        }
        Type::Slice(slice) => {
            let token = peel(&slice.elem);
            check_owned(token, "an input's token", report);
            Token { token: token.clone(), hand: Hand::Slice, array: None }
        }
        Type::TraitObject(_) => {
            report.at(ty, "an input's token is owned: take a `Box<dyn ..>` or an `Arc<dyn ..>`");
            Token { token: elem.clone(), hand: Hand::Ref, array: None }
        }
        _ => array_or_one(elem, Hand::Ref, report),
    }
}

/// An array written out is its elements; anything else is one token.
fn array_or_one(ty: &Type, hand: Hand, report: &mut Report) -> Token {
    let (token, array) = match ty {
        Type::Array(array) => (peel(&array.elem), Some(array.len.clone())),
        ty => (ty, None),
    };
    check_owned(token, "an input's token", report);
    Token { token: token.clone(), hand, array }
}

pub(crate) fn kept(written: &Type, report: &mut Report) -> Kept {
    let ty = peel(written);
    let Type::Reference(reference) = ty else {
        if let Some(anonymous) = Borrows::in_type(ty, false) {
            report.at(anonymous, "a parameter is kept in the node, so a lifetime in it needs a name");
        }
        check_impl(ty, report);
        return Kept::Value(ty.clone());
    };
    if reference.mutability.is_some() {
        report.at(ty, "a parameter can't change: keep state in a struct, with `#[node]` on its `impl`");
        return Kept::Owned(peel(&reference.elem).clone());
    }
    if reference.lifetime.is_some() {
        return Kept::Value(ty.clone());
    }
    match peel(&reference.elem) {
        Type::Slice(slice) => Kept::Slice((*slice.elem).clone()),
        Type::Path(path) if path.path.is_ident("str") => Kept::Str,
        elem @ Type::Path(path)
            if path.path.segments.last().is_some_and(|last| BORROWED.iter().any(|b| last.ident == b)) =>
        {
            Kept::Unsized(elem.clone())
        }
        elem @ Type::TraitObject(_) => {
            report
                .at(elem, "a parameter behind `&dyn` isn't kept: name its type, `fn f<F: Trait>(#[param] f: &F, ..)`");
            Kept::Owned(elem.clone())
        }
        elem => {
            check_impl(elem, report);
            Kept::Owned(elem.clone())
        }
    }
}

/// Types of the standard library that have no size, beside `str`.
const BORROWED: [&str; 3] = ["Path", "OsStr", "CStr"];

/// A token lives as long as it likes, so nothing in it may borrow.
pub(crate) fn check_owned(ty: &Type, what: &str, report: &mut Report) {
    if check_impl(ty, report) {
        return;
    }
    if let Some(borrow) = Borrows::in_type(ty, true) {
        report.at(borrow, format_args!("{what} is owned, so it can't borrow: share it in an `Arc`, or send a copy"));
    }
}

/// `impl Trait` names no type.
fn check_impl(ty: &Type, report: &mut Report) -> bool {
    struct Find(Option<Type>);
    impl Visit<'_> for Find {
        fn visit_type(&mut self, ty: &Type) {
            if matches!(ty, Type::ImplTrait(_)) {
                self.0.get_or_insert_with(|| ty.clone());
            }
            visit::visit_type(self, ty);
        }
    }
    let mut find = Find(None);
    find.visit_type(ty);
    let Some(found) = find.0 else { return false };
    let Type::ImplTrait(written) = &found else { return false };
    let bounds = written.bounds.to_token_stream();
    report
        .at(&found, format_args!("a node's types have names: write a generic, `fn f<T: {bounds}>(..)`, and `T` here"));
    true
}

/// Finds the first borrow in a type, apart from `'static` ones and from function types.
struct Borrows {
    /// Named lifetimes count as well.
    named: bool,
    found: Option<TokenStream>,
}

impl Borrows {
    fn in_type(ty: &Type, named: bool) -> Option<TokenStream> {
        let mut borrows = Self { named, found: None };
        borrows.visit_type(ty);
        borrows.found
    }

    fn counts(&self, lifetime: &syn::Lifetime) -> bool {
        lifetime.ident == "_" || (self.named && lifetime.ident != "static")
    }
}

impl Visit<'_> for Borrows {
    fn visit_type_reference(&mut self, reference: &TypeReference) {
        if reference.lifetime.as_ref().is_none_or(|lifetime| self.counts(lifetime)) {
            self.found.get_or_insert_with(|| reference.to_token_stream());
        } else {
            visit::visit_type_reference(self, reference);
        }
    }
    fn visit_lifetime(&mut self, lifetime: &syn::Lifetime) {
        if self.counts(lifetime) {
            self.found.get_or_insert_with(|| lifetime.to_token_stream());
        }
    }
    fn visit_type_bare_fn(&mut self, _: &syn::TypeBareFn) {}
    fn visit_parenthesized_generic_arguments(&mut self, _: &syn::ParenthesizedGenericArguments) {}
    fn visit_bound_lifetimes(&mut self, _: &syn::BoundLifetimes) {}
}
