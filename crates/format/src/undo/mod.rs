//! Undo: the header of an undo segment, and blocks of undo records. No I/O, no locks.
//!
//! Both kinds of block have the number of their undo segment at offset 20, so that a wait for one can be counted by its
//! segment. See docs/formats/undo.md.

mod block;
mod dump;
mod header;
#[cfg(test)]
mod reach_tests;
mod record;
#[cfg(test)]
mod tests;

pub use block::{
    RECORDS_MAX, RecordView, UndoBlockHeader, append, append_piece, append_reach, block_header, empty_room, init_block,
    own_block, owner, record, room, set_last, validate_block,
};
pub use dump::dump;
pub use header::{
    ACTIVE, Extent, INACTIVE, NO_SLOT, POOL_ENTRIES, PooledBlock, ROLLED_BACK, SegmentHeader, Slot, add_extent, extent,
    extent_mut, extents_max, header, header_mut, init_header, remove_extent, slot, slot_mut, slots_and_extents_reach,
    slots_of, slots_reach, validate_header,
};
pub use record::{Chain, NEXT_RECORD_OVERHEAD, Previous, RECORD_OVERHEAD_MAX, UndoRecord, record_bytes};

use common::BlockSize;

use crate::block::{BlockType, HEADER_BYTES, kind};

/// The undo segment that a block belongs to; None for a block of another kind.
#[must_use]
pub fn segment_of(bytes: &[u8]) -> Option<u16> {
    matches!(kind(bytes), Some(BlockType::UndoBlock | BlockType::UndoSegmentHeader))
        .then(|| u16::from_le_bytes([bytes[HEADER_BYTES], bytes[HEADER_BYTES + 1]]))
}

/// Slots in a transaction table: 34 in a block of 8 KB.
#[must_use]
pub fn slots(size: BlockSize) -> u16 {
    (34 * size.bytes() / 8192) as u16
}
