//! Networks that come and go at random leave no thread and no token. Alone in its process, since it counts all threads.

use std::thread;
use std::time::Duration;

use kpn::RunError;
use kpn_tests::dice::seeds;
use kpn_tests::graph::{Fault, Spec};
use kpn_tests::{Dice, Ledger, On, threads, watch};

/// What happens to a network.
fn end(running: kpn::Running, dice: &mut Dice) {
    let pause = Duration::from_micros(dice.within(0..500) as u64);
    thread::sleep(pause);
    let choice = dice.within(0..7);
    match choice {
        0 => running.stop(),
        1 => running.abort(),
        2 => {
            let stopper = running.stopper();
            let other = thread::spawn(move || stopper.abort());
            running.stop();
            other.join().expect("an abort doesn't panic");
        }
        3 => {
            let mut running = running;
            // Too early or not, it goes.
            let _ = running.wait_timeout(pause);
            return;
        }
        4 => return drop(running),
        _ => {}
    }
    match running.wait() {
        Ok(_) | Err(RunError::Failed { .. }) => {}
        Err(RunError::Aborted) if matches!(choice, 1 | 2) => {}
        Err(error) => panic!("choice {choice}: {error}"),
    }
}

#[test]
fn nothing_is_left_of_three_hundred_networks() {
    watch(120, || {
        let before = threads::names();
        assert!(!before.is_empty(), "this test needs the system to show threads");
        let pools = [On::pool(1), On::pool(2), On::pool(4)];
        let with_pools = threads::names().len();
        let ledger = Ledger::new();
        seeds(300, |seed, dice| {
            let spec = Spec::random(dice, 25);
            let fault = dice.once_in(3).then(|| Fault {
                node: dice.within(0..spec.nodes.len()),
                firing: dice.within(0..30),
                panics: dice.once_in(2),
            });
            let (net, _) = spec.build(&ledger, fault).parts();
            let (fresh, private) = (On::Fresh(dice.within(1..5)), On::Private);
            let on = [&pools[0], &pools[1], &pools[2], &fresh, &private][seed as usize % 5];
            match dice.within(0..8) {
                0 => drop(net),
                1 => drop(on.run(net)),
                _ => end(on.start(net).expect("threads"), dice),
            }
        });
        // Those that were dropped end without anybody waiting for them.
        assert!(threads::settle("", with_pools), "beside {before:?}: {:?}", threads::names());
        while !ledger.is_alone() {
            thread::yield_now();
        }
        ledger.settle();
        assert!(ledger.made() > 10_000, "there were networks");
        drop(pools);
        assert!(threads::settle("", before.len()), "beside {before:?}: {:?}", threads::names());
    });
}
