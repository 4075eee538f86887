use kpn::prelude::*;

fn main() {
    let _ = network! { source([1.0]) -> };
    let _ = network! { -> sink(|_| ()); };
    let _ = network! { source([1.0]) -> -> sink(|_| ()) };
    let _ = network! { source([1.0]); sink(|_: u8| ()); };
    let _ = network! { source([1.0]) -> {} };
    let _ = network! { mix = source([1.0]) -> sink(|_| ()); };
    let _ = network! { let mix = source([1.0]); mix -> sink(|_| ()); };
}
