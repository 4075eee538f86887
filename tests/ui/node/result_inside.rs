use kpn::prelude::*;

#[node]
fn next(#[param] lines: &std::sync::Mutex<Vec<String>>) -> Option<Result<String, String>> {
    lines.lock().ok()?.pop().map(Ok)
}

#[node]
fn both(x: u8) -> (Result<u8, String>, u8) {
    (Ok(x), x)
}

fn main() {}
