//! Nodes of every visibility and kind, in code that allows no warning.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused,
    let_underscore_drop,
    single_use_lifetimes,
    trivial_casts,
    unused_qualifications,
    unused_lifetimes,
    elided_lifetimes_in_paths
)]

use kpn::prelude::*;

/// A frame.
#[derive(Clone, Debug)]
pub struct Frame(u8);

struct Private(#[allow(dead_code)] u8);

/// Amplifies.
#[node]
pub fn gain(x: f32, #[param] k: f32) -> f32 {
    k * x
}

/// Sums and differences.
#[node(outputs(sum, diff))]
pub fn butterfly(
    /// The first.
    a: f32,
    /// The second.
    b: f32,
) -> (f32, f32) {
    (a + b, a - b)
}

#[node]
fn hide(frame: &Frame) -> Private {
    Private(frame.0)
}

#[node]
fn drop_all(_private: Private) {}

/// Copies.
#[node]
pub fn dup<T: Clone>(x: &T) -> (T, T) {
    (x.clone(), x.clone())
}

/// A mean.
#[derive(Debug, Default)]
pub struct Mean {
    sum: f64,
}

#[node]
impl Mean {
    fn fire(&mut self, x: f64) -> Result<Option<f64>, String> {
        self.sum += x;
        Ok(None)
    }

    fn finish(&mut self) -> f64 {
        self.sum
    }
}

#[derive(Debug)]
struct Lines<'a>(std::str::Lines<'a>);

#[node]
impl Lines<'_> {
    fn fire(&mut self) -> Option<String> {
        self.0.next().map(str::to_owned)
    }
}

/// Forwards.
#[node]
pub async fn forward<T: kpn::node::Token>(
    /// From here.
    x: &mut In<T>,
    /// To there.
    out: &mut Out<T>,
) -> Result<(), Closed> {
    while let Some(token) = x.recv().await {
        out.send(token).await?;
    }
    Ok(())
}

#[node]
async fn repeat(out: &mut Out<String>, #[param] times: u32, #[param] text: &str) {
    for _ in 0..times {
        let _ = out.send(text.to_owned()).await;
    }
}

#[node]
async fn hidden(x: &mut In<Private>) -> std::fmt::Result {
    while x.recv().await.is_some() {}
    Ok(())
}

/// Rates in a node that all may see.
#[node(consume(a = [1, 2]), peek(b = 3), produce(out = 2), partial = "error")]
pub fn rates(a: &[u8], b: &[f32], c: [u8; 2]) -> Many<f32> {
    [b[0] + f32::from(a[0]), f32::from(c[1])].into()
}

struct Phased;

#[node(consume(a = [1, 0]), outputs(twice))]
impl Phased {
    fn fire(&self, a: &[f32]) -> [usize; 2] {
        [a.len(), 0]
    }
}

mod inner {
    use kpn::prelude::*;

    #[node]
    pub(crate) fn even(x: u64) -> Option<u64> {
        x.is_multiple_of(2).then_some(x)
    }
}

fn part() -> Result<impl Stage<f32, f32>, BuildError> {
    network! {
        in x: f32;
        out y: f32;
        mix = butterfly();
        x -> { mix.a, mix.b };
        mix.sum -[capacity: 3]-> gain(0.5) -> y;
        mix.diff -> sink(|_| ());
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// Inside a function.
    #[node]
    async fn local(x: &mut In<u8>, #[param] lent: &u8) {
        while x.recv().await.is_some_and(|x| x > *lent) {}
    }

    let text = String::from("a\nb");
    let mut lines = 0;
    let net = network! {
        frames = source([Frame(1)]);
        frames -> hide() -> drop_all();
        source([1.0, 2.0]) -> part()? -> [gain(2.0); 2] -> gather() -> sink(|_: [f32; 2]| ());
        source([1.0]) -> Mean::default() -> sink(|_| ());
        source(0..9) -> inner::even() -> dup() -> { sink(|_| ()), sink(|_| ()) };
        repeat(2, "a".to_owned()) -> forward() -> sink(|_| ());
        source([Frame(1)]) -> hide() -> hidden();
        source([1]) -[initial: [2]]-> local(0);
        rated = rates();
        source([1]) -> rated.a;
        source([1.0, 2.0, 3.0]) -> rated.b;
        source([1, 2]) -> rated.c;
        rated -> Phased -> sink(|_| ());
        Lines(text.lines()) -> sink(|_| lines += 1);
    }?;
    net.run()?;
    assert_eq!(lines, 2);
    drop(network! {}?);
    Ok(())
}
