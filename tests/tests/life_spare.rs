//! What waiting workers leave behind: nothing. Alone in its process, since it looks at the address space.

use kpn::prelude::*;
use kpn_tests::{threads, watch};

#[test]
fn waiting_workers_leave_nothing_behind() {
    watch(60, || {
        let pool = Shared::new().workers(1).build().expect("threads for a pool");
        let wait = || {
            let mut sum = 0;
            let mut b = Builder::new();
            let numbers = b.add(source([10u64]));
            let inner = |n: u64| {
                let mut sum = 0;
                let mut b = Builder::new();
                let numbers = b.add(source(0..n));
                b.pipe(numbers.out, sink(|x| sum += x));
                b.build().expect("sound").run_on(&pool).map(|_| sum)
            };
            let inner = b.pipe(numbers.out, map(inner));
            b.pipe(inner, sink(|x: Result<u64, RunError>| x.map(|x| sum += x)));
            b.build().expect("sound").run_on(&pool).expect("no failure");
            assert_eq!(sum, 45);
        };
        (0..20).for_each(|_| wait());
        let before = threads::address_space();
        (0..200).for_each(|_| wait());
        // A thread takes over each time; the stack of one that nobody joins has some hundred pages.
        let grown = threads::address_space().saturating_sub(before);
        assert!(grown < 20_000, "the address space has grown by {grown} pages");
    });
}
