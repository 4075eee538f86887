use kpn::prelude::*;

#[node]
fn tick() {}

#[node]
fn tock(#[param] n: u32) -> Result<(), String> {
    Err(n.to_string())
}

fn main() {}
