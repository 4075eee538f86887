use kpn::prelude::*;

#[node(outputs(sum, diff))]
fn butterfly(a: f32, b: f32) -> (f32, f32) {
    (a + b, a - b)
}

fn main() {
    let _ = network! {
        mix = butterfly();
        source([1.0]) -> mix.a;
        source([1.0]) -> mix.c;
        mix.sum -> sink(|_| ());
        mix.dif -> sink(|_| ());
    };
}
