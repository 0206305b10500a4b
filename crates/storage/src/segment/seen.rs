//! Blocks of a segment, as a snapshot sees them.

use common::{BlockAddress, BlockClass, Result};
use waits::GetMode;

use super::{Segment, is_of};
use crate::cache::Block;
use crate::snapshot::Snapshot;
use crate::txn::Worker;

impl Segment {
    /// A block of the segment, as a snapshot sees it. A block that does not belong to the segment is returned
    /// unchanged.
    ///
    /// # Errors
    /// ORA-08103 when the segment was given up; ORA-01555 when undo that is needed is gone; errors of
    /// [`crate::cache::Cache::get`].
    pub(crate) fn consistent_at(
        &self,
        s: &Worker,
        address: BlockAddress,
        class: BlockClass,
        snapshot: &Snapshot,
    ) -> Result<Block> {
        let got = s.store().cache().get(s.meter(), address, class, GetMode::Consistent);
        let block = got.map_err(|error| self.explained(s, snapshot.scn(), error))?;
        self.as_seen(s, block, snapshot)
    }

    /// As [`Segment::consistent_at`], for a block that the caller has got.
    ///
    /// # Errors
    /// As [`Segment::consistent_at`].
    pub(crate) fn as_seen(&self, s: &Worker, block: Block, snapshot: &Snapshot) -> Result<Block> {
        self.check_there(snapshot.scn())?;
        if !is_of(&block, self.data_object()) {
            return Ok(block);
        }
        s.version_seen(block, snapshot, || self.is_given_up())
    }
}
