//! Nodes that fire: real rates, chosen by a plan.

use kpn::node::{
    Any, Batch, Counted, Cyclic, Exactly, Fired, InPort, Inputs, Maybe, One, OutPort, Outputs, Phases, Window,
};
use kpn::prelude::*;

use super::super::make::{PAIRS, WIDE};
use super::super::rules::{CYCLES, Memory};
use super::super::{Firing, Give, Kind, Take};
use super::record::Recorder;
use super::{Listed, Loose, Manner};
use crate::step::{Again, step, step_to_end};

type T = u64;
type W31 = Window<T, 3, 1>;
type W42 = Window<T, 4, 2>;

/// The phases number `N` of the plan.
struct Cycle<const N: usize>;

impl<const N: usize> Phases for Cycle<N> {
    const RATES: &'static [usize] = CYCLES[N];
}

/// What one input shows as a list.
trait Seen {
    fn seen(self) -> Vec<T>;
}

impl Seen for T {
    fn seen(self) -> Vec<T> {
        vec![self]
    }
}

impl<const N: usize> Seen for [T; N] {
    fn seen(self) -> Vec<T> {
        self.to_vec()
    }
}

impl Seen for Batch<T> {
    fn seen(self) -> Vec<T> {
        self.to_vec()
    }
}

/// What all inputs show.
trait AllSeen {
    fn all(self) -> Vec<Vec<T>>;
}

/// What one output gives, made of a list that has the right number of tokens.
trait Made {
    fn made(tokens: Vec<T>) -> Self;
}

impl Made for T {
    fn made(tokens: Vec<T>) -> Self {
        <[T; 1]>::made(tokens)[0]
    }
}

impl Made for Option<T> {
    fn made(mut tokens: Vec<T>) -> Self {
        tokens.pop()
    }
}

impl Made for Many<T> {
    fn made(tokens: Vec<T>) -> Self {
        tokens.into()
    }
}

impl<const N: usize> Made for [T; N] {
    fn made(mut tokens: Vec<T>) -> Self {
        // The number is fixed, so a node that was made to lose a token gives 0 in its place.
        tokens.resize(N, 0);
        std::array::from_fn(|i| tokens[i])
    }
}

/// What all outputs give.
trait AllMade {
    fn all(tokens: Vec<Vec<T>>) -> Self;
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Seen),*> AllSeen for ($($name,)*) {
            #[allow(non_snake_case)]
            fn all(self) -> Vec<Vec<T>> {
                let ($($name,)*) = self;
                vec![$($name.seen()),*]
            }
        }

        impl<$($name: Made),*> AllMade for ($($name,)*) {
            #[allow(unused_mut, unused_variables, clippy::unused_unit)]
            fn all(tokens: Vec<Vec<T>>) -> Self {
                let mut tokens = tokens.into_iter();
                ($($name::made(tokens.next().expect("a list for every output")),)*)
            }
        }
    };
}
tuples!();
tuples!(A);
tuples!(A B);
tuples!(A B C);

impl AllSeen for [T; WIDE] {
    fn all(self) -> Vec<Vec<T>> {
        self.map(|token| vec![token]).to_vec()
    }
}

/// A node that is about to get its types.
struct Acting<'b> {
    builder: &'b mut Builder<'static>,
    manner: Manner,
    firing: Firing,
    memory: Memory,
    recorder: Recorder,
}

