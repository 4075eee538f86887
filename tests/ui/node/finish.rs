use kpn::prelude::*;

struct Mean {
    sum: f64,
}

#[node]
impl Mean {
    fn fire(&mut self, x: f64) -> (f64, f64) {
        self.sum += x;
        (x, self.sum)
    }
    fn finish(&mut self) -> f64 {
        self.sum
    }
}

struct Last {
    x: f64,
}

#[node]
impl Last {
    fn fire(&mut self, x: f64) -> Option<f64> {
        self.x = x;
        None
    }
    fn finish(&mut self, n: u32) -> String {
        format!("{n} {}", self.x)
    }
}

struct Source;

#[node]
impl Source {
    fn fire(&mut self) -> Option<u8> {
        None
    }
    fn finish(&mut self) -> u8 {
        0
    }
}

fn main() {}
