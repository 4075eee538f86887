//! Claims of one node's input, worked on by several workers at once, whose results go out in the order of the claims.
//!
//! Claims are made under RUN (see `elastic`), so they take the input in order. Whoever has worked one off hands over all that
//! can go out: a lock that is only ever tried keeps it to one at a time, and whoever fails to get it leaves the work to its
//! holder, who looks again after it has let go. The rules and their argument are in the runtime's README, "Elastic nodes".

use std::mem::MaybeUninit;

use super::share::{End, Given, Payload, Share};
use crate::channel::LinkRef;
use crate::node::bound::Bound;
use crate::node::{Inputs, Outputs, Pure, WrongCount};
use crate::runtime::Site;
use crate::sync::{
    Arc, AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Instant, OnceLock, Ordering, UnsafeCell, drop_quietly, fence,
    mutated,
};

/// Nobody's: the holder of RUN may fill it.
const FREE: u8 = 0;
/// Its worker's.
const CLAIMED: u8 = 1;
/// Worked off: it belongs to the holder of the lock.
const DONE: u8 = 2;

struct Claim<F: Pure> {
    state: AtomicU8,
    share: UnsafeCell<Share<F>>,
}

/// What only the holder of the lock touches beside the outputs.
struct Desk {
    /// The last firing's tokens have not all found room.
    left: bool,
    end: Option<End>,
}

/// What a try to hand over came to.
pub(super) enum Commit {
    /// All that was worked off is out.
    Clear,
    /// Output edge `.0` must reach the head `.1` first.
    Stalled(usize, usize),
    /// Somebody else is at it.
    Busy,
}

/// What the workers of one node share. Who may touch what:
///
/// - the node's body: everybody who has a claim, shared; alone, the holder of RUN while there is no claim.
/// - its inputs: the holder of RUN.
/// - its outputs, and the desk: the holder of the lock; while there is no claim, the holder of RUN.
/// - a share: whom its claim's state names.
pub(super) struct Crew<F: Pure> {
    /// Initialised until the holder of RUN [lets it go](Crew::retire).
    bound: std::cell::UnsafeCell<MaybeUninit<Bound<F>>>,
    /// Stands for `bound`'s outputs where accesses are checked.
    outputs_in_use: UnsafeCell<()>,
    claims: Box<[Claim<F>]>,
    desk: UnsafeCell<Desk>,
    lock: AtomicBool,
    /// How many claims are out, or were dropped. Only the holder of the lock writes it, after its last use of what belongs
    /// to the claim.
    committed: AtomicUsize,
    /// How many firings' results are out, or were dropped.
    handed: AtomicUsize,
    /// An output has no room for what is next.
    stalled: AtomicBool,
    /// The holder of RUN goes idle until some claim is out.
    want: AtomicBool,
    /// Nothing more is given: a firing failed, or the node was cancelled.
    over: AtomicBool,
    /// No output has a reader.
    unwanted: AtomicBool,
    /// Firings done since the holder of RUN last asked, and how long they took.
    firings: AtomicUsize,
    busy_ns: AtomicU64,
    readers: OnceLock<Box<[LinkRef]>>,
}

// SAFETY: the fields in cells are handed from one to the next as the type's list says, by RUN, by a claim's state or by the
// lock, all with acquire and release. `F` is shared by claims, hence `Sync`; all else only changes hands, and tokens and
// failures are `Send`.
unsafe impl<F: Pure> Sync for Crew<F> {}
// SAFETY: as above.
unsafe impl<F: Pure> Send for Crew<F> {}

