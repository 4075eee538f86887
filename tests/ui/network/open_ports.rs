use kpn::prelude::*;

fn main() {
    let _ = network! {
        in a: f32;
        in b f32;
        out c: f32;
        out d: f32
        source([1.0]) -> a;
        c -> d;
        a.x -> d;
    };
}
