//! The example of Kahn's paper of 1974.

use kpn::prelude::*;

/// Takes from `u` and from `v` by turns.
#[node]
async fn f(u: &mut In<u64>, v: &mut In<u64>, w: &mut Out<u64>, #[param] count: u64) -> Result<(), Closed> {
    for i in 0..count {
        let next = if i % 2 == 0 { u.recv().await } else { v.recv().await };
        let Some(x) = next else { break };
        w.send(x).await?;
    }
    Ok(())
}

/// Sends to `v` and to `w` by turns.
#[node]
async fn g(u: &mut In<u64>, v: &mut Out<u64>, w: &mut Out<u64>) -> Result<(), Closed> {
    while let Some(x) = u.recv().await {
        v.send(x).await?;
        let Some(x) = u.recv().await else { break };
        w.send(x).await?;
    }
    Ok(())
}

/// Sends `init`, then what it takes.
#[node]
async fn h(u: &mut In<u64>, v: &mut Out<u64>, #[param] init: u64) -> Result<(), Closed> {
    v.send(init).await?;
    while let Some(x) = u.recv().await {
        v.send(x).await?;
    }
    Ok(())
}

/// Two loops through `f` and `g`, in one of which a 0 goes round and in the other a 1. The first `count` tokens of
/// `f` go to `history`: there is only one history that they can have, whatever the schedule.
///
/// # Errors
///
/// None, unless the wiring below is wrong.
pub fn kahn1974(count: u64, history: &mut Vec<u64>) -> Result<Network<'_>, BuildError> {
    network! {
        f = f(count);
        g = g();
        h0 = h(0);
        h1 = h(1);

        f.w -> { g.u, sink(|x| history.push(x)) };
        g.v -> h0.u;
        g.w -> h1.u;
        // A process that sends before it takes needs no token to start.
        h0.v -[initial: []]-> f.u;
        h1.v -[initial: []]-> f.v;
    }
}
