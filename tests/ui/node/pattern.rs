use kpn::prelude::*;

#[node]
fn add((a, b): (u32, u32)) -> u32 {
    a + b
}

#[node]
fn drop_it(_: u32) {}

fn main() {}
