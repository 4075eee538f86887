//! Networks of which a part can't go on while the rest can, after Geilen and Basten (2003).

use std::fmt;

use kpn::prelude::*;

/// A network of which a part can't go on, or seems so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Case {
    /// One process sends two tokens and two, the other takes them the other way round, and an edge holds one
    Crossed,
    /// Three processes on a cycle each wait for the one before
    Ring,
    /// The crossed processes, and beside them a part that runs to its end
    Parts,
    /// A process never takes what another sends it, so that a third one starves until the first ends: no deadlock
    Starved,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Crossed => "crossed",
            Self::Ring => "ring",
            Self::Parts => "parts",
            Self::Starved => "starved",
        })
    }
}

/// Sends two tokens to the left and two to the right, by turns.
#[node]
async fn put(left: &mut Out<u64>, right: &mut Out<u64>, #[param] rounds: u64) -> Result<(), Closed> {
    for i in 0..rounds {
        left.send_many([i, i]).await?;
        right.send_many([i, i]).await?;
    }
    Ok(())
}

/// Takes two tokens from the right and two from the left, by turns.
#[node]
async fn get(left: &mut In<u64>, right: &mut In<u64>) {
    loop {
        let mut four = Vec::new();
        if right.recv_many(&mut four, 2).await + left.recv_many(&mut four, 2).await < 4 {
            break;
        }
    }
}

/// Sends what it takes.
#[node]
async fn pass(input: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    while let Some(x) = input.recv().await {
        out.send(x).await?;
    }
    Ok(())
}

/// Sends to `c` and to `d` by turns.
#[node]
async fn both(c: &mut Out<u64>, d: &mut Out<u64>, #[param] rounds: u64) -> Result<(), Closed> {
    for i in 0..rounds {
        c.send(i).await?;
        d.send(i).await?;
    }
    Ok(())
}

/// Takes from `a` alone.
#[node]
async fn only_a(a: &mut In<u64>, _b: &mut In<u64>) {
    while a.recv().await.is_some() {}
}

/// The network of a case. What its other part comes to goes to `rest`.
///
/// # Errors
///
/// None, unless the wiring below is wrong.
pub fn local_deadlock(case: Case, rest: &mut Vec<u64>) -> Result<Network<'_>, BuildError> {
    match case {
        Case::Crossed => network! {
            put = put(5);
            get = get();
            put.left -[capacity: 1]-> get.left;
            put.right -[capacity: 1]-> get.right;
        },
        Case::Ring => network! {
            a = pass();
            b = pass();
            c = pass();
            a -> b -> c;
            // It says that a process on the cycle sends before it takes, and none does.
            c -[initial: []]-> a;
        },
        Case::Parts => network! {
            put = put(5);
            get = get();
            put.left -[capacity: 1]-> get.left;
            put.right -[capacity: 1]-> get.right;
            source(0..1_000) -> pass() -> sink(|x| rest.push(x));
        },
        Case::Starved => network! {
            a = source(0..1_000);
            b = both(20);
            c = only_a();
            d = sink(|x| rest.push(x));
            a -[capacity: 1]-> c.a;
            b.c -[capacity: 1]-> c._b;
            b.d -[capacity: 1]-> d;
        },
    }
}
