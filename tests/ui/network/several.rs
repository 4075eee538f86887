use kpn::prelude::*;

#[node]
fn gain(x: f32, #[param] k: f32) -> f32 {
    k * x
}

fn main() {
    // Every mistake is told at once, and the good lines are there nonetheless.
    let _ = network! {
        osc = source([1.0]);
        mid = gain(0.5);
        osc -> |x| x -> nobody.x;
        osc -[depth: 3]-> mid;
        mid -> sink(|x: f32| x.no_such_method());
    };
}
