//! `#[node]` on the `impl` of a struct.

use kpn::node::{Fired, Firing};
use kpn::prelude::*;

/// A running mean.
#[derive(Default)]
pub struct Mean {
    count: u64,
    sum: f64,
}

#[node]
impl Mean {
    /// Takes one more.
    pub fn fire(&mut self, x: f64) -> f64 {
        self.add(x);
        self.sum / self.count as f64
    }

    fn add(&mut self, x: f64) {
        self.count += 1;
        self.sum += x;
    }
}

struct Sum<T>(Option<T>);

#[node(outputs(total))]
impl<T: std::ops::Add<Output = T>> Sum<T>
where
    T: Clone,
{
    fn fire(&mut self, x: T) -> Option<T> {
        let sum = match self.0.take() {
            None => x,
            Some(sum) => sum + x,
        };
        self.0 = Some(sum);
        None
    }

    fn finish(&mut self) -> Many<T> {
        self.0.take().into_iter().collect()
    }
}

struct Lines<'a> {
    text: &'a str,
}

#[node]
impl Lines<'_> {
    fn fire(&mut self) -> Option<String> {
        let (line, rest) = self.text.split_once('\n')?;
        self.text = rest;
        Some(line.to_owned())
    }
}

struct Count<'a> {
    seen: &'a mut u32,
}

#[node]
impl<'a> Count<'a> {
    fn fire(&mut self, _line: &String) {
        *self.seen += 1;
    }

    fn finish(&mut self) -> Result<(), String> {
        if *self.seen == 0 { Err("no line".to_owned()) } else { Ok(()) }
    }
}

struct Pairs {
    last: Option<u8>,
}

#[node]
impl Pairs {
    fn fire(&mut self, x: u8) -> (u8, u16) {
        self.last = Some(x);
        (x, u16::from(x))
    }

    fn finish(&mut self) -> Result<Option<(u8, u16)>, std::io::Error> {
        Ok(self.last.map(|x| (x, u16::from(x))))
    }
}

struct Scale(u32);

#[node]
impl Scale {
    fn fire(&self, x: u32) -> u32 {
        self.0 * x
    }
}

fn emitted<O>(fired: Fired<O>) -> O {
    match fired {
        Fired::Emit(items) => items,
        Fired::End => panic!("the stream ended"),
        Fired::Failed(error) => panic!("failed: {error}"),
    }
}

#[test]
fn the_method_stays_callable() {
    let mut mean = Mean::default();
    assert_eq!(mean.fire(2.0), 2.0);
    assert_eq!(Firing::fire(&mut mean, (4.0,)).ok(), Some((3.0,)));
    assert_eq!(Scale(2).fire(3), 6);
}

trait Ok2<O> {
    fn ok(self) -> Option<O>;
}

impl<O> Ok2<O> for Fired<O> {
    fn ok(self) -> Option<O> {
        match self {
            Self::Emit(items) => Some(items),
            _ => None,
        }
    }
}

#[test]
fn the_larger_rate_of_fire_and_finish_holds() {
    let mut sum = Sum(None);
    const { assert!(<Sum<u32> as Firing>::FINISHES) };
    const { assert!(!<Mean as Firing>::FINISHES) };
    assert!(emitted(Firing::fire(&mut sum, (1,))).0.is_empty());
    assert!(emitted(Firing::fire(&mut sum, (2,))).0.is_empty());
    assert_eq!(emitted(Firing::finish(&mut sum)), (Many::from(vec![3]),));

    let mut pairs = Pairs { last: None };
    assert!(matches!(Firing::finish(&mut pairs), Fired::End));
    assert_eq!(emitted(Firing::fire(&mut pairs, (1,))), (1, 1));
    assert_eq!(emitted(Firing::finish(&mut pairs)), (1, 1));
}

#[test]
fn state_may_borrow() {
    let text = String::from("a\nb\n");
    let mut lines = Lines { text: &text };
    assert_eq!(emitted(Firing::fire(&mut lines, ())), ("a".to_owned(),));
    assert_eq!(emitted(Firing::fire(&mut lines, ())), ("b".to_owned(),));
    assert!(matches!(Firing::fire(&mut lines, ()), Fired::End));

    let mut seen = 0;
    assert!(matches!(Firing::finish(&mut Count { seen: &mut seen }), Fired::Failed(_)));
    let mut count = Count { seen: &mut seen };
    emitted(Firing::fire(&mut count, ("a".to_owned(),)));
    assert!(matches!(Firing::finish(&mut count), Fired::End | Fired::Emit(())));
    assert_eq!(seen, 1);
}

#[test]
fn ports_have_names() {
    let text = String::from("a\n");
    let mut seen = 0;
    let mut b = Builder::new();
    let lines = b.add(Lines { text: &text });
    let count = b.add(Count { seen: &mut seen });
    b.connect(lines.out, count._line);
    let sum: SumPorts<u8> = b.add(Sum(None));
    let ones = b.add(source([1u8]));
    b.connect(ones.out, sum.x);
    b.pipe(sum.total, sink(|_: u8| ()));
    assert!(b.build().is_ok());
}

/// Gives nothing until its inputs have ended.
#[derive(Default)]
struct Average {
    count: u32,
    sum: u32,
}

#[node]
impl Average {
    fn fire(&mut self, x: u32) {
        self.count += 1;
        self.sum += x;
    }

    fn finish(&mut self) -> Option<u32> {
        self.sum.checked_div(self.count)
    }
}

#[test]
fn an_aggregate_gives_its_result_at_the_end() {
    for (tokens, result) in [(0..5u32, vec![2]), (0..0, vec![])] {
        let mut seen = Vec::new();
        let net = network! { source(tokens) -> Average::default() -> sink(|x: u32| seen.push(x)) };
        net.expect("a chain is a valid network").run().expect("no node fails");
        assert_eq!(seen, result);
    }
}
