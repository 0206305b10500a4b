//! What the tree needs of the rest of the engine: blocks to read, blocks to change, blocks to grow by.
//!
//! The tree is written against this and nothing else, so that its tests can run it over plain memory too.

use std::ops::Deref;

use common::{BlockAddress, Result};
use waits::Statistic;

/// Latched blocks of one index.
pub(super) trait Blocks {
    /// A block latched in share mode until it is dropped.
    type Shared: Deref<Target = [u8]>;
    /// A block latched exclusively until it is dropped.
    type Exclusive: Deref<Target = [u8]>;

    /// A consistent get.
    fn consistent(&self, address: BlockAddress) -> Result<Self::Shared>;
    /// A current get.
    fn current_mut(&self, address: BlockAddress) -> Result<Self::Exclusive>;
    fn address(block: &Self::Exclusive) -> BlockAddress;
    /// One change of the block, whatever is done in it.
    fn change<R>(&self, block: &mut Self::Exclusive, change: impl FnOnce(&mut [u8]) -> R) -> R;
    /// Changes that stand or fall together when the instance dies.
    fn grouped<R>(&self, changes: impl FnOnce() -> R) -> R;
    /// A formatted block of the index's segment that nothing refers to.
    fn empty_block(&self) -> Result<Self::Exclusive>;
    /// Gives a block back that nothing refers to.
    fn release_block(&self, block: Self::Exclusive) -> Result<()>;
    fn count(&self, statistic: Statistic, n: u64);
    /// Lets a long walk stop when the user asks for it.
    fn check_cancelled(&self) -> Result<()>;
}
