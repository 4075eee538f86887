//! What an arrow may connect: first the shape, then the type.
//!
//! Two traits, so that two mistakes get two sentences. [`FedBy`] pairs outputs with inputs by their number and
//! says nothing of types; [`Arrow`] then asks of each pair that the types are the same ([`Fits`]).

use super::Builder;
use super::option::{Several, Wire};
use crate::node::{InPort, OutPort};

/// An output of this type may feed an input of type `T`: where both are the same.
#[diagnostic::on_unimplemented(
    message = "this arrow carries `{Self}`, but leads to an input of `{T}`",
    label = "expects `{T}`, gets `{Self}`",
    note = "put a node between them that converts one into the other, e.g. `map(|x| ..)`"
)]
pub trait Fits<T>: Sized {
    #[doc(hidden)]
    fn fit(from: OutPort<Self>) -> OutPort<T>;
}

impl<T> Fits<T> for T {
    fn fit(from: OutPort<T>) -> OutPort<T> {
        from
    }
}

/// These inputs can be fed by those outputs: equal numbers pair up in order.
#[diagnostic::on_unimplemented(
    message = "the outputs before this arrow and the inputs after it don't pair up",
    label = "`{Outs}` can't feed `{Self}`",
    note = "equal numbers pair up in order; one output feeds every member of a block `{{ a, b }}` or `[ node; N ]`; a node with several inputs or outputs is wired port by port: `x -> node.port`; `gather()` joins several outputs"
)]
pub trait FedBy<Outs>: Sized {
    /// A tuple or an array of pairs, each an output and its input.
    type Pairs;
    #[doc(hidden)]
    fn pair(self, outs: Outs) -> Self::Pairs;
}

/// Pairs of an output and an input. Apart from [`Arrow`], so that it holds where the types don't fit, and the compiler
/// speaks of those alone.
pub trait Carries {
    /// What the arrow carries where it stands for one edge; else [`Several`].
    type Token;
}

/// Pairs of an output and an input whose types fit.
pub trait Arrow: Carries {
    #[doc(hidden)]
    fn draw<'b>(self, builder: &'b mut Builder<'_>) -> Wire<'b, Self::Token>;
}

// Between `Arrow` and `Fits`, so that where a pair doesn't fit the compiler doesn't list every number of pairs.
impl<P: Pairs> Arrow for P {
    fn draw<'b>(self, builder: &'b mut Builder<'_>) -> Wire<'b, P::Token> {
        self.connect(builder)
    }
}

/// What [`FedBy`] makes, by number.
pub trait Pairs: Carries {
    #[doc(hidden)]
    fn connect<'b>(self, builder: &'b mut Builder<'_>) -> Wire<'b, Self::Token>;
}

/// The outputs of a piped node in the handiest shape: a single port bare, none as `()`, several as a tuple.
pub trait Tail {
    /// That shape.
    type Tail;
    #[doc(hidden)]
    fn tail(self) -> Self::Tail;
}

impl Tail for () {
    type Tail = ();
    fn tail(self) {}
}

impl<A> Tail for (OutPort<A>,) {
    type Tail = OutPort<A>;
    fn tail(self) -> OutPort<A> {
        self.0
    }
}

/// Outputs before a block `{ a, b, .. }` of `N` members: one output is copied to each, `N` outputs pair up.
#[diagnostic::on_unimplemented(
    message = "the outputs before this arrow and the {N} members of the block after it don't pair up",
    label = "`{Self}` can't feed {N} members",
    note = "one output feeds every member with a copy; otherwise there must be as many outputs as members"
)]
pub trait SplitInto<const N: usize> {
    /// A tuple with one part a member, each a 1-tuple.
    type Parts;
    /// The token that is copied for the members; `()` where each member has an output of its own.
    type Copied: 'static;
    #[doc(hidden)]
    fn copied(&self) -> Option<&OutPort<Self::Copied>> {
        None
    }
    #[doc(hidden)]
    fn split(self) -> Self::Parts;
}

/// Outputs before a block `[ node; N ]`: as [`SplitInto`], with the parts in an array.
#[diagnostic::on_unimplemented(
    message = "the outputs before this arrow and the {N} members of the block after it don't pair up",
    label = "`{Self}` can't feed {N} members",
    note = "one output feeds every member with a copy; otherwise there must be as many outputs as members"
)]
pub trait SpreadOver<const N: usize> {
    /// The token's type.
    type Token;
    /// As [`SplitInto::Copied`].
    type Copied: 'static;
    #[doc(hidden)]
    fn copied(&self) -> Option<&OutPort<Self::Copied>> {
        None
    }
    #[doc(hidden)]
    fn spread(self) -> [(OutPort<Self::Token>,); N];
}

