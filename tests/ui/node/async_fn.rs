use kpn::prelude::*;

#[node]
async fn merge(a: u64) -> u64 {
    a
}

fn main() {}
