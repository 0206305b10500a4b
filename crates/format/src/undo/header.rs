//! The header block of an undo segment: its extents, the times of their last commits, and its transactions.
//!
//! ```text
//! offset  field
//!     20  SegmentHeader (128 bytes): extent control, transaction control, free block pool
//!    148  transaction table: Slot of 48 bytes each, 34 in an 8 KB block
//!      …  extents: Extent of 24 bytes each, in no order but that of the ring
//! ```
//!
//! Free slots form a chain, the one that ended longest ago first; a new transaction takes the first.

use common::limits::BLOCKS_PER_FILE_MAX;
use common::{BlockAddress, BlockSize, Scn, Xid};
use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::{self, BlockType, HEADER_BYTES, TAIL_BYTES};
use crate::redo::Reach;
use crate::view;

/// Blocks in the free block pool.
pub const POOL_ENTRIES: usize = 5;
/// State of a slot that no transaction has.
pub const INACTIVE: u8 = 9;
/// State of a slot whose transaction is under way.
pub const ACTIVE: u8 = 10;
/// Flag of a slot whose transaction was rolled back.
pub const ROLLED_BACK: u8 = 0x04;
/// No slot: the end of the chain of free slots.
pub const NO_SLOT: u16 = u16::MAX;

/// A partly filled undo block whose transaction has ended.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct PooledBlock {
    /// None: the entry is empty.
    pub block: U32,
    pub life: U16,
    /// Bytes for a record and its directory entry.
    pub room: U16,
    pub records: u8,
    pub spare: [u8; 3],
}

/// A block with less than a tenth of it free is not worth keeping, nor one with so many records.
const POOL_ROOM_PARTS: usize = 10;
const POOL_RECORDS_MAX: u8 = 240;

impl PooledBlock {
    /// No block.
    pub const EMPTY: Self = Self { block: U32::ZERO, life: U16::ZERO, room: U16::ZERO, records: 0, spare: [0; 3] };

    #[must_use]
    pub fn new(block: BlockAddress, life: u16, room: usize, records: u8) -> Self {
        Self { block: block.pack().into(), life: life.into(), room: (room as u16).into(), records, ..Self::EMPTY }
    }
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct SegmentHeader {
    /// Undo segment number.
    pub segment: U16,
    pub slots: U16,
    pub tablespace: U32,
    /// Header of the tablespace's next undo segment.
    pub next_segment: U32,
    pub extents: U32,
    /// Blocks of all extents.
    pub blocks: U32,
    /// Extent from which blocks are taken, and the number of its blocks taken.
    pub current_extent: U32,
    pub current_block: U32,
    /// Life number of blocks taken now.
    pub life: U16,
    /// First and last free slot: the transactions that ended longest ago and last.
    pub first_free: U16,
    pub last_free: U16,
    pub spare: U16,
    /// Upper bound of the commit SCNs of transactions whose slots were reused.
    pub recycled_scn: U64,
    pub pool: [PooledBlock; POOL_ENTRIES],
    pub tail_spare: [u8; 24],
}

pub(super) const SEGMENT_HEADER_BYTES: usize = 128;
const _: () = assert!(size_of::<SegmentHeader>() == SEGMENT_HEADER_BYTES);
const SLOTS_OFFSET: usize = HEADER_BYTES + SEGMENT_HEADER_BYTES;

/// A slot of the transaction table.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct Slot {
    pub state: u8,
    pub flags: u8,
    /// Next free slot.
    pub next: U16,
    pub sequence: U32,
    /// Commit SCN of the transaction; 0 while it is active.
    pub scn: U64,
    /// Commit SCN of the transaction that had the slot before.
    pub previous_scn: U64,
    /// The block for the transaction's records; it has the newest record.
    pub current: U32,
    /// The last block that the transaction took; each names the one taken before it.
    pub newest: U32,
    pub used_blocks: U32,
    /// As of the last time that a block was taken, or of the end.
    pub used_records: U32,
    /// Seconds since 1970: when the transaction began, and when it ended.
    pub begun_s: U32,
    pub ended_s: U32,
}

const SLOT_BYTES: usize = 48;
const _: () = assert!(size_of::<Slot>() == SLOT_BYTES);

impl Slot {
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.state == ACTIVE
    }

    #[must_use]
    pub fn current_block(&self) -> BlockAddress {
        BlockAddress::unpack(self.current.get())
    }

    #[must_use]
    pub fn newest_block(&self) -> BlockAddress {
        BlockAddress::unpack(self.newest.get())
    }

    /// The transaction that has slot `number` of `segment`, or had it last.
    #[must_use]
    pub fn xid(&self, segment: u16, number: u16) -> Xid {
        Xid { segment, slot: number, sequence: self.sequence.get() }
    }
}

