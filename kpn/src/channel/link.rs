//! The words of one edge, without its tokens.
//!
//! Who may touch what, and when:
//!
//! - `tail` is written by the producer alone, `head` by the consumer alone. Both only rise.
//! - `cwait` is armed by the consumer and disarmed by whoever wakes it; `pwait` likewise the other way
//!   round. An armed word holds the **absolute index that satisfies its owner**; 0 means disarmed.
//! - `closed` gains bits only: one from each side that closes, one from each half that goes. The half that goes second
//!   frees the tokens' memory.
//! - `capacity` is the producer's: only it raises it, when it finds the edge full. Anybody may ask it to, by
//!   `cap_target`, which only rises but where the producer takes it back for want of memory.
//!
//! The two lines that are written lie 128 bytes apart, since neighbouring lines are fetched in pairs. What is hardly ever
//! written lies between them: 192 bytes, the count of their owners included.

use crate::sync::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, ModelPtr, Ordering, PlainBool, PlainUsize, fence, mutated,
};

/// Set by the producer: no token follows those published.
const NO_MORE_TOKENS: u8 = 1;
/// Set by the consumer: nobody reads what is published.
const NO_READER: u8 = 2;
/// The producer's half is gone.
const PRODUCER_GONE: u8 = 4;
/// The consumer's half is gone.
const CONSUMER_GONE: u8 = 8;

#[repr(align(64))]
struct ProducerLine {
    tail: AtomicUsize,
    /// The tail that satisfies the parked consumer.
    cwait: AtomicUsize,
    /// The most tokens that were seen, for reports.
    high_water: AtomicUsize,
}

#[repr(align(64))]
struct ConsumerLine {
    head: AtomicUsize,
    /// The head that satisfies the parked producer.
    pwait: AtomicUsize,
}

/// Read by both sides, written rarely.
#[repr(align(64))]
struct QuietLine {
    closed: AtomicU8,
    /// The producer was asked to grow and got no memory for it.
    no_memory: AtomicBool,
    watched: PlainBool,
    initial: bool,
    capacity: AtomicUsize,
    /// The capacity that somebody asks for.
    cap_target: AtomicUsize,
    /// Who writes and who reads: the runtime's own pointers, null before the start. Either may be replaced while the
    /// network runs, by the node that hands its end to a new one.
    writer: AtomicPtr<()>,
    reader: AtomicPtr<()>,
    /// Where the consumer left off, once it has gone: its segment, for a producer that goes after it.
    rest: ModelPtr<()>,
    /// How many own these words; see [`super::LinkRef`]. No model follows it.
    owners: PlainUsize,
}

/// What a consumer sees when it looks for `need` tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// At least as many tokens as asked for.
    Ready,
    /// Fewer than asked for, and more may come.
    Unmet,
    /// Fewer than asked for, and none will come.
    End,
}

/// The shared words of one edge.
#[repr(C)]
pub(crate) struct Link {
    prod: ProducerLine,
    quiet: QuietLine,
    cons: ConsumerLine,
}

// Loom's words are larger.
#[cfg(not(loom))]
const _: () = assert!(size_of::<Link>() == 192 && std::mem::offset_of!(Link, cons) == 128);

