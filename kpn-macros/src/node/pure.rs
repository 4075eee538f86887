//! Which nodes have no state, as far as the macro sees.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Generics, Signature, Type, parse_quote};

use super::generics;
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
pub(crate) fn function(args: &Args, generics: &Generics) -> bool {
    let kept: TokenStream = args.params.iter().map(|param| param.kept.ty()).collect();
    !args.inputs.is_empty() && shares(&kept, generics) && !is_changeable(kept)
}

/// Whether what holds values of its type parameters may be shared whatever they are: each says that it is `Sync`.
fn shares(held: &TokenStream, generics: &Generics) -> bool {
    let held = generics::mentioned(held);
    let says = |bounds: TokenStream| generics::mentioned(bounds).contains("Sync");
    let clause = |name: &str| {
        let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
        predicates.filter(|predicate| generics::mentioned(predicate).contains(name)).any(|p| says(quote!(#p)))
    };
    generics.type_params().filter(|param| held.contains(&param.ident.to_string())).all(|param| {
        let bounds = &param.bounds;
        says(quote!(#bounds)) || clause(&param.ident.to_string())
    })
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
pub(crate) fn method(fire: &Signature, sources: bool, node: &Type, generics: &Generics) -> bool {
    let shared = |ty: &Type| matches!(ty, Type::Reference(reference) if reference.mutability.is_none());
    let receiver = fire.receiver();
    !sources && receiver.is_some_and(|receiver| shared(&receiver.ty)) && shares(&quote!(#node), generics)
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
