//! The ports of a process: `&mut In<T>` and `&mut Out<T>`.

use syn::{FnArg, Type};

use super::output::{peel, shown, wrapped};
use super::port::{Arg, Args, Hand, Head, Input, check_owned, head, kept};
use super::rate::Taken;
use crate::report::Report;

/// Sorts the arguments of a process: `&mut In<T>`, `&mut Out<T>`, and parameters.
pub(crate) fn sort<'a>(args: impl Iterator<Item = &'a mut FnArg>, report: &mut Report) -> Args {
    let mut sorted = Args::default();
    for arg in args {
        let FnArg::Typed(arg) = arg else { continue };
        let Some(Head { name, docs, param }) = head(arg, report) else { continue };
        let end = end(&arg.ty);
        match end {
            Some(_) if param => {
                report.at(&arg.ty, "a port is no parameter: leave `#[param]` out here");
            }
            _ if param => sorted.param(name, kept(&arg.ty, report)),
            Some(End { side, token, borrowed }) => {
                if !borrowed {
                    let (side, shown) = (side.name(), shown(token));
                    report.at(
                        &arg.ty,
                        format_args!(
                            "a process borrows its ports while it runs, and moves along them: `{name}: &mut \
                             {side}<{shown}>`"
                        ),
                    );
                }
                check_owned(token, side.token(), report);
                let end = Input {
                    name,
                    docs,
                    written: (*arg.ty).clone(),
                    token: token.clone(),
                    hand: Hand::Ref,
                    array: None,
                    rate: Taken::One,
                };
                let (ends, place): (_, fn(usize) -> Arg) = match side {
                    Side::In => (&mut sorted.inputs, Arg::Input),
                    Side::Out => (&mut sorted.outputs, Arg::Output),
                };
                sorted.order.push(place(ends.len()));
                ends.push(end);
            }
            None => {
                let token = match peel(&arg.ty) {
                    Type::Reference(reference) => shown(&reference.elem),
                    ty => shown(ty),
                };
                report.at(
                    &arg.ty,
                    format_args!(
                        "an `async fn` takes ports and parameters: mark `{name}` `#[param]`, or make it a port: \
                         `{name}: &mut In<{token}>`"
                    ),
                );
            }
        }
    }
    sorted
}

/// Which end of an edge a process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    In,
    Out,
}

impl Side {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::In => "In",
            Self::Out => "Out",
        }
    }

    fn token(self) -> &'static str {
        match self {
            Self::In => "an input's token",
            Self::Out => "an output's token",
        }
    }
}

/// A port of a process.
pub(crate) struct End<'a> {
    pub(crate) side: Side,
    pub(crate) token: &'a Type,
    /// It is written `&mut`.
    pub(crate) borrowed: bool,
}

/// Takes `In<T>` and `Out<T>` apart, however they are passed.
pub(crate) fn end(written: &Type) -> Option<End<'_>> {
    let (ty, borrowed) = match peel(written) {
        Type::Reference(reference) => (&*reference.elem, reference.mutability.is_some()),
        ty => (ty, false),
    };
    let of = |side: Side| match wrapped(ty, side.name())?[..] {
        [token] => Some(End { side, token: peel(token), borrowed }),
        _ => None,
    };
    of(Side::In).or_else(|| of(Side::Out))
}
