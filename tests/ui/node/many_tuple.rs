use kpn::prelude::*;

#[node]
fn pairs(n: u32) -> Many<(u32, String)> {
    (0..n).map(|i| (i, i.to_string())).collect()
}

#[node]
fn ticks(n: u32) -> Many<()> {
    (0..n).map(|_| ()).collect()
}

#[node]
fn maybe(n: u32) -> Option<Many<u32>> {
    Some((0..n).collect())
}

fn main() {}
