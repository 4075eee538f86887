//! A merge of sorted streams, which two programs share.

use kpn::prelude::*;

/// Merges two sorted streams into one. Which of them it takes from depends on what it saw: it peeks at both, and so
/// waits for both.
#[node]
pub(super) async fn merge(a: &mut In<u64>, b: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    loop {
        let next = match (a.peek().await, b.peek().await) {
            (Some(x), Some(y)) if y < x => b.recv().await,
            (Some(_), _) => a.recv().await,
            (None, Some(_)) => b.recv().await,
            (None, None) => return Ok(()),
        };
        if let Some(x) = next {
            out.send(x).await?;
        }
    }
}
