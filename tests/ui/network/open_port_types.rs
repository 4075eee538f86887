use kpn::prelude::*;

fn stage() -> Result<impl Stage<f32, f64>, BuildError> {
    network! {
        in x: f32;
        out y: f64;
        x -> map(|x: f64| x) -> y;
    }
}

fn rc() {
    let _ = network! {
        in x: std::rc::Rc<u8>;
        x -> sink(|_| ());
    };
}

fn main() {}
