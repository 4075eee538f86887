use kpn::prelude::*;

#[node]
async fn ask(x: &In<u8>, out: &mut Out<u8>) -> Result<(), Closed> {
    out.send(1).await
}

#[node]
async fn lend(x: &mut In<u8>, out: &mut Out<u8>) -> Result<(), Closed> {
    read(x).await;
    out.send(1).await
}

async fn read(x: &In<u8>) {
    x.recv().await;
}

fn main() {}
