use kpn::prelude::*;

#[node]
fn decimate(pair: [f32; 2]) -> f32 {
    pair[0] + pair[1]
}

#[node]
fn twice(x: f32) -> [f32; 2] {
    [x, x]
}

fn main() {}
