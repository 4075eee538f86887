use std::rc::Rc;

use kpn::prelude::*;

fn main() {
    let _ = network! { source([Rc::new(1)]) -> sink(|_: Rc<i32>| ()) };
    let _ = network! { source([1]) -> map(|x: i32| Rc::new(x)) -> sink(|_| ()) };
}
