use kpn::prelude::*;

#[node]
struct Mean {
    sum: f64,
}

#[node]
enum Shape {
    Round,
}

#[node]
trait Filter {}

#[node]
mod filters {}

#[node]
const GAIN: f32 = 0.5;

#[node]
type Frame = Vec<u8>;

fn main() {}
