//! Nodes of every kind in networks that run.

use kpn::prelude::*;

type Pair = [u32; 2];

#[node]
fn decimate(pair: Pair) -> u32 {
    pair[0] + pair[1]
}

#[node]
fn even(x: u64) -> Option<u64> {
    x.is_multiple_of(2).then_some(x)
}

#[node]
fn repeat(x: u64) -> Many<u64> {
    (0..x).map(|_| x).collect()
}

#[node]
fn parse(line: &String) -> Result<u64, std::num::ParseIntError> {
    line.parse()
}

#[node]
fn both(x: u64) -> Option<(u64, Many<String>)> {
    (x > 1).then(|| (x, (0..x).map(|i| i.to_string()).collect()))
}

#[node]
fn lines(#[param] text: &std::sync::Mutex<Vec<String>>) -> Result<Option<String>, String> {
    let next = text.lock().map_err(|e| e.to_string())?.pop();
    if next.as_deref() == Some("bad") { Err("a bad line".to_owned()) } else { Ok(next) }
}

#[node]
fn dup<T: Clone>(x: &T) -> (T, T) {
    (x.clone(), x.clone())
}

#[node]
fn offset<const BY: u64>(x: u64) -> u64 {
    x + BY
}

#[derive(Default)]
struct Last {
    seen: Option<u64>,
}

#[node]
impl Last {
    fn fire(&mut self, x: u64) {
        self.seen = Some(x);
    }

    fn finish(&mut self) -> Result<(), String> {
        match self.seen {
            Some(12) => Ok(()),
            other => Err(format!("the last is {other:?}")),
        }
    }
}

struct Sum {
    total: u64,
}

#[node(outputs(running, total))]
impl Sum {
    fn fire(&mut self, x: u64) -> (u64, Option<u64>) {
        self.total += x;
        (self.total, None)
    }

    fn finish(&mut self) -> (Option<u64>, u64) {
        (None, self.total)
    }
}

struct Words<'a> {
    rest: std::str::SplitWhitespace<'a>,
    served: &'a mut usize,
}

#[node]
impl<'a> Words<'a> {
    fn fire(&mut self) -> Option<String> {
        let word = self.rest.next()?;
        *self.served += 1;
        Some(word.to_owned())
    }
}

fn stack(lines: &[&str]) -> std::sync::Mutex<Vec<String>> {
    std::sync::Mutex::new(lines.iter().rev().map(|line| (*line).to_owned()).collect())
}

#[test]
fn rates() -> Result<(), Box<dyn std::error::Error>> {
    let mut seen = Vec::new();
    let net = network! { source(0..6) -> even() -> repeat() -> offset::<10>() -> sink(|x| seen.push(x)) }?;
    net.run()?;
    assert_eq!(seen, [12, 12, 14, 14, 14, 14]);

    let mut sums = Vec::new();
    network! { source([[1, 2], [3, 4]]) -> decimate() -> sink(|x| sums.push(x)) }?.run()?;
    assert_eq!(sums, [3, 7]);
    Ok(())
}

#[test]
fn several_outputs_with_rates_of_their_own() -> Result<(), Box<dyn std::error::Error>> {
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    let net = network! {
        source(0..4) -> both() -> { sink(|x| numbers.push(x)), sink(|s: String| texts.push(s)) };
    }?;
    net.run()?;
    assert_eq!(numbers, [2, 3]);
    assert_eq!(texts, ["0", "1", "0", "1", "2"]);
    Ok(())
}

#[test]
fn state_finishes() -> Result<(), Box<dyn std::error::Error>> {
    let (mut running, mut total) = (Vec::new(), Vec::new());
    network! {
        sum = Sum { total: 0 };
        source(1..4) -> sum;
        sum.running -> sink(|x| running.push(x));
        sum.total -> sink(|x| total.push(x));
    }?
    .run()?;
    assert_eq!(running, [1, 3, 6]);
    assert_eq!(total, [6]);

    network! { source(0..13) -> Last::default() }?.run()?;
    let error = network! { source(0..3) -> Last::default() }?.run().unwrap_err().to_string();
    assert!(error.contains("the last is Some(2)"), "{error}");
    Ok(())
}

