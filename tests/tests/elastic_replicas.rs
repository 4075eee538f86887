//! How many firings of a node without state run at once, and which nodes have none.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use kpn::prelude::*;
use kpn::{Shared, ThreadPool};

fn built(pool: Shared) -> ThreadPool {
    pool.build().expect("threads")
}

#[node]
fn meets(x: u64, #[param] who: &Who) -> u64 {
    who.meet();
    x
}

/// Who fires at once. Its lock is hidden from the macro: the node is one without state.
#[derive(Clone, Default)]
struct Who(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    inside: usize,
    most: usize,
}

impl Who {
    fn meet(&self) {
        {
            let mut seen = self.0.lock().expect("no panic");
            seen.inside += 1;
            seen.most = seen.most.max(seen.inside);
        }
        thread::sleep(Duration::from_millis(2));
        self.0.lock().expect("no panic").inside -= 1;
    }

    fn most(&self) -> usize {
        self.0.lock().expect("no panic").most
    }
}

fn most_at_once(pool: &ThreadPool, node: impl Stage<u64, u64>) {
    let mut seen = Vec::new();
    network! { source(0..100u64) -> node -> sink(|x| seen.push(x)) }.expect("sound").run_on(pool).expect("no failure");
    assert_eq!(seen, (0..100).collect::<Vec<_>>());
}

#[test]
fn slow_firings_run_at_once_where_nobody_asks() {
    let pool = built(Shared::new().workers(4));
    let who = Who::default();
    most_at_once(&pool, meets(who.clone()));
    assert!(who.most() >= 2, "one after the other, though three workers had nothing to do");
    assert!(who.most() <= 4);
}

#[test]
fn replicas_bound_how_many_and_serial_is_one() {
    let pool = built(Shared::new().workers(4));
    let who = Who::default();
    most_at_once(&pool, meets(who.clone()).named("meets").replicas(2));
    assert_eq!(who.most(), 2);
    for one in [false, true] {
        let who = Who::default();
        if one {
            most_at_once(&pool, meets(who.clone()).replicas(1));
        } else {
            most_at_once(&pool, meets(who.clone()).serial());
        }
        assert_eq!(who.most(), 1);
    }
    let (who, never) = (Who::default(), built(Shared::new().workers(4).elastic(false)));
    most_at_once(&never, meets(who.clone()));
    assert_eq!(who.most(), 1);
}

#[test]
fn who_fires_beside_is_named_when_time_is_up() {
    let pool = built(Shared::new().workers(2).always_elastic());
    let net = network! { source(0..4u64) -> dozes() -> sink(|_: u64| ()) }.expect("sound");
    let mut running = net.start_on(&pool).expect("started");
    // On a busy machine it may take a while until a worker has come that far.
    let mut said = String::new();
    while !said.contains("dozes") {
        let error = running.wait_timeout(Duration::from_millis(20)).expect_err("it is named before it is over");
        said = format!("{error:?}");
    }
}

#[node]
fn dozes(x: u64) -> u64 {
    thread::sleep(Duration::from_millis(100));
    x
}

#[node]
fn looks_long(x: u64, #[param] who: &Who) -> u64 {
    thread::sleep(Duration::from_millis(20));
    who.meet();
    x
}

#[test]
fn a_few_long_firings_are_shared_over_edges_of_any_capacity() {
    let pool = built(Shared::new().workers(4));
    for capacity in [1, 4, 64] {
        let (who, mut seen) = (Who::default(), Vec::new());
        let node = looks_long(who.clone());
        let net = network! { source(0..12u64) -> node -> sink(|x| seen.push(x)) }.expect("sound");
        net.with_capacity(capacity).expect("enough").run_on(&pool).expect("no failure");
        assert_eq!(seen, (0..12).collect::<Vec<_>>());
        assert!(who.most() >= 2, "one after the other over edges of {capacity}");
    }
}

#[node]
fn takes_note(x: u64, #[param] who: &Who, #[param] seen: &Notes) {
    seen.0.lock().expect("no panic").push(x);
    who.meet();
}

/// What a sink saw, in the order in which it did. Hides its lock as [`Who`] does.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<u64>>>);

#[test]
fn a_sink_keeps_its_order_unless_it_has_replicas() {
    let pool = built(Shared::new().workers(4).always_elastic());
    let (who, notes) = (Who::default(), Notes::default());
    let one = takes_note(who.clone(), notes.clone());
    network! { source(0..50u64) -> one }.expect("sound").run_on(&pool).expect("no failure");
    assert_eq!(*notes.0.lock().expect("no panic"), (0..50).collect::<Vec<_>>());
    assert_eq!(who.most(), 1);

    let (who, notes) = (Who::default(), Notes::default());
    let several = takes_note(who.clone(), notes.clone()).replicas(4);
    network! { source(0..50u64) -> several }.expect("sound").run_on(&pool).expect("no failure");
    let mut seen = notes.0.lock().expect("no panic").clone();
    seen.sort_unstable();
    assert_eq!(seen, (0..50).collect::<Vec<_>>());
    assert!(who.most() >= 2);
}

#[node]
fn counts(x: u64, #[param] seen: &Arc<Mutex<Vec<u64>>>) -> u64 {
    seen.lock().expect("no panic").push(x);
    x
}

#[node]
fn keeps(x: u64, #[param] last: &std::cell::Cell<u64>) -> u64 {
    last.replace(x)
}

#[test]
fn nodes_whose_parameters_change_fire_in_order() {
    let pool = built(Shared::new().workers(4).always_elastic());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let node = counts(seen.clone());
    network! { source(0..500u64) -> node -> sink(|_: u64| ()) }.expect("sound").run_on(&pool).expect("no failure");
    assert_eq!(*seen.lock().expect("no panic"), (0..500).collect::<Vec<_>>());

    let mut seen = Vec::new();
    let node = keeps(std::cell::Cell::new(7));
    network! { source(0..500u64) -> node -> sink(|x| seen.push(x)) }.expect("sound").run_on(&pool).expect("no failure");
    assert_eq!(seen, [7].into_iter().chain(0..499).collect::<Vec<_>>());
}
