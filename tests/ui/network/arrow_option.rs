use kpn::prelude::*;

fn main() {
    let _ = network! { source([1.0]) -[capcity: 3]-> sink(|_| ()) };
    let _ = network! { source([1.0]) -[capacity: "three"]-> sink(|_| ()) };
    let _ = network! { source([1.0]) -[inital: [0.0]]-> sink(|_| ()) };
    let _ = network! { source([1.0]) -[capacity: 3, capacity: 4]-> sink(|_| ()) };
    let _ = network! { source([1.0]) -[256]-> sink(|_| ()) };
    let _ = network! { source([1.0]) -[]-> sink(|_| ()) };
    let _ = network! { source([1.0]) -[capacity: 3] sink(|_| ()) };
}
