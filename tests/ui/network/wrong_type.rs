use kpn::prelude::*;

#[node]
fn gain(x: f32, #[param] k: f32) -> f32 {
    k * x
}

#[node]
fn text(x: f32) -> String {
    x.to_string()
}

fn main() {
    let _ = network! { source(0..3u64) -> gain(0.5) -> sink(|_: f32| ()) };
    let _ = network! {
        first = gain(0.5);
        source([0.5]) -> text() -> first.x;
        first -> sink(|_: u8| ());
    };
}
