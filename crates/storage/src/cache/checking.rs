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
    /// Header, tail, and the figures of metadata blocks.
    Low,
    /// The rows of table blocks.
    Medium,
    /// The entries of index blocks.
    Full,
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
        } else if self >= Self::Full && owner == Owner::Index as u8 {
            index::validate(bytes, address)
        } else {
            Ok(())
        }
    }
}
