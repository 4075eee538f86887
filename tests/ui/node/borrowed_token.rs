use kpn::prelude::*;

#[node]
fn words(line: &str) -> usize {
    line.len()
}

#[node]
fn sum(window: &[f32]) -> f32 {
    window.iter().sum()
}

#[node]
fn blur(frame: &mut Vec<u8>) {
    frame.clear();
}

#[node]
fn lent<'a>(line: std::borrow::Cow<'a, str>) -> usize {
    line.len()
}

#[node]
fn name<'a>(all: &'a Vec<String>) -> &'a str {
    &all[0]
}

fn main() {}
