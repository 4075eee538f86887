//! The fast Fourier transform as it is drawn: a wire for each point, and butterflies between them.

use kpn::node::OutPort;
use kpn::prelude::*;

use super::complex::Complex;

/// Turns `odd` by `by`, and adds it to and takes it from `even`.
#[node(outputs(sum, difference))]
fn butterfly(even: Complex, odd: Complex, #[param] by: Complex) -> (Complex, Complex) {
    let turned = by * odd;
    (even + turned, even - turned)
}

/// Wires a transform of so many points: one of the points at even places, one of those at odd places, and butterflies
/// that put the two together.
fn transform(net: &mut Builder<'_>, points: Vec<OutPort<Complex>>) -> Vec<OutPort<Complex>> {
    let n = points.len();
    if n == 1 {
        return points;
    }
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    for (i, point) in points.into_iter().enumerate() {
        if i % 2 == 0 { even.push(point) } else { odd.push(point) }
    }
    let (mut sums, mut differences) = (Vec::new(), Vec::new());
    for (k, (even, odd)) in transform(net, even).into_iter().zip(transform(net, odd)).enumerate() {
        let both = net.add(butterfly(Complex::turn(-(k as f64) / n as f64)));
        net.connect(even, both.even);
        net.connect(odd, both.odd);
        sums.push(both.sum);
        differences.push(both.difference);
    }
    sums.append(&mut differences);
    sums
}

/// Transforms frames of N points: point `i` of all frames goes along one wire, and the k-th line of all spectra comes to
/// `lines[k]`.
///
/// # Errors
///
/// None, unless the wiring below is wrong.
///
/// # Panics
///
/// Where N, the number of `lines`, is no power of two, or a frame has fewer points.
pub fn fft<'a>(frames: &'a [Vec<Complex>], lines: &'a mut [Vec<Complex>]) -> Result<Network<'a>, BuildError> {
    let n = lines.len();
    assert!(n.is_power_of_two(), "a transform has a power of two of points, not {n}");
    let mut net = Builder::new();
    let point = |i: usize| source(frames.iter().map(move |frame| frame[i])).named(format!("point{i}"));
    let points = (0..n).map(|i| net.add(point(i)).out).collect();
    for (k, (wire, line)) in transform(&mut net, points).into_iter().zip(lines).enumerate() {
        net.pipe(wire, sink(|x| line.push(x)).named(format!("line{k}")));
    }
    net.build()
}
