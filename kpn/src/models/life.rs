//! Stop and abort against everything else.

use super::explore;
use crate::builder::Builder;
use crate::config::Private;
use crate::net::Network;
use crate::nodes::{sink, source};

/// Two tokens: an endless source would have schedules without end.
fn short() -> Network<'static> {
    let mut b = Builder::new();
    let numbers = b.add(source(0..2u32));
    let end = b.add(sink(|_: u32| ()));
    b.connect(numbers.out, end.input).capacity(1);
    b.build().expect("a chain is fine")
}

fn private() -> Private {
    Private::new().spin(std::time::Duration::ZERO)
}

#[test]
fn stop_at_any_moment() {
    explore(1, || {
        let running = short().start_on(private()).expect("threads");
        running.stop();
        assert!(running.wait().is_ok());
    });
}

#[test]
fn abort_at_any_moment() {
    explore(1, || {
        let running = short().start_on(private()).expect("threads");
        running.abort();
        // It may have ended before.
        let _ = running.wait();
    });
}
