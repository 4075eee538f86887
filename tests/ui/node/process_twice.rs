use kpn::prelude::*;

#[node]
async fn pairs(x: &mut In<u8>, out: &mut Out<(u8, u8)>) -> Result<(), Closed> {
    while let (Some(a), Some(b)) = kpn::join(x.recv(), x.recv()).await {
        out.send((a, b)).await?;
    }
    Ok(())
}

fn main() {}
