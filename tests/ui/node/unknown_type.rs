use kpn::prelude::*;

#[node]
fn luma(frame: Frame, #[param] k: Gain) -> Gray {
    frame.luma(k)
}

fn main() {}
