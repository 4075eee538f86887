//! Which nodes have no state, as far as the macro sees.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Generics, Signature, Type, parse_quote};

use super::port::Args;
use crate::names::local;

/// Types whose values change though they are borrowed only, or hand something on: the order of firings would show.
const CHANGEABLE: [&str; 13] = [
    "Mutex",
    "RwLock",
    "Cell",
    "RefCell",
    "OnceCell",
    "OnceLock",
    "LazyCell",
    "LazyLock",
    "UnsafeCell",
    "Condvar",
    "Sender",
    "SyncSender",
    "Receiver",
];

/// Whether a function's firings depend on their tokens alone: none of its parameters can be changed from within. What the
/// macro can't see, in a type of another name, the user says by `.serial()`.
pub(crate) fn function(args: &Args) -> bool {
    let kept = args.params.iter().map(|param| param.kept.ty());
    !args.inputs.is_empty() && !kept.into_iter().any(is_changeable)
}

fn is_changeable(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            CHANGEABLE.contains(&&*name) || name.starts_with("Atomic")
        }
        TokenTree::Group(group) => is_changeable(group.stream()),
        _ => false,
    })
}

/// Whether a method fires without changing its node.
pub(crate) fn method(fire: &Signature, sources: bool) -> bool {
    let shared = |ty: &Type| matches!(ty, Type::Reference(reference) if reference.mutability.is_none());
    let receiver = fire.receiver();
    !sources && receiver.is_some_and(|receiver| shared(&receiver.ty))
}

/// The further condition of the impl of `Pure`: what the node holds may be shared. The binder keeps the compiler from
/// checking it at once, so that a node of which it does not hold is one that fires alone.
pub(crate) fn shareable(mut generics: Generics, self_ty: &Type) -> Generics {
    let predicate = parse_quote!(for<'__shared> #self_ty: ::core::marker::Sync);
    generics.make_where_clause().predicates.push(predicate);
    generics
}

/// Adds the node as one without state where its type is `Pure`, which only the compiler knows.
pub(crate) fn install(builder: &impl ToTokens, info: &impl ToTokens) -> TokenStream {
    let (shareable, choose, add) = (local("Shareable"), local("choose"), local("add"));
    quote!({
        use ::kpn::__rt::sharing::*;
        (&#shareable::<Self>::new()).#choose().#add(#builder, #info, self)
    })
}
