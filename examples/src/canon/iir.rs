//! A recursive filter: the past of a signal is tokens on feedback edges.

use std::f64::consts::PI;

use kpn::prelude::*;

/// A section of second order: H(z) = (b0 + b1/z + b2/z²) / (1 + a1/z + a2/z²).
#[derive(Clone, Copy, Debug)]
pub struct Biquad {
    /// b0, b1, b2.
    pub b: [f64; 3],
    /// a1, a2.
    pub a: [f64; 2],
}

/// Butterworth's low-pass of fourth order, which halves the power of a sine of `cutoff` cycles a sample.
#[must_use]
pub fn butterworth(cutoff: f64) -> [Biquad; 2] {
    // Its four poles lie on a circle, 22.5 and 67.5 degrees off the axis.
    [PI / 8.0, 3.0 * PI / 8.0].map(|angle| {
        let k = (PI * cutoff).tan();
        let damped = 2.0 * angle.cos() * k;
        let whole = 1.0 + damped + k * k;
        Biquad {
            b: [1.0, 2.0, 1.0].map(|b| b * k * k / whole),
            a: [2.0 * (k * k - 1.0), 1.0 - damped + k * k].map(|a| a / whole),
        }
    })
}

#[node]
fn add(x: f64, y: f64) -> f64 {
    x + y
}

#[node]
fn gain(x: f64, #[param] k: f64) -> f64 {
    k * x
}

/// A section in direct form II. An initial token on an arrow is a delay of one sample.
///
/// # Errors
///
/// None, unless the wiring below is wrong.
pub fn biquad(Biquad { b, a }: Biquad) -> Result<impl Stage<f64, f64>, BuildError> {
    network! {
        in  x: f64;
        out y: f64;
        now  = add();
        back = add();
        past = add();
        all  = add();

        x -> now.x;
        now -> {
            gain(b[0]) -> all.x,
            gain(b[1]) -[initial: [0.0]]-> past.x,
            gain(b[2]) -[initial: [0.0, 0.0]]-> past.y,
            gain(-a[0]) -[initial: [0.0]]-> back.x,
            gain(-a[1]) -[initial: [0.0, 0.0]]-> back.y
        };
        back -> now.y;
        past -> all.y;
        all -> y;
    }
}

/// Sections one after the other.
///
/// # Errors
///
/// None, unless the wiring above is wrong.
pub fn iir<'a>(signal: &'a [f64], sections: &[Biquad], filtered: &'a mut Vec<f64>) -> Result<Network<'a>, BuildError> {
    let mut net = Builder::new();
    let mut tail = net.add(source(signal.iter().copied())).out;
    for (i, &section) in sections.iter().enumerate() {
        tail = net.pipe(tail, biquad(section)?.named(format!("section{i}")));
    }
    net.pipe(tail, sink(|y| filtered.push(y)));
    net.build()
}
