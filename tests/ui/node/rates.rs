use kpn::prelude::*;

#[node]
fn unsaid(a: &[f32]) -> f32 {
    a[0]
}

#[node(consume(aa = 4, b = 2))]
fn misspelt(ab: &[f32], b: f32) -> f32 {
    ab[0] + b
}

#[node(consume(a = 4), produce(out = 3, rest = 1))]
fn lengths(a: [f32; 5]) -> [f32; 2] {
    [a[0], a[1]]
}

#[node(consume(a = 0, b = [0, 0], c = -1))]
fn nothing(a: &[f32], b: &[f32], c: &[f32]) {}

#[node(peek(a = 2), consume(a = 3))]
fn window(a: &[f32]) -> [f32; 0] {
    []
}

#[node(produce(out = 2))]
fn one(a: f32) -> f32 {
    a
}

#[node(produce(out = [1, 2]))]
fn phases(a: f32) -> [f32; 2] {
    [a, a]
}

#[node]
fn unclear(a: f32) -> Option<[f32; 2]> {
    None
}

#[node]
fn optional(a: f32) -> Option<(f32, [f32; 2])> {
    None
}

#[node(consume(a = [1, N]))]
fn generic<const N: usize>(a: &[f32]) {}

#[node(consume(a = 2), partial = "fail")]
fn partial(a: &[f32]) {}

#[node(consume = 2)]
fn unparenthesised(a: &[f32]) {}

#[node(consume(a = 2))]
async fn process(a: &mut In<f32>) {}

struct Total(f32);

#[node(produce(out = 2))]
impl Total {
    fn fire(&mut self, x: f32) -> Many<f32> {
        Many::new()
    }

    fn finish(&mut self) -> f32 {
        self.0
    }
}

fn main() {}
