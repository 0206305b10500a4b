//! The tree's view of the rest of the engine: blocks to read, blocks to change, new blocks.
//!
//! The tree uses this trait and nothing else, so that its tests can run it over plain memory too.

use std::ops::Deref;

use common::{BlockAddress, Error, Result, Xid};
use format::redo::Reach;
use waits::{Event, Statistic};

use crate::txn::{Interest, RowLock};

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
    /// Makes one change of the block, with all that `change` does in it.
    fn change<R>(&self, block: &mut Self::Exclusive, change: impl FnOnce(&mut [u8]) -> R) -> R;
    /// Runs `work` as one redo record: a crash leaves all of its changes or none.
    fn mini<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R>;
    /// A formatted block of the index's segment to which no block refers.
    fn empty_block(&self) -> Result<Self::Exclusive>;
    /// Counts a split whose blocks are changed and still latched.
    fn note_split(&self);
    /// Gives back a block to which no block refers.
    fn release_block(&self, block: Self::Exclusive) -> Result<()>;
    fn count(&self, statistic: Statistic, n: u64);
    /// Lets a long walk stop when the user asks for it.
    fn check_cancelled(&self) -> Result<()>;

    /// Begins the transaction unless one is under way, and makes room for the undo of a change. No block may be
    /// latched.
    fn prepare(&self, payload: usize) -> Result<()>;
    /// True: there is room for the undo of such a change already.
    fn is_prepared(&self, payload: usize) -> bool;
    /// The ITL slot with which the transaction can change a leaf.
    fn interest(&self, block: &mut Self::Exclusive) -> Result<Interest>;
    /// The holder of an entry with this lock byte; a slot whose transaction has ended is cleaned.
    fn holder(&self, block: &mut Self::Exclusive, lock: u8) -> Result<RowLock>;
    /// Makes one change of a leaf for the transaction, under its ITL slot. `change` returns the payload of its undo,
    /// for which room was made, or None when it has changed nothing. `reach`: the bytes that it may write, if they are
    /// known.
    fn transact<R>(
        &self,
        block: &mut Self::Exclusive,
        slot: (u8, bool),
        operation: u8,
        reach: Option<Reach>,
        change: impl FnOnce(&mut [u8], u8) -> Option<(R, Vec<u8>)>,
    ) -> Result<Option<R>>;
    /// Takes the deleted entries out of a leaf that no snapshot needs any more. Returns their number.
    fn purge(&self, block: &mut Self::Exclusive) -> Result<usize>;
    /// Waits for the end of a transaction. No block may be latched.
    fn wait_for(&self, xid: Xid, event: Event) -> Result<()>;
    /// The leaf as the reader's snapshot sees it.
    fn as_seen(&self, block: Self::Shared) -> Result<Self::Shared>;
    /// The error for a reader that could not read its blocks as blocks of the index.
    fn explained(&self, error: Error) -> Error;
}
