//! A node as both forms of `#[node]` give it, before it is expanded.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Attribute, Generics, Type, Visibility};

use super::options::Options;
use super::output::{Returns, shown};
use super::port::Input;
use super::rate::{Rate, Rates};
use crate::names;
use crate::report::Report;

/// Tuples of ports end here.
const MOST_PORTS: usize = 12;

/// An output port.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) name: Ident,
    pub(crate) docs: Vec<Attribute>,
    /// The least rate that holds for `fire` and for `finish`.
    pub(crate) rate: Rate,
    pub(crate) token: Type,
}

/// Who may see the ports' struct.
pub(crate) enum Seen {
    /// As the function.
    As(Visibility),
    /// Everybody, since a trait names it; documented where `fire` is.
    Public { documented: bool },
}

/// A node with its ports.
pub(crate) struct Model {
    /// The function or the type, for names and messages.
    pub(crate) name: Ident,
    pub(crate) ports: Ident,
    pub(crate) seen: Seen,
    /// Conditions on the whole.
    pub(crate) cfgs: Vec<Attribute>,
    /// The node's type and its generics.
    pub(crate) generics: Generics,
    pub(crate) self_ty: Type,
    pub(crate) inputs: Vec<Input>,
    pub(crate) outputs: Vec<Output>,
}

/// How a node fires.
pub(crate) struct Fires {
    pub(crate) rates: Rates,
    /// Tokens that are left over at the end are an error.
    pub(crate) partial_fails: bool,
    /// The function to call with `self` and the inputs, and what it returns.
    pub(crate) call: TokenStream,
    pub(crate) returns: Returns,
    pub(crate) finish: Option<Returns>,
    /// It has no state, as far as the macro sees.
    pub(crate) pure: bool,
}

/// Names the outputs and gives each the rate that both functions need.
///
/// An `Option` around all outputs is the end in a source and in `finish`; elsewhere each output may stay empty.
pub(crate) fn outputs(
    fire: &Returns,
    finish: Option<&Returns>,
    source: bool,
    options: &Options,
    rates: &mut Rates,
    report: &mut Report,
) -> Vec<Output> {
    let finish = finish.filter(|finish| !finish.outputs.is_empty());
    // An aggregate may give nothing until it finishes: then its outputs are those of `finish`, empty till then.
    let (only_finish, written) = match finish {
        Some(finish) if fire.outputs.is_empty() => (true, &finish.outputs),
        _ => (false, &fire.outputs),
    };
    let names = output_names(written.len(), options, report);
    rates.check_outputs(&names, options, report);
    let mut outputs = Vec::new();
    for (written, name) in written.iter().zip(names) {
        let mut rate = rates.output(&name, written, options, report);
        if only_finish || (fire.optional && !source) {
            if rate.is_fixed() && !only_finish {
                report.at(
                    &written.ty,
                    format_args!(
                        "the `Option` around all outputs gives no token at times, so this one has no fixed rate: return a \
                         `Many<{}>`",
                        shown(&written.token)
                    ),
                );
            }
            rate = rate.or(&Rate::Maybe);
        }
        outputs.push(Output { name, docs: Vec::new(), rate, token: written.token.clone() });
    }
    let Some(finish) = finish else { return outputs };
    if let Some(count) = options.produce.iter().flatten().find(|_| only_finish) {
        report.at(&count.port, "`finish` is called once, so what it gives is no rate: leave this out");
    }
    if finish.outputs.len() != outputs.len() {
        report.span(
            finish.span.unwrap_or_else(Span::call_site),
            format_args!(
                "`finish` gives {}, but `fire` gives {}: both have the same outputs",
                counted(finish.outputs.len(), "output"),
                counted(outputs.len(), "output")
            ),
        );
    }
    for (output, written) in outputs.iter_mut().zip(&finish.outputs) {
        if let Rate::Counted(_) = output.rate {
            report.at(
                &written.ty,
                format_args!(
                    "each firing gives a fixed number of tokens at `{0}`, which `finish` would add to: leave `{0}` out of \
                     `produce(..)`",
                    names::plain(&output.name)
                ),
            );
        }
        output.rate = output.rate.or(&written.rate);
    }
    outputs
}

fn output_names(count: usize, options: &Options, report: &mut Report) -> Vec<Ident> {
    if let Some(names) = &options.outputs {
        if names.len() == count {
            return names.clone();
        }
        let last = names.last().map_or_else(Span::call_site, Ident::span);
        report.span(
            last,
            format_args!(
                "{} named here, but the node has {}",
                match names.len() {
                    1 => "1 output is".to_owned(),
                    n => format!("{n} outputs are"),
                },
                counted(count, "output")
            ),
        );
    }
    match count {
        1 => vec![names::local("out")],
        n => (0..n).map(|i| names::local(&format!("out{i}"))).collect(),
    }
}

/// Rules that hold for the ports together.
pub(crate) fn check_ports(name: &Ident, inputs: &[Input], outputs: &[Output], report: &mut Report) {
    // An argument that was reported may have been meant as an input.
    if inputs.is_empty() && outputs.is_empty() && report.is_empty() {
        report.at(name, format_args!("`{name}` has no port: a node takes an input or returns an output"));
    }
    let counts = [("inputs", inputs.len()), ("outputs", outputs.len())];
    for (what, count) in counts.into_iter().filter(|(_, count)| *count > MOST_PORTS) {
        report.at(
            name,
            format_args!("`{name}` has {count} {what}, but {MOST_PORTS} is the most: put some together in a struct"),
        );
    }
    let inputs: Vec<&Ident> = inputs.iter().map(|input| &input.name).collect();
    for (i, output) in outputs.iter().enumerate() {
        let plain = names::plain(&output.name);
        if let Some(input) = inputs.iter().find(|input| names::plain(input) == plain) {
            report.at(
                input,
                format_args!(
                    "an input and an output are both named `{plain}`; `#[node(outputs(..))]` names the outputs"
                ),
            );
        } else if outputs[..i].iter().any(|other| names::plain(&other.name) == plain) {
            report.at(&output.name, format_args!("two outputs are named `{plain}`"));
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
