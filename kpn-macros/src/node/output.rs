//! What a firing returns: recognised from the type as written, so that an alias is always one token.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, ReturnType, Type};

use super::count;
use super::port::check_owned;
use super::rate::Rate;
use crate::report::Report;

/// One output as written.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) rate: Rate,
    pub(crate) token: Type,
    /// All of it.
    pub(crate) ty: Type,
}

/// A return type, taken apart from the outside in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Returns {
    /// A `Result` stands around everything; its error's type, where that is written.
    pub(crate) fails: Option<Option<Type>>,
    /// An `Option` stands around all outputs.
    pub(crate) optional: bool,
    /// The outputs are a tuple.
    pub(crate) tuple: bool,
    pub(crate) outputs: Vec<Written>,
    /// Where it is written.
    pub(crate) span: Option<Span>,
}

/// The types between the angle brackets, where the last segment of the path is `name`.
pub(crate) fn wrapped<'a>(ty: &'a Type, name: &str) -> Option<Vec<&'a Type>> {
    let Type::Path(path) = peel(ty) else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    match &last.arguments {
        PathArguments::None => Some(Vec::new()),
        PathArguments::AngleBracketed(args) => Some(
            args.args
                .iter()
                .filter_map(|arg| match arg {
                    GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                })
                .collect(),
        ),
        PathArguments::Parenthesized(_) => None,
    }
}

/// A type without parentheses and without the invisible groups of `macro_rules!`.
pub(crate) fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => peel(&inner.elem),
        Type::Group(inner) => peel(&inner.elem),
        ty => ty,
    }
}

fn option(ty: &Type) -> Option<&Type> {
    wrapped(ty, "Option").filter(|args| args.len() == 1).map(|args| args[0])
}

fn many(ty: &Type) -> Option<&Type> {
    wrapped(ty, "Many").filter(|args| args.len() == 1).map(|args| args[0])
}

fn is_result(ty: &Type) -> bool {
    wrapped(ty, "Result").is_some()
}

pub(crate) fn shown(ty: &Type) -> String {
    // Tokens print with spaces between them; in a sentence a type reads as it was written.
    let mut text = ty.to_token_stream().to_string();
    for (spaced, tight) in
        [(" < ", "<"), (" <", "<"), ("< ", "<"), (" >", ">"), (" ,", ","), (" ;", ";"), (" :: ", "::"), ("& ", "&")]
    {
        text = text.replace(spaced, tight);
    }
    text
}

/// Which function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// `fire` of a node with inputs.
    Fire,
    /// `fire` of a node without inputs: an outer `None` ends the stream, so an inner one is likely a mistake.
    Source,
    /// `finish`: an outer `None` is all that it gives.
    Finish,
}

/// Takes a return type apart.
pub(crate) fn read(written: &ReturnType, of: Of, report: &mut Report) -> Returns {
    let ReturnType::Type(_, ty) = written else { return Returns::default() };
    let mut returns = Returns { span: Some(ty.span()), ..Returns::default() };
    let unit = syn::parse_quote!(());
    let mut ty: &Type = peel(ty);
    if let Some(args) = wrapped(ty, "Result") {
        returns.fails = Some(args.get(1).map(|error| (*error).clone()));
        ty = args.first().map_or(&unit, |ok| peel(ok));
    }
    Reader { of, returns: &mut returns, report }.outermost(ty);
    returns
}

struct Reader<'a> {
    of: Of,
    returns: &'a mut Returns,
    report: &'a mut Report,
}

