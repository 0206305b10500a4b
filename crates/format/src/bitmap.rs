//! The three levels of bitmap blocks of a segment with automatic space management.
//!
//! ```text
//! segment header -> L2 blocks (16 in the header, more through L3 blocks) -> L1 blocks -> data blocks
//!
//! L1, type 0x20                     L2, type 0x21                       L3, type 0x22
//!     20  FirstLevel   (80)             20  Upper (24)                      20  Upper (24)
//!    100  64 ranges of 8                44  entries of 8: L1, states        44  entries of 4: L2
//!    612  1,024 states of 4 bits
//! ```
//!
//! States are hints: the data block itself decides whether a row fits. An L1's entry in its L2 holds a mask of the
//! states in it.

use common::limits::BLOCKS_PER_FILE_MAX;
use common::{BlockAddress, ObjectNumber};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::{self, BlockType, HEADER_BYTES, TAIL_BYTES};
use crate::view;

/// Fullness of a block, in the 4 bits of a first-level bitmap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum BlockState {
    Unformatted = 0,
    /// Less than PCTFREE is free, or a row was refused.
    Full = 1,
    /// 0 to 25 % free.
    Free25 = 2,
    Free50 = 3,
    Free75 = 4,
    Free100 = 5,
    /// A bitmap block or the segment header itself.
    Metadata = 15,
}

impl BlockState {
    /// Every state that a data block can have.
    pub const DATA: [Self; 6] =
        [Self::Unformatted, Self::Full, Self::Free25, Self::Free50, Self::Free75, Self::Free100];

    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Unformatted,
            1 => Self::Full,
            2 => Self::Free25,
            3 => Self::Free50,
            4 => Self::Free75,
            5 => Self::Free100,
            15 => Self::Metadata,
            _ => return None,
        })
    }

    /// The state of a block with `free` bytes free of `block_bytes`, of which PCTFREE percent are kept back.
    #[must_use]
    pub fn of(free: usize, block_bytes: usize, pctfree: u8) -> Self {
        if free * 100 < block_bytes * usize::from(pctfree) {
            return Self::Full;
        }
        match free * 4 / block_bytes {
            0 => Self::Free25,
            1 => Self::Free50,
            2 => Self::Free75,
            _ => Self::Free100,
        }
    }

    /// Bytes free at the most in a block of this state.
    #[must_use]
    pub fn free_most(self, block_bytes: usize) -> usize {
        match self {
            Self::Free25 => block_bytes / 4,
            Self::Free50 => block_bytes / 2,
            Self::Free75 => block_bytes / 4 * 3,
            Self::Free100 => block_bytes,
            Self::Unformatted | Self::Full | Self::Metadata => 0,
        }
    }

    /// The state's bit in an L2 entry's mask.
    #[must_use]
    pub fn bit(self) -> u8 {
        if self == Self::Metadata { 0 } else { 1 << (self as u8) }
    }
}

/// Most blocks that one L1 can cover.
pub const COVERED_MAX: usize = 1024;
/// Most ranges (extents or parts of extents) in one L1.
pub const RANGES_MAX: usize = 64;

const RANGES_OFFSET: usize = HEADER_BYTES + size_of::<FirstLevel>();
const STATES_OFFSET: usize = RANGES_OFFSET + RANGES_MAX * size_of::<Range>();

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct FirstLevel {
    pub object: U32,
    /// The L2 that lists this block, and the slot in it.
    pub parent: U32,
    pub parent_slot: U32,
    pub ranges: U16,
    /// Blocks covered so far.
    pub covered: U16,
    /// Blocks to cover at the most.
    pub limit: U16,
    /// Instance that owns the block; 1 in a single instance.
    pub instance: U16,
    /// Blocks by state code.
    pub counts: [U16; 16],
    pub spare: [u8; 28],
}

const _: () = assert!(size_of::<FirstLevel>() == 80);
const _: () = assert!(STATES_OFFSET + COVERED_MAX / 2 + TAIL_BYTES <= 2048);

/// A run of covered blocks.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Range {
    pub start: U32,
    pub blocks: U16,
    /// Index of the run's first block among the states.
    pub offset: U16,
}

