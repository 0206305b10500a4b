//! Segments that are given up while others still read them.
//!
//! TRUNCATE, DROP and MOVE give a segment's data object number up; every definition of the segment that a reader may
//! hold shares the note of it. A block of the segment tells nothing: on disk it stays what it was until it is something
//! else's. So a reader looks at the note, and at the number in the block.

use common::sync::atomic::Ordering;
use common::{Error, ErrorKind, ObjectNumber, Result, Scn};
use format::block::{self, BlockType};
use format::transaction;

use super::Segment;
use super::extent::Reading;
use crate::txn::Worker;

/// Whether a block's bytes are rows or entries of the segment with this data object number.
pub(crate) fn is_of(bytes: &[u8], object: ObjectNumber) -> bool {
    block::kind(bytes) == Some(BlockType::Data) && transaction::header(bytes).object_number() == object
}

impl Segment {
    /// The segment has no rows any more under this data object number: readers that are under way learn of it.
    pub fn set_given_up(&self) {
        self.locks.given_up.fetch_max(self.spec.data_object.0, Ordering::SeqCst);
    }

    /// Data object numbers grow from one life of a segment to the next.
    pub(crate) fn is_given_up(&self) -> bool {
        self.locks.given_up.load(Ordering::SeqCst) >= self.spec.data_object.0
    }

    /// # Errors
    /// ORA-08103 when the segment was given up.
    pub(crate) fn check_alive(&self) -> Result<()> {
        if self.is_given_up() { Err(self.gone()) } else { Ok(()) }
    }

    /// Whether readers at `scn` that are under way still find here what they are to see.
    ///
    /// # Errors
    /// ORA-08103 when the segment was given up, or its rows have been moved.
    pub(crate) fn check_there(&self, scn: Scn) -> Result<()> {
        if self.is_given_up() || !self.is_readable(scn) { Err(self.gone()) } else { Ok(()) }
    }

    pub(crate) fn gone(&self) -> Error {
        Error::user(
            8103,
            format!("object no longer exists: {} was dropped, truncated or moved meanwhile", self.spec.name),
        )
    }

    /// What a reader at `scn` is told when its blocks could not be read as the segment's: a segment that was given up
    /// has no damaged blocks.
    pub(crate) fn explained(&self, s: &Worker, scn: Scn, error: Error) -> Error {
        if !matches!(error.kind, ErrorKind::Corrupt | ErrorKind::User) {
            return error;
        }
        if let Err(gone) = self.check_there(scn) {
            return gone;
        }
        // A statement that gives the segment up holds the header until it has.
        match self.header_block(s, Reading::Consistent) {
            Err(header) if header.is_ora(8103) => self.gone(),
            _ => error,
        }
    }
}
