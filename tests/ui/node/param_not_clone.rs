use kpn::prelude::*;

pub struct Table {
    gain: f32,
}

#[node]
fn gain(x: f32, #[param] table: Table) -> f32 {
    table.gain * x
}

#[node]
fn apply<F: Fn(f32) -> f32>(x: f32, #[param] f: F) -> f32 {
    f(x)
}

fn main() {}
