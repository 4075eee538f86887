//! Open-loop pacing: tokens that are due at fixed times, whoever is ready for them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kpn_benches::histogram::Histogram;
use kpn_benches::work::visit;

/// What travels through the chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// Its place in the stream.
    index: u64,
    /// When it was to be sent, in ns of the run's clock. Its latency counts from here, so a sender that is held up is charged.
    due: u64,
    /// Its place at first; every node adds one.
    value: u64,
}

impl Token {
    /// A node's work on it.
    #[inline]
    pub(crate) fn visited(self, iters: u64) -> Self {
        Self { value: visit(self.value, iters), ..self }
    }
}

/// A run: how many tokens, and how often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) tokens: u64,
    /// Between two of them; zero for as fast as they are taken.
    pub(crate) period: Duration,
    /// Nodes in the chain.
    pub(crate) depth: u64,
}

/// Begins a run: what sends, and what receives.
pub(crate) fn begin(run: Run) -> (Pacer, Arrivals) {
    let clock = Instant::now();
    let late = Arc::new(Mutex::new(Histogram::default()));
    let pacer = Pacer { clock, run, first: None, next: 0, own: Histogram::default(), late: late.clone() };
    (pacer, Arrivals { clock, run, count: 0, wrong: None, latency: Histogram::default(), began: 0, ended: 0, late })
}

/// Yields each token when it is due, and at once where that is past. It sleeps in between and never spins, so that the core is
/// free for the network; how late it was is part of every latency, and noted on its own.
pub(crate) struct Pacer {
    clock: Instant,
    run: Run,
    /// When the first token was due.
    first: Option<u64>,
    next: u64,
    own: Histogram,
    late: Arc<Mutex<Histogram>>,
}

impl Iterator for Pacer {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let index = self.next;
        if index == self.run.tokens {
            self.late.lock().unwrap_or_else(PoisonError::into_inner).merge(&std::mem::take(&mut self.own));
            return None;
        }
        self.next += 1;
        let first = *self.first.get_or_insert_with(|| {
            sleep_precisely();
            ns(self.clock)
        });
        let due =
            if self.run.period.is_zero() { ns(self.clock) } else { first + index * self.run.period.as_nanos() as u64 };
        let mut now = ns(self.clock);
        while now < due {
            std::thread::sleep(Duration::from_nanos(due - now));
            now = ns(self.clock);
        }
        if self.run.counts(index) {
            self.own.record(now - due);
        }
        Some(Token { index, due, value: index })
    }
}

/// Asks the system to end this thread's sleeps on time; without it they may last 50 µs longer.
fn sleep_precisely() {
    #[cfg(target_os = "linux")]
    // SAFETY: it takes numbers alone and changes nothing but this thread's timers. Where it fails, sleeps stay as they were.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong);
    }
}

impl Run {
    /// The first twentieth warms up and isn't counted.
    fn counts(&self, index: u64) -> bool {
        index >= self.tokens / 20
    }
}

fn ns(clock: Instant) -> u64 {
    clock.elapsed().as_nanos() as u64
}

/// The sink's side: checks every token and takes its time.
pub(crate) struct Arrivals {
    clock: Instant,
    run: Run,
    count: u64,
    /// The first token that was not the one expected.
    wrong: Option<(u64, Token)>,
    latency: Histogram,
    began: u64,
    ended: u64,
    late: Arc<Mutex<Histogram>>,
}

/// What a run has shown.
pub(crate) struct Seen {
    /// Due time to sink, in ns.
    pub(crate) latency: Histogram,
    /// How late the tokens were sent, in ns.
    pub(crate) late: Histogram,
    /// Tokens a second that arrived.
    pub(crate) rate: f64,
}

impl Arrivals {
    /// A token has arrived.
    #[inline]
    pub(crate) fn take(&mut self, token: Token) {
        let now = ns(self.clock);
        let right = token.index == self.count && token.value == token.index + self.run.depth;
        if !right && self.wrong.is_none() {
            self.wrong = Some((self.count, token));
        }
        if self.count == 0 {
            self.began = token.due;
        }
        self.ended = now;
        self.count += 1;
        if self.run.counts(token.index) {
            self.latency.record(now.saturating_sub(token.due));
        }
    }

    /// Whether all tokens have arrived.
    pub(crate) fn are_all(&self) -> bool {
        self.count == self.run.tokens
    }

    /// Ends the run.
    ///
    /// # Errors
    ///
    /// Where a token was lost, changed, or out of order.
    pub(crate) fn finish(self) -> Result<Seen, String> {
        if let Some((place, token)) = self.wrong {
            return Err(format!("in place {place} came {token:?}, after {} nodes", self.run.depth));
        }
        if !self.are_all() {
            return Err(format!("{} tokens arrived of {}", self.count, self.run.tokens));
        }
        let intervals = self.count.saturating_sub(1) as f64;
        let rate = intervals / (self.ended.saturating_sub(self.began).max(1) as f64 / 1e9);
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Seen { latency: self.latency, late, rate })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Run = Run { tokens: 40, period: Duration::from_micros(200), depth: 3 };

    fn through(run: Run, chain: impl FnMut(Token) -> Option<Token>) -> Result<Seen, String> {
        let (pacer, mut arrivals) = begin(run);
        pacer.filter_map(chain).for_each(|token| arrivals.take(token));
        arrivals.finish()
    }

    fn three(token: Token) -> Token {
        (0..3).fold(token, |token, _| token.visited(0))
    }

    #[test]
    fn no_token_is_sent_before_it_is_due() {
        let began = Instant::now();
        let seen = through(RUN, |token| Some(three(token))).expect("nothing is lost");
        assert!(began.elapsed() >= RUN.period * 39);
        assert_eq!((seen.latency.count(), seen.late.count()), (38, 38));
        assert!(seen.rate <= 1.0 / 200e-6);
    }

    #[test]
    fn a_sender_that_is_held_up_is_charged() {
        let seen = through(RUN, |token| {
            if token.index == 10 {
                std::thread::sleep(Duration::from_millis(5));
            }
            Some(three(token))
        });
        let seen = seen.expect("nothing is lost");
        // The next one was due 0.2 ms after the one that was held up for 5, and so on: about 25 come late.
        assert!(seen.latency.quantile(0.5).is_some_and(|ns| ns > 1_000_000));
    }

    #[test]
    fn what_is_lost_changed_or_overtaken_is_told() {
        assert!(through(RUN, |token| (token.index != 39).then(|| three(token))).is_err());
        assert!(through(RUN, |token| Some(three(token).visited(0))).is_err());
        let (pacer, mut arrivals) = begin(RUN);
        let mut tokens: Vec<Token> = pacer.map(three).collect();
        tokens.swap(4, 5);
        tokens.into_iter().for_each(|token| arrivals.take(token));
        assert!(arrivals.finish().is_err());
    }
}
