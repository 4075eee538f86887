//! `now`, `sleep`, `timeout`.

use std::fmt;
use std::future::{Future, poll_fn};
use std::ops::{Add, Sub};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use super::clock::Clock;
use crate::process::{must_be_nondet, observes};
use crate::runtime::timeline::Alarm;
use crate::sync::Duration;

/// A moment of a network's time, from [`now`]. Moments of one run can be compared and subtracted.
///
/// On [`Deterministic`](crate::Deterministic) a network begins at [`Instant::ZERO`] and time passes in jumps; elsewhere it is the
/// machine's time, which never goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Duration);

impl Instant {
    /// The zero of the network's clock.
    pub const ZERO: Self = Self(Duration::ZERO);

    /// The time from an earlier moment to this one; 0 where the other one is later.
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    fn add(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time))
    }
}

impl Sub for Instant {
    type Output = Duration;
    fn sub(self, earlier: Self) -> Duration {
        self.since(earlier)
    }
}

/// What time it is.
///
/// ```
/// use std::time::Duration;
///
/// use kpn::nondet::{now, sleep};
/// use kpn::prelude::*;
///
/// #[node(nondet)]
/// async fn stamp(x: &mut In<u32>, out: &mut Out<(u32, Duration)>) -> Result<(), Closed> {
///     let began = now();
///     while let Some(x) = x.recv().await {
///         sleep(Duration::from_secs(60)).await;
///         out.send((x, now() - began)).await?;
///     }
///     Ok(())
/// }
///
/// let mut seen = Vec::new();
/// let net = network! { source(0..2) -> stamp() -> sink(|(x, at): (u32, Duration)| seen.push((x, at.as_secs()))) }?;
/// let report = net.run_on(Deterministic::new(0))?; // virtual time: nobody waits two minutes
/// assert_eq!(seen, [(0, 60), (1, 120)]);
/// assert_eq!(report.not_determinate, ["stamp"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// Outside of a process that is marked `#[node(nondet)]`.
pub fn now() -> Instant {
    must_be_nondet("now");
    observes();
    Instant(Clock::here().now())
}

/// Waits for some time, without holding a worker. What is sent afterwards comes later, but is the same; the network stays
/// determinate.
///
/// ```
/// use std::time::Duration;
///
/// use kpn::prelude::*;
///
/// /// A token a millisecond at most.
/// #[node(nondet)]
/// async fn calm(x: &mut In<u32>, out: &mut Out<u32>) -> Result<(), Closed> {
///     while let Some(x) = x.recv().await {
///         kpn::nondet::sleep(Duration::from_millis(1)).await;
///         out.send(x).await?;
///     }
///     Ok(())
/// }
///
/// let mut seen = Vec::new();
/// let report = network! { source(0..3) -> calm() -> sink(|x| seen.push(x)) }?.run()?;
/// assert_eq!(seen, [0, 1, 2]);
/// assert!(report.elapsed >= Duration::from_millis(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// Outside of a process that is marked `#[node(nondet)]`. When it is awaited, where the system gives no thread for the
/// process's timer.
pub fn sleep(time: Duration) -> Sleep {
    must_be_nondet("sleep");
    Sleep::new(time)
}

/// The future of [`sleep`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Sleep {
    clock: Clock,
    until: Duration,
    alarm: Option<Alarm>,
}

impl Sleep {
    fn new(time: Duration) -> Self {
        let clock = Clock::here();
        let until = clock.now().saturating_add(time);
        Self { clock, until, alarm: None }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.clock.now() >= self.until {
            return Poll::Ready(());
        }
        self.alarm = Some(self.clock.set(self.alarm, self.until, cx.waker()));
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(alarm) = self.alarm {
            self.clock.remove(alarm);
        }
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").field("until", &self.until).finish_non_exhaustive()
    }
}

/// The time of a [`timeout`] was over first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed;

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time is over")
    }
}

impl std::error::Error for Elapsed {}

/// Waits for a future, but not longer than that. A receive that is given up takes no token, and a send that is given up
/// drops its token.
///
/// ```
/// use std::time::Duration;
///
/// use kpn::nondet::{sleep, timeout};
/// use kpn::prelude::*;
///
/// #[node(nondet)]
/// async fn slow(out: &mut Out<u32>) -> Result<(), Closed> {
///     sleep(Duration::from_secs(3)).await;
///     out.send(7).await
/// }
///
/// /// Sends 0 for each second without a token.
/// #[node(nondet)]
/// async fn impatient(x: &mut In<u32>, out: &mut Out<u32>) -> Result<(), Closed> {
///     loop {
///         match timeout(Duration::from_secs(2), x.recv()).await {
///             Ok(Some(x)) => out.send(x).await?,
///             Ok(None) => return Ok(()),
///             Err(_) => out.send(0).await?,
///         }
///     }
/// }
///
/// let mut seen = Vec::new();
/// network! { slow() -> impatient() -> sink(|x| seen.push(x)) }?.run_on(Deterministic::new(0))?;
/// assert_eq!(seen, [0, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Elapsed`] where the time is over first.
///
/// # Panics
///
/// When it is awaited, as [`sleep`].
pub async fn timeout<F: Future>(time: Duration, future: F) -> Result<F::Output, Elapsed> {
    must_be_nondet("timeout");
    observes();
    let (mut future, mut sleep) = (pin!(future), Sleep::new(time));
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Ok(output)),
        Poll::Pending => Pin::new(&mut sleep).poll(cx).map(|()| Err(Elapsed)),
    })
    .await
}
