use kpn::prelude::*;

fn main() {
    let _ = network! {
        mid = map(|x: f32| x);
        source([1.0]) -> mid.named("middle") -> sink(|_| ());
    };
}
