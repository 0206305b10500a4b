//! Shrinking a segment, and the SCN since which its rows are in their present places.

use common::sync::atomic::Ordering;
use common::{BlockAddress, Error, Result, Scn};

use super::Segment;
use crate::process::SearchHint;
use crate::txn::Worker;

impl Segment {
    /// Gives up the extents behind block `last`, down to the size that INITIAL asked for, and lowers the high-water
    /// mark to behind it. No other session may change the table, and its blocks behind `last` must have no rows.
    /// Returns the number of extents given up.
    ///
    /// # Errors
    /// ORA-10635 under manual segment space management; errors of the cache.
    pub fn shrink(&self, s: &Worker, last: Option<BlockAddress>) -> Result<u32> {
        let bytes = self.block_size().bytes() as u64;
        let keep = self.spec.storage.initial.unwrap_or(0).div_ceil(bytes);
        self.locks.shrinks.fetch_add(1, Ordering::Release);
        self.space.give_up(self, s, last, u32::try_from(keep).unwrap_or(u32::MAX))
    }

    /// Number of shrinks since the open.
    pub(crate) fn shrinks(&self) -> u32 {
        self.locks.shrinks.load(Ordering::Acquire)
    }

    /// Notes that the rows, or the entries of an index, are in their present places since `scn`; their earlier places
    /// are not kept. The note is not on disk, because no snapshot outlives the instance.
    pub fn moved(&self, scn: Scn) {
        debug_assert!(scn.0 > 0, "{self:?}: rows were moved at no time");
        self.locks.readable_from.fetch_max(scn.0, Ordering::AcqRel);
    }

    /// # Errors
    /// ORA-01466 for a snapshot from before the rows were moved here.
    pub fn check_readable(&self, scn: Scn) -> Result<()> {
        if self.is_readable(scn) {
            return Ok(());
        }
        Err(Error::user(1466, "unable to read data - table definition has changed"))
    }

    pub(crate) fn is_readable(&self, scn: Scn) -> bool {
        scn.0 >= self.locks.readable_from.load(Ordering::Acquire)
    }

    /// The place where the process last found room. Empty when the segment was shrunk since.
    pub(super) fn hint(&self, s: &Worker) -> SearchHint {
        let hint = s.search_hint(self.data_object());
        if hint.shrinks == self.locks.shrinks.load(Ordering::Acquire) { hint } else { SearchHint::default() }
    }

    pub(super) fn remember(&self, s: &Worker, block: Option<BlockAddress>, first_level: Option<BlockAddress>) {
        let shrinks = self.locks.shrinks.load(Ordering::Acquire);
        s.remember(self.data_object(), SearchHint { block, first_level, shrinks });
    }
}
