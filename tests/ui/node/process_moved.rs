use kpn::prelude::*;

#[node]
async fn hide(x: &mut In<u8>, out: &mut Out<u8>) -> Result<(), Closed> {
    let mut mine: In<u8> = *x;
    while let Some(token) = mine.recv().await {
        out.send(token).await?;
    }
    Ok(())
}

fn main() {}
