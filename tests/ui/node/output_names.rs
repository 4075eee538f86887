use kpn::prelude::*;

#[node(outputs(sum))]
fn butterfly(a: f32, b: f32) -> (f32, f32) {
    (a + b, a - b)
}

#[node(outputs(half, rest))]
fn halve(x: u32) -> u32 {
    x / 2
}

#[node(outputs(low, low))]
fn split(x: u32) -> (u32, u32) {
    (x, x)
}

#[node]
fn through(out: u32) -> u32 {
    out
}

fn main() {
    // The ports are unknown now, so nothing is said of their use.
    let _ = network! {
        mix = butterfly();
        source([1.0]) -> { mix.a, mix.b };
        mix.sum -> sink(|_: f32| ());
    };
}