/// An extent of the segment.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Extent {
    pub start: U32,
    pub blocks: U32,
    /// Last end of a transaction with undo in it, seconds since 1970; 0: none since the extent was put to this use.
    pub committed_s: U32,
    pub spare: U32,
    /// The highest commit SCN of transactions with undo in it.
    pub scn: U64,
}

const EXTENT_BYTES: usize = 24;
const _: () = assert!(size_of::<Extent>() == EXTENT_BYTES);

impl Extent {
    #[must_use]
    pub fn new(start: BlockAddress, blocks: u32) -> Self {
        Self {
            start: start.pack().into(),
            blocks: blocks.into(),
            committed_s: 0.into(),
            spare: 0.into(),
            scn: 0.into(),
        }
    }

    #[must_use]
    pub fn address(&self) -> BlockAddress {
        BlockAddress::unpack(self.start.get())
    }

    #[must_use]
    pub fn contains(&self, block: BlockAddress) -> bool {
        let start = self.address();
        block.file == start.file && block.block >= start.block && block.block - start.block < self.blocks.get()
    }

    #[must_use]
    pub fn commit_scn(&self) -> Scn {
        Scn(self.scn.get())
    }
}

#[must_use]
pub fn header(bytes: &[u8]) -> &SegmentHeader {
    view::at(bytes, HEADER_BYTES)
}

#[must_use]
pub fn header_mut(bytes: &mut [u8]) -> &mut SegmentHeader {
    view::at_mut(bytes, HEADER_BYTES)
}

/// Slots of a header block by its size.
#[must_use]
pub fn slots_of(block_bytes: usize) -> u16 {
    BlockSize::from_bytes(block_bytes as u64).map_or(0, super::slots)
}

fn extents_offset(block_bytes: usize) -> usize {
    SLOTS_OFFSET + SLOT_BYTES * usize::from(slots_of(block_bytes))
}

/// Extents that a segment can have.
#[must_use]
pub fn extents_max(block_bytes: usize) -> usize {
    (block_bytes - TAIL_BYTES - extents_offset(block_bytes)) / EXTENT_BYTES
}

/// Formats the header of a segment without extents, every slot free.
pub fn init_header(bytes: &mut [u8], address: BlockAddress, segment: u16, tablespace: u32) {
    block::format(bytes, BlockType::UndoSegmentHeader, address);
    let slots = slots_of(bytes.len());
    let header = header_mut(bytes);
    header.segment = segment.into();
    header.slots = slots.into();
    header.tablespace = tablespace.into();
    header.first_free = 0.into();
    header.last_free = (slots - 1).into();
    header.life = 1.into();
    for number in 0..slots {
        let slot = slot_mut(bytes, number);
        slot.state = INACTIVE;
        slot.next = if number + 1 < slots { number + 1 } else { NO_SLOT }.into();
    }
}

#[must_use]
pub fn slot(bytes: &[u8], number: u16) -> &Slot {
    debug_assert!(number < slots_of(bytes.len()));
    view::at(bytes, SLOTS_OFFSET + SLOT_BYTES * usize::from(number))
}

#[must_use]
pub fn slot_mut(bytes: &mut [u8], number: u16) -> &mut Slot {
    debug_assert!(number < slots_of(bytes.len()));
    view::at_mut(bytes, SLOTS_OFFSET + SLOT_BYTES * usize::from(number))
}

/// The segment's own fields and the slots of these numbers, for a change of nothing else.
#[must_use]
pub fn slots_reach(bytes: &[u8], numbers: &[u16]) -> Option<Reach> {
    let fields = Reach::default().with(bytes.len(), HEADER_BYTES..SLOTS_OFFSET)?;
    numbers.iter().filter(|number| **number != NO_SLOT).try_fold(fields, |reach, number| {
        let start = SLOTS_OFFSET + SLOT_BYTES * usize::from(*number);
        reach.with(bytes.len(), start..start + SLOT_BYTES)
    })
}

/// As [`slots_reach`], and all extents of the segment.
#[must_use]
pub fn slots_and_extents_reach(bytes: &[u8], numbers: &[u16]) -> Option<Reach> {
    let start = extents_offset(bytes.len());
    let end = start + EXTENT_BYTES * header(bytes).extents.get() as usize;
    slots_reach(bytes, numbers)?.with(bytes.len(), start..end)
}

#[must_use]
pub fn extent(bytes: &[u8], ordinal: usize) -> &Extent {
    debug_assert!(ordinal < extents_max(bytes.len()));
    view::at(bytes, extents_offset(bytes.len()) + EXTENT_BYTES * ordinal)
}

#[must_use]
pub fn extent_mut(bytes: &mut [u8], ordinal: usize) -> &mut Extent {
    debug_assert!(ordinal < extents_max(bytes.len()));
    let offset = extents_offset(bytes.len());
    view::at_mut(bytes, offset + EXTENT_BYTES * ordinal)
}

