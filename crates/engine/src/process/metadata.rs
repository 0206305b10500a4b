//! Gets of metadata blocks: an address that leads to a block of another kind is a damaged pointer, and is said before anything is computed from it.

use common::{BlockAddress, BlockClass, Error, ErrorKind, Number, Result};
use format::block::{self, BlockType};
use format::segment;

use super::Segment;
use super::extent::Reading;
use crate::cache::{Block, BlockMut};
use crate::instance::{Session, SpaceManagement};

fn check(bytes: &[u8], address: BlockAddress, class: BlockClass) -> Result<()> {
    let found = block::kind(bytes);
    let fits = match class {
        BlockClass::ExtentMap => found == Some(BlockType::ExtentMap),
        BlockClass::FirstLevelBitmap => found == Some(BlockType::FirstLevelBitmap),
        BlockClass::SecondLevelBitmap => found == Some(BlockType::SecondLevelBitmap),
        BlockClass::ThirdLevelBitmap => found == Some(BlockType::ThirdLevelBitmap),
        BlockClass::FreeList => found == Some(BlockType::FreeListGroup),
        BlockClass::SegmentHeader => {
            matches!(found, Some(BlockType::SegmentHeader | BlockType::PagetableSegmentHeader))
        }
        BlockClass::FileBitmapIndex => found == Some(BlockType::FileSpaceHeader),
        BlockClass::FileBitmap => found == Some(BlockType::FileSpaceBitmap),
        BlockClass::UndoHeader => found == Some(BlockType::UndoSegmentHeader),
        BlockClass::UndoBlock => found == Some(BlockType::UndoBlock),
        _ => true,
    };
    if fits {
        return Ok(());
    }
    let found = found.map_or("a block of no known type", BlockType::name);
    Err(Error::corrupt(address, format!("{found} where a {} is to be", class.name())))
}

/// A metadata block in current mode.
pub(crate) fn current(s: &Session, address: BlockAddress, class: BlockClass) -> Result<Block> {
    let block = s.current(address, class)?;
    check(&block, address, class)?;
    Ok(block)
}

/// A metadata block to change.
pub(crate) fn current_mut(s: &Session, address: BlockAddress, class: BlockClass) -> Result<BlockMut> {
    let block = s.current_mut(address, class)?;
    check(&block, address, class)?;
    Ok(block)
}

/// A metadata block in consistent mode.
pub(crate) fn consistent(s: &Session, address: BlockAddress, class: BlockClass) -> Result<Block> {
    let block = s.consistent(address, class)?;
    check(&block, address, class)?;
    Ok(block)
}

impl Segment {
    /// The segment header to read.
    pub(super) fn header_block(&self, s: &Session, reading: Reading) -> Result<Block> {
        let block = match reading {
            Reading::Consistent => s.consistent(self.header, BlockClass::SegmentHeader)?,
            Reading::Current => s.current(self.header, BlockClass::SegmentHeader)?,
        };
        self.check_header(&block)?;
        Ok(block)
    }

    /// The segment header to change.
    pub(super) fn header_block_mut(&self, s: &Session) -> Result<BlockMut> {
        let block = s.current_mut(self.header, BlockClass::SegmentHeader)?;
        self.check_header(&block)?;
        Ok(block)
    }

    /// # Errors
    /// ORA-08103 when the block is not this segment's header: the segment was dropped or truncated under its user.
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
