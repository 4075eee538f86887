use std::cell::Cell;
use std::rc::Rc;

use kpn::node::Token;
use kpn::prelude::*;

pub struct Broken;

#[node]
async fn count(x: &mut In<u8>, out: &mut Out<u32>) -> Result<(), Closed> {
    let n = Rc::new(0);
    while x.recv().await.is_some() {
        out.send(*n).await?;
    }
    Ok(())
}

#[node]
async fn tally(x: &mut In<u8>, #[param] n: &Cell<u32>) {
    while x.recv().await.is_some() {
        n.set(n.get() + 1);
    }
}

#[node]
async fn share(_x: &mut In<u8>, _out: &mut Out<Rc<u8>>) {}

#[node]
async fn greater<T: Token + Ord>(a: &mut In<T>, b: &mut In<T>, out: &mut Out<bool>) -> Result<(), Closed> {
    while let (Some(x), Some(y)) = (a.peek().await, b.peek().await) {
        out.send(x > y).await?;
        (a.recv().await, b.recv().await);
    }
    Ok(())
}

#[node]
async fn check(x: &mut In<u8>) -> Result<(), Broken> {
    x.recv().await.map(drop).ok_or(Broken)
}

#[node]
async fn keep(x: &mut In<u8>, #[param] broken: Broken) {
    x.recv().await;
    drop(broken);
}

#[node]
async fn forward<T>(x: &mut In<T>, out: &mut Out<T>) -> Result<(), Closed> {
    while let Some(x) = x.recv().await {
        out.send(x).await?;
    }
    Ok(())
}

fn main() {}
