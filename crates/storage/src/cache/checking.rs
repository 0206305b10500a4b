//! DB_BLOCK_CHECKING: how much of a block's structure is checked before the block is written.

use common::{BlockAddress, Result};
use format::block::{self, BlockType};
use format::transaction::Owner;
use format::{heap, index, transaction};

use super::structure;

/// The level of checking. Each level includes the checks of the levels before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Checking {
    Off,
    /// Header, tail, the figures of metadata blocks, and whether row directories lie within their blocks: what a read
    /// refuses.
    Low,
    /// The rows of table blocks.
    Medium,
    /// The entries of index blocks.
    Full,
}

/// What is true of a block whose latch is given up after a change: its header is that of its address, and the figures
/// of metadata lie within the block. `whole`: bitmaps, rows and entries are gone through too.
///
/// # Errors
/// ORA-01578 with what is wrong.
#[cfg(debug_assertions)]
pub(super) fn check_released(bytes: &[u8], address: BlockAddress, whole: bool) -> Result<()> {
    use BlockType::{Data, FileSpaceBitmap, FirstLevelBitmap, UndoBlock, UndoSegmentHeader, Unformatted};
    let kind = block::kind(bytes);
    if kind.is_none_or(|kind| kind == Unformatted) {
        return Ok(());
    }
    invariant!(
        block::header(bytes).address() == address,
        "block {address}: its header is that of {}",
        block::header(bytes).address()
    );
    let long = matches!(kind, Some(Data | FileSpaceBitmap | FirstLevelBitmap | UndoBlock | UndoSegmentHeader));
    if long && !whole {
        return Ok(());
    }
    structure::check(bytes, address)?;
    if kind != Some(Data) {
        return Ok(());
    }
    let owner = transaction::header(bytes).owner;
    if owner == Owner::Table as u8 {
        heap::validate(bytes)
    } else if owner == Owner::Index as u8 && !index::is_blank(bytes) {
        index::validate(bytes, address)
    } else {
        Ok(())
    }
}

impl Checking {
    /// The level that a value of the parameter stands for.
    pub(crate) fn of(value: &str) -> Self {
        match value {
            "LOW" => Self::Low,
            "MEDIUM" => Self::Medium,
            "TRUE" | "FULL" => Self::Full,
            _ => Self::Off,
        }
    }

    /// Checks a sealed block.
    ///
    /// # Errors
    /// ORA-01578 with the address and what is wrong.
    pub(super) fn check(self, bytes: &[u8], address: BlockAddress) -> Result<()> {
        if self == Self::Off {
            return Ok(());
        }
        block::check(bytes, address)?;
        structure::check(bytes, address)?;
        if block::kind(bytes) != Some(BlockType::Data) {
            return Ok(());
        }
        let owner = transaction::header(bytes).owner;
        if self >= Self::Medium && owner == Owner::Table as u8 {
            heap::validate(bytes)
        } else if self >= Self::Full && owner == Owner::Index as u8 && !index::is_blank(bytes) {
            index::validate(bytes, address)
        } else {
            Ok(())
        }
    }
}