/// What copies tokens for several readers.
#[derive(Debug)]
pub struct Copier;

/// Tokens of type `T` may be copied. The type is an argument of the trait and not what implements it, since the
/// compiler would propose to borrow the block otherwise.
#[diagnostic::on_unimplemented(
    message = "one output feeds several inputs here, so each token is copied, but `{T}` is not `Clone`",
    label = "`{T}` is not `Clone`",
    note = "derive `Clone` for it, or wrap what is costly to copy in an `Arc`"
)]
pub trait Copies<T> {
    #[doc(hidden)]
    fn copies(builder: &mut Builder<'_>, port: &OutPort<T>);
}

#[diagnostic::do_not_recommend]
impl<T: Clone + 'static> Copies<T> for Copier {
    fn copies(builder: &mut Builder<'_>, port: &OutPort<T>) {
        builder.clones_of(port);
    }
}

/// What an arrow over these inputs carries.
macro_rules! carried {
    ($t:ident) => {
        $t
    };
    ($($t:ident)+) => {
        Several
    };
}

macro_rules! tuple_wiring {
    ($n:literal: $($t:ident $u:ident $out:ident $in:ident),+) => {
        #[diagnostic::do_not_recommend]
        impl<$($t, $u),+> FedBy<($(OutPort<$u>,)+)> for ($(InPort<$t>,)+) {
            type Pairs = ($((OutPort<$u>, InPort<$t>),)+);
            #[allow(non_snake_case)]
            fn pair(self, outs: ($(OutPort<$u>,)+)) -> Self::Pairs {
                let ($($in,)+) = self;
                let ($($out,)+) = outs;
                ($(($out, $in),)+)
            }
        }

        impl<$($t, $u),+> Carries for ($((OutPort<$u>, InPort<$t>),)+) {
            type Token = carried!($($t)+);
        }

        impl<$($t, $u: Fits<$t>),+> Pairs for ($((OutPort<$u>, InPort<$t>),)+) {
            #[allow(non_snake_case)]
            fn connect<'b>(self, builder: &'b mut Builder<'_>) -> Wire<'b, Self::Token> {
                let ($(($out, $in),)+) = self;
                let start = builder.graph.edge_count();
                $(builder.connect(Fits::fit($out), $in);)+
                let end = builder.graph.edge_count();
                Wire::new(&mut builder.graph, &mut builder.parts.initials, start..end)
            }
        }
    };
}

