use kpn::prelude::*;

#[node(outputs(sum, diff))]
fn butterfly(a: f32, b: f32) -> (f32, f32) {
    (a + b, a - b)
}

fn main() {
    let _ = network! { source([1.0]) -> butterfly() -> { sink(|_| ()), sink(|_| ()) } };
    let _ = network! {
        { source([1.0]), source([1.0]) } -> butterfly() -> sink(|_: f32| ());
    };
    let _ = network! { source([1.0]) -> source([2.0]) -> sink(|_| ()) };
}
