//! A stretch of an edge's tokens: a power of two of slots, and where the next stretch begins.
//!
//! An edge has one segment until it grows. Then the producer makes a larger one, links it, and goes on there; the
//! consumer takes what is left in the old one, frees it, and follows. A token never moves.
//!
//! - `mask` never changes.
//! - `next`, then `end`, are written once by the producer, before it publishes any token beyond `end`.
//! - a slot belongs to one half at a time, as the ring's module says.
//!
//! Header and slots are one block of memory: an edge costs one allocation beside its words.

use std::alloc::{Layout, alloc, dealloc};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use crate::sync::{AtomicUsize, ModelPtr, Ordering, UnsafeCell};

pub(super) type Slot<T> = UnsafeCell<MaybeUninit<T>>;

#[repr(C)]
struct Block<T> {
    mask: usize,
    /// Index of the first token that is not here but in `next`; beyond every index while this is the newest segment.
    end: AtomicUsize,
    next: ModelPtr<Block<T>>,
    /// Where the slots begin; there are `mask + 1` of them behind the header.
    slots: [Slot<T>; 0],
}

/// A pointer to a segment. Every use but `new` asks that it has not been freed.
pub(super) struct Segment<T>(NonNull<Block<T>>);

impl<T> Clone for Segment<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Segment<T> {}

impl<T> Segment<T> {
    /// Room for this many tokens, rounded up to a power of two; `None` where there is no memory for it.
    pub(super) fn new(capacity: usize) -> Option<Self> {
        let size = capacity.checked_next_power_of_two()?;
        // SAFETY: the header has words, so the size isn't zero.
        let block = NonNull::new(unsafe { alloc(layout::<T>(size)?) })?.cast::<Block<T>>();
        let header = Block {
            mask: size - 1,
            end: AtomicUsize::new(usize::MAX),
            next: ModelPtr::new(ptr::null_mut()),
            slots: [],
        };
        // SAFETY: the block was made for it.
        unsafe { block.write(header) };
        let segment = Self(block);
        if cfg!(loom) {
            // Only loom's cells are more than the memory of what is in them.
            for at in 0..size {
                // SAFETY: the slot lies in the block, and nobody else knows of it.
                unsafe { segment.first().add(at).write(UnsafeCell::new(MaybeUninit::uninit())) };
            }
        }
        Some(segment)
    }

    /// By the pointer to the block, which may be used for all of it; a reference to the header may not.
    fn first(self) -> *mut Slot<T> {
        // SAFETY: only an address is computed.
        unsafe { (&raw mut (*self.0.as_ptr()).slots).cast() }
    }

    /// One less than the number of slots.
    ///
    /// # Safety
    ///
    /// The segment has not been freed.
    pub(super) unsafe fn mask(self) -> usize {
        // SAFETY: by the contract.
        unsafe { (*self.0.as_ptr()).mask }
    }

    /// The slot at a place, which is an index without the bits above the mask.
    ///
    /// # Safety
    ///
    /// The segment is not freed while the reference lives; `at` is at most the mask.
    #[inline(always)]
    pub(super) unsafe fn slot<'a>(self, at: usize) -> &'a Slot<T> {
        // SAFETY: by the contract the slot lies in the block.
        unsafe { &*self.first().add(at) }
    }

    /// `n` slots from a place on.
    ///
    /// # Safety
    ///
    /// As [`Segment::slot`], for all of them.
    pub(super) unsafe fn slots<'a>(self, at: usize, n: usize) -> &'a [Slot<T>] {
        // SAFETY: by the contract they lie in the block.
        unsafe { std::slice::from_raw_parts(self.first().add(at), n) }
    }

    /// Index of the first token that is not here.
    ///
    /// Relaxed: whoever read a tail beyond it has read it too, since it was written before that tail was published; and
    /// to whoever has not, an end that lies at or above that tail makes no difference.
    ///
    /// # Safety
    ///
    /// The segment has not been freed.
    #[inline(always)]
    pub(super) unsafe fn end(self) -> usize {
        // SAFETY: by the contract.
        unsafe { (*self.0.as_ptr()).end.load(Ordering::Relaxed) }
    }

    /// The segment that follows this one. Relaxed for the same reason.
    ///
    /// # Safety
    ///
    /// The segment has not been freed.
    pub(super) unsafe fn next(self) -> Option<Self> {
        // SAFETY: by the contract.
        NonNull::new(unsafe { (*self.0.as_ptr()).next.load(Ordering::Relaxed) }).map(Self)
    }

    /// Producer: the token at `end` and those after it are in `next`. To be called before any of them is published.
    ///
    /// # Safety
    ///
    /// The segment has not been freed.
    pub(super) unsafe fn link(self, next: Self, end: usize) {
        // SAFETY: by the contract.
        let block = unsafe { self.0.as_ref() };
        // Relaxed: the tail that the caller publishes later hands them on.
        block.next.store(next.0.as_ptr(), Ordering::Relaxed);
        block.end.store(end, Ordering::Relaxed);
    }

    /// As the other half gets it, which knows the type.
    pub(super) fn erase(self) -> *mut () {
        self.0.as_ptr().cast()
    }

    /// What was [erased](Segment::erase).
    ///
    /// # Safety
    ///
    /// It was, with this type.
    pub(super) unsafe fn from_erased(segment: *mut ()) -> Self {
        // SAFETY: by the contract it came from a pointer that isn't null.
        Self(unsafe { NonNull::new_unchecked(segment.cast()) })
    }

    /// Gives the memory back. Tokens are the caller's to drop.
    ///
    /// # Safety
    ///
    /// The segment has not been freed, and nobody uses it any more.
    pub(super) unsafe fn free(self) {
        // SAFETY: by the contract.
        let size = unsafe { self.mask() } + 1;
        // SAFETY: by the contract all of it is the caller's. Slots don't drop what is in them.
        unsafe {
            ptr::drop_in_place(ptr::slice_from_raw_parts_mut(self.first(), size));
            ptr::drop_in_place(self.0.as_ptr());
        }
        if let Some(layout) = layout::<T>(size) {
            // SAFETY: it was allocated with this layout.
            unsafe { dealloc(self.0.as_ptr().cast(), layout) };
        }
    }
}

/// A header and so many slots.
fn layout<T>(size: usize) -> Option<Layout> {
    // The header's size is a multiple of its alignment, which is at least a slot's: there is no gap.
    let (layout, slots) = Layout::new::<Block<T>>().extend(Layout::array::<Slot<T>>(size).ok()?).ok()?;
    debug_assert_eq!(slots, std::mem::offset_of!(Block<T>, slots));
    Some(layout.pad_to_align())
}
