use kpn::prelude::*;

const TWO: usize = 2;
const WIDE: u32 = 3;

pub struct Big([u8; 9]);

#[node(consume(a = TWO))]
fn compared(a: [f32; 3]) -> f32 {
    a[0]
}

#[node(peek(a = 3))]
fn window(a: &[Big]) -> u8 {
    a[0].0[0]
}

#[node(consume(a = WIDE, b = [1, WIDE]))]
fn numbers(a: &[f32], b: &[f32]) -> f32 {
    a[0] + b[0]
}

#[node]
fn decimate(pair: [std::rc::Rc<f32>; 2]) -> f32 {
    *pair[0]
}

#[node]
fn expand(x: f32) -> [f32; 3] {
    [x, x]
}

#[node(produce(out = 2))]
fn twice(x: f32) -> Many<f32> {
    [x, x]
}

fn main() {
    let _ = network! { source([[1.0f32, 2.0]]) -> pairs() -> sink(|_| ()) };
}

#[node]
fn pairs(pair: [f32; 2]) -> f32 {
    pair[0]
}