impl Reader<'_> {
    fn outermost(&mut self, ty: &Type) {
        match (ty, option(ty), many(ty)) {
            (Type::Tuple(tuple), ..) if tuple.elems.is_empty() => {}
            (Type::Tuple(tuple), ..) => self.tuple(tuple, ty),
            (_, Some(inner), _) => self.option(peel(inner), ty),
            (_, _, Some(inner)) if matches!(peel(inner), Type::Tuple(_)) => self.many_tuple(peel(inner), ty),
            _ => self.single(ty),
        }
    }

    fn tuple(&mut self, tuple: &syn::TypeTuple, whole: &Type) {
        self.returns.tuple = true;
        if self.of == Of::Source && !self.returns.optional && tuple.elems.iter().any(|elem| option(elem).is_some()) {
            let all = tuple.elems.iter().all(|elem| option(elem).is_some());
            let inner = tuple.elems.iter().map(|elem| shown(option(elem).filter(|_| all).unwrap_or(elem)));
            self.report.at(
                whole,
                format_args!(
                    "in a node without inputs `None` ends the stream, so the `Option` stands around all outputs: \
                     `Option<({})>`",
                    inner.collect::<Vec<_>>().join(", ")
                ),
            );
        }
        tuple.elems.iter().for_each(|elem| self.single(peel(elem)));
    }

    fn option(&mut self, inner: &Type, whole: &Type) {
        match inner {
            Type::Tuple(tuple) if tuple.elems.is_empty() => self.unit(whole),
            Type::Tuple(tuple) => {
                self.returns.optional = true;
                self.tuple(tuple, whole);
            }
            _ if is_result(inner) => self.single(inner),
            _ if self.of != Of::Fire => {
                self.returns.optional = true;
                self.single(inner);
            }
            _ if option(inner).is_some() || many(inner).is_some() => {
                self.report.at(
                    whole,
                    format_args!(
                        "an `Option` around `{0}` is not clear: return `{0}`, or name a token of that type by an alias",
                        shown(inner)
                    ),
                );
                self.single(inner);
            }
            _ => self.single(whole),
        }
    }

    fn many_tuple(&mut self, inner: &Type, whole: &Type) {
        let Type::Tuple(tuple) = inner else { return };
        if tuple.elems.is_empty() {
            return self.unit(whole);
        }
        let each = tuple.elems.iter().map(|elem| format!("Many<{}>", shown(elem)));
        self.report.at(
            whole,
            format_args!(
                "a `Many` of a tuple is not clear: return `({})` for several outputs, or name the tuple by an alias \
                 for one output of tuples",
                each.collect::<Vec<_>>().join(", ")
            ),
        );
        self.returns.outputs.push(Written { rate: Rate::Any, token: inner.clone(), ty: whole.clone() });
    }

    /// One output, whatever its rate.
    fn single(&mut self, ty: &Type) {
        let (rate, token) = match (option(ty), many(ty), ty) {
            (Some(token), ..) => (Rate::Maybe, token),
            (_, Some(token), _) => (Rate::Any, token),
            (.., Type::Array(array)) => {
                count::check_length(&array.len, self.report);
                (Rate::Exactly(array.len.clone()), &*array.elem)
            }
            _ => (Rate::One, ty),
        };
        let token = peel(token);
        match token {
            _ if is_result(token) => self.inner_result(token),
            Type::Tuple(tuple) if tuple.elems.is_empty() => self.unit(token),
            Type::Array(array) if !rate.is_fixed() => self.report.at(
                token,
                format_args!(
                    "an array in an `Option` or a `Many` is not clear: return a `Many<{}>`, or name the array by an alias \
                     for tokens that are arrays",
                    shown(&array.elem)
                ),
            ),
            Type::Never(_) => self.report.at(token, "a node returns from each firing, so it can't return `!`"),
            _ => check_owned(token, "an output's token", self.report),
        }
        self.returns.outputs.push(Written { rate, token: token.clone(), ty: ty.clone() });
    }

    fn unit(&mut self, at: &Type) {
        self.report.at(at, "`()` is no token: return nothing, or name a token of that type by an alias");
    }

    fn inner_result(&mut self, at: &Type) {
        self.report.at(
            at,
            "a `Result` stands around everything that a node returns: `Result<Option<T>, E>`, `Result<(A, B), E>`; \
             a token that is a `Result` needs an alias",
        );
    }
}