/// What needs at least two ports: a tuple before or after an array, a tail of several, a split.
macro_rules! plural_wiring {
    ($n:literal: $($t:ident $u:ident $out:ident $in:ident),+) => {
        #[diagnostic::do_not_recommend]
        impl<T, $($u),+> FedBy<($(OutPort<$u>,)+)> for [InPort<T>; $n] {
            type Pairs = ($((OutPort<$u>, InPort<T>),)+);
            fn pair(self, outs: ($(OutPort<$u>,)+)) -> Self::Pairs {
                let [$($in),+] = self;
                let ($($out,)+) = outs;
                ($(($out, $in),)+)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<U, $($t),+> FedBy<[OutPort<U>; $n]> for ($(InPort<$t>,)+) {
            type Pairs = ($((OutPort<U>, InPort<$t>),)+);
            fn pair(self, outs: [OutPort<U>; $n]) -> Self::Pairs {
                let ($($in,)+) = self;
                let [$($out),+] = outs;
                ($(($out, $in),)+)
            }
        }

        impl<$($t),+> Tail for ($(OutPort<$t>,)+) {
            type Tail = Self;
            fn tail(self) -> Self {
                self
            }
        }

        #[diagnostic::do_not_recommend]
        #[allow(non_snake_case)]
        impl<$($t),+> SplitInto<$n> for ($(OutPort<$t>,)+) {
            type Parts = ($((OutPort<$t>,),)+);
            type Copied = ();
            fn split(self) -> Self::Parts {
                let ($($out,)+) = self;
                ($(($out,),)+)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T> SplitInto<$n> for [OutPort<T>; $n] {
            type Parts = ($((same!($t, OutPort<T>),),)+);
            type Copied = ();
            fn split(self) -> Self::Parts {
                let [$($out),+] = self;
                ($(($out,),)+)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: 'static> SplitInto<$n> for (OutPort<T>,) {
            type Parts = ($((same!($t, OutPort<T>),),)+);
            type Copied = T;
            fn copied(&self) -> Option<&OutPort<T>> {
                Some(&self.0)
            }
            fn split(self) -> Self::Parts {
                ($((same!($t, self.0.again()),),)+)
            }
        }

        #[diagnostic::do_not_recommend]
        #[allow(non_snake_case)]
        impl<T> SpreadOver<$n> for ($(same!($t, OutPort<T>),)+) {
            type Token = T;
            type Copied = ();
            fn spread(self) -> [(OutPort<T>,); $n] {
                let ($($out,)+) = self;
                [$(($out,)),+]
            }
        }
    };
}

/// What stands once for each member.
macro_rules! same {
    ($member:ident, $t:ty) => {
        $t
    };
    ($member:ident, $e:expr) => {
        $e
    };
}

macro_rules! wiring {
    ($n:literal: $($t:ident $u:ident $out:ident $in:ident),+) => {
        tuple_wiring!($n: $($t $u $out $in),+);
        plural_wiring!($n: $($t $u $out $in),+);
    };
}

tuple_wiring!(1: A AU ao ai);
wiring!(2: A AU ao ai, B BU bo bi);
wiring!(3: A AU ao ai, B BU bo bi, C CU co ci);
wiring!(4: A AU ao ai, B BU bo bi, C CU co ci, D DU do_ di);
wiring!(5: A AU ao ai, B BU bo bi, C CU co ci, D DU do_ di, E EU eo ei);
wiring!(6: A AU ao ai, B BU bo bi, C CU co ci, D DU do_ di, E EU eo ei, F FU fo fi);
wiring!(7: A AU ao ai, B BU bo bi, C CU co ci, D DU do_ di, E EU eo ei, F FU fo fi, G GU go gi);
wiring!(8: A AU ao ai, B BU bo bi, C CU co ci, D DU do_ di, E EU eo ei, F FU fo fi, G GU go gi, H HU ho hi);
wiring!(9: A AU ao ai, B BU bo bi, C CU co ci, D DU do_ di, E EU eo ei, F FU fo fi, G GU go gi, H HU ho hi, I IU io ii);
wiring!(10: A AU ao ai, B BU bo bi, C CU co ci, D DU do_ di, E EU eo ei, F FU fo fi, G GU go gi, H HU ho hi, I IU io ii, J JU jo ji);
wiring!(11: A AU ao ai, B BU bo bi, C CU co ci, D DU do_ di, E EU eo ei, F FU fo fi, G GU go gi, H HU ho hi, I IU io ii, J JU jo ji, K KU ko ki);
wiring!(12: A AU ao ai, B BU bo bi, C CU co ci, D DU do_ di, E EU eo ei, F FU fo fi, G GU go gi, H HU ho hi, I IU io ii, J JU jo ji, K KU ko ki, L LU lo li);

#[diagnostic::do_not_recommend]
impl<T, U, const N: usize> FedBy<[OutPort<U>; N]> for [InPort<T>; N] {
    type Pairs = [(OutPort<U>, InPort<T>); N];
    fn pair(self, outs: [OutPort<U>; N]) -> Self::Pairs {
        let mut ins = self.map(Some).into_iter();
        outs.map(|from| (from, ins.next().flatten().expect("as many inputs as outputs")))
    }
}

impl<T, U, const N: usize> Carries for [(OutPort<U>, InPort<T>); N] {
    type Token = Several;
}

impl<T, U: Fits<T>, const N: usize> Pairs for [(OutPort<U>, InPort<T>); N] {
    fn connect<'b>(self, builder: &'b mut Builder<'_>) -> Wire<'b> {
        let start = builder.graph.edge_count();
        for (from, to) in self {
            builder.connect(Fits::fit(from), to);
        }
        let end = builder.graph.edge_count();
        Wire::new(&mut builder.graph, &mut builder.parts.initials, start..end)
    }
}

#[diagnostic::do_not_recommend]
impl<T> SplitInto<1> for (OutPort<T>,) {
    type Parts = ((OutPort<T>,),);
    type Copied = ();
    fn split(self) -> Self::Parts {
        (self,)
    }
}

#[diagnostic::do_not_recommend]
impl<T: 'static, const N: usize> SpreadOver<N> for (OutPort<T>,) {
    type Token = T;
    type Copied = T;
    fn copied(&self) -> Option<&OutPort<T>> {
        Some(&self.0)
    }
    fn spread(self) -> [(OutPort<T>,); N] {
        std::array::from_fn(|_| (self.0.again(),))
    }
}

#[diagnostic::do_not_recommend]
impl<T, const N: usize> SpreadOver<N> for [OutPort<T>; N] {
    type Token = T;
    type Copied = ();
    fn spread(self) -> [(OutPort<T>,); N] {
        self.map(|port| (port,))
    }
}
