//! The block of a segment header.

use common::{BlockClass, Error, ErrorKind, Number, Result};
use format::block::{self, BlockType};
use format::segment;

use super::Segment;
use super::extent::Reading;
use crate::cache::{Block, BlockMut};
use crate::control::SpaceManagement;
use crate::txn::Worker;

impl Segment {
    /// The segment header to read.
    pub(super) fn header_block(&self, s: &Worker, reading: Reading) -> Result<Block> {
        let block = match reading {
            Reading::Consistent => s.consistent(self.header, BlockClass::SegmentHeader)?,
            Reading::Current => s.current(self.header, BlockClass::SegmentHeader)?,
        };
        self.check_header(&block)?;
        self.locks.note_blocks(&block);
        Ok(block)
    }

    /// The segment header to change.
    pub(super) fn header_block_mut(&self, s: &Worker) -> Result<BlockMut> {
        let block = s.current_mut(self.header, BlockClass::SegmentHeader)?;
        self.check_header(&block)?;
        Ok(block)
    }

    /// # Errors
    /// ORA-08103 when the block is not this segment's header: the segment was dropped or truncated during its use.
    pub(super) fn check_header(&self, bytes: &[u8]) -> Result<()> {
        let expected = match self.management() {
            SpaceManagement::Manual => BlockType::SegmentHeader,
            SpaceManagement::Auto => BlockType::PagetableSegmentHeader,
        };
        if block::kind(bytes) == Some(expected) && segment::header(bytes).object.get() == self.data_object().0 {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Corrupt,
            Number::Ora(8103),
            format!("object no longer exists: block {} is not the segment header of {}", self.header, self.name()),
        ))
    }
}
