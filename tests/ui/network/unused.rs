use kpn::prelude::*;

fn main() {
    let _ = network! {
        in x: f32;
        mix = map(|x: f32| x);
        source([1.0]) -> sink(|_| ());
    };
}
