//! `#[node]` on functions: what `call` and one firing give.

use std::path::Path;

use kpn::node::{Fired, Firing};
use kpn::prelude::*;

/// Amplifies.
#[node]
pub fn gain(x: f32, #[param] k: f32) -> f32 {
    k * x
}

#[node(outputs(sum, diff))]
fn butterfly(a: f32, b: f32) -> (f32, f32) {
    (a + b, a - b)
}

#[node]
fn even(x: u64) -> Option<u64> {
    x.is_multiple_of(2).then_some(x)
}

#[node]
fn words(line: String) -> Many<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

#[node]
fn parse(line: &String) -> Result<i32, std::num::ParseIntError> {
    line.parse()
}

#[node]
fn swallow(_x: u8) {}

#[node]
fn check(x: u8) -> Result<(), String> {
    if x == 0 { Err("zero".to_owned()) } else { Ok(()) }
}

#[node]
fn clock() -> u64 {
    7
}

#[node]
fn ends(#[param] left: &std::cell::Cell<u32>) -> Option<u32> {
    left.set(left.get().checked_sub(1)?);
    Some(left.get())
}

#[node]
fn pairs(x: u8) -> Option<(u8, Option<u16>, Many<u32>)> {
    (x > 0).then(|| (x, None, Many::new()))
}

#[node]
fn source_pair(#[param] on: bool) -> std::result::Result<std::option::Option<(u8, u16)>, String> {
    Ok(on.then_some((1, 2)))
}

#[node]
fn dup<T: Clone>(x: &T) -> (T, T) {
    (x.clone(), x.clone())
}

#[node]
fn apply<T, U, F>(x: T, #[param] f: &F) -> U
where
    F: Fn(T) -> U,
{
    f(x)
}

#[node]
fn lookup<'a, K, V>(key: &'a K, #[param] table: &std::collections::HashMap<K, V>, #[param] name: &str) -> Option<V>
where
    K: std::hash::Hash + Eq + std::fmt::Debug,
    V: Clone,
{
    let _: &'a K = key;
    assert_eq!(name, "table");
    table.get(key).cloned()
}

#[node]
fn fir(x: f32, #[param] taps: &[f32], #[param] at: &Path) -> f32 {
    assert!(at.is_absolute());
    taps.iter().map(|tap| tap * x).sum()
}

#[node]
fn first<I: IntoIterator>(all: I) -> Option<I::Item> {
    all.into_iter().next()
}

#[node]
fn scale<const K: u32>(mut x: u32) -> u32 {
    x *= K;
    x
}

#[node]
fn r#move(r#type: u8, r#move: u8) -> u8 {
    r#type + r#move
}

#[node]
fn same(
    /// The name of the function.
    same: u8,
) -> u8 {
    if same > 3 { self::recursive(0, 1) } else { same }
}

fn recursive(x: u8, y: u8) -> u8 {
    x + y
}

#[node]
fn factorial(n: u64) -> u64 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
}

fn emitted<O>(fired: Fired<O>) -> O {
    match fired {
        Fired::Emit(items) => items,
        Fired::End => panic!("the stream ended"),
        Fired::Failed(error) => panic!("failed: {error}"),
    }
}

#[test]
fn the_function_stays_callable() {
    assert_eq!(gain(0.5).call(2.0), 1.0);
    assert_eq!(butterfly().call(2.0, 1.0), (3.0, 1.0));
    assert_eq!(even().call(3), None);
    assert_eq!(words().call("a b".into()).len(), 2);
    assert_eq!(parse().call(&"12".into()), Ok(12));
    assert_eq!(dup().call(&"a"), ("a", "a"));
    assert_eq!(apply(|x: u8| x + 1).call(1), 2);
    assert_eq!(lookup([(1, 2)].into(), "table".to_owned()).call(&1), Some(2));
    assert_eq!(fir(vec![0.5, 0.25], "/".into()).call(4.0), 3.0);
    assert_eq!(first().call(vec![1, 2]), Some(1));
    assert_eq!(scale::<3>().call(2), 6);
    assert_eq!(r#move().call(1, 2), 3);
    assert_eq!(same().call(4), 1);
    assert_eq!(factorial().call(5), 120);
    swallow().call(1);
}

#[test]
fn rates() {
    assert_eq!(emitted(gain(0.5).fire((2.0,))), (1.0,));
    assert_eq!(emitted(butterfly().fire((2.0, 1.0))), (3.0, 1.0));
    assert_eq!(emitted(even().fire((3,))), (None,));
    assert_eq!(emitted(even().fire((4,))), (Some(4),));
    assert_eq!(emitted(words().fire(("a b".into(),))), (["a".to_owned(), "b".to_owned()].into_iter().collect(),));
    emitted(swallow().fire((1,)));
    assert_eq!(emitted(clock().fire(())), (7,));
    assert_eq!(emitted(pairs().fire((0,))), (None, None, Many::new()));
    assert_eq!(emitted(pairs().fire((1,))), (Some(1), None, Many::new()));
    assert_eq!(emitted(dup().fire((1,))), (1, 1));
}

#[test]
fn ends_and_failures() {
    assert_eq!(emitted(parse().fire(("12".to_owned(),))), (12,));
    assert!(matches!(parse().fire(("x".to_owned(),)), Fired::Failed(_)));
    assert!(matches!(check().fire((0,)), Fired::Failed(_)));
    emitted(check().fire((1,)));
    let mut two = ends(std::cell::Cell::new(2));
    assert_eq!(emitted(two.fire(())), (1,));
    assert_eq!(emitted(two.fire(())), (0,));
    assert!(matches!(two.fire(()), Fired::End));
    assert_eq!(emitted(source_pair(true).fire(())), (1, 2));
    assert!(matches!(source_pair(false).fire(()), Fired::End));
}
