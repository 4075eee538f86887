use kpn::prelude::*;

pub struct Broken;

#[node]
fn check(x: u8) -> Result<u8, Broken> {
    if x == 0 { Err(Broken) } else { Ok(x) }
}

fn main() {}