impl<F: Pure> Crew<F> {
    /// For at most so many claims at once.
    pub(super) fn new(bound: Bound<F>, claims: usize) -> Self {
        let claim = |_| Claim { state: AtomicU8::new(FREE), share: UnsafeCell::new(Share::new()) };
        Self {
            bound: std::cell::UnsafeCell::new(MaybeUninit::new(bound)),
            outputs_in_use: UnsafeCell::new(()),
            claims: (0..claims).map(claim).collect(),
            desk: UnsafeCell::new(Desk { left: false, end: None }),
            lock: AtomicBool::new(false),
            committed: AtomicUsize::new(0),
            handed: AtomicUsize::new(0),
            stalled: AtomicBool::new(false),
            want: AtomicBool::new(false),
            over: AtomicBool::new(false),
            unwanted: AtomicBool::new(false),
            firings: AtomicUsize::new(0),
            busy_ns: AtomicU64::new(0),
            readers: OnceLock::new(),
        }
    }

    fn bound(&self) -> *mut Bound<F> {
        self.bound.get().cast()
    }

    /// The node as one that fires alone.
    ///
    /// # Safety
    ///
    /// The caller holds RUN, and all claims are out.
    #[allow(clippy::mut_from_ref, reason = "RUN is the lock")]
    pub(super) unsafe fn alone(&self) -> &mut Bound<F> {
        self.outputs_in_use.with_mut(|_| ());
        // SAFETY: by the contract nobody else touches any part of it.
        unsafe { &mut *self.bound() }
    }

    /// The inputs.
    ///
    /// # Safety
    ///
    /// The caller holds RUN.
    #[allow(clippy::mut_from_ref, reason = "RUN is the lock")]
    pub(super) unsafe fn inputs(&self) -> &mut <F::In as Inputs>::Rx {
        // SAFETY: only the holder of RUN touches them; the pointer is to this field alone.
        unsafe { &mut (*self.bound()).rx }
    }

    /// Drops the node.
    ///
    /// # Safety
    ///
    /// The caller holds RUN, all claims are out, and nobody asks for the node any more.
    pub(super) unsafe fn retire(&self) {
        // A failure that came too late for anybody to ask for it is the user's too, and goes before the network has ended.
        // SAFETY: by the contract the desk is the caller's.
        drop_quietly(unsafe { self.take_end() });
        // SAFETY: by the contract it is initialised, and this is its last use.
        unsafe { std::ptr::drop_in_place(self.bound()) };
    }

    pub(super) fn most_claims(&self) -> usize {
        self.claims.len()
    }

    /// How many claims are out. Acquire: whoever sees that all are has the outputs for itself.
    pub(super) fn committed(&self) -> usize {
        self.committed.load(Ordering::Acquire)
    }

    /// How many firings' results are out. Acquire: the edges' words show them.
    pub(super) fn handed(&self) -> usize {
        self.handed.load(Ordering::Acquire)
    }

    pub(super) fn is_stalled(&self) -> bool {
        self.stalled.load(Ordering::Relaxed)
    }

