use kpn::prelude::*;

#[node]
fn gain(x: f32, #[param] k: f32) -> f32 {
    k * x.len()
}

#[node]
fn half(x: f32) -> f32 {
    "half"
}

fn main() {}