#[test]
fn sources_end_and_fail() -> Result<(), Box<dyn std::error::Error>> {
    let mut sum = 0;
    network! { lines(stack(&["1", "2"])) -> parse() -> sink(|x| sum += x) }?.run()?;
    assert_eq!(sum, 3);

    let error = network! { read = lines(stack(&["1", "bad"])); read -> sink(|_| ()) }?.run().unwrap_err().to_string();
    assert!(error.contains("read") && error.contains("a bad line"), "{error}");
    let error = network! { lines(stack(&["x"])) -> parse().named("numbers") -> sink(|_| ()) }?.run().unwrap_err();
    assert!(error.to_string().contains("numbers"), "{error}");
    Ok(())
}

#[test]
fn state_borrows() -> Result<(), Box<dyn std::error::Error>> {
    let text = String::from("a b c");
    let (mut served, mut seen) = (0, Vec::new());
    network! {
        Words { rest: text.split_whitespace(), served: &mut served } -> dup() -> { sink(|_| ()), sink(|w| seen.push(w)) };
    }?
    .run()?;
    assert_eq!((served, seen.concat()), (3, "abc".to_owned()));
    Ok(())
}

#[test]
fn declared_nodes_have_their_names() {
    let named = network! {
        mix = dup::<u8>();
        other = dup().named("given");
        source([1]) -> mix;
        mix.out0 -> other;
        other.out0 -> sink(|_| ());
    };
    let error = named.map(drop).unwrap_err().to_string();
    assert!(error.contains("`mix.out1`"), "{error}");
    assert!(error.contains("`given.out1`"), "{error}");
    assert!(!error.contains("other"), "{error}");
}

#[test]
fn composites_nest() -> Result<(), Box<dyn std::error::Error>> {
    fn plus(n: u64) -> Result<impl Stage<u64, u64>, BuildError> {
        network! {
            in x: u64;
            out y: u64;
            x -[capacity: 2]-> map(move |x| x + n) -> y;
        }
    }
    fn twice(n: u64) -> Result<impl Stage<u64, u64>, BuildError> {
        network! {
            in x: u64;
            out y: u64;
            second = plus(n)?;
            x -> plus(n)? -> second -> y;
        }
    }
    fn numbers() -> Result<impl Supply<u64>, BuildError> {
        network! { out numbers: u64; source(0..3) -> numbers; }
    }
    fn forget() -> Result<impl Drain<u64>, BuildError> {
        network! { in x: u64; x -> sink(|_| ()); }
    }
    let mut seen = Vec::new();
    let net = network! {
        numbers()? -> twice(10)? -> { forget()?, twice(0)?.named("zero") -> sink(|x| seen.push(x)) };
    }?;
    net.run()?;
    assert_eq!(seen, [20, 21, 22]);
    Ok(())
}

#[test]
fn composites_with_several_ports() -> Result<(), Box<dyn std::error::Error>> {
    let mut seen = Vec::new();
    let mut offset = 100;
    // A composite may borrow as well.
    let offset = &mut offset;
    let cross = network! {
        in a: u64;
        in b: u64;
        out left: u64;
        out right: u64;
        a -> right;
        b -> map(|x| { *offset += 1; x + *offset }) -> left;
    }?;
    network! {
        cross = cross;
        source([1, 2]) -> cross.a;
        source([3, 4]) -> cross.b;
        { cross.left, cross.right } -> gather() -> sink(|x: [u64; 2]| seen.push(x));
    }?
    .run()?;
    assert_eq!(seen, [[104, 1], [106, 2]]);
    Ok(())
}

#[test]
fn rows_of_chains() -> Result<(), Box<dyn std::error::Error>> {
    let mut seen = Vec::new();
    network! {
        [source([1u64, 2]) -> offset::<1>(); 3] -> [offset::<10>() -> offset::<100>(); 3] -> gather() -> sink(|x: [u64; 3]| seen.push(x));
    }?
    .run()?;
    assert_eq!(seen, [[112; 3], [113; 3]]);
    Ok(())
}
