use kpn::prelude::*;

#[node]
fn show(x: impl ToString + Send + 'static) -> String {
    x.to_string()
}

#[node]
fn apply(x: f32, #[param] f: &impl Fn(f32) -> f32) -> f32 {
    f(x)
}

#[node]
fn count(n: u32) -> Many<impl Send> {
    (0..n).collect()
}

fn main() {}
