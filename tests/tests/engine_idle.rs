//! A network without news costs nothing. Alone in its process, since it measures that process's time.

use std::thread;
use std::time::{Duration, Instant};

use kpn::prelude::*;
use kpn_tests::{On, doing, threads, watch};

#[test]
fn a_silent_network_sleeps() {
    watch(60, || {
        // The clock that this relies on runs.
        let (before, began) = (threads::processor_time(), Instant::now());
        while began.elapsed() < Duration::from_millis(30) {
            std::hint::spin_loop();
        }
        assert!(threads::processor_time() - before > Duration::from_millis(5));
        for on in [On::pool(1), On::pool(2), On::pool(4), On::Private] {
            doing(format!("silence on {on}"));
            let (mut input, inlet) = kpn::inlet::<u64>();
            let mut b = Builder::new();
            let tokens = b.add(inlet);
            let head = b.pipe(tokens.out, map(|x| x));
            let join = b.add(gather::<u64, 8>());
            for (out, input) in b.fan_out(head, 8).into_iter().zip(join.inputs) {
                let same = b.pipe(out, map(|x| x + 1));
                b.connect(same, input);
            }
            let (sender, sums) = std::sync::mpsc::channel();
            b.pipe(join.out, sink(move |all: [u64; 8]| sender.send(all.iter().sum::<u64>())));
            let running = on.start(b.build().expect("sound")).expect("threads");
            for i in 0..3 {
                input.send(i).expect("it listens");
                assert_eq!(sums.recv(), Ok(8 * (i + 1)), "it is awake");
                // Let the last spin end.
                thread::sleep(Duration::from_millis(20));
                let before = threads::processor_time();
                thread::sleep(Duration::from_millis(300));
                let used = threads::processor_time().saturating_sub(before);
                assert!(used < Duration::from_millis(5), "{used:?} of processor time in 300 ms of silence on {on}");
            }
            drop(input);
            running.wait().expect("no failure");
        }
    });
}
