use kpn::prelude::*;

#[node(outputs(sum, diff))]
fn butterfly(a: f32, b: f32) -> (f32, f32) {
    (a + b, a - b)
}

fn main() {
    let _ = network! {
        mix = butterfly();
        last = map(|x: f32| x);
        source([1.0]) -> mix.a;
        source([1.0]) -> { mix.a, mix.b };
        mix.sum -> last;
        mix.sum -> sink(|_| ());
        mix.diff -> last;
        last -> sink(|_| ());
        last.out -> sink(|_| ());
    };
}
