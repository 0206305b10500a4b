//! Segment header: the extents of a segment and its high-water marks.
//!
//! Both kinds of space management have this structure in the segment header; block type 0x10 (manual) or 0x23
//! (automatic) tells which.
//!
//! ```text
//! offset  field
//!     20  SegmentHeader (160 bytes)
//!    180  manual:    freelists (freelist.rs)          automatic: 16 second-level bitmap addresses
//!     …   extent map: ExtentEntry of 16 bytes each; further entries in chained extent map blocks (type 0x12)
//! ```
//!
//! A high-water mark is a position: `extent` is an ordinal, `block` counts blocks of that extent below the mark,
//! `blocks` counts blocks of the segment below it. Both marks never go back but for TRUNCATE.

use common::{BlockAddress, ObjectNumber};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::{self, BlockType, HEADER_BYTES, TAIL_BYTES};
use crate::freelist;
use crate::transaction::Owner;
use crate::view;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct HighWaterMark {
    pub extent: U32,
    pub block: U32,
    pub blocks: U32,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct SegmentHeader {
    /// Data object number.
    pub object: U32,
    pub owner: u8,
    pub flags: u8,
    pub spare: U16,
    pub extents: U32,
    /// Blocks of all extents.
    pub blocks: U32,
    pub map_blocks: U32,
    pub first_map: U32,
    pub last_map: U32,
    /// Nothing above is formatted. The only mark of a manual segment; the high one of an automatic segment.
    pub high: HighWaterMark,
    /// Everything below is formatted (automatic segments).
    pub low: HighWaterMark,
    pub freelists: U16,
    pub freelist_groups: U16,
    pub first_level_blocks: U32,
    pub second_level_blocks: U32,
    pub third_level_blocks: U32,
    /// Second-level block in which an insert starts to search.
    pub second_level_hint: U32,
    pub last_first_level: U32,
    pub last_second_level: U32,
    pub first_third_level: U32,
    pub last_third_level: U32,
    pub tail_spare: [u8; 72],
}

pub const SEGMENT_HEADER_BYTES: usize = 160;
const _: () = assert!(size_of::<SegmentHeader>() == SEGMENT_HEADER_BYTES);
/// Where the part that depends on the kind of space management starts.
pub const VARIANT_OFFSET: usize = HEADER_BYTES + SEGMENT_HEADER_BYTES;
/// Second-level bitmap blocks listed in the header itself; more need third-level blocks.
pub const SECOND_LEVEL_INLINE: usize = 16;

/// One extent of the segment.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ExtentEntry {
    pub start: U32,
    pub blocks: U32,
    /// First-level bitmap block that covers the extent's first block (automatic segments).
    pub first_level: U32,
    /// Leading blocks of the extent that hold metadata.
    pub metadata: U32,
}

pub const EXTENT_ENTRY_BYTES: usize = 16;
const _: () = assert!(size_of::<ExtentEntry>() == EXTENT_ENTRY_BYTES);

impl ExtentEntry {
    #[must_use]
    pub fn address(&self) -> BlockAddress {
        BlockAddress::unpack(self.start.get())
    }
}

#[must_use]
pub fn header(block: &[u8]) -> &SegmentHeader {
    view::at(block, HEADER_BYTES)
}

#[must_use]
pub fn header_mut(block: &mut [u8]) -> &mut SegmentHeader {
    view::at_mut(block, HEADER_BYTES)
}

/// Formats a segment header without extents.
pub fn init(block: &mut [u8], automatic: bool, address: BlockAddress, object: ObjectNumber, owner: Owner) {
    block::format(block, if automatic { BlockType::PagetableSegmentHeader } else { BlockType::SegmentHeader }, address);
    let header = header_mut(block);
    header.object = object.0.into();
    header.owner = owner as u8;
}

fn is_automatic(block: &[u8]) -> bool {
    block::kind(block) == Some(BlockType::PagetableSegmentHeader)
}

fn map_offset(block: &[u8]) -> usize {
    if is_automatic(block) {
        VARIANT_OFFSET + 4 * SECOND_LEVEL_INLINE
    } else {
        VARIANT_OFFSET + freelist::region_bytes(block.len())
    }
}

/// Extent entries that fit into the header itself.
#[must_use]
pub fn extents_inline(block: &[u8]) -> usize {
    (block.len() - TAIL_BYTES - map_offset(block)) / EXTENT_ENTRY_BYTES
}

/// Entry `ordinal` of the header's own part of the map.
#[must_use]
pub fn extent(block: &[u8], ordinal: usize) -> &ExtentEntry {
    debug_assert!(ordinal < extents_inline(block));
    view::at(block, map_offset(block) + ordinal * EXTENT_ENTRY_BYTES)
}

#[must_use]
pub fn extent_mut(block: &mut [u8], ordinal: usize) -> &mut ExtentEntry {
    debug_assert!(ordinal < extents_inline(block));
    view::at_mut(block, map_offset(block) + ordinal * EXTENT_ENTRY_BYTES)
}

/// The second-level bitmap addresses in an automatic segment's header.
#[must_use]
pub fn second_level(block: &[u8], n: usize) -> BlockAddress {
    BlockAddress::unpack(view::at::<U32>(block, VARIANT_OFFSET + 4 * n).get())
}

pub fn set_second_level(block: &mut [u8], n: usize, address: BlockAddress) {
    *view::at_mut::<U32>(block, VARIANT_OFFSET + 4 * n) = address.pack().into();
}

/// Body of a chained extent map block; its entries follow.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct MapHeader {
    pub object: U32,
    pub next: U32,
    pub entries: U32,
    /// Ordinal of the first entry.
    pub first: U32,
}

const MAP_ENTRIES_OFFSET: usize = HEADER_BYTES + size_of::<MapHeader>();

/// Entries of one extent map block.
#[must_use]
pub fn extents_per_map(block_bytes: usize) -> usize {
    (block_bytes - TAIL_BYTES - MAP_ENTRIES_OFFSET) / EXTENT_ENTRY_BYTES
}

pub fn init_map(block: &mut [u8], address: BlockAddress, object: ObjectNumber, first: u32) {
    block::format(block, BlockType::ExtentMap, address);
    let header = map_header_mut(block);
    header.object = object.0.into();
    header.first = first.into();
}

#[must_use]
pub fn map_header(block: &[u8]) -> &MapHeader {
    view::at(block, HEADER_BYTES)
}

#[must_use]
pub fn map_header_mut(block: &mut [u8]) -> &mut MapHeader {
    view::at_mut(block, HEADER_BYTES)
}

#[must_use]
pub fn map_extent(block: &[u8], n: usize) -> &ExtentEntry {
    view::at(block, MAP_ENTRIES_OFFSET + n * EXTENT_ENTRY_BYTES)
}

#[must_use]
pub fn map_extent_mut(block: &mut [u8], n: usize) -> &mut ExtentEntry {
    view::at_mut(block, MAP_ENTRIES_OFFSET + n * EXTENT_ENTRY_BYTES)
}
