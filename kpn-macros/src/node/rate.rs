//! Rates: how many tokens a port takes or gives a firing, from the types as they are written and from the options.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Generics, Type};

use super::count::{self, Count};
use super::generics;
use super::options::Options;
use super::output::{Written, shown};
use super::port::{Hand, Input};
use crate::names::{self, list, local, meant, plain};
use crate::report::Report;

/// What an output gives a firing.
#[derive(Clone, Debug)]
pub(crate) enum Rate {
    One,
    Maybe,
    Any,
    /// An array of this length.
    Exactly(Expr),
    /// As many as the phases with this number say.
    Counted(usize),
}

/// What an input takes a firing.
#[derive(Clone, Debug)]
pub(crate) enum Taken {
    One,
    Exactly(Expr),
    /// It sees the first number of tokens and takes the second.
    Window(Expr, Expr),
    /// As many as the phases with this number say.
    Cyclic(usize),
}

/// An array of more tokens may be too large for a stack.
const MOST_OF_AN_ARRAY: usize = 1 << 16;

impl Rate {
    /// The least rate that allows what both of them do.
    pub(crate) fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Exactly(a), Self::Exactly(b)) if count::same(a, b) => self.clone(),
            (Self::One, Self::One) => Self::One,
            (Self::One | Self::Maybe, Self::One | Self::Maybe) => Self::Maybe,
            _ => Self::Any,
        }
    }

    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self, Self::Exactly(_) | Self::Counted(_))
    }

    /// The marker type's name, and what stands behind the token between its angle brackets.
    pub(crate) fn marker(&self) -> (&'static str, TokenStream) {
        match self {
            Self::One => ("One", TokenStream::new()),
            Self::Maybe => ("Maybe", TokenStream::new()),
            Self::Any => ("Any", TokenStream::new()),
            Self::Exactly(n) => ("Exactly", argument(n)),
            Self::Counted(i) => ("Counted", hidden(*i)),
        }
    }

    /// What one firing gives.
    pub(crate) fn item(&self, token: &Type) -> TokenStream {
        match self {
            Self::One => quote!(#token),
            Self::Maybe => quote!(::core::option::Option<#token>),
            Self::Any | Self::Counted(_) => quote!(::kpn::__rt::Many<#token>),
            Self::Exactly(n) => quote!([#token; #n]),
        }
    }
}

impl Taken {
    /// As [`Rate::marker`].
    pub(crate) fn marker(&self) -> (&'static str, TokenStream) {
        match self {
            Self::One => ("One", TokenStream::new()),
            Self::Exactly(n) => ("Exactly", argument(n)),
            Self::Window(peek, consume) => {
                let (peek, consume) = (argument(peek), argument(consume));
                ("Window", quote!(#peek #consume))
            }
            Self::Cyclic(i) => ("Cyclic", hidden(*i)),
        }
    }

    /// What one firing takes.
    pub(crate) fn item(&self, token: &Type) -> TokenStream {
        match self {
            Self::One => quote!(#token),
            Self::Exactly(n) | Self::Window(n, _) => quote!([#token; #n]),
            Self::Cyclic(_) => quote!(::kpn::__rt::Batch<#token>),
        }
    }
}

/// A number as an argument behind a type.
fn argument(n: &Expr) -> TokenStream {
    match n {
        Expr::Lit(_) => quote!(, #n),
        n => quote!(, { #n }),
    }
}

fn hidden_name(i: usize) -> Ident {
    local(&format!("__Phases{i}"))
}

fn hidden(i: usize) -> TokenStream {
    let name = hidden_name(i);
    quote!(, #name)
}

/// What the rates of one node need beside its ports.
#[derive(Default)]
pub(crate) struct Rates {
    /// The phases of ports that have several.
    phases: Vec<Vec<Expr>>,
    /// Lengths that are said at two places and that only the compiler can compare: the option's, the type's.
    pairs: Vec<(Expr, Expr)>,
    /// The node's generics.
    generic: HashSet<String>,
}

impl Rates {
    pub(crate) fn new(generics: &Generics) -> Self {
        let generic = generics.type_params().map(|param| param.ident.to_string());
        let generic = generic.chain(generics.const_params().map(|param| param.ident.to_string())).collect();
        Self { generic, ..Self::default() }
    }

    /// Gives each input its rate.
    pub(crate) fn inputs(&mut self, inputs: &mut [Input], options: &Options, report: &mut Report) {
        let known: Vec<String> = inputs.iter().map(|input| plain(&input.name)).collect();
        check_names(options.consume.iter().chain(&options.peek).flatten(), "input", &known, report);
        for input in inputs {
            let (consume, peek) = (count::of(&options.consume, &input.name), count::of(&options.peek, &input.name));
            input.rate = self.input(input, consume, peek, report);
        }
    }

    fn input(&mut self, input: &Input, consume: Option<&Count>, peek: Option<&Count>, report: &mut Report) -> Taken {
        let name = &input.name;
        for count in consume.iter().chain(&peek) {
            count.check(&self.generic, report);
        }
        let token = shown(&input.token);
        let several = input.array.is_some() || input.hand == Hand::Slice;
        match (consume.or(peek), &input.array) {
            (None, None) if input.hand == Hand::Slice => report.at(
                &input.written,
                format_args!(
                    "a slice is several tokens: say how many, `#[node(consume({name} = 4))]`; one token that is a list \
                     is a `Vec<{token}>` or a `&Vec<{token}>`"
                ),
            ),
            (None, Some(length)) => count::check_length(length, report),
            (Some(count), _) if !several && count.single().and_then(count::literal) != Some(1) => report.at(
                &count.value,
                format_args!("`{name}` takes one token as it is written: for several write `{name}: &[{token}]`"),
            ),
            _ => {}
        }
        match (peek, consume) {
            _ if !several => Taken::One,
            (Some(peek), consume) => self.window(input, peek, consume, report),
            (None, Some(consume)) => self.consumed(input, consume, report),
            (None, None) => input.array.clone().map_or(Taken::One, Taken::Exactly),
        }
    }

    fn consumed(&mut self, input: &Input, count: &Count, report: &mut Report) -> Taken {
        let Count { port: name, .. } = count;
        if let Some(length) = &input.array {
            match count.single() {
                Some(n) => self.agree(n, length, name, report),
                None => report.at(
                    &count.value,
                    format_args!(
                        "the number of tokens changes with the phase, and an array's length doesn't: write `{name}: \
                         &[{}]`",
                        shown(&input.token)
                    ),
                ),
            }
            return Taken::Exactly(length.clone());
        }
        match count.single().filter(|n| !count.is_list && count::literal(n).is_none_or(|n| n <= MOST_OF_AN_ARRAY)) {
            Some(n) => Taken::Exactly(n.clone()),
            None => Taken::Cyclic(self.phases(count)),
        }
    }

    fn window(&mut self, input: &Input, peek: &Count, consume: Option<&Count>, report: &mut Report) -> Taken {
        let mut one = |count: &Count, what: &str| -> Expr {
            if count.single().is_none() {
                report.at(&count.value, format_args!("a window {what} the same number of tokens at each firing"));
            }
            count.rates.first().cloned().unwrap_or_else(|| syn::parse_quote!(1))
        };
        let seen = one(peek, "sees");
        let taken = consume.map_or_else(|| syn::parse_quote!(1), |consume| one(consume, "moves on by"));
        if let (Some(p), Some(k), Some(consume)) = (count::literal(&seen), count::literal(&taken), consume)
            && k > p
        {
            report.at(
                &consume.value,
                format_args!("a window of {p} can't move on by {k}: it sees at least the tokens that it takes"),
            );
        }
        if let Some(length) = &input.array {
            self.agree(&seen, length, &input.name, report);
        }
        Taken::Window(seen, taken)
    }

    /// Gives an output of `fire` its rate, which `written` has but for what `produce` says.
    pub(crate) fn output(&mut self, name: &Ident, written: &Written, options: &Options, report: &mut Report) -> Rate {
        let Some(count) = count::of(&options.produce, name) else { return written.rate.clone() };
        count.check(&self.generic, report);
        let token = shown(&written.token);
        let name = plain(name);
        match &written.rate {
            Rate::One if count.single().and_then(count::literal) == Some(1) => Rate::One,
            Rate::One => {
                let message = format!(
                    "`{name}` gives one token as it is written: for several return a `Many<{token}>`, whose length is \
                     checked, or an array"
                );
                report.at(&count.value, message);
                Rate::One
            }
            Rate::Maybe => {
                report.at(
                    &count.value,
                    format_args!(
                        "`{name}` gives one token or none as it is written: for a fixed number return a `Many<{token}>`, \
                         whose length is checked, or an array"
                    ),
                );
                Rate::Maybe
            }
            Rate::Exactly(length) => {
                match count.single() {
                    Some(n) => self.agree(n, length, &count.port, report),
                    None => report.at(
                        &count.value,
                        format_args!(
                            "the number of tokens changes with the phase, and an array's length doesn't: return a \
                             `Many<{token}>`"
                        ),
                    ),
                }
                written.rate.clone()
            }
            Rate::Any | Rate::Counted(_) => Rate::Counted(self.phases(count)),
        }
    }

    /// Reports names in `produce` that no output has.
    pub(crate) fn check_outputs(&self, outputs: &[Ident], options: &Options, report: &mut Report) {
        let known: Vec<String> = outputs.iter().map(plain).collect();
        check_names(options.produce.iter().flatten(), "output", &known, report);
    }

    fn phases(&mut self, count: &Count) -> usize {
        self.phases.push(count.rates.clone());
        self.phases.len() - 1
    }

    /// A number of tokens that is said twice is the same.
    fn agree(&mut self, said: &Expr, length: &Expr, name: &Ident, report: &mut Report) {
        match (count::literal(said), count::literal(length)) {
            (Some(said_n), Some(n)) if said_n != n => report.at(
                said,
                format_args!(
                    "`{}` is an array of {n} as it is written, not of {said_n}: write the same number at both places",
                    plain(name)
                ),
            ),
            (Some(_), Some(_)) => {}
            _ if count::same(said, length) => {}
            _ if !generics::mentioned(quote!(#said #length)).is_disjoint(&self.generic) => report.at(
                said,
                format_args!(
                    "the array of `{}` has the length `{}`: write it here as well",
                    plain(name),
                    quote!(#length)
                ),
            ),
            _ => self.pairs.push((said.clone(), length.clone())),
        }
    }

    /// The comparisons that are the compiler's.
    pub(crate) fn asserts(&self) -> TokenStream {
        let asserts = self.pairs.iter().map(|(said, length)| {
            let at = names::inside(said.span());
            quote_spanned! {at=>
                const _: () = ::core::assert!(#said == #length, "the array has another length than is said here");
            }
        });
        asserts.collect()
    }

    /// The types that stand for phases, where there are some. They are public as far as their names go, since an impl of
    /// a public trait names them.
    pub(crate) fn hidden(&self) -> Option<TokenStream> {
        let types = self.phases.iter().enumerate().map(|(i, rates)| {
            let name = hidden_name(i);
            quote! {
                #[doc(hidden)]
                #[allow(missing_docs, missing_debug_implementations, unreachable_pub, clippy::exhaustive_structs)]
                pub struct #name;
                impl ::kpn::__rt::Phases for #name {
                    const RATES: &'static [usize] = &[#(#rates),*];
                }
            }
        });
        (!self.phases.is_empty()).then(|| types.collect())
    }
}

fn check_names<'a>(counts: impl Iterator<Item = &'a Count>, what: &str, known: &[String], report: &mut Report) {
    for count in counts {
        let name = plain(&count.port);
        if known.contains(&name) {
            continue;
        }
        let known = known.iter().map(String::as_str);
        let hint = match meant(&name, known.clone()) {
            Some(meant) => format!("; did you mean `{meant}`?"),
            None if known.len() == 0 => String::new(),
            None => format!("; known: {}", list(known)),
        };
        report.at(&count.port, format_args!("no {what} `{name}`{hint}"));
    }
}
