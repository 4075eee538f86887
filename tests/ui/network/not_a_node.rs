use kpn::prelude::*;

#[node]
fn half(x: f32) -> f32 {
    x / 2.0
}

fn third(x: f32) -> f32 {
    x / 3.0
}

fn main() {
    let _ = network! { source([1.0]) -> 3 -> sink(|_: f32| ()) };
    let _ = network! { source([1.0]) -> half -> sink(|_: f32| ()) };
    let _ = network! {
        smaller = third(1.0);
        source([1.0]) -> smaller -> sink(|_: f32| ());
    };
}
