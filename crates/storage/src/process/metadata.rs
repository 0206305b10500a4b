//! Gets of metadata blocks. An address that leads to a block of another kind is a damaged pointer: the get fails before
//! the engine computes anything from the block.

use common::{BlockAddress, BlockClass, Error, Result};
use format::block::{self, BlockType};

use super::Process;
use crate::cache::{Block, BlockMut};

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
pub(crate) fn current(s: &Process, address: BlockAddress, class: BlockClass) -> Result<Block> {
    let block = s.current(address, class)?;
    check(&block, address, class)?;
    Ok(block)
}

/// A metadata block to change.
pub fn current_mut(s: &Process, address: BlockAddress, class: BlockClass) -> Result<BlockMut> {
    let block = s.current_mut(address, class)?;
    check(&block, address, class)?;
    Ok(block)
}

/// A metadata block in consistent mode.
pub(crate) fn consistent(s: &Process, address: BlockAddress, class: BlockClass) -> Result<Block> {
    let block = s.consistent(address, class)?;
    check(&block, address, class)?;
    Ok(block)
}
