use kpn::prelude::*;

pub struct Big;

#[node]
fn big(x: u8) -> Big {
    assert!(x > 0);
    Big
}

#[node]
fn eat(_big: Big) {}

fn main() {
    let _ = network! { source([1]) -> big() -> { eat(), eat() } };
    let _ = network! { source([1]) -> big() -> [eat(); 3] };
}
