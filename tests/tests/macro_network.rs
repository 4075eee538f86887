//! `network!`: what each form builds.

use kpn::prelude::*;

#[node]
fn gain(x: f32, #[param] k: f32) -> f32 {
    k * x
}

#[node(outputs(sum, diff))]
fn butterfly(a: f32, b: f32) -> (f32, f32) {
    (a + b, a - b)
}

#[node]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

fn numbers() -> impl Iterator<Item = f32> + Send {
    (1..=3).map(|i| i as f32)
}

fn built(network: Result<Network<'_>, BuildError>) {
    if let Err(error) = network {
        panic!("{error}");
    }
}

#[test]
fn chain() {
    let mut total = 0.0;
    let net = network! { source(numbers()) -> gain(0.5) -> sink(|x: f32| total += x) };
    net.unwrap().run().unwrap();
    assert_eq!(total, 3.0);
}

#[test]
fn wide() {
    let mut seen = Vec::new();
    let net = network! { source(numbers()) -> [gain(2.0); 4] -> gather() -> sink(|x: [f32; 4]| seen.push(x)) };
    net.unwrap().run().unwrap();
    assert_eq!(seen, [[2.0; 4], [4.0; 4], [6.0; 4]]);
}

#[test]
fn diamond() {
    let mut seen = Vec::new();
    let net = network! {
        source(numbers()) -> { gain(1.0), gain(2.0) -> gain(2.0) } -> add() -> sink(|x| seen.push(x));
    };
    net.unwrap().run().unwrap();
    assert_eq!(seen, [5.0, 10.0, 15.0]);
}

#[test]
fn names_and_ports() {
    let mut sums = Vec::new();
    let mut diffs = Vec::new();
    let net = network! {
        left = source(numbers());
        right = source([10.0, 20.0, 30.0]);
        mix = butterfly();

        left -> mix.a;
        right -> mix.b;
        mix.sum -[capacity: 256]-> sink(|x| sums.push(x));
        mix.diff -> gain(-1.0) -> sink(|x| diffs.push(x));
    };
    net.unwrap().run().unwrap();
    assert_eq!(sums, [11.0, 22.0, 33.0]);
    assert_eq!(diffs, [9.0, 18.0, 27.0]);
}

fn echo(k: f32) -> Result<impl Stage<f32, f32>, BuildError> {
    network! {
        in  x: f32;
        out y: f32;
        mix = butterfly();
        x -> { mix.a, gain(k) -> mix.b };
        mix.sum -> gain(k) -> y;
        mix.diff -> sink(|_| ());
    }
}

#[test]
fn composite() -> Result<(), Box<dyn std::error::Error>> {
    let mut seen = Vec::new();
    let net = network! { source(numbers()) -> echo(0.5)?.named("echo") -> sink(|x| seen.push(x)) }?;
    net.run()?;
    assert_eq!(seen, [0.75, 1.5, 2.25]);
    Ok(())
}

#[test]
fn generic_composite() {
    type Pair<T> = (T, T);
    fn twice<T: Clone + Send + 'static>() -> Result<impl Stage<T, (T, T)>, BuildError> {
        #[node]
        fn both<T>(a: T, b: T) -> Many<Pair<T>>
        where
            T: Clone,
        {
            [(a, b)].into_iter().collect()
        }
        network! {
            in x: T;
            out y: (T, T);
            x -> { map(|x| x), map(|x| x) } -> both() -> y;
        }
    }
    let stage = twice::<u8>().unwrap();
    built(network! { source([1u8]) -> stage -> sink(|_: (u8, u8)| ()) });
}

#[test]
fn values_from_outside() {
    let camera = source(numbers());
    let mut n = 0;
    let show = sink(|_: f32| n += 1);
    built(network! { camera -> gain(1.0) -> show });
}

#[test]
fn question_marks_work_inside() {
    fn k(ok: bool) -> Result<f32, String> {
        if ok { Ok(1.0) } else { Err("no".to_owned()) }
    }
    fn net(ok: bool) -> Result<(), String> {
        built(network! { source(numbers()) -> [gain(k(ok)?); 2] -> { sink(|_| ()), sink(|_| ()) } });
        Ok(())
    }
    assert_eq!(net(true), Ok(()));
    assert_eq!(net(false), Err("no".to_owned()));
}

#[test]
fn blocks() {
    const WIDE: usize = 2;
    built(network! {
        mix = butterfly();
        source(numbers()) -> { mix.a, mix.b, { gain(1.0) -> sink(|_| ()), sink(|_| ()) } };
        { mix.diff, mix.sum } -> { gain(1.0), gain(2.0) } -> [gain(3.0); WIDE] -> add() -> sink(|_| ());
        [source(numbers()) -> gain(1.0); WIDE + 1] -> { gain(1.0), gain(2.0), gain(1.0) } -> gather() -> sink(|_: [f32; 3]| ());
        { source(numbers()), source(numbers()) } -> add() -> { sink(|_| ()) };
    });
}

#[test]
fn a_cycle_through_a_composite_is_left_to_the_check() -> Result<(), BuildError> {
    let net = network! {
        mix = butterfly();
        source(numbers()) -> mix.a;
        mix.sum -> echo(0.5)?.named("echo") -> mix.b;
        mix.diff -> sink(|_| ());
    };
    let problems = net.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(problems.contains("echo"), "{problems}");
    Ok(())
}

#[test]
fn macros_make_networks() {
    macro_rules! pass {
        ($k:expr, $ty:ty) => {
            network! { source(numbers()) -> gain($k) -> sink(|_: $ty| ()) }
        };
    }
    built(pass!(0.5, f32));
}

#[test]
fn empty() {
    built(network! {});
}
