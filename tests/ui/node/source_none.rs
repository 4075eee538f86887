use kpn::prelude::*;

#[node]
fn both() -> (Option<u8>, Option<String>) {
    (None, None)
}

#[node]
fn one() -> (u8, Option<String>) {
    (0, None)
}

fn main() {}
