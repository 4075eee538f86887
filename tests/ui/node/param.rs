use kpn::prelude::*;

#[node]
fn count(x: u32, #[param] n: &mut u32) -> u32 {
    *n += 1;
    x
}

#[node]
fn gain(x: f32, #[param(default = 1.0)] k: f32) -> f32 {
    k * x
}

#[node]
fn dynamic(x: f32, #[param] f: &dyn Fn(f32) -> f32) -> f32 {
    f(x)
}

#[node]
fn lent(x: usize, #[param] name: std::borrow::Cow<'_, str>) -> usize {
    x + name.len()
}

#[node]
fn conditional(x: f32, #[cfg(unix)] y: f32) -> f32 {
    x + y
}

fn main() {}