impl Range {
    #[must_use]
    pub fn address(&self) -> BlockAddress {
        BlockAddress::unpack(self.start.get())
    }
}

pub fn init_first_level(block: &mut [u8], address: BlockAddress, object: ObjectNumber, limit: usize) {
    block::format(block, BlockType::FirstLevelBitmap, address);
    let header = first_level_mut(block);
    header.object = object.0.into();
    header.limit = (limit.min(COVERED_MAX) as u16).into();
    header.instance = 1.into();
}

#[must_use]
pub fn first_level(block: &[u8]) -> &FirstLevel {
    view::at(block, HEADER_BYTES)
}

#[must_use]
pub fn first_level_mut(block: &mut [u8]) -> &mut FirstLevel {
    view::at_mut(block, HEADER_BYTES)
}

#[must_use]
pub fn range(block: &[u8], n: usize) -> &Range {
    view::at(block, RANGES_OFFSET + n * size_of::<Range>())
}

/// The covered runs in order.
pub fn ranges(block: &[u8]) -> impl Iterator<Item = &Range> {
    (0..usize::from(first_level(block).ranges.get()).min(RANGES_MAX)).map(move |n| range(block, n))
}

/// Adds a run of blocks, all in `state`. False when there is no room for it.
pub fn add_range(block: &mut [u8], start: BlockAddress, blocks: u32, state: BlockState) -> bool {
    let (ranges, covered, limit) = {
        let header = first_level(block);
        (usize::from(header.ranges.get()), usize::from(header.covered.get()), usize::from(header.limit.get()))
    };
    if ranges >= RANGES_MAX || covered + blocks as usize > limit {
        return false;
    }
    *view::at_mut::<Range>(block, RANGES_OFFSET + ranges * size_of::<Range>()) =
        Range { start: start.pack().into(), blocks: (blocks as u16).into(), offset: (covered as u16).into() };
    for index in covered..covered + blocks as usize {
        put_nibble(block, index, state as u8);
    }
    let header = first_level_mut(block);
    header.ranges = ((ranges + 1) as u16).into();
    header.covered = ((covered + blocks as usize) as u16).into();
    let count = &mut header.counts[state as usize];
    *count = (count.get() + blocks as u16).into();
    true
}

/// Removes the run that was added last. False, and nothing changed, when it is another.
pub fn remove_last_range(block: &mut [u8], start: BlockAddress, blocks: u32) -> bool {
    let Some(last) = usize::from(first_level(block).ranges.get()).checked_sub(1) else { return false };
    let run = *range(block, last);
    let from = usize::from(run.offset.get());
    if run.start.get() != start.pack() || u32::from(run.blocks.get()) != blocks {
        return false;
    }
    let mut left = first_level(block).counts;
    for index in from..from + blocks as usize {
        let count = &mut left[state(block, index) as usize];
        *count = count.get().saturating_sub(1).into();
        put_nibble(block, index, 0);
    }
    *view::at_mut::<Range>(block, RANGES_OFFSET + last * size_of::<Range>()) =
        Range { start: 0.into(), blocks: 0.into(), offset: 0.into() };
    let header = first_level_mut(block);
    header.counts = left;
    header.ranges = (last as u16).into();
    header.covered = (from as u16).into();
    true
}

fn put_nibble(block: &mut [u8], index: usize, code: u8) {
    let byte = &mut block[STATES_OFFSET + index / 2];
    *byte = if index.is_multiple_of(2) { (*byte & 0xf0) | code } else { (*byte & 0x0f) | (code << 4) };
}

/// State of covered block `index`. An unknown code reads as full: no row is ever put there.
#[must_use]
pub fn state(block: &[u8], index: usize) -> BlockState {
    let byte = block[STATES_OFFSET + index / 2];
    let code = if index.is_multiple_of(2) { byte & 0x0f } else { byte >> 4 };
    BlockState::from_code(code).unwrap_or(BlockState::Full)
}

