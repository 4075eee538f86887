//! The newest token: no slot is ever in two hands.

use super::{explore, must_fail};
use crate::channel::tap;
use crate::sync::thread;

/// One puts three tokens while another looks twice.
fn look_twice() {
    let (mut tap, reader) = tap();
    let writer = thread::spawn(move || (1..=3).for_each(|x| tap.put(x)));
    let seen: [u32; 2] = std::array::from_fn(|_| reader.get().unwrap_or(0));
    assert!(seen[0] <= seen[1]);
    assert!(writer.join().is_ok());
    assert_eq!(reader.get(), Some(3));
}

#[test]
fn reader_and_writer_never_meet_in_a_slot() {
    explore(3, look_twice);
}

#[test]
fn slots_change_hands_in_one_step() {
    must_fail("newest by load and store", 3, look_twice);
}
