//! Networks that are not determinate: each is caught, at the right edge, and by a seed where that is possible.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use kpn::nondet::{merge, now, select, timeout};
use kpn::prelude::*;
use kpn::verify::{Difference, Place, Setting, What, determinate};
use kpn_tests::watch::watch;

#[node]
fn pass(x: u64) -> u64 {
    x
}

/// The edge that differs first.
fn edge(difference: &Difference) -> &str {
    match &*difference.what {
        What::Differs { edge, .. } | What::Count { edge, .. } => edge,
        _ => panic!("{difference}"),
    }
}

fn caught(make: impl Fn() -> Result<Network<'static>, BuildError> + Send + 'static) -> Difference {
    watch(120, move || determinate(make).run().expect_err("it depends on the schedule"))
}

/// Two nodes share a counter that begins anew in each run, so only their order matters.
fn counters() -> Result<Network<'static>, BuildError> {
    let shared = Arc::new(AtomicU64::new(0));
    let counts = || {
        let shared = shared.clone();
        move |_: u64| shared.fetch_add(1, Ordering::Relaxed)
    };
    network! {
        source(0..50u64) -> pass() -> { map(counts()).named("left"), map(counts()).named("right") } -> [ pass(); 2 ]
            -> gather() -> sink(|_: [u64; 2]| ())
    }
}

#[test]
fn a_shared_counter() {
    let difference = caught(counters);
    assert!(matches!(edge(&difference), "left.out -> pass#2.x" | "right.out -> pass#3.x"), "{difference}");
    assert!(matches!(difference.node.as_deref(), Some("left" | "right")), "{difference}");
    assert!(
        !difference.also.iter().any(|edge| edge.starts_with("source") || edge.starts_with("pass.")),
        "{difference}"
    );
    assert!(difference.also.contains(&"gather.out -> sink.input".to_owned()), "{difference}");
    // A seed has shown it, and shows it again.
    let Setting { place: Place::Seed(seed), .. } = difference.found_in else { panic!("{difference}") };
    for _ in 0..3 {
        let again = watch(60, move || determinate(counters).replay(seed).run().expect_err("the same schedule"));
        assert_eq!(again.to_string(), difference.to_string());
    }
}

/// A variable that lives longer than a run is told by the same schedule twice.
#[test]
fn a_counter_of_the_program() {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let difference = caught(
        || network! { source(0..50u64) -> map(|_: u64| COUNTER.fetch_add(1, Ordering::Relaxed)) -> sink(|_: u64| ()) },
    );
    assert_eq!(edge(&difference), "map.out -> sink.input");
    assert_eq!(difference.found_in, difference.expected_in);
    assert!(difference.to_string().contains("both had the same schedule"), "{difference}");
    // The counter went on: no repetition gives what the first run gave.
    assert!(matches!(*difference.what, What::Differs { index: 0, expected: None, .. }), "{difference}");
}

#[test]
fn a_merge_by_arrival() {
    let difference = caught(|| {
        network! {
            { source(0..100u64) -> pass(), source(1_000..1_100u64) } -> merge() -> pass() -> sink(|_: u64| ())
        }
    });
    assert_eq!(edge(&difference), "merge.out -> pass#2.x");
    assert_eq!(difference.node.as_deref(), Some("merge"));
    assert!(matches!(difference.found_in.place, Place::Seed(_)), "{difference}");
}

#[test]
fn a_look_at_the_clock() {
    let difference = caught(|| {
        let began = Instant::now();
        let late = move |x: u64| {
            thread::sleep(Duration::from_micros(10));
            (x, began.elapsed().as_nanos() as u64)
        };
        network! { source(0..9u64) -> map(late).named("late") -> map(|(x, _)| x) -> sink(|_: u64| ()) }
    });
    assert_eq!(edge(&difference), "late.out -> map.input");
    assert_eq!(difference.node.as_deref(), Some("late"));
    assert!(difference.also.is_empty(), "{difference}");
}