    /// Nothing more is to be claimed.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed) || self.unwanted.load(Ordering::Relaxed)
    }

    /// Nothing more is to be given: what is worked off is dropped.
    pub(super) fn call_off(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Why it is over, where a firing is the reason.
    ///
    /// # Safety
    ///
    /// The caller holds RUN, and all claims are out.
    pub(super) unsafe fn take_end(&self) -> Option<End> {
        // SAFETY: by the contract the desk is the caller's.
        self.desk.with_mut(|desk| unsafe { (*desk).end.take() })
    }

    /// Firings since the last call, and how long they took together.
    pub(super) fn reap(&self) -> (usize, u64) {
        if self.firings.load(Ordering::Relaxed) == 0 {
            return (0, 0);
        }
        (self.firings.swap(0, Ordering::Relaxed), self.busy_ns.swap(0, Ordering::Relaxed))
    }

    /// Takes the tokens of up to `firings` firings; returns what a `take` panicked with.
    ///
    /// # Safety
    ///
    /// The caller holds RUN, so many firings' tokens are there, and the claim before the last [`Crew::most_claims`] is out.
    pub(super) unsafe fn claim(&self, ticket: usize, firings: usize, readers: &[LinkRef]) -> Option<Payload> {
        self.readers.get_or_init(|| readers.into());
        let claim = &self.claims[ticket % self.claims.len()];
        debug_assert_eq!(claim.state.load(Ordering::Relaxed), FREE);
        // SAFETY: RUN is the caller's.
        let rx = unsafe { self.inputs() };
        // SAFETY: the claim is free, and the holder of RUN alone fills free ones.
        let panic = claim.share.with_mut(|share| unsafe { &mut *share }.fill(rx, firings));
        F::In::publish(rx);
        // Release: partner of the acquire of whoever gets the node next; the worker itself needs none.
        claim.state.store(CLAIMED, Ordering::Release);
        panic
    }

    /// Hands over what is worked off, in order, for as long as there is anything.
    ///
    /// `run` says that the caller holds RUN: its driver announces what was published, and it needs no notice.
    pub(super) fn commit(&self, run: bool, site: &Site<'_>) -> Commit {
        loop {
            // AcqRel: takes the outputs and the desk from the holder before. A worker that fails here has set its claim's state
            // before, and the holder's release below reads this write, so the holder sees the state when it looks again.
            if self.lock.swap(true, Ordering::AcqRel) {
                return Commit::Busy;
            }
            let before = (self.stalled.load(Ordering::Relaxed), self.is_over());
            let stall = self.hand_over(site);
            self.stalled.store(stall.is_some(), Ordering::Relaxed);
            // The holder of RUN may wait for something else, and has to know at once.
            let news =
                stall.is_some() && !before.0 && !mutated("a stall without notice") || self.is_over() && !before.1;
            self.lock.swap(false, Ordering::AcqRel);
            if !run {
                // The waker's half of the Dekker pair with a reader that armed its need.
                fence(Ordering::SeqCst);
                for link in self.readers.get().into_iter().flatten() {
                    if link.consumer_due(0) {
                        site.wake_reader(link);
                    }
                }
                // Both, whatever the other says: a want that stays set is a notice too many later.
                if self.was_wanted() | news {
                    site.notify();
                }
            }
            if let Some((edge, target)) = stall {
                return Commit::Stalled(edge, target);
            }
            if mutated("commit without a second look") || !self.next_is_done() {
                return Commit::Clear;
            }
        }
    }

    /// Whether the holder of RUN wanted to know; it does no longer.
    fn was_wanted(&self) -> bool {
        if mutated("want by load and store") {
            let wanted = self.want.load(Ordering::Acquire);
            self.want.store(false, Ordering::Release);
            return wanted;
        }
        self.want.swap(false, Ordering::AcqRel)
    }

    /// Whether there is something to hand over.
    fn next_is_done(&self) -> bool {
        let next = self.committed.load(Ordering::Relaxed) % self.claims.len();
        self.claims[next].state.load(Ordering::Acquire) == DONE
    }

    /// The holder of RUN is about to go idle, though some claims are not out; `seen` of them are. False where that has changed.
    pub(super) fn wait(&self, seen: usize, busy: bool) -> bool {
        // AcqRel, and a read-modify-write like the holder's in `commit`: of the two the later one sees the other, and all that
        // came before it.
        self.want.swap(true, Ordering::AcqRel);
        let changed = self.committed() != seen || busy && !self.lock.load(Ordering::Relaxed);
        mutated("want without a second look") || !changed
    }

    /// The lock is the caller's. Returns the first edge without room, and the head that it must reach.
    fn hand_over(&self, site: &Site<'_>) -> Option<(usize, usize)> {
        loop {
            let next = self.committed.load(Ordering::Relaxed);
            let claim = &self.claims[next % self.claims.len()];
            // Before anything is touched: while no claim is out there, the outputs are not the lock's but RUN's.
            if claim.state.load(Ordering::Acquire) != DONE {
                return None;
            }
            self.outputs_in_use.with_mut(|_| ());
            // SAFETY: a claim is worked off and not out, so outputs, desk and this share are the lock's. The pointer is to the
            // outputs alone: others use the body and the inputs.
            let tx = unsafe { &mut (*self.bound()).tx };
            let stall = self.desk.with_mut(|desk| {
                // SAFETY: as above.
                claim.share.with_mut(|share| self.give(tx, unsafe { &mut *desk }, unsafe { &mut *share }, site))
            });
            F::Out::publish(tx);
            if stall.is_some() {
                return stall;
            }
            if !F::Out::wanted(tx) {
                self.unwanted.store(true, Ordering::Relaxed);
            }
            // SAFETY: the share is the lock's until its state says otherwise.
            let firings = claim.share.with(|share| unsafe { (*share).firings });
            self.handed.store(self.handed.load(Ordering::Relaxed) + firings, Ordering::Release);
            claim.state.store(FREE, Ordering::Relaxed);
            // Release: partner of the acquire in `committed`.
            self.committed.store(next + 1, Ordering::Release);
        }
    }

    /// Gives a share's tokens, or drops them where nothing is given any more.
    fn give(
        &self,
        tx: &mut <F::Out as Outputs>::Tx,
        desk: &mut Desk,
        share: &mut Share<F>,
        site: &Site<'_>,
    ) -> Option<(usize, usize)> {
        if !self.over.load(Ordering::Relaxed) && !site.cancelled() {
            let end = match share.give(tx, &mut desk.left) {
                Given::All(end) => end,
                Given::Full(edge, target) => return Some((edge, target)),
                Given::Miscount(miscount) => {
                    // SAFETY: the names are never written once the node is bound.
                    let names = unsafe { (*self.bound()).info }.outputs;
                    Some(End::Failed(Box::new(WrongCount::new(site.name(), names, miscount))))
                }
            };
            if let Some(end) = end {
                desk.end = Some(end);
                self.over.store(true, Ordering::Relaxed);
            }
        }
        // Empty but where it is over.
        share.clear();
        None
    }
}

