//! The twin that does nothing.

use super::{Reading, Wait};
use crate::sync::Instant;

#[derive(Default)]
pub(crate) struct Figures(());

#[derive(Default)]
pub(crate) struct Meter(());

impl Figures {
    #[inline(always)]
    pub(crate) fn scheduled(&self) {}

    #[inline(always)]
    pub(crate) fn begin(&self, _: &mut Meter) -> Option<Instant> {
        None
    }

    #[inline(always)]
    pub(crate) fn book(&self, _firings: usize, _busy_ns: u64) {}

    #[inline(always)]
    pub(crate) fn block(&self, _: &mut Meter, _: Wait, _: Option<Instant>, _weight: u32) {}

    #[inline(always)]
    pub(crate) fn unblock(&self, _: &mut Meter) {}

    pub(crate) fn read(&self) -> Option<Reading> {
        None
    }
}
