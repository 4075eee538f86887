//! One warning where threads outnumber the cores. Alone in its process, since it listens to all events.

use std::sync::{Arc, Mutex};
use std::thread::available_parallelism;

use kpn::prelude::*;
use kpn_tests::{On, watch};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// A warning: its text, and its figure `threads`.
type Warning = (String, Option<u64>);

/// Keeps all warnings.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<Warning>>>);

struct Look<'a>(&'a mut Warning);

impl Visit for Look<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "threads" {
            self.0.1 = Some(value);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN && metadata.is_event()
    }

    fn event(&self, event: &Event<'_>) {
        let mut warning = Warning::default();
        event.record(&mut Look(&mut warning));
        self.0.lock().expect("unpoisoned").push(warning);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Runs a chain of so many nodes, some of them with threads of their own.
fn run(on: &On, nodes: usize, own: usize) {
    let mut b = Builder::new();
    let mut tail = b.add(source(0..10u64)).out;
    for i in 0..nodes - 2 {
        let same = map(|x: u64| x);
        tail = if i < own { b.pipe(tail, same.private()) } else { b.pipe(tail, same) };
    }
    b.pipe(tail, sink(|_| ()));
    on.run(b.build().expect("sound")).expect("no failure");
}

#[test]
fn threads_beyond_the_cores_are_warned_of_once_a_start() {
    watch(30, || {
        let listener = Listener::default();
        tracing::subscriber::set_global_default(listener.clone()).expect("the only one");
        let heard = || std::mem::take(&mut *listener.0.lock().expect("unpoisoned"));
        let cores = available_parallelism().map_or(1, usize::from);

        run(&On::pool(1), 2, 0);
        run(&On::pool(cores), 50, 0);
        assert_eq!(heard(), [], "no more threads than cores");

        run(&On::Private, cores + 5, 0);
        let warnings = heard();
        let [(text, threads)] = &warnings[..] else { panic!("not one warning: {warnings:?}") };
        assert_eq!(*threads, Some(cores as u64 + 5));
        assert!(text.contains(&(cores + 5).to_string()) && text.contains("Shared"), "it says what to do: {text}");

        // A pool as large as the machine, and three nodes with threads beside it.
        run(&On::pool(cores), cores + 20, 3);
        run(&On::pool(cores), cores + 20, 3);
        let threads: Vec<_> = heard().iter().map(|(_, threads)| *threads).collect();
        assert_eq!(threads, [Some(cores as u64 + 3); 2], "one for each start");
    });
}
