use kpn::prelude::*;

struct Mean;

#[node]
impl Mean {
    fn fires(&mut self, x: f64) -> f64 {
        x
    }
}

struct Median;

#[node]
impl Median {
    fn fire(self, x: f64) -> f64 {
        x
    }
}

struct Mode;

#[node]
impl Mode {
    fn fire<T: Send>(&mut self, x: T, #[param] k: f64) -> T {
        x
    }
}

struct Shown;

#[node]
impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("shown")
    }
}

fn main() {
    let _ = network! { source([1.0]) -> Mean -> sink(|_: f64| ()) };
}
