//! Space usage of a segment, as DBMS_SPACE reports it.

use common::{BlockAddress, Result};
use format::segment::{ExtentEntry, SegmentHeader};

use super::Segment;
use crate::txn::Worker;

/// Blocks of a segment by use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SpaceUsage {
    pub extents: u32,
    /// Blocks of all extents.
    pub blocks: u32,
    /// Blocks below the high (or only) high-water mark, metadata included.
    pub below_high_water: u32,
    /// Blocks above it.
    pub unused: u32,
    pub metadata: u32,
    /// Start of the last extent that has blocks below the high-water mark.
    pub last_used_extent: Option<BlockAddress>,
    /// Blocks of that extent below the mark.
    pub last_used_block: u32,
    /// Blocks on freelists (manual).
    pub on_freelists: u32,
    /// Blocks by bitmap state, below the high high-water mark (automatic).
    pub unformatted: u32,
    pub full: u32,
    /// Blocks with less than 25, 50, 75, 100 % free.
    pub free: [u32; 4],
}

impl SpaceUsage {
    /// The figures from the segment header and its extents. The space manager counts the blocks by state.
    pub(super) fn below_mark(header: &SegmentHeader, extents: &[ExtentEntry]) -> Self {
        let (blocks, used) = (header.blocks.get(), header.high.blocks.get());
        debug_assert!(used <= blocks, "{used} blocks of {blocks} are below the mark");
        let (extent, block) = (header.high.extent.get() as usize, header.high.block.get());
        // A mark at the start of an extent is also at the end of the extent before.
        let last = match (block, extent.checked_sub(1)) {
            (0, Some(before)) => extents.get(before).map(|entry| (entry, entry.blocks.get())),
            _ => extents.get(extent).map(|entry| (entry, block)),
        };
        Self {
            extents: header.extents.get(),
            blocks,
            below_high_water: used,
            unused: blocks.saturating_sub(used),
            metadata: extents.iter().map(|entry| entry.metadata.get()).sum(),
            last_used_extent: last.map(|(entry, _)| entry.address()),
            last_used_block: last.map_or(0, |(_, block)| block),
            ..Self::default()
        }
    }
}

impl Segment {
    /// The use of the segment's blocks, from its header, freelists and bitmaps.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn space_usage(&self, s: &Worker) -> Result<SpaceUsage> {
        self.space.usage(self, s)
    }
}
