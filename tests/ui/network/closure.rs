use kpn::prelude::*;

fn main() {
    let _ = network! {
        last = |x: f32| println!("{x}");
        source([1.0]) -> |x: f32| x + 1.0 -> { move |x| x, map(|x| x) };
        source([1.0]) -> last;
    };
}
