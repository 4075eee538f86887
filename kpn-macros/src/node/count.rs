//! Numbers of tokens in the options of `#[node(..)]`: `consume(a = 4, b = [1, 2])`.

use std::collections::HashSet;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, ExprArray, Lit, Token};

use super::generics;
use crate::names::plain;
use crate::report::Report;

/// A port with its number, or with one for each phase.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    pub(crate) port: Ident,
    /// As it is written.
    pub(crate) value: Expr,
    pub(crate) rates: Vec<Expr>,
    pub(crate) is_list: bool,
}

impl Parse for Count {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let port = input.parse()?;
        input.parse::<Token![=]>()?;
        let value: Expr = input.parse()?;
        let (rates, is_list) = match &value {
            Expr::Array(ExprArray { elems, .. }) => (elems.iter().cloned().collect(), true),
            value => (vec![value.clone()], false),
        };
        Ok(Self { port, value, rates, is_list })
    }
}

impl Count {
    /// The number, where it is the same for all phases.
    pub(crate) fn single(&self) -> Option<&Expr> {
        match &self.rates[..] {
            [rate] => Some(rate),
            _ => None,
        }
    }

    /// Reports what can't be a number of tokens. What names a generic of the node can't stand in a list, whose type stands
    /// outside of it.
    pub(crate) fn check(&self, generic: &HashSet<String>, report: &mut Report) {
        for rate in &self.rates {
            let negative = matches!(rate, Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)));
            let other = matches!(rate, Expr::Lit(lit) if !matches!(lit.lit, Lit::Int(_)));
            if negative || other || matches!(rate, Expr::Array(_) | Expr::Range(_) | Expr::Tuple(_)) {
                report.at(rate, "a rate is a number of tokens, `4`, or a list with one for each phase, `[1, 2]`");
            } else if self.is_list && !generics::mentioned(rate).is_disjoint(generic) {
                report.at(rate, "a list of rates can't depend on the node's generics: write numbers or constants");
            }
        }
        let name = plain(&self.port);
        if self.rates.is_empty() {
            report.at(&self.value, "a list of rates has at least one phase: `[1, 2]`");
        } else if self.rates.iter().all(|rate| literal(rate) == Some(0)) {
            match self.is_list {
                true => report.at(
                    &self.value,
                    format_args!("all phases are 0, so `{name}` never has a token: at least one is more"),
                ),
                false => report.at(
                    &self.value,
                    format_args!("a rate of 0 says that `{name}` never has a token: leave the port out"),
                ),
            }
        }
    }
}

/// What is said of a port.
pub(crate) fn of<'a>(counts: &'a Option<Vec<Count>>, port: &Ident) -> Option<&'a Count> {
    let port = plain(port);
    counts.iter().flatten().find(|count| plain(&count.port) == port)
}

/// Whether two numbers are written alike.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    a.to_token_stream().to_string() == b.to_token_stream().to_string()
}

/// A number, where it is written out.
pub(crate) fn literal(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        Expr::Paren(inner) => literal(&inner.expr),
        Expr::Group(inner) => literal(&inner.expr),
        _ => None,
    }
}

/// An array at a port has a token.
pub(crate) fn check_length(length: &Expr, report: &mut Report) {
    if literal(length) == Some(0) {
        report.at(length, "an array at a port is that many tokens a firing, so it isn't empty: leave the port out");
    }
}
