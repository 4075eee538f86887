use kpn::prelude::*;

struct Mean;

impl Mean {
    #[node]
    fn fire(&mut self, x: f64) -> f64 {
        x
    }
}

fn main() {}