/// Sets the state of covered block `index`; returns the old one.
pub fn set_state(block: &mut [u8], index: usize, new: BlockState) -> BlockState {
    let old = state(block, index);
    if old != new {
        put_nibble(block, index, new as u8);
        let counts = &mut first_level_mut(block).counts;
        counts[old as usize] = counts[old as usize].get().saturating_sub(1).into();
        counts[new as usize] = (counts[new as usize].get() + 1).into();
    }
    old
}

/// The index of a data block among the states, if this L1 covers it.
#[must_use]
pub fn index_of(block: &[u8], address: BlockAddress) -> Option<usize> {
    ranges(block).find_map(|range| {
        let start = range.address();
        (start.file == address.file
            && address.block >= start.block
            && address.block < start.block + u32::from(range.blocks.get()))
        .then(|| usize::from(range.offset.get()) + (address.block - start.block) as usize)
    })
}

/// The address of covered block `index`.
#[must_use]
pub fn address_of(block: &[u8], index: usize) -> Option<BlockAddress> {
    ranges(block).find_map(|range| {
        let offset = usize::from(range.offset.get());
        (index >= offset && index < offset + usize::from(range.blocks.get()))
            .then(|| range.address().plus((index - offset) as u32))
    })
}

/// Checks an L1's own figures: runs one after another, within the limit, counts as the states say.
///
/// # Errors
/// The fault, in words.
pub fn validate_first_level(block: &[u8]) -> Result<(), String> {
    let header = first_level(block);
    let (count, covered) = (usize::from(header.ranges.get()), usize::from(header.covered.get()));
    if count > RANGES_MAX || covered > COVERED_MAX || header.covered.get() > header.limit.get() {
        return Err(format!("{count} ranges, {covered} of {} blocks covered", header.limit.get()));
    }
    let mut next = 0;
    for range in ranges(block) {
        let start = range.address();
        let blocks = u32::from(range.blocks.get());
        if usize::from(range.offset.get()) != next || start.is_none() || start.block + blocks > BLOCKS_PER_FILE_MAX {
            return Err(format!("range at {start} of {blocks} blocks does not begin at offset {next}"));
        }
        next += blocks as usize;
    }
    if next != covered {
        return Err(format!("the ranges hold {next} blocks, not {covered}"));
    }
    let mut counts = [0u16; 16];
    for index in 0..covered {
        counts[state(block, index) as usize] += 1;
    }
    for (code, found) in counts.into_iter().enumerate() {
        let said = header.counts[code].get();
        if said != found {
            return Err(format!("{found} blocks are in state {code}, the header says {said}"));
        }
    }
    Ok(())
}

/// The mask of the states in an L1, for its entry in its L2.
#[must_use]
pub fn state_mask(block: &[u8]) -> u8 {
    let counts = &first_level(block).counts;
    BlockState::DATA.into_iter().filter(|s| counts[*s as usize].get() > 0).fold(0, |mask, s| mask | s.bit())
}

/// Head of an L2 or L3 block; its entries follow.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct Upper {
    pub object: U32,
    /// An L2's parent: the segment header or an L3.
    pub parent: U32,
    pub entries: U32,
    /// The next L3 (L3 only).
    pub next: U32,
    pub spare: [u8; 8],
}

const ENTRIES_OFFSET: usize = HEADER_BYTES + size_of::<Upper>();

/// An L2's entry for one L1.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct SecondLevelEntry {
    pub first_level: U32,
    /// Bits of [`BlockState::bit`]; zero also while the L1 is above the high high-water mark.
    pub states: u8,
    pub instance: u8,
    pub spare: U16,
}

const _: () = assert!(size_of::<SecondLevelEntry>() == 8);

pub fn init_upper(
    block: &mut [u8],
    kind: BlockType,
    address: BlockAddress,
    object: ObjectNumber,
    parent: BlockAddress,
) {
    block::format(block, kind, address);
    let header = upper_mut(block);
    header.object = object.0.into();
    header.parent = parent.pack().into();
}

#[must_use]
pub fn upper(block: &[u8]) -> &Upper {
    view::at(block, HEADER_BYTES)
}

#[must_use]
pub fn upper_mut(block: &mut [u8]) -> &mut Upper {
    view::at_mut(block, HEADER_BYTES)
}

