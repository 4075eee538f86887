use kpn::prelude::*;

fn main() {
    let n = 3;
    let outer = map(|x: f32| x);
    let _ = network! { source([1.0]) -> [map(|x| x); n] -> gather() -> sink(|_: [f32; 3]| ()) };
    let _ = network! { source([1.0]) -> [outer; 3] -> gather() -> sink(|_: [f32; 3]| ()) };
    let _ = network! { source([1.0]) -> [map(|x| x), map(|x| x)] -> gather() -> sink(|_: [f32; 2]| ()) };
    let _ = network! { source([1.0]) -> [{ map(|x| x), map(|x| x) }; 2] };
    let _ = network! { source([1.0]) -> [map(|x| x); 3] -> gather() -> sink(|_: [f32; 2]| ()) };
}
