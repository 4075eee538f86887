use kpn::prelude::*;

fn main() {
    let _ = network! {
        mid = map(|x: f32| x);
        source([1.0]) -> mid.input -> sink(|_: f32| ());
    };
}
