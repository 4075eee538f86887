use kpn::prelude::*;

#[node]
async fn merge(a: In<u64>, b: &In<u64>, out: &mut Out<u64>) -> u64 {
    0
}

#[node]
async fn scale(x: &mut In<f32>, out: &mut Out<f32>, k: f32) {}

#[node(outputs(scaled))]
async fn send(x: &mut In<f32>, #[param] out: &mut Out<f32>) -> Result<f32, Closed> {
    Ok(0.0)
}

#[node]
fn fires(x: &mut In<f32>, out: &mut Out<f32>) {}

#[node(nondet)]
fn first(a: u8, b: u8) -> u8 {
    a
}

struct Mean(f64);

#[node]
impl Mean {
    async fn fire(&mut self, x: f64) -> f64 {
        x
    }
}

#[node(nondet = true)]
async fn pick(a: &mut In<u8>, out: &mut Out<u8>) {}

fn main() {}
