//! What each program must come to, computed without a network: loops, sorts, closed forms.

use super::complex::Complex;
use super::iir::Biquad;
use super::polyphase;

/// 0, 1, 0, 1, …
#[must_use]
pub fn kahn1974(count: u64) -> Vec<u64> {
    (0..count).map(|i| i % 2).collect()
}

/// The numbers 2^i 3^j 5^k in order, by three pointers into the list so far (Dijkstra 1976).
#[must_use]
pub fn hamming(count: usize) -> Vec<u128> {
    let mut list = vec![1];
    let (mut twice, mut thrice, mut five) = (0, 0, 0);
    while list.len() < count {
        let (x, y, z) = (2 * list[twice], 3 * list[thrice], 5 * list[five]);
        let next = x.min(y).min(z);
        twice += usize::from(x == next);
        thrice += usize::from(y == next);
        five += usize::from(z == next);
        list.push(next);
    }
    list.truncate(count);
    list
}

/// The first primes, by the sieve of Eratosthenes.
#[must_use]
pub fn primes(count: usize) -> Vec<u64> {
    // The n-th prime is below n (ln n + ln ln n) from the sixth on (Rosser and Schoenfeld 1962).
    let n = count.max(6) as f64;
    let end = (n * (n.ln() + n.ln().ln())).ceil() as usize;
    let mut composite = vec![false; end];
    let mut primes = Vec::new();
    for p in 2..end {
        if composite[p] {
            continue;
        }
        primes.push(p as u64);
        for multiple in (p * p..end).step_by(p) {
            composite[multiple] = true;
        }
    }
    primes.truncate(count);
    primes
}

/// All tokens of some streams in order.
#[must_use]
pub fn merge_sorted(streams: &[Vec<u64>]) -> Vec<u64> {
    let mut all = streams.concat();
    all.sort_unstable();
    all
}

/// A step of Collatz: half of an even number, three times an odd one and one.
#[must_use]
pub fn switch_select(numbers: impl IntoIterator<Item = u64>) -> Vec<u64> {
    numbers.into_iter().map(|x| if x % 2 == 0 { x / 2 } else { 3 * x + 1 }).collect()
}

/// Sections of second order one after the other, in direct form II.
#[must_use]
pub fn iir(signal: &[f64], sections: &[Biquad]) -> Vec<f64> {
    let mut signal = signal.to_vec();
    for &Biquad { b, a } in sections {
        let (mut one_ago, mut two_ago) = (0.0, 0.0);
        for x in &mut signal {
            let now = *x + (-a[0] * one_ago + -a[1] * two_ago);
            *x = b[0] * now + (b[1] * one_ago + b[2] * two_ago);
            (one_ago, two_ago) = (now, one_ago);
        }
    }
    signal
}

/// The discrete Fourier transform as it is defined, in N² steps.
#[must_use]
pub fn dft(frame: &[Complex]) -> Vec<Complex> {
    let n = frame.len();
    let turn = |i: usize| Complex::turn(-((i % n) as f64) / n as f64);
    (0..n).map(|k| frame.iter().enumerate().fold(Complex::default(), |sum, (i, &x)| sum + turn(i * k) * x)).collect()
}

/// The fast Fourier transform of Cooley and Tukey (1965), which calls itself for the even and the odd points.
#[must_use]
pub fn fft(frame: &[Complex]) -> Vec<Complex> {
    let n = frame.len();
    if n == 1 {
        return frame.to_vec();
    }
    let every_other = |from: usize| fft(&frame.iter().copied().skip(from).step_by(2).collect::<Vec<_>>());
    let (even, odd) = (every_other(0), every_other(1));
    let turned: Vec<Complex> = (0..n / 2).map(|k| Complex::turn(-(k as f64) / n as f64) * odd[k]).collect();
    let low = even.iter().zip(&turned).map(|(&even, &odd)| even + odd);
    let high = even.iter().zip(&turned).map(|(&even, &odd)| even - odd);
    low.chain(high).collect()
}

/// A signal at `up / down` times its rate: zeros between its samples, a low-pass over all of it, and of that one sample
/// in `down`.
#[must_use]
pub fn resample(signal: &[f64], up: usize, down: usize) -> Vec<f64> {
    let taps = polyphase::low_pass(up, down);
    let mut stuffed = vec![0.0; signal.len() * up];
    for (i, &x) in signal.iter().enumerate() {
        stuffed[i * up] = x;
    }
    let filtered = |i: usize| {
        let reached = taps.iter().enumerate().take(i + 1);
        reached.fold(0.0, |sum, (k, tap)| sum + tap * stuffed[i - k])
    };
    (0..signal.len() * up).step_by(down).map(filtered).collect()
}

/// From 44,100 to 48,000 samples a second in four steps.
#[must_use]
pub fn cd2dat(signal: &[f64]) -> Vec<f64> {
    [(2, 1), (2, 3), (8, 7), (5, 7)].iter().fold(signal.to_vec(), |signal, &(up, down)| resample(&signal, up, down))
}