impl Acting<'_> {
    fn with<I, O>(self) -> Loose
    where
        I: Inputs<Items: AllSeen, Ports: Again + Listed<InPort<T>>>,
        O: Outputs<Items: AllMade, Ports: Again + Listed<OutPort<T>>>,
    {
        let Self { builder, manner, firing, mut memory, mut recorder } = self;
        let finishes = firing.finishes;
        let mut fire = move |items: Option<I::Items>| {
            let given = match items.map(AllSeen::all) {
                Some(seen) => {
                    for (port, (tokens, take)) in seen.iter().zip(&firing.takes).enumerate() {
                        recorder.took(port, &tokens[..take.taken(memory.fired)]);
                    }
                    memory.fire(&firing, &seen)
                }
                None => Some(memory.finish(&firing)),
            };
            let Some(given) = given else { return Fired::End };
            let output = |(port, tokens): (usize, Vec<T>)| {
                tokens.into_iter().flat_map(|token| recorder.gives(port, token)).collect()
            };
            Fired::Emit(AllMade::all(given.into_iter().enumerate().map(output).collect()))
        };
        if finishes {
            manner.add(builder, step_to_end::<I, O, _>(fire))
        } else {
            manner.add(builder, step::<I, O, _>(move |items| fire(Some(items))))
        }
    }

    /// One output, after inputs that are known.
    fn giving<I>(self, give: Give) -> Loose
    where
        I: Inputs<Items: AllSeen, Ports: Again + Listed<InPort<T>>>,
    {
        match give {
            Give::One => self.with::<I, (One<T>,)>(),
            Give::Maybe => self.with::<I, (Maybe<T>,)>(),
            Give::Any => self.with::<I, (Any<T>,)>(),
            Give::Exactly(2) => self.with::<I, (Exactly<T, 2>,)>(),
            Give::Exactly(3) => self.with::<I, (Exactly<T, 3>,)>(),
            Give::Counted(0) => self.with::<I, (Counted<T, Cycle<0>>,)>(),
            Give::Counted(1) => self.with::<I, (Counted<T, Cycle<1>>,)>(),
            Give::Counted(2) => self.with::<I, (Counted<T, Cycle<2>>,)>(),
            give => unreachable!("no node gives {give}"),
        }
    }

    fn single<I>(self) -> Loose
    where
        I: Inputs<Items: AllSeen, Ports: Again + Listed<InPort<T>>>,
    {
        match *self.firing.gives {
            [] => self.with::<I, ()>(),
            [give] => self.giving::<I>(give),
            _ => self.double::<I>(),
        }
    }

    fn double<I>(self) -> Loose
    where
        I: Inputs<Items: AllSeen, Ports: Again + Listed<InPort<T>>>,
    {
        match *self.firing.gives {
            [Give::One, Give::One] => self.with::<I, (One<T>, One<T>)>(),
            [Give::One, Give::Maybe] => self.with::<I, (One<T>, Maybe<T>)>(),
            [Give::Any, Give::One] => self.with::<I, (Any<T>, One<T>)>(),
            [Give::Exactly(2), Give::Any] => self.with::<I, (Exactly<T, 2>, Any<T>)>(),
            [Give::Counted(0), Give::Exactly(3)] => self.with::<I, (Counted<T, Cycle<0>>, Exactly<T, 3>)>(),
            _ => unreachable!("no node gives {}", self.firing),
        }
    }

    fn few<I>(self) -> Loose
    where
        I: Inputs<Items: AllSeen, Ports: Again + Listed<InPort<T>>>,
    {
        match *self.firing.gives {
            [] => self.with::<I, ()>(),
            [Give::One] => self.with::<I, (One<T>,)>(),
            [Give::Any] => self.with::<I, (Any<T>,)>(),
            [Give::Exactly(2)] => self.with::<I, (Exactly<T, 2>,)>(),
            [Give::One, Give::Maybe] => self.with::<I, (One<T>, Maybe<T>)>(),
            _ => unreachable!("no node gives {}", self.firing),
        }
    }

    fn pair(self, pair: usize) -> Loose {
        match pair {
            0 => self.few::<(One<T>, One<T>)>(),
            1 => self.few::<(One<T>, Exactly<T, 2>)>(),
            2 => self.few::<(Exactly<T, 2>, One<T>)>(),
            3 => self.few::<(Exactly<T, 3>, One<T>)>(),
            4 => self.few::<(One<T>, Exactly<T, 3>)>(),
            5 => self.few::<(Exactly<T, 2>, Exactly<T, 3>)>(),
            6 => self.few::<(W31, One<T>)>(),
            7 => self.few::<(W42, Exactly<T, 2>)>(),
            8 => self.few::<(Cyclic<T, Cycle<0>>, Exactly<T, 3>)>(),
            _ => unreachable!("no node takes {}", self.firing),
        }
    }
}

/// Adds a node that fires.
pub(super) fn install(
    builder: &mut Builder<'static>,
    manner: Manner,
    kind: &Kind,
    salt: u64,
    recorder: Recorder,
) -> Loose {
    let firing = match kind {
        Kind::Firing(firing) => firing.clone(),
        Kind::Replay(tokens) => return replay(builder, manner, tokens.clone(), recorder),
        Kind::Drain => Firing {
            takes: vec![Take::One],
            gives: Vec::new(),
            stateful: false,
            ascending: false,
            limit: None,
            finishes: false,
        },
        Kind::Process(_) => unreachable!("a process does not fire"),
    };
    let acting = Acting { builder, manner, memory: Memory::new(salt), firing, recorder };
    match *acting.firing.takes {
        [] => acting.single::<()>(),
        [Take::One] => acting.single::<(One<T>,)>(),
        [Take::Exactly(2)] => acting.single::<(Exactly<T, 2>,)>(),
        [Take::Exactly(3)] => acting.single::<(Exactly<T, 3>,)>(),
        [Take::Exactly(4)] => acting.single::<(Exactly<T, 4>,)>(),
        [Take::Window { peek: 3, consume: 1 }] => acting.single::<(W31,)>(),
        [Take::Window { peek: 4, consume: 2 }] => acting.single::<(W42,)>(),
        [Take::Cyclic(0)] => acting.single::<(Cyclic<T, Cycle<0>>,)>(),
        [Take::Cyclic(1)] => acting.single::<(Cyclic<T, Cycle<1>>,)>(),
        [Take::Cyclic(2)] => acting.single::<(Cyclic<T, Cycle<2>>,)>(),
        [a, b] => {
            let pair = PAIRS.iter().position(|pair| *pair == [a, b]);
            acting.pair(pair.expect("a pair of inputs is one of the list"))
        }
        [_, _, _] => acting.few::<(One<T>, One<T>, One<T>)>(),
        _ => acting.with::<[One<T>; WIDE], (One<T>,)>(),
    }
}

/// A source of known tokens.
fn replay(builder: &mut Builder<'static>, manner: Manner, tokens: Vec<T>, mut recorder: Recorder) -> Loose {
    let mut tokens = tokens.into_iter();
    let next = move |()| match tokens.next() {
        Some(token) => Fired::Emit((recorder.gives(0, token).pop(),)),
        None => Fired::End,
    };
    manner.add(builder, step::<(), (Maybe<T>,), _>(next))
}
