use kpn::prelude::*;

#[derive(Default)]
struct Total(u64);

#[node]
impl Total {
    fn fire(&mut self, x: u64) -> u64 {
        self.0 += x;
        self.0
    }
}

fn main() {
    generic();
    let _ = network! { source(0..9u64) -> Total::default().replicas(4) -> sink(|_: u64| ()) };
    let _ = network! { source(0..9u64) -> map(|x| x + 1).named("next").replicas(2) -> sink(|_: u64| ()) };
}

#[node]
fn scaled<T: Copy + Into<u64> + Send>(x: u64, #[param] by: T) -> u64 {
    x * by.into()
}

fn generic() {
    // `T` may be shared only where it says `Sync`.
    let _ = network! { source(0..9u64) -> scaled(3u32).replicas(2) -> sink(|_: u64| ()) };
}
