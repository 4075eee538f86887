//! `#[node] async fn`: processes with all that a signature may have.

use std::collections::HashMap;
use std::fmt::Debug;
use std::path::Path;

use kpn::node::Token;
use kpn::prelude::*;
use kpn_tests::everywhere;

/// Merges two ascending streams to one.
#[node]
async fn merge<T: Token + Sync + Ord>(
    /// The first.
    a: &mut In<T>,
    b: &mut In<T>,
    /// Both.
    out: &mut Out<T>,
) -> Result<(), Closed> {
    loop {
        let next = match (a.peek().await, b.peek().await) {
            (Some(x), Some(y)) if x <= y => a.recv().await,
            (_, Some(_)) => b.recv().await,
            (Some(_), None) => a.recv().await,
            (None, None) => return Ok(()),
        };
        if let Some(next) = next {
            out.send(next).await?;
        }
    }
}

/// A source, whose parameters are moved into it and borrowed from it.
#[node]
async fn tables(
    out: &mut Out<String>,
    #[param] mut times: u32,
    #[param] table: &[u32],
    #[param] name: &str,
    #[param] at: &Path,
    #[param] more: &HashMap<u32, u32>,
) {
    while times > 0 {
        times -= 1;
        for entry in table.iter().chain(more.values()) {
            out.send_many([format!("{name}{entry}"), at.display().to_string()]).await.ok();
        }
    }
}

/// A sink that fails.
#[node]
async fn expect<T, E>(x: &mut In<T>, #[param] check: impl_check::Check<T, E>) -> Result<(), E>
where
    T: Token,
    E: std::error::Error + Send + Sync + 'static,
{
    while let Some(x) = x.recv().await {
        (check.0)(x)?;
    }
    Ok(())
}

mod impl_check {
    /// What a sink asks of each token.
    pub(crate) struct Check<T, E>(pub(crate) fn(T) -> Result<(), E>);
    impl<T, E> Clone for Check<T, E> {
        fn clone(&self) -> Self {
            Self(self.0)
        }
    }
}

/// A part of another process.
#[node]
async fn two_merges(
    a: &mut In<u64>,
    b: &mut In<u64>,
    c: &mut In<u64>,
    out: &mut Out<(u64, u64)>,
) -> Result<(), Closed> {
    pairs(2).call(a, b, out).await?;
    pairs(3).call(b, c, out).await
}

#[node]
async fn pairs(a: &mut In<u64>, b: &mut In<u64>, out: &mut Out<(u64, u64)>, #[param] n: usize) -> Result<(), Closed> {
    for _ in 0..n {
        let (Some(x), Some(y)) = kpn::join(a.recv(), b.recv()).await else { break };
        out.send((x, y)).await?;
    }
    Ok(())
}

/// Closures with and without state that is `Sync`.
#[node]
async fn apply<T, U, F>(x: &mut In<T>, out: &mut Out<U>, #[param] mut f: F) -> Result<(), Closed>
where
    F: FnMut(T) -> U + Clone,
    T: Token,
    U: Token,
{
    while let Some(x) = x.recv().await {
        out.send(f(x)).await?;
    }
    Ok(())
}

#[node]
async fn lend<'a, T: Token + PartialEq + Sync>(
    x: &mut In<T>,
    out: &mut Out<usize>,
    #[param] table: &'a [T],
) -> Result<(), Closed> {
    while let Some(x) = x.recv().await {
        if let Some(i) = table.iter().position(|entry| *entry == x) {
            out.send(i).await?;
        }
    }
    Ok(())
}

#[node]
async fn r#loop<const N: usize>(
    r#in: &mut In<[u8; N]>,
    r#type: &mut Out<u8>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    while let Some(all) = r#in.recv().await {
        r#type.send_many(all).await?;
        if all.contains(&9) {
            return Err("nine".into());
        }
    }
    Ok(())
}

#[node(nondet)]
async fn says_so(x: &mut In<u8>) {
    while x.recv().await.is_some() {}
}

fn runs<T: Debug + PartialEq>(seen: &[T], expected: &[T]) {
    assert_eq!(seen, expected);
}

#[test]
fn a_merge_takes_in_the_order_of_the_tokens() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let net = network! {
            merge = merge();
            source((0..100u64).filter(|x| x % 3 == 0)) -> merge.a;
            source((0..100u64).filter(|x| x % 3 != 0)) -> merge.b;
            merge.out -[capacity: 2]-> sink(|x| seen.push(x));
        };
        on.run(net.expect("a merge")).expect("no node fails");
        assert_eq!(seen, (0..100).collect::<Vec<_>>());
    });
}

#[test]
fn parameters_live_in_the_process() {
    let mut seen = Vec::new();
    let process = tables(2, vec![1, 2], "n".into(), "/p".into(), HashMap::from([(0, 7)]));
    network! { process -> sink(|s: String| seen.push(s)) }.expect("a chain").run().expect("no node fails");
    let round = ["n1", "/p", "n2", "/p", "n7", "/p"];
    runs(&seen, &[round, round].concat().map_to_owned());
}

trait ToStrings {
    fn map_to_owned(self) -> Vec<String>;
}

impl ToStrings for Vec<&str> {
    fn map_to_owned(self) -> Vec<String> {
        self.into_iter().map(str::to_owned).collect()
    }
}

#[test]
fn an_error_is_the_nodes_failure() {
    let check = impl_check::Check(|x: String| x.parse::<u8>().map(drop));
    let net = network! { source(["1".to_owned(), "x".to_owned()]) -> expect(check).named("strict") };
    let error = net.expect("a chain").run().expect_err("x is no number").to_string();
    assert!(error.contains("strict") && error.contains("invalid digit"), "{error}");
}

#[test]
fn a_process_calls_another() {
    let mut seen = Vec::new();
    let net = network! {
        both = two_merges();
        source(0..3) -> both.a;
        source(10..19) -> both.b;
        source(20..29) -> both.c;
        both.out -> sink(|pair| seen.push(pair));
    };
    net.expect("three sources").run().expect("no node fails");
    runs(&seen, &[(0, 10), (1, 11), (12, 20), (13, 21), (14, 22)]);
}

#[test]
fn a_parameter_that_is_moved_need_not_be_sync() {
    let mut seen = Vec::new();
    let count = std::cell::Cell::new(0);
    let counted = move |x: u32| {
        count.set(count.get() + 1);
        x * count.get()
    };
    network! { source([5, 5, 5]) -> apply(counted) -> sink(|x| seen.push(x)) }
        .expect("a chain")
        .run()
        .expect("no node fails");
    runs(&seen, &[5, 10, 15]);
}

#[test]
fn a_process_may_borrow() {
    let table = ["b".to_owned(), "a".to_owned()];
    let mut seen = Vec::new();
    network! { source(["a", "x", "b"]) -> map(str::to_owned) -> lend(&table) -> sink(|i| seen.push(i)) }
        .expect("a chain")
        .run()
        .expect("no node fails");
    runs(&seen, &[1, 0]);
}

#[test]
fn an_array_in_an_input_is_one_token() {
    let mut seen = Vec::new();
    let net = network! {
        source([[1u8, 2], [3, 9], [4, 5]]) -> r#loop() -> sink(|x| seen.push(x));
    };
    let error = net.expect("a chain").run().expect_err("nine fails").to_string();
    assert!(error.contains("loop") && error.contains("nine"), "{error}");
    runs(&seen, &[1, 2, 3, 9]);
}

#[test]
fn what_is_not_determinate_says_so() {
    network! { source([1u8]) -> says_so() }.expect("a chain").run().expect("no node fails");
}
