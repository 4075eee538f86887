use kpn::prelude::*;

#[node(outputs(sum, diff))]
fn butterfly(a: f32, b: f32) -> (f32, f32) {
    (a + b, a - b)
}

#[node]
fn gain(x: f32, #[param] k: f32) -> f32 {
    k * x
}

fn main() {
    let _ = network! {
        mix = butterfly();
        echo = gain(0.5);
        source([1.0]) -> mix.a;
        mix.sum -> sink(|_| ());
        mix.diff -> echo;
        echo -> gain(0.25) -[capacity: 8]-> mix.b;
    };
    let _ = network! {
        left = butterfly();
        right = butterfly();
        left.sum -> { left.a, sink(|_| ()) };
        left.diff -> right.a;
        right.sum -> right.b;
        right.diff -> gain(2.0) -> left.b;
    };
    let _ = network! {
        source([1.0]) -> sink(|_| ());
        left = butterfly();
        { source([1.0]), left.sum } -> left;
        left.diff -> sink(|_| ());
    };
}
