//! One hand-over from thread to thread: what a wake costs where nothing but the wake is done.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crossbeam_channel::bounded;
use kpn_benches::host;

use crate::threads::{Outcome, Padded, Row, pin};

/// A sample's length. By time, not count: on a busy machine one hand-over may take a thousand times as long as it should.
const SAMPLE: Duration = Duration::from_millis(5);
/// Rounds between two looks at the clock.
const ROUNDS: usize = 32;

/// Spinning needs a core for each of the two, so with one core only parking is measured.
pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    if host::cores() > 1 {
        rows.push(Row::all("hand-over by spinning, two cores", 2, || alternate([0, 1], false)));
        rows.push(Row::all("hand-over by park and unpark, two cores", 2, || alternate([0, 1], true)));
        rows.push(Row::all("hand-over by crossbeam channels, two cores", 2, || channels([0, 1])));
    }
    rows.push(Row::all("hand-over by park and unpark, one core", 2, || alternate([0, 0], true)));
    rows
}

/// It is nobody's turn any more.
const OVER: usize = 2;

/// Waits for the turn of number `me`, then hands it to `next`. False where the game is over.
fn play(me: usize, next: usize, turn: &AtomicUsize, other: &Thread, park: bool) -> bool {
    loop {
        match turn.load(Ordering::Acquire) {
            OVER => return false,
            whose if whose == me => break,
            _ if park => thread::park(),
            _ => std::hint::spin_loop(),
        }
    }
    turn.store(next, Ordering::Release);
    if park {
        other.unpark();
    }
    true
}

/// Two threads on these cores wait for one another in turn; ns one way.
fn alternate(cores: [usize; 2], park: bool) -> Outcome<f64> {
    let turn = Arc::new(Padded(AtomicUsize::new(0)));
    let measured = thread::spawn(move || {
        pin(cores[0]);
        let (first, theirs) = (thread::current(), turn.clone());
        let second = thread::spawn(move || {
            pin(cores[1]);
            let mut turns = 0;
            while play(1, 0, &theirs.0, &first, park) {
                turns += 1;
            }
            turns
        });
        let began = Instant::now();
        let mut rounds = 0;
        while began.elapsed() < SAMPLE {
            (0..ROUNDS).for_each(|_| {
                play(0, 1, &turn.0, second.thread(), park);
            });
            rounds += ROUNDS;
        }
        play(0, OVER, &turn.0, second.thread(), park);
        let took = began.elapsed();
        second.join().map(|turns| (rounds, turns, took))
    });
    let (rounds, turns, took) = measured.join().flatten().map_err(|_| "a thread panicked")?;
    if turns != rounds {
        return Err(format!("{rounds} turns were handed over and {turns} taken").into());
    }
    Ok(took.as_secs_f64() * 1e9 / (2 * rounds) as f64)
}

/// The same by a channel there and one back.
fn channels(cores: [usize; 2]) -> Outcome<f64> {
    let (there, arrives) = bounded::<usize>(1);
    let (back, returns) = bounded::<usize>(1);
    let measured = thread::spawn(move || {
        pin(cores[0]);
        let second = thread::spawn(move || {
            pin(cores[1]);
            arrives.iter().all(|token| back.send(token + 1).is_ok())
        });
        let began = Instant::now();
        let mut rounds = 0;
        let mut right = true;
        while right && began.elapsed() < SAMPLE {
            right = (rounds..rounds + ROUNDS).all(|i| there.send(i).is_ok() && returns.recv() == Ok(i + 1));
            rounds += ROUNDS;
        }
        let took = began.elapsed();
        drop(there);
        second.join().map(|sent| (right && sent).then_some((rounds, took)))
    });
    let measured = measured.join().flatten().map_err(|_| "a thread panicked")?;
    let (rounds, took) = measured.ok_or("a channel lost or changed a token")?;
    Ok(took.as_secs_f64() * 1e9 / (2 * rounds) as f64)
}
