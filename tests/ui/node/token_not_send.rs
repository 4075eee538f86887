use std::rc::Rc;

use kpn::prelude::*;

#[node]
fn share(x: u8) -> Rc<u8> {
    Rc::new(x)
}

#[node]
fn read(x: &Rc<u8>) -> u8 {
    **x
}

fn main() {}
