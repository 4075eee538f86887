use kpn::prelude::*;

#[node]
fn triple(x: f32) -> (f32, f32, f32) {
    (x, x, x)
}

#[node]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

fn main() {
    let _ = network! { source([1.0]) -> triple() -> { sink(|_| ()), sink(|_| ()) } };
    let _ = network! { source([1.0]) -> triple() -> [sink(|_| ()); 2] };
    let _ = network! { source([1.0]) -> { map(|x| x), add() } -> add() -> sink(|_| ()) };
    let _ = network! { source([1.0]) -> { map(|x| x), triple() } -> add() -> sink(|_| ()) };
    let _ = network! { source([1.0]) -> { map(|x| x), map(|x| x), map(|x| x) } -> add() -> sink(|_| ()) };
}