/// L1 entries of one L2 block.
#[must_use]
pub fn second_level_capacity(block_bytes: usize) -> usize {
    (block_bytes - TAIL_BYTES - ENTRIES_OFFSET) / size_of::<SecondLevelEntry>()
}

#[must_use]
pub fn second_level_entry(block: &[u8], slot: usize) -> &SecondLevelEntry {
    view::at(block, ENTRIES_OFFSET + slot * size_of::<SecondLevelEntry>())
}

#[must_use]
pub fn second_level_entry_mut(block: &mut [u8], slot: usize) -> &mut SecondLevelEntry {
    view::at_mut(block, ENTRIES_OFFSET + slot * size_of::<SecondLevelEntry>())
}

/// Appends an entry to an L2; its slot, or None when the block is full.
pub fn push_second_level(block: &mut [u8], first_level: BlockAddress, states: u8) -> Option<usize> {
    let slot = upper(block).entries.get() as usize;
    if slot >= second_level_capacity(block.len()) {
        return None;
    }
    *second_level_entry_mut(block, slot) =
        SecondLevelEntry { first_level: first_level.pack().into(), states, instance: 1, spare: 0.into() };
    upper_mut(block).entries = ((slot + 1) as u32).into();
    Some(slot)
}

/// L2 addresses of one L3 block.
#[must_use]
pub fn third_level_capacity(block_bytes: usize) -> usize {
    (block_bytes - TAIL_BYTES - ENTRIES_OFFSET) / 4
}

#[must_use]
pub fn third_level_entry(block: &[u8], slot: usize) -> BlockAddress {
    BlockAddress::unpack(view::at::<U32>(block, ENTRIES_OFFSET + 4 * slot).get())
}

/// Appends an L2's address to an L3; false when the block is full.
pub fn push_third_level(block: &mut [u8], second_level: BlockAddress) -> bool {
    let slot = upper(block).entries.get() as usize;
    if slot >= third_level_capacity(block.len()) {
        return false;
    }
    *view::at_mut::<U32>(block, ENTRIES_OFFSET + 4 * slot) = second_level.pack().into();
    upper_mut(block).entries = ((slot + 1) as u32).into();
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::FileNumber;

    #[test]
    fn first_level_tracks_states() {
        let at = |n| BlockAddress::new(FileNumber(2), n);
        let mut block = vec![0; 2048];
        init_first_level(&mut block, at(128), ObjectNumber(7), 16);
        assert!(add_range(&mut block, at(128), 3, BlockState::Metadata));
        assert!(add_range(&mut block, at(131), 5, BlockState::Unformatted));
        assert!(add_range(&mut block, at(200), 8, BlockState::Unformatted));
        assert!(!add_range(&mut block, at(300), 1, BlockState::Unformatted));
        assert_eq!(index_of(&block, at(131)), Some(3));
        assert_eq!(index_of(&block, at(201)), Some(9));
        assert_eq!(index_of(&block, at(136)), None);
        assert_eq!(address_of(&block, 9), Some(at(201)));
        assert_eq!(state_mask(&block), BlockState::Unformatted.bit());
        assert_eq!(set_state(&mut block, 9, BlockState::Free100), BlockState::Unformatted);
        assert_eq!(state(&block, 8), BlockState::Unformatted);
        assert_eq!(state(&block, 9), BlockState::Free100);
        assert_eq!(first_level(&block).counts[0].get(), 12);
        assert_eq!(state_mask(&block), BlockState::Unformatted.bit() | BlockState::Free100.bit());
    }

    #[test]
    fn states_by_quarters_and_pctfree() {
        assert_eq!(BlockState::of(8000, 8192, 10), BlockState::Free100);
        assert_eq!(BlockState::of(4096, 8192, 10), BlockState::Free75);
        assert_eq!(BlockState::of(2047, 8192, 10), BlockState::Free25);
        assert_eq!(BlockState::of(819, 8192, 10), BlockState::Full);
        assert_eq!(BlockState::of(820, 8192, 10), BlockState::Free25);
    }
}
