use kpn::prelude::*;

#[node(outputs(sum, diff))]
fn butterfly(a: f32, b: f32) -> (f32, f32) {
    (a + b, a - b)
}

fn main() {
    let _ = network! {
        osc = source([1.0])
        mix = butterfly();
        osc -> { mix.a, mix.b }
        mix.sum -> sink(|_| ());
        mix.diff -> { map(|x| x) sink(|_| ()) };
    };
}
