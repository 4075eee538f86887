use kpn::prelude::*;

fn main() {
    let _ = network! {
        in x: f32;
        out y: f32;
        mix = map(|x: f32| x);
        mix = map(|x: f32| x);
        y = map(|x: f32| x);
        x -> mix -> y;
    };
}
