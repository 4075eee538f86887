use kpn::prelude::*;

#[node]
async fn aside(x: &mut In<u8>) {
    std::thread::spawn(move || drop(x.recv()));
}

fn main() {}
