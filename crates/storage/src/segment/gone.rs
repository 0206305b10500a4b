//! Segments that are given up while sessions still read them.
//!
//! TRUNCATE, DROP and MOVE give up a segment's data object number; every definition of the segment that a reader may
//! hold shares the note of it. A block of the segment does not tell: on disk it stays the same until another segment
//! uses it. So a reader looks at the note, and at the number in the block.

use common::sync::atomic::Ordering;
use common::{Error, ErrorKind, ObjectNumber, Result, Scn};
use format::block::{self, BlockType};
use format::transaction;

use super::Segment;
use super::extent::Reading;
use crate::txn::Worker;

/// True: the block has rows or entries of the segment with this data object number.
pub(crate) fn is_of(bytes: &[u8], object: ObjectNumber) -> bool {
    block::kind(bytes) == Some(BlockType::Data) && transaction::header(bytes).object_number() == object
}

impl Segment {
    /// Notes that the segment has no rows any more under this data object number. Readers under way find the note.
    pub fn set_given_up(&self) {
        self.locks.given_up.fetch_max(self.spec.data_object.0, Ordering::SeqCst);
    }

    /// True: the segment was given up under its number, or under a later one. Data object numbers grow from one life of
    /// a segment to the next.
    pub(crate) fn is_given_up(&self) -> bool {
        self.locks.given_up.load(Ordering::SeqCst) >= self.spec.data_object.0
    }

    /// # Errors
    /// ORA-08103 when the segment was given up.
    pub(crate) fn check_alive(&self) -> Result<()> {
        if self.is_given_up() { Err(self.gone()) } else { Ok(()) }
    }

    /// Checks that readers at `scn` still find their rows here.
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

    /// The error for a reader at `scn` that could not read its blocks as the segment's: ORA-08103 when the segment was
    /// given up, because such a segment has no damaged blocks; else `error`.
    pub(crate) fn explained(&self, s: &Worker, scn: Scn, error: Error) -> Error {
        if !matches!(error.kind, ErrorKind::Corrupt | ErrorKind::User) {
            return error;
        }
        if let Err(gone) = self.check_there(scn) {
            return gone;
        }
        // A statement that gives the segment up has the header latched until it has done so.
        match self.header_block(s, Reading::Consistent) {
            Err(header) if header.is_ora(8103) => self.gone(),
            _ => error,
        }
    }
}
