//! The search for room in a segment, in two implementations behind one trait. The rest of the engine does not know
//! which one a segment has.

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

/// The operations of a kind of space management.
pub(super) trait SpaceManager: fmt::Debug + Send + Sync {
    /// Formats the metadata in the first extent of a new segment; returns the segment header's address.
    fn format_segment(&self, segment: &SegmentParts<'_>, s: &Worker, first: BlockRange) -> Result<BlockAddress>;

    /// Enters an extent into the segment. The caller holds the HW enqueue.
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

    /// For direct loads: the bitmap block that covers a block above the high-water mark, and the number of blocks that
    /// it covers from there on. None under manual management.
    fn covering(
        &self,
        segment: &Segment,
        s: &Worker,
        address: BlockAddress,
        extent: u32,
    ) -> Result<Option<(BlockAddress, u32)>>;

    /// Moves the high-water mark after a direct load of all blocks from `from` up to `to`. `note` is called first,
    /// within the same mini-transaction: when it fails nothing is changed.
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

/// The parts of a segment that is being made.
pub(super) struct SegmentParts<'a> {
    pub(super) spec: &'a super::SegmentSpec,
    pub(super) block_size: common::BlockSize,
}
