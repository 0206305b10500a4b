//! The transaction header of table and index blocks: the owner of the block, the transactions that change it, and its
//! place on a freelist.
//!
//! ```text
//! offset size  field
//!     20    1  type          1 table, 2 index
//!     21    1  flags         ON_FREELIST, ASSM
//!     22    2  spare         zero
//!     24    4  object        data object number; it changes on TRUNCATE
//!     28    6  cleanout SCN
//!     34    1  ITL slots     0 to 255
//!     35    1  freelist slot ITL slot of the transaction whose freelist the block was put on; stays when that list is
//!                            merged into another
//!     36    4  next          next block on the freelist (manual); zero otherwise
//!     40    4  bitmap        the first-level bitmap block that covers this block (automatic); zero otherwise
//!     44  24n  ITL slots
//!   then    8  spare         blocks of automatic segments only
//! ```
//!
//! The body (rows, entries) starts at [`body_offset`]. [`crate::itl`] has the content of an ITL slot.

use common::{BlockAddress, ObjectNumber, Scn};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::HEADER_BYTES;
pub use crate::itl::Itl;

/// Offset of the first ITL slot.
pub const ITL_OFFSET: usize = HEADER_BYTES + size_of::<TransactionHeader>();
/// Bytes of an ITL slot.
pub const ITL_BYTES: usize = size_of::<Itl>();
/// Extra bytes in blocks of segments with automatic space management.
pub const ASSM_BYTES: usize = 8;

pub const ON_FREELIST: u8 = 0x01;
pub const ASSM: u8 = 0x02;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Owner {
    Table = 1,
    Index = 2,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct TransactionHeader {
    pub owner: u8,
    pub flags: u8,
    pub spare: U16,
    pub object: U32,
    pub cleanout_scn: [u8; 6],
    pub itl_count: u8,
    pub freelist_slot: u8,
    pub next: U32,
    pub bitmap: U32,
}

const _: () = assert!(size_of::<TransactionHeader>() == 24);

/// Parameters for formatting an empty table or index block.
#[derive(Clone, Copy, Debug)]
pub struct BlockOwner {
    pub owner: Owner,
    pub object: ObjectNumber,
    pub itl_slots: u8,
    /// The covering first-level bitmap block; None under manual space management.
    pub bitmap: Option<BlockAddress>,
}

#[must_use]
pub fn header(block: &[u8]) -> &TransactionHeader {
    TransactionHeader::ref_from_prefix(&block[HEADER_BYTES..])
        .map_or_else(|_| unreachable!("a block is longer than its headers"), |(h, _)| h)
}

#[must_use]
pub fn header_mut(block: &mut [u8]) -> &mut TransactionHeader {
    TransactionHeader::mut_from_prefix(&mut block[HEADER_BYTES..])
        .map_or_else(|_| unreachable!("a block is longer than its headers"), |(h, _)| h)
}

/// Writes the transaction header of an empty block, which must have its block header already.
pub fn init(block: &mut [u8], owner: BlockOwner) {
    let header = header_mut(block);
    header.owner = owner.owner as u8;
    header.object = owner.object.0.into();
    header.itl_count = owner.itl_slots;
    if let Some(bitmap) = owner.bitmap {
        header.flags |= ASSM;
        header.bitmap = bitmap.pack().into();
    }
}

/// Where the body starts: behind the ITL slots, and 8 bytes further in automatic segments.
#[must_use]
pub fn body_offset(block: &[u8]) -> usize {
    let header = header(block);
    let extra = if header.flags & ASSM != 0 { ASSM_BYTES } else { 0 };
    ITL_OFFSET + ITL_BYTES * usize::from(header.itl_count) + extra
}

impl TransactionHeader {
    #[must_use]
    pub fn next_free(&self) -> BlockAddress {
        BlockAddress::unpack(self.next.get())
    }

    #[must_use]
    pub fn bitmap_block(&self) -> BlockAddress {
        BlockAddress::unpack(self.bitmap.get())
    }

    #[must_use]
    pub fn on_freelist(&self) -> bool {
        self.flags & ON_FREELIST != 0
    }

    #[must_use]
    pub fn object_number(&self) -> ObjectNumber {
        ObjectNumber(self.object.get())
    }

    #[must_use]
    pub fn cleanout(&self) -> Scn {
        let mut bytes = [0; 8];
        bytes[..6].copy_from_slice(&self.cleanout_scn);
        Scn(u64::from_le_bytes(bytes))
    }

    /// The block has been cleaned of transactions up to this SCN; it never goes back.
    pub fn raise_cleanout(&mut self, scn: Scn) {
        if scn > self.cleanout() {
            self.cleanout_scn.copy_from_slice(&scn.0.to_le_bytes()[..6]);
        }
    }

    /// Puts the block on the freelist of a transaction, that of ITL slot `itl`, in front of `next`.
    pub fn set_transaction_freelist(&mut self, itl: u8, next: BlockAddress) {
        self.set_freelist(true, next);
        self.freelist_slot = itl;
    }

    /// Puts the block on a freelist in front of `next`, or removes it with `on` false.
    pub fn set_freelist(&mut self, on: bool, next: BlockAddress) {
        self.freelist_slot = 0;
        if on {
            self.flags |= ON_FREELIST;
            self.next = next.pack().into();
        } else {
            self.flags &= !ON_FREELIST;
            self.next = 0.into();
        }
    }
}