#[test]
fn the_number_of_the_thread() {
    let difference = caught(|| {
        let here = |x: u64| format!("{x} on {:?}", thread::current().id());
        network! { source(0..9u64) -> map(here).named("here") -> sink(|_: String| ()) }
    });
    assert_eq!(edge(&difference), "here.out -> sink.input");
    let What::Differs { index: 0, found: Some(found), .. } = &*difference.what else { panic!("{difference}") };
    assert!(found.starts_with("\"0 on ThreadId("), "{found}");
}

/// Only on a pool is there a worker of another name; a seed can't show it.
#[test]
fn what_only_threads_show() {
    let difference = caught(|| {
        let here = |x: u64| if thread::current().name() == Some("kpn-worker-0") { x } else { x + 1 };
        network! { source(0..500u64) -> map(here).named("here") -> sink(|_: u64| ()) }
    });
    assert_eq!(edge(&difference), "here.out -> sink.input");
    assert!(!matches!(difference.found_in.place, Place::Seed(_)), "{difference}");
    let What::Differs { index, expected, found, .. } = &*difference.what else { panic!("{difference}") };
    assert_eq!(expected.as_deref(), Some(&*index.to_string()));
    assert_eq!(found.as_deref(), Some(&*(index + 1).to_string()));
}

/// How many tokens there are counts as well, and those before the end are the same.
#[test]
fn an_end_that_depends_on_others() {
    let difference = caught(|| {
        let seen = Arc::new(AtomicU64::new(0));
        let sees = seen.clone();
        let until = move |x: u64| if seen.load(Ordering::Relaxed) < 5 { Some(x) } else { None };
        network! {
            source(0..100u64) -> { filter_map(until).named("until"), map(move |x: u64| { sees.fetch_add(1, Ordering::Relaxed); x }) }
                -> [ sink(|_: u64| ()); 2 ]
        }
    });
    assert_eq!(edge(&difference), "until.out -> sink.input");
    let What::Count { expected, found, token, .. } = &*difference.what else { panic!("{difference}") };
    assert_ne!(expected, found);
    assert_eq!(token.as_deref(), Some(&*expected.min(found).to_string()), "{difference}");
}

/// Round a loop a difference travels; it is told where it began.
#[test]
fn a_difference_in_a_loop() {
    #[node(outputs(sum, back))]
    fn mix(a: u64, b: u64) -> (u64, u64) {
        (a + b, a ^ b)
    }
    let difference = caught(|| {
        let (runs, odd) = (AtomicU64::new(0), Arc::new(AtomicU64::new(0)));
        let other = odd.clone();
        let once =
            move |x: u64| if runs.fetch_add(1, Ordering::Relaxed) == 20 { x + odd.load(Ordering::Relaxed) } else { x };
        network! {
            mix = mix();
            source(0..50u64) -> { mix.a, sink(move |x: u64| other.store(x, Ordering::Relaxed)) };
            mix.back -> pass() -> map(once).named("once") -> pass() -[initial: [1]]-> mix.b;
            mix.sum -> sink(|_: u64| ());
        }
    });
    assert_eq!(edge(&difference), "once.out -> pass#2.x", "{difference}");
    assert!(matches!(*difference.what, What::Differs { index: 20, .. }), "{difference}");
}

/// A process that looks is named even where no run differs.
#[test]
fn who_looks_without_an_effect() {
    #[node(nondet)]
    async fn looks(a: &mut In<u64>, b: &mut In<u64>) {
        while select(a, b).await.is_some() {}
        now();
        timeout(Duration::from_secs(1), async {}).await.ok();
    }
    let difference = caught(|| network! { { source(0..9u64), source(0..9u64) } -> looks() });
    let What::Looks(who) = &*difference.what else { panic!("{difference}") };
    assert_eq!(who, &["looks"]);
    assert_eq!(
        difference.to_string(),
        "perhaps not determinate, though no token differed: more than their tokens saw\n  looks\nin a run with seed 0, \
         capacities as built"
    );
}

