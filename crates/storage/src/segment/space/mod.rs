//! The search for room in a segment, in two implementations behind one trait. The rest of the engine does not know which it has.

mod bitmap;
mod bitmap_growth;
mod bitmap_search;
mod bitmap_shrink;
mod freelist;
mod transaction_list;

pub(super) use bitmap::Bitmaps;
pub(super) use freelist::FreeLists;

use std::fmt;

use common::{BlockAddress, BlockRange, Result};

use super::extent::Position;
use super::{RowRoom, Segment};
use crate::cache::BlockMut;
use crate::txn::Worker;

/// What a kind of space management must do.
pub(super) trait SpaceManager: fmt::Debug + Send + Sync {
    /// Formats the metadata in the first extent of a new segment; returns the segment header's address.
    fn format_segment(&self, segment: &SegmentParts<'_>, s: &Worker, first: BlockRange) -> Result<BlockAddress>;

    /// Enters an extent into the segment; the HW enqueue is held.
    fn add_extent(&self, segment: &Segment, s: &Worker, range: BlockRange) -> Result<()>;

    /// See [`Segment::block_for_insert`].
    fn block_for_insert(&self, segment: &Segment, s: &Worker, row: RowRoom) -> Result<BlockMut>;

    /// See [`Segment::inserted`] and [`Segment::changed`].
    fn changed(&self, segment: &Segment, s: &Worker, block: BlockMut, next_row: Option<RowRoom>) -> Result<()>;

    /// See [`Segment::restored`].
    fn restored(&self, segment: &Segment, s: &Worker, block: BlockMut) -> Result<()>;

    /// See [`Segment::empty_block`].
    fn empty_block(&self, segment: &Segment, s: &Worker) -> Result<BlockMut>;

    /// See [`Segment::release_block`].
    fn release_block(&self, segment: &Segment, s: &Worker, block: BlockMut) -> Result<()>;

    /// The bitmap block that covers a block above the high-water mark, and how many from there on, for direct loads; None under manual management.
    fn covering(
        &self,
        segment: &Segment,
        s: &Worker,
        address: BlockAddress,
        extent: u32,
    ) -> Result<Option<(BlockAddress, u32)>>;

    /// After a direct load of everything from `from` up to `to`: moves the high-water mark. `note` is called within the mini-transaction that does so, before it:
    /// where it fails nothing is changed.
    fn loaded(
        &self,
        segment: &Segment,
        s: &Worker,
        from: Position,
        to: Position,
        note: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()>;

    /// Formatted data blocks below the high-water mark, in extent order, by consistent gets.
    fn scan_ranges(&self, segment: &Segment, s: &Worker) -> Result<Vec<BlockRange>>;

    /// See [`Segment::shrink`].
    fn give_up(&self, segment: &Segment, s: &Worker, last: Option<BlockAddress>, keep: u32) -> Result<u32>;

    /// See [`Segment::space_usage`](super::Segment::space_usage).
    fn usage(&self, segment: &Segment, s: &Worker) -> Result<super::SpaceUsage>;
}

/// What a segment that is being made consists of.
pub(super) struct SegmentParts<'a> {
    pub(super) spec: &'a super::SegmentSpec,
    pub(super) block_size: common::BlockSize,
}
