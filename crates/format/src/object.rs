//! The owner of a block: the data object number in every block of a segment, at its kind's offset.

use common::ObjectNumber;

use crate::block::{self, BlockType};
use crate::{bitmap, freelist, segment, transaction};

/// The data object number of a block's segment; None for blocks of no table's or index's segment, and for those never
/// formatted.
#[must_use]
pub fn data_object(bytes: &[u8]) -> Option<ObjectNumber> {
    let number = match block::kind(bytes)? {
        BlockType::Data => transaction::header(bytes).object.get(),
        BlockType::SegmentHeader | BlockType::PagetableSegmentHeader => segment::header(bytes).object.get(),
        BlockType::ExtentMap => segment::map_header(bytes).object.get(),
        BlockType::FreeListGroup => freelist::group_header(bytes).object.get(),
        BlockType::FirstLevelBitmap => bitmap::first_level(bytes).object.get(),
        BlockType::SecondLevelBitmap | BlockType::ThirdLevelBitmap => bitmap::upper(bytes).object.get(),
        BlockType::Unformatted
        | BlockType::UndoBlock
        | BlockType::FileHeader
        | BlockType::FileSpaceHeader
        | BlockType::FileSpaceBitmap
        | BlockType::UndoSegmentHeader => return None,
    };
    (number != 0).then_some(ObjectNumber(number))
}