/// A receive that is dropped while it waits, without leave.
#[test]
fn an_abandoned_receive() {
    #[node]
    async fn impatient(x: &mut In<u64>) {
        {
            let mut first = std::pin::pin!(x.recv());
            let mut polls = 0;
            std::future::poll_fn(|cx| {
                polls += 1;
                let polled = first.as_mut().poll(cx).map(drop);
                if polls == 1 { std::task::Poll::Ready(()) } else { polled }
            })
            .await;
        }
        while x.recv().await.is_some() {}
    }
    let difference = caught(|| network! { source(0..9u64) -> pass() -> impatient() });
    assert!(matches!(&*difference.what, What::Looks(who) if who == &["impatient.x"]), "{difference}");
}

/// A run that fails where the first did not, and the other way round.
#[test]
fn a_failure_now_and_then() {
    let nth = |failing: fn(u64) -> bool| {
        let runs = AtomicU64::new(0);
        move || {
            let fails = failing(runs.fetch_add(1, Ordering::Relaxed));
            let check = move |x: u64| if fails && x == 7 { Err("seven") } else { Ok(()) };
            network! { source(0..50u64) -> pass() -> sink(check) }
        }
    };
    let difference = caught(nth(|run| run == 3));
    assert!(matches!(&*difference.what, What::Fails(error) if error.contains("seven")), "{difference}");
    assert_eq!(difference.found_in.place, Place::Seed(2));
    let difference = watch(60, move || determinate(nth(|run| run != 3)).may_fail().run().expect_err("not always"));
    assert!(matches!(&*difference.what, What::Succeeds(error) if error.contains("seven")), "{difference}");
}

#[test]
fn another_network_and_none() {
    let nodes = Mutex::new(0);
    let grows = move || {
        *nodes.lock().expect("no panic") += 1;
        let mut b = Builder::new();
        let mut tail = b.add(source(0..9u64)).out;
        for _ in 0..*nodes.lock().expect("no panic") {
            tail = b.pipe(tail, pass());
        }
        b.pipe(tail, sink(|_: u64| ()));
        b.build()
    };
    let difference = caught(grows);
    assert_eq!(
        difference.to_string(),
        "the closure made another network the second time: only one of them has `pass#2.out -> sink.input`"
    );
    let none = determinate(|| network! { map(|x: u64| x) -> sink(|_: u64| ()) }).run().expect_err("an open port");
    assert!(none.to_string().starts_with("the closure made no network: "), "{none}");
}

/// All that a difference says, as a test prints it.
#[test]
fn a_difference_is_told_in_full() {
    watch(60, || {
        let runs = AtomicU64::new(0);
        let make = || {
            // The run of seed 2 is the fourth.
            let wrong = if runs.fetch_add(1, Ordering::Relaxed) == 3 { 7 } else { 99 };
            let twice = move |x: u32| if x == wrong { (x, "wrong".to_owned()) } else { (x, (2 * x).to_string()) };
            network! {
                source(0..30u32) -> map(twice).named("twice") -> map(|(_, s): (u32, String)| s).named("text")
                    -> sink(|_: String| ())
            }
        };
        let verification = std::panic::AssertUnwindSafe(determinate(make));
        let panic = std::panic::catch_unwind(|| { verification }.0.assert()).expect_err("it differs");
        let text = kpn_tests::watch::message(&*panic).expect("a text");
        assert_eq!(
            text,
            "\
not determinate: `twice.out -> text.input` differs first, in its token 7
  expected  (7, \"14\")
  found     (7, \"wrong\")
first run: seed 0, capacities as built
this run:  seed 2, capacities of 2
also differ: `text.out -> sink.input`
all that `twice` reads is the same in both runs, so look there
to repeat it: `.replay(2)`"
        );
    });
}
