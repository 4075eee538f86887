use kpn::prelude::*;

#[node]
async fn twice(x: &mut In<u8>, out: &mut Out<u8>) -> Result<(), Closed> {
    let mut other = x.clone();
    while let (Some(a), Some(b)) = (x.recv().await, other.recv().await) {
        out.send(a + b).await?;
    }
    Ok(())
}

fn main() {}
