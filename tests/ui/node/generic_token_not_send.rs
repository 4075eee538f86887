use std::rc::Rc;

use kpn::prelude::*;

#[node]
fn dup<T: Clone>(x: &T) -> (T, T) {
    (x.clone(), x.clone())
}

fn main() {
    let _ = network! {
        node = dup::<Rc<u8>>();
        source([1u8]) -> map(|x| x) -> sink(|_| ());
        node.out0 -> sink(|_| ());
    };
}