impl Link {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            prod: ProducerLine {
                tail: AtomicUsize::new(0),
                cwait: AtomicUsize::new(0),
                high_water: AtomicUsize::new(0),
            },
            quiet: QuietLine {
                closed: AtomicU8::new(0),
                no_memory: AtomicBool::new(false),
                watched: PlainBool::new(false),
                initial: false,
                capacity: AtomicUsize::new(capacity),
                cap_target: AtomicUsize::new(capacity),
                writer: AtomicPtr::default(),
                reader: AtomicPtr::default(),
                rest: ModelPtr::new(std::ptr::null_mut()),
                owners: PlainUsize::new(1),
            },
            cons: ConsumerLine { head: AtomicUsize::new(0), pwait: AtomicUsize::new(0) },
        }
    }

    /// How many own these words.
    pub(super) fn owners(&self) -> &PlainUsize {
        &self.quiet.owners
    }

    /// The most tokens that fit. It may have grown since; only the producer's own copy decides anything.
    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.quiet.capacity.load(Ordering::Relaxed)
    }

    /// Asks the producer for this capacity. True where nobody has asked for as much before: the caller then notifies the
    /// producer, unconditionally, for it may be about to park.
    #[must_use = "the producer is to be notified"]
    pub(crate) fn ask_capacity(&self, target: usize) -> bool {
        // Release: partner of the Acquire in `cap_target`.
        let risen = self.quiet.cap_target.fetch_max(target, Ordering::Release) < target;
        if mutated("growth without a second look") {
            fence(Ordering::SeqCst);
        }
        if mutated("growth by the need word") || mutated("growth without a second look") {
            return self.cons.pwait.load(Ordering::Relaxed) != 0;
        }
        risen
    }

    /// The capacity that was asked for. Acquire: partner of [`Link::ask_capacity`].
    #[inline]
    pub(crate) fn cap_target(&self) -> usize {
        self.quiet.cap_target.load(Ordering::Acquire)
    }

    /// Producer: has grown.
    pub(super) fn set_capacity(&self, capacity: usize) {
        self.quiet.capacity.store(capacity, Ordering::Relaxed);
    }

    /// Producer: there is no memory for `target`, and it stays as it is. False where more was asked for meanwhile.
    pub(super) fn refuse_capacity(&self, target: usize) -> bool {
        self.quiet.no_memory.store(true, Ordering::Relaxed);
        let capacity = self.capacity();
        let refused = self.quiet.cap_target.compare_exchange(target, capacity, Ordering::AcqRel, Ordering::Relaxed);
        refused.is_ok()
    }

    /// Whether the producer was asked to grow and had no memory for it.
    pub(crate) fn growth_failed(&self) -> bool {
        self.quiet.no_memory.load(Ordering::Relaxed)
    }

    /// Who writes. Acquire: partner of the release in [`Link::set_writer`], so that what it points to is seen.
    #[inline]
    pub(crate) fn writer(&self) -> *mut () {
        self.quiet.writer.load(Ordering::Acquire)
    }

    /// Who reads; as [`Link::writer`].
    #[inline]
    pub(crate) fn reader(&self) -> *mut () {
        self.quiet.reader.load(Ordering::Acquire)
    }

    pub(crate) fn set_writer(&self, task: *mut ()) {
        self.quiet.writer.store(task, Ordering::Release);
    }

    pub(crate) fn set_reader(&self, task: *mut ()) {
        self.quiet.reader.store(task, Ordering::Release);
    }

    /// It may lie on a cycle of waits.
    pub(crate) fn watched(self, watched: bool) -> Self {
        self.quiet.watched.store(watched, Ordering::Relaxed);
        self
    }

    /// It held tokens before the start.
    pub(crate) fn with_initial(mut self, initial: bool) -> Self {
        self.quiet.initial = initial;
        self
    }

    /// The same, once it exists. Only its users' future waits are concerned.
    pub(crate) fn watch(&self) {
        self.quiet.watched.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.quiet.watched.load(Ordering::Relaxed)
    }

    pub(crate) fn has_initial(&self) -> bool {
        self.quiet.initial
    }

    /// Its writer has ended, and its reader has taken all; for judging stalls.
    pub(crate) fn is_drained(&self) -> bool {
        self.quiet.closed.load(Ordering::Acquire) & NO_MORE_TOKENS != 0 && self.tail() == self.head()
    }

    /// The index that the parked consumer waits for; 0 where somebody took it to wake the consumer, or nobody waits.
    pub(crate) fn consumer_need(&self) -> usize {
        self.prod.cwait.load(Ordering::Acquire)
    }

    /// The index that the parked producer waits for; as [`Link::consumer_need`].
    pub(crate) fn producer_need(&self) -> usize {
        self.cons.pwait.load(Ordering::Acquire)
    }

    /// Tokens in flight by the published indices; a reading for reports, never for decisions.
    pub(crate) fn len(&self) -> usize {
        let head = self.cons.head.load(Ordering::Relaxed);
        let tail = self.prod.tail.load(Ordering::Relaxed);
        tail.saturating_sub(head)
    }

    /// Producer: notes how full the edge is.
    pub(crate) fn gauge(&self) {
        let len = self.len();
        if len > self.prod.high_water.load(Ordering::Relaxed) {
            self.prod.high_water.store(len, Ordering::Relaxed);
        }
    }

    /// The most tokens that [`Link::gauge`] saw.
    pub(crate) fn high_water(&self) -> usize {
        self.prod.high_water.load(Ordering::Relaxed)
    }

    /// Tokens ever published; a reading for reports.
    pub(crate) fn count(&self) -> usize {
        self.prod.tail.load(Ordering::Relaxed)
    }

    /// The published tail. Acquire: partner of [`Link::publish_tail`], so the tokens below it are seen.
    #[inline]
    pub(crate) fn tail(&self) -> usize {
        self.prod.tail.load(Ordering::Acquire)
    }

    /// The published head. Acquire: partner of [`Link::publish_head`], so the slots below it are free.
    #[inline]
    pub(crate) fn head(&self) -> usize {
        self.cons.head.load(Ordering::Acquire)
    }

    /// Producer: makes all tokens below `tail` visible.
    #[inline]
    pub(crate) fn publish_tail(&self, tail: usize) {
        self.prod.tail.store(tail, Ordering::Release);
    }

    /// Consumer: gives back all slots below `head`.
    #[inline]
    pub(crate) fn publish_head(&self, head: usize) {
        self.cons.head.store(head, Ordering::Release);
    }

    /// Consumer: what stands between it and `need` tokens from `head` on.
    ///
    /// `closed` is read before `tail`: a producer publishes, then closes, so a reader that sees the close
    /// sees every token. The other order could miss the last tokens and end too early.
    pub(crate) fn input(&self, head: usize, need: usize) -> Input {
        let early = if mutated("tail before closed") { self.tail() } else { 0 };
        let closed = self.quiet.closed.load(Ordering::Acquire) & NO_MORE_TOKENS != 0;
        let tail = if mutated("tail before closed") { early } else { self.tail() };
        if tail - head >= need {
            Input::Ready
        } else if closed {
            Input::End
        } else {
            Input::Unmet
        }
    }

    /// Producer side: is there still somebody to read?
    #[inline]
    pub(crate) fn has_reader(&self) -> bool {
        self.quiet.closed.load(Ordering::Acquire) & NO_READER == 0
    }

    /// Whether no token follows those published.
    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        self.quiet.closed.load(Ordering::Acquire) & NO_MORE_TOKENS != 0
    }

    /// Nobody reads any more, though the consumer's half may still be somewhere. The caller then notifies the producer,
    /// unconditionally.
    pub(crate) fn close_head(&self) {
        // Release: partner of the Acquire in `has_reader`.
        self.quiet.closed.fetch_or(NO_READER, Ordering::Release);
    }

    /// Producer: no more tokens. The caller then notifies the consumer, unconditionally: a consumer parked on
    /// *another* edge must learn of it too, so the need words can't filter this.
    pub(crate) fn close_tail(&self) {
        // Release: partner of the Acquire in `input`.
        self.quiet.closed.fetch_or(NO_MORE_TOKENS, Ordering::Release);
    }

    /// The producer's half goes, after it has published. The caller then notifies the consumer, as after
    /// [`Link::close_tail`].
    ///
    /// Returns where the consumer left off, if that has gone: the caller then frees what is there.
    pub(super) fn leave_tail(&self) -> Option<*mut ()> {
        // Release: partner of the Acquire in `input`. Acquire: of the release in `leave_head`, before which `rest` was set.
        let before = self.quiet.closed.fetch_or(NO_MORE_TOKENS | PRODUCER_GONE, Ordering::AcqRel);
        (before & CONSUMER_GONE != 0).then(|| self.quiet.rest.load(Ordering::Relaxed))
    }

    /// The consumer's half goes, after it has published: it reads no more, and leaves off at `rest`. The caller then
    /// notifies the producer, unconditionally.
    ///
    /// True if the producer has gone: the caller then frees what is at `rest`.
    pub(super) fn leave_head(&self, rest: *mut ()) -> bool {
        self.quiet.rest.store(rest, Ordering::Relaxed);
        // Release: partner of the Acquire in `has_reader` and `leave_tail`. Acquire: of the release in `leave_tail`.
        let before = self.quiet.closed.fetch_or(NO_READER | CONSUMER_GONE, Ordering::AcqRel);
        before & PRODUCER_GONE != 0
    }

    /// Consumer, about to park: announces the tail that it waits for. The caller must then fence
    /// and look again before it parks. An RMW, so that it is ordered after an earlier wake's swap.
    pub(crate) fn arm_consumer(&self, target: usize) {
        self.prod.cwait.swap(target, Ordering::AcqRel);
    }

    /// Producer, about to park: announces the head that it waits for; the same rules.
    pub(crate) fn arm_producer(&self, target: usize) {
        self.cons.pwait.swap(target, Ordering::AcqRel);
    }

    /// Consumer, armed and fenced: is what it waits for there, or can it not come any more?
    pub(crate) fn consumer_met(&self, target: usize) -> bool {
        self.quiet.closed.load(Ordering::Acquire) & NO_MORE_TOKENS != 0 || self.tail() >= target
    }

    /// Producer, armed and fenced: the mirror of [`Link::consumer_met`]. Growth that was asked for is to be done first.
    pub(crate) fn producer_met(&self, target: usize) -> bool {
        let asked = !mutated("growth without a second look") && self.cap_target() > self.capacity();
        asked || !self.has_reader() || self.head() >= target
    }

    /// Consumer, running again. A waker may have taken the word already; storing 0 over 0 is harmless.
    pub(crate) fn disarm_consumer(&self) {
        self.prod.cwait.store(0, Ordering::Relaxed);
    }

    /// Producer, running again.
    pub(crate) fn disarm_producer(&self) {
        self.cons.pwait.store(0, Ordering::Relaxed);
    }

    /// Producer: should it notify the consumer now? At most one caller gets `true` for one arming.
    ///
    /// Without a fence between the publish and this call it is a hint that may miss a need; with
    /// one it can't (the consumer arms, fences, reads the tail; one of the two sees the other).
    /// `slack` delays the wake until that many tokens more are there; only hints may have any.
    #[inline]
    pub(crate) fn consumer_due(&self, slack: usize) -> bool {
        let need = self.prod.cwait.load(Ordering::Relaxed);
        need != 0
            && self.prod.tail.load(Ordering::Relaxed) >= need + slack
            && self.prod.cwait.swap(0, Ordering::AcqRel) != 0
    }

    /// Consumer: should it notify the producer now? The mirror of [`Link::consumer_due`].
    #[inline]
    pub(crate) fn producer_due(&self, slack: usize) -> bool {
        let need = self.cons.pwait.load(Ordering::Relaxed);
        need != 0
            && self.cons.head.load(Ordering::Relaxed) >= need + slack
            && self.cons.pwait.swap(0, Ordering::AcqRel) != 0
    }
}