/// Appends an extent and returns its ordinal.
pub fn add_extent(bytes: &mut [u8], entry: Extent) -> usize {
    let ordinal = header(bytes).extents.get() as usize;
    *extent_mut(bytes, ordinal) = entry;
    let header = header_mut(bytes);
    header.extents = (ordinal as u32 + 1).into();
    header.blocks = (header.blocks.get() + entry.blocks.get()).into();
    ordinal
}

/// Removes an extent other than the current one; later ones move up, and its blocks leave the pool.
pub fn remove_extent(bytes: &mut [u8], ordinal: usize) -> Extent {
    let entry = *extent(bytes, ordinal);
    let count = header(bytes).extents.get() as usize;
    for n in ordinal..count - 1 {
        let next = *extent(bytes, n + 1);
        *extent_mut(bytes, n) = next;
    }
    *extent_mut(bytes, count - 1) = Extent::new(BlockAddress::NONE, 0);
    let header = header_mut(bytes);
    debug_assert!(header.current_extent.get() as usize != ordinal);
    header.extents = (count as u32 - 1).into();
    header.blocks = (header.blocks.get() - entry.blocks.get()).into();
    if header.current_extent.get() as usize > ordinal {
        header.current_extent = (header.current_extent.get() - 1).into();
    }
    header.forget_pooled(&entry);
    entry
}

impl SegmentHeader {
    /// Takes the blocks of an extent out of the pool.
    pub fn forget_pooled(&mut self, extent: &Extent) {
        for entry in &mut self.pool {
            if extent.contains(BlockAddress::unpack(entry.block.get())) {
                *entry = PooledBlock::EMPTY;
            }
        }
    }

    /// Keeps a block for another transaction if it has enough room; beyond the pool's size the fullest is dropped.
    pub fn put_pooled(&mut self, block_bytes: usize, block: PooledBlock) {
        if usize::from(block.room.get()) * POOL_ROOM_PARTS < block_bytes || block.records > POOL_RECORDS_MAX {
            return;
        }
        // An empty entry has no room, so it goes first.
        if let Some(least) = self.pool.iter_mut().min_by_key(|entry| entry.room.get())
            && least.room.get() < block.room.get()
        {
            *least = block;
        }
    }

    #[must_use]
    pub fn next_header(&self) -> BlockAddress {
        BlockAddress::unpack(self.next_segment.get())
    }
}

/// Checks that the header is consistent: for every header from a disk.
///
/// # Errors
/// The fault, in words.
pub fn validate_header(bytes: &[u8]) -> Result<(), String> {
    let header = header(bytes);
    let slots = slots_of(bytes.len());
    if header.slots.get() != slots || header.segment.get() == 0 {
        return Err(format!("undo segment {} with {} slots", header.segment.get(), header.slots.get()));
    }
    let extents = header.extents.get() as usize;
    if extents == 0 || extents > extents_max(bytes.len()) || header.current_extent.get() as usize >= extents {
        return Err(format!("extent {} of {extents}", header.current_extent.get()));
    }
    let outside = |extent: &Extent| {
        let start = extent.address();
        start.is_none() || u64::from(start.block) + u64::from(extent.blocks.get()) > u64::from(BLOCKS_PER_FILE_MAX)
    };
    if let Some(n) = (0..extents).find(|n| outside(extent(bytes, *n))) {
        return Err(format!("extent {n} at {}", extent(bytes, n).address()));
    }
    let blocks: u64 = (0..extents).map(|n| u64::from(extent(bytes, n).blocks.get())).sum();
    if blocks != u64::from(header.blocks.get()) {
        return Err(format!("the extents have {blocks} blocks, the header says {}", header.blocks.get()));
    }
    let current = extent(bytes, header.current_extent.get() as usize).blocks.get();
    if header.current_block.get() > current {
        return Err(format!("block {} of an extent of {current}", header.current_block.get()));
    }
    let free = (0..slots).filter(|n| !slot(bytes, *n).is_active()).count();
    let (mut chained, mut last, mut next) = (0, NO_SLOT, header.first_free.get());
    while next != NO_SLOT {
        if next >= slots || slot(bytes, next).is_active() || chained == free {
            return Err(format!("slot {next} is in the chain of free slots"));
        }
        (chained, last, next) = (chained + 1, next, slot(bytes, next).next.get());
    }
    if header.pool.iter().any(|entry| usize::from(entry.room.get()) > super::empty_room(bytes.len())) {
        return Err("a block of the free block pool has more room than a block".to_owned());
    }
    if chained != free || header.last_free.get() != last {
        return Err(format!("{chained} of {free} free slots are in their chain"));
    }
    Ok(())
}
