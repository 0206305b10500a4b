//! Freelist headers: in the segment header, or in a freelist group's own block.
//!
//! A list runs through the data blocks (`transaction::TransactionHeader::next`); this structure holds its head and its
//! tail, so that whole lists are spliced without walking them. Slot 0 is the master list, slots 1 to FREELISTS the
//! process lists (none when FREELISTS is 1), the rest are transaction lists: blocks in which a transaction has freed
//! room, for itself as long as it runs, for all once it has ended.
//!
//! ```text
//! segment header: at segment::VARIANT_OFFSET        group block (type 0x14): at 20 + 16
//! ```

use std::ops::Range;

use common::{BlockAddress, ObjectNumber, Xid};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::{self, BlockType, HEADER_BYTES};
use crate::segment::VARIANT_OFFSET;
use crate::view;

/// One list.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct FreeList {
    /// 0 unused, 1 used.
    pub used: U16,
    pub spare: U16,
    pub head: U32,
    pub tail: U32,
    /// Blocks on the list.
    pub blocks: U32,
    /// The transaction that owns the list: undo segment, slot, sequence. Zero for master and process lists.
    pub undo_segment: U16,
    pub undo_slot: U16,
    pub undo_sequence: U32,
}

pub const FREELIST_BYTES: usize = 24;
const _: () = assert!(size_of::<FreeList>() == FREELIST_BYTES);

/// Transaction lists that every header has room for.
pub const TRANSACTION_LISTS: usize = 16;

/// Most process freelists at a block size.
#[must_use]
pub const fn freelists_max(block_bytes: usize) -> u16 {
    match block_bytes {
        2048 => 24,
        4096 => 50,
        8192 => 101,
        16384 => 204,
        _ => 409,
    }
}

/// List slots in a header: master, process, transaction.
#[must_use]
pub fn slots(block_bytes: usize) -> usize {
    1 + usize::from(freelists_max(block_bytes)) + TRANSACTION_LISTS
}

/// The slots of transaction lists.
#[must_use]
pub fn transaction_slots(block_bytes: usize, freelists: u16) -> Range<usize> {
    let process = if freelists > 1 { usize::from(freelists) } else { 0 };
    1 + process..slots(block_bytes)
}

/// Bytes of the lists.
#[must_use]
pub fn region_bytes(block_bytes: usize) -> usize {
    slots(block_bytes) * FREELIST_BYTES
}

/// Body of a freelist group's block; the lists follow.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct GroupHeader {
    pub object: U32,
    pub group: U32,
    pub freelists: U16,
    pub spare: [u8; 6],
}

const GROUP_LISTS_OFFSET: usize = HEADER_BYTES + size_of::<GroupHeader>();

/// Formats the block of freelist group `group`, counted from 1.
pub fn init_group(block: &mut [u8], address: BlockAddress, object: ObjectNumber, group: u32, freelists: u16) {
    block::format(block, BlockType::FreeListGroup, address);
    let header = view::at_mut::<GroupHeader>(block, HEADER_BYTES);
    header.object = object.0.into();
    header.group = group.into();
    header.freelists = freelists.into();
}

/// The header of a freelist group's block.
#[must_use]
pub fn group_header(block: &[u8]) -> &GroupHeader {
    view::at(block, HEADER_BYTES)
}

fn offset(block: &[u8]) -> usize {
    if block::kind(block) == Some(BlockType::FreeListGroup) { GROUP_LISTS_OFFSET } else { VARIANT_OFFSET }
}

/// List `slot` of a segment header or of a group block.
#[must_use]
pub fn list(block: &[u8], slot: usize) -> &FreeList {
    view::at(block, offset(block) + slot * FREELIST_BYTES)
}

#[must_use]
pub fn list_mut(block: &mut [u8], slot: usize) -> &mut FreeList {
    let at = offset(block) + slot * FREELIST_BYTES;
    view::at_mut(block, at)
}

impl FreeList {
    /// An empty list of a transaction.
    #[must_use]
    pub fn of(owner: Xid) -> Self {
        Self {
            used: 1.into(),
            undo_segment: owner.segment.into(),
            undo_slot: owner.slot.into(),
            undo_sequence: owner.sequence.into(),
            ..Self::UNUSED
        }
    }

    pub const UNUSED: Self = Self {
        used: U16::ZERO,
        spare: U16::ZERO,
        head: U32::ZERO,
        tail: U32::ZERO,
        blocks: U32::ZERO,
        undo_segment: U16::ZERO,
        undo_slot: U16::ZERO,
        undo_sequence: U32::ZERO,
    };

    /// The transaction that has the list; none of master and process lists.
    #[must_use]
    pub fn owner(&self) -> Option<Xid> {
        let xid =
            Xid { segment: self.undo_segment.get(), slot: self.undo_slot.get(), sequence: self.undo_sequence.get() };
        (self.used.get() != 0 && !xid.is_none()).then_some(xid)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.head.get() == 0
    }

    #[must_use]
    pub fn first(&self) -> BlockAddress {
        BlockAddress::unpack(self.head.get())
    }

    #[must_use]
    pub fn last(&self) -> BlockAddress {
        BlockAddress::unpack(self.tail.get())
    }

    /// Prepends a chain of `blocks` blocks; the last one's next pointer must already lead to the old head.
    pub fn push_chain(&mut self, first: BlockAddress, last: BlockAddress, blocks: u32) {
        debug_assert!(
            blocks > 0 && !first.is_none() && !last.is_none(),
            "a chain from {first} to {last} of {blocks} blocks"
        );
        self.used = 1.into();
        self.head = first.pack().into();
        if self.blocks.get() == 0 {
            self.tail = last.pack().into();
        }
        self.blocks = (self.blocks.get() + blocks).into();
    }

    /// Removes the head; `next` is its next pointer.
    pub fn pop(&mut self, next: BlockAddress) {
        debug_assert!(!self.is_empty(), "a block is taken from an empty list: {self:?}");
        self.head = next.pack().into();
        self.blocks = self.blocks.get().saturating_sub(1).into();
        if next.is_none() {
            self.tail = 0.into();
        }
    }
}
