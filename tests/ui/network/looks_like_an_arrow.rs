use kpn::prelude::*;

fn main() {
    let _ = network! { source([1.0]) => sink(|_| ()) };
    let _ = network! { sink(|_| ()) <- source([1.0]) };
    let _ = network! { source([1.0]) - > sink(|_| ()) };
}
