//! The engine's edge against a bounded channel of crossbeam, of the same capacity, without any network.

use std::hint::spin_loop;
use std::thread;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded};
use kpn::__bench::{Reader, Writer, edge};
use kpn_benches::measure::Samples;
use kpn_benches::report::Table;
use kpn_benches::runner::{Error, in_turn};

use crate::print;

const CAPACITY: usize = 64;

/// The two ends of what carries tokens.
trait Ends: Send {
    /// Puts in up to `most` tokens from `next` on; how many.
    fn give(&mut self, most: usize, next: u64) -> usize;
}

/// The other half.
trait Takes {
    /// Takes up to `most` tokens and adds them to the sum; how many.
    fn take(&mut self, most: usize, sum: &mut u64) -> usize;
}

impl Ends for Writer {
    fn give(&mut self, most: usize, mut next: u64) -> usize {
        Writer::give(self, most, || {
            next += 1;
            next - 1
        })
    }
}

impl Takes for Reader {
    fn take(&mut self, most: usize, sum: &mut u64) -> usize {
        Reader::take(self, most, |token| *sum = sum.wrapping_mul(3).wrapping_add(token))
    }
}

impl Ends for Sender<u64> {
    fn give(&mut self, most: usize, next: u64) -> usize {
        (0..most).take_while(|i| self.try_send(next + *i as u64).is_ok()).count()
    }
}

impl Takes for Receiver<u64> {
    fn take(&mut self, most: usize, sum: &mut u64) -> usize {
        let tokens = (0..most).map_while(|_| self.try_recv().ok());
        tokens.map(|token| *sum = sum.wrapping_mul(3).wrapping_add(token)).count()
    }
}

/// All that is compared: on one thread or between two, so many tokens at a time.
pub(crate) fn compare(table: &Table, reps: usize, target_ms: u64) -> Result<(), Error> {
    for threads in [1, 2] {
        for batch in [1, CAPACITY] {
            // About twenty nanoseconds a token.
            let items = target_ms.max(1) * 50_000;
            let expected = (0..items).fold(0u64, |sum, token| sum.wrapping_mul(3).wrapping_add(token));
            let mut arms = [("edge", Samples::default()), ("crossbeam-channel", Samples::default())];
            in_turn(&mut arms, reps.max(1), |(name, seconds)| {
                let began = Instant::now();
                let sum = if *name == "edge" {
                    let (writer, reader) = edge(CAPACITY).ok_or("there is no memory for an edge")?;
                    carry(threads, batch, items, writer, reader)
                } else {
                    let (sender, receiver) = bounded(CAPACITY);
                    carry(threads, batch, items, sender, receiver)
                };
                seconds.push(began.elapsed().as_secs_f64());
                if sum == expected {
                    Ok(())
                } else {
                    Err(format!("{name} lost or changed a token, or their order").into())
                }
            })?;
            let base = arms[0].1.clone();
            for (name, seconds) in &arms {
                let row = format!("by-{batch}");
                print(table, name, &row, threads, items as f64 / seconds.median(), &base.ratio(seconds));
            }
        }
    }
    Ok(())
}

/// Carries tokens `0..items` and returns what they come to, in order.
fn carry(threads: usize, batch: usize, items: u64, mut writer: impl Ends, mut reader: impl Takes) -> u64 {
    let most = |done: u64| batch.min(usize::try_from(items - done).unwrap_or(batch));
    let (mut sum, mut taken) = (0u64, 0);
    let give_all = |writer: &mut dyn FnMut(usize, u64) -> usize| {
        let mut given = 0;
        while given < items {
            match writer(most(given), given) {
                0 => spin_loop(),
                n => given += n as u64,
            }
        }
    };
    if threads == 1 {
        let mut given = 0;
        while taken < items {
            given += writer.give(most(given), given) as u64;
            taken += reader.take(batch, &mut sum) as u64;
        }
        return sum;
    }
    thread::scope(|scope| {
        scope.spawn(|| give_all(&mut |most, next| writer.give(most, next)));
        while taken < items {
            match reader.take(batch, &mut sum) {
                0 => spin_loop(),
                n => taken += n as u64,
            }
        }
    });
    sum
}
