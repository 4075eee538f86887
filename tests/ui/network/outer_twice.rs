use kpn::prelude::*;

fn main() {
    let camera = source([1.0]);
    let show = sink(|_: f32| ());
    let _ = network! {
        camera -> show;
        camera -> sink(|_| ());
    };
}