/// A claim, for the worker that made it.
pub(crate) struct Claimed {
    crew: Arc<dyn Work>,
    ticket: usize,
}

impl Claimed {
    pub(super) fn new<'env, F: Pure + 'env>(crew: Arc<Crew<F>>, ticket: usize) -> Self {
        let crew: Arc<dyn Work + 'env> = crew;
        // SAFETY: the two types differ in the lifetime alone. What the node borrows is used while its claim is not out, and
        // until then the node has not ended; it is dropped by the node, never by a crew, which else has only tokens.
        Self { crew: unsafe { std::mem::transmute::<Arc<dyn Work + 'env>, Arc<dyn Work>>(crew) }, ticket }
    }

    /// Works it off without RUN, and hands over what can go out; returns how long the firings took.
    pub(crate) fn work(self, site: &Site<'_>) -> u64 {
        self.crew.work(self.ticket, site)
    }
}

/// A crew whose node's type is forgotten.
trait Work: Send + Sync {
    fn work(&self, ticket: usize, site: &Site<'_>) -> u64;
}

impl<F: Pure> Work for Crew<F> {
    fn work(&self, ticket: usize, site: &Site<'_>) -> u64 {
        let claim = &self.claims[ticket % self.claims.len()];
        let began = Instant::now();
        let fired = claim.share.with_mut(|share| {
            // SAFETY: while a claim is not out nobody has the body for itself; the pointer is to this field alone.
            let body = unsafe { &(*self.bound()).body };
            let stop = || self.over.load(Ordering::Relaxed) || site.cancelled();
            // SAFETY: the claim is this worker's until its state says otherwise.
            unsafe { &mut *share }.work(body, stop)
        });
        let took = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.firings.fetch_add(fired, Ordering::Relaxed);
        self.busy_ns.fetch_add(took, Ordering::Relaxed);
        // Release: partner of the acquire in `hand_over` and `next_is_done`.
        claim.state.store(DONE, Ordering::Release);
        self.commit(false, site);
        took
    }
}
