use kpn::prelude::*;

#[node(output(sum))]
fn sum(a: f32, b: f32) -> f32 {
    a + b
}

#[node(outputs = "sum")]
fn total(a: f32, b: f32) -> f32 {
    a + b
}

fn main() {}
