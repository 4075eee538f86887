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
    let _ = network! { source([1.0]) -[initial: [0.0]]-> { gain(1.0), gain(2.0) } -> butterfly() -> sink(|_| ()) };
    let _ = network! { source([1.0]) -[initial: [0.0]]-> [gain(1.0); 2] -> butterfly() };
    let _ = network! { { source([1.0]), source([1.0]) } -[initial: [0.0]]-> butterfly() };
    let _ = network! { butterfly() -[initial: [0.0]]-> butterfly() };
    let _ = network! { source([1.0f32]) -[initial: ["no"]]-> sink(|_| ()) };
    let _ = network! { source([1.0f32]) -[initial: 0.0]-> sink(|_| ()) };
}
