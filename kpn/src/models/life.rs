//! Stop and abort against everything else.

use super::explore;
use crate::builder::Builder;
use crate::config::Private;
use crate::net::Network;
use crate::nodes::{sink, source};

fn endless() -> Network<'static> {
    let mut b = Builder::new();
    let numbers = b.add(source(0u32..));
    let end = b.add(sink(|_: u32| ()));
    b.connect(numbers.out, end.input).capacity(1);
    b.build().expect("a chain is fine")
}

fn private() -> Private {
    Private::new().spin(std::time::Duration::ZERO)
}

#[test]
fn stop_ends_an_endless_source() {
    explore(2, || {
        let running = endless().start_on(private()).expect("threads");
        running.stop();
        assert!(running.wait().is_ok());
    });
}

#[test]
fn abort_ends_everything() {
    explore(2, || {
        let running = endless().start_on(private()).expect("threads");
        running.abort();
        assert!(running.wait().is_err());
    });
}
