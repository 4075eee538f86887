//! Boolean dataflow (Buck 1993): a switch, two branches, and a select that puts their results back in order.

use std::ops::RangeInclusive;

use kpn::prelude::*;

/// Sends each token one way or the other, as `control` says.
#[node]
async fn switch(
    control: &mut In<bool>,
    input: &mut In<u64>,
    yes: &mut Out<u64>,
    no: &mut Out<u64>,
) -> Result<(), Closed> {
    while let (Some(control), Some(x)) = kpn::join(control.recv(), input.recv()).await {
        if control { yes.send(x).await? } else { no.send(x).await? }
    }
    Ok(())
}

/// Takes each token from one side or the other, as `control` says.
#[node]
async fn select(control: &mut In<bool>, yes: &mut In<u64>, no: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
    while let Some(control) = control.recv().await {
        let next = if control { yes.recv().await } else { no.recv().await };
        let Some(x) = next else { break };
        out.send(x).await?;
    }
    Ok(())
}

/// A step of Collatz for each number: even ones go through one branch, odd ones through the other.
///
/// # Errors
///
/// None, unless the wiring below is wrong.
pub fn switch_select(numbers: RangeInclusive<u64>, steps: &mut Vec<u64>) -> Result<Network<'_>, BuildError> {
    network! {
        switch = switch();
        select = select();

        source(numbers) -> { map(|x: u64| x.is_multiple_of(2)) -> { switch.control, select.control }, switch.input };
        switch.yes -> map(|x: u64| x / 2) -> select.yes;
        switch.no -> map(|x: u64| 3 * x + 1) -> select.no;
        select -> sink(|x| steps.push(x));
    }
}
