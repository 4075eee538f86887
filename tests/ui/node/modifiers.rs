use kpn::prelude::*;

#[node]
const fn half(x: u32) -> u32 {
    x / 2
}

#[node]
unsafe fn raw(x: u32) -> u32 {
    x
}

#[node]
extern "C" fn foreign(x: u32) -> u32 {
    x
}

fn main() {}
