//! Rates that vary from firing to firing by a fixed cycle (Bilsen, Engels, Lauwereins and Peperstraete, "Cyclo-static
//! dataflow", 1996).

use std::marker::PhantomData;

/// The rates of a cyclo-static port, one a firing, over and over: the rate of a type that stands for them.
///
/// A rate may be 0, but not all of them.
///
/// ```
/// use kpn::node::Phases;
///
/// /// One token, then two, then one, …
/// struct OneTwo;
///
/// impl Phases for OneTwo {
///     const RATES: &'static [usize] = &[1, 2];
/// }
/// ```
pub trait Phases: 'static {
    /// Tokens a firing, in turn.
    const RATES: &'static [usize];
}

/// The most tokens in one phase.
const MOST: usize = 1 << 20;

/// The largest of the rates, which are sound.
pub(super) const fn most(rates: &[usize]) -> usize {
    assert!(!rates.is_empty(), "a port with phases has at least one phase");
    let mut most = 0;
    let mut i = 0;
    while i < rates.len() {
        if rates[i] > most {
            most = rates[i];
        }
        i += 1;
    }
    assert!(most > 0, "a port takes or gives at least one token in one of its phases: leave out a port without tokens");
    assert!(most <= MOST, "a phase has at most 1,048,576 tokens");
    most
}

const fn sum(rates: &[usize]) -> usize {
    let mut sum = 0usize;
    let mut i = 0;
    while i < rates.len() {
        sum = sum.saturating_add(rates[i]);
        i += 1;
    }
    sum
}

/// Where a port is in its cycle.
pub(super) struct Turn<P> {
    phase: usize,
    rates: PhantomData<fn() -> P>,
}

impl<P: Phases> Turn<P> {
    const SUM: usize = sum(P::RATES);

    pub(super) fn new() -> Self {
        Self { phase: 0, rates: PhantomData }
    }

    /// The number of the current phase.
    #[inline]
    pub(super) fn phase(&self) -> usize {
        self.phase
    }

    /// The current phase's rate.
    #[inline]
    pub(super) fn rate(&self) -> usize {
        P::RATES[self.phase]
    }

    /// The next firing's phase, which becomes the current one.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.phase = self.after(self.phase);
    }

    #[inline]
    fn after(&self, phase: usize) -> usize {
        if phase + 1 < P::RATES.len() { phase + 1 } else { 0 }
    }

    /// Tokens of so many firings.
    pub(super) fn tokens(&self, firings: usize) -> usize {
        let (cycles, firings) = (firings / P::RATES.len(), firings % P::RATES.len());
        let mut tokens = cycles.saturating_mul(Self::SUM);
        let mut phase = self.phase;
        for _ in 0..firings {
            tokens = tokens.saturating_add(P::RATES[phase]);
            phase = self.after(phase);
        }
        tokens
    }

    /// Firings for which so many tokens are enough, up to `want`.
    pub(super) fn firings(&self, mut tokens: usize, want: usize) -> usize {
        let cycles = (tokens / Self::SUM).min(want / P::RATES.len());
        tokens -= cycles * Self::SUM;
        let mut firings = cycles * P::RATES.len();
        let mut phase = self.phase;
        // Less than a cycle: either that many tokens or that many firings are left.
        while firings < want && P::RATES[phase] <= tokens {
            tokens -= P::RATES[phase];
            firings += 1;
            phase = self.after(phase);
        }
        firings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Cycle;
    impl Phases for Cycle {
        const RATES: &'static [usize] = &[0, 2, 0, 0, 3];
    }

    #[test]
    fn firings_and_tokens_agree_with_a_plain_count() {
        let mut turn = Turn::<Cycle>::new();
        for phase in 0..10 {
            assert_eq!((turn.phase(), turn.rate()), (phase % 5, Cycle::RATES[phase % 5]));
            let rates = || Cycle::RATES.iter().cycle().skip(phase);
            for n in 0..30 {
                assert_eq!(turn.tokens(n), rates().take(n).sum::<usize>());
                for want in 0..30 {
                    let mut left = n;
                    let fits = |rate: &&usize| {
                        let fits = **rate <= left;
                        left -= if fits { **rate } else { 0 };
                        fits
                    };
                    assert_eq!(turn.firings(n, want), rates().take(want).take_while(fits).count(), "{n} for {want}");
                }
            }
            turn.advance();
        }
        assert_eq!(most(Cycle::RATES), 3);
    }
}
