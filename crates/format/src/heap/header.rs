//! The data header and the two directories.
//!
//! ```text
//! offset size  field          (from the body offset B)
//!      0    1  flags          zero
//!      1    1  tables         1
//!      2    2  slots          entries of the row directory, free ones included
//!      4    2  first free     first free slot, 0x7fff for none
//!      6    2  begin          offset of the free space: the end of the row directory
//!      8    2  end            offset of the lowest row piece
//!     10    2  available      free bytes, holes between row pieces included
//!     12    2  total          free bytes once all transactions have ended; as `available` until there are transactions
//!     14    2  first slot     table directory: first slot of the table, zero
//!     16    2  slots          table directory: slots of the table
//!     18   2n  row directory  block offset of a row piece, or 0x8000 + next free slot
//! ```

use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::transaction::body_offset;

/// Bytes of the data header.
pub const DATA_HEADER_BYTES: usize = 14;
/// Bytes of the table directory of a block with one table.
pub const TABLE_DIRECTORY_BYTES: usize = 4;
/// Bytes of a row directory entry.
pub const SLOT_BYTES: usize = 2;
/// Set in a row directory entry that holds no row; the other 15 bits are the next free slot.
pub(crate) const FREE_SLOT: u16 = 0x8000;
/// The end of the chain of free slots.
pub(crate) const NO_SLOT: u16 = 0x7fff;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct DataHeader {
    pub flags: u8,
    pub tables: u8,
    pub slots: U16,
    pub first_free: U16,
    pub begin: U16,
    pub end: U16,
    pub available: U16,
    pub total: U16,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct TableEntry {
    pub(crate) first_slot: U16,
    pub(crate) slots: U16,
}

const _: () = assert!(size_of::<DataHeader>() == DATA_HEADER_BYTES);
const _: () = assert!(size_of::<TableEntry>() == TABLE_DIRECTORY_BYTES);
const _: () = assert!(size_of::<U16>() == SLOT_BYTES);
const _: () = assert!(std::mem::offset_of!(DataHeader, begin) == 6 && std::mem::offset_of!(DataHeader, total) == 12);
// Offsets fit beside the free mark, and slot numbers beside the end mark.
const _: () = assert!(common::BlockSize::K32.bytes() <= FREE_SLOT as usize);
const _: () = assert!(common::limits::ROWS_PER_BLOCK_MAX < NO_SLOT as usize);

/// Offset of the first row directory entry.
pub(crate) fn directory_offset(block: &[u8]) -> usize {
    body_offset(block) + DATA_HEADER_BYTES + TABLE_DIRECTORY_BYTES
}

pub(crate) fn header(block: &[u8]) -> &DataHeader {
    DataHeader::ref_from_prefix(&block[body_offset(block)..])
        .map_or_else(|_| unreachable!("a block is longer than its headers"), |(h, _)| h)
}

pub(crate) fn header_mut(block: &mut [u8]) -> &mut DataHeader {
    let at = body_offset(block);
    DataHeader::mut_from_prefix(&mut block[at..])
        .map_or_else(|_| unreachable!("a block is longer than its headers"), |(h, _)| h)
}

/// True: the headers and the row directory lie within the block. All other functions rely on that.
#[must_use]
pub fn is_within(block: &[u8]) -> bool {
    let directory = directory_offset(block);
    directory <= block.len() && directory + SLOT_BYTES * usize::from(slot_count(block)) <= block.len()
}

pub(crate) fn table_entry(block: &[u8]) -> &TableEntry {
    TableEntry::ref_from_prefix(&block[body_offset(block) + DATA_HEADER_BYTES..])
        .map_or_else(|_| unreachable!("a block is longer than its headers"), |(h, _)| h)
}

pub(crate) fn set_table_slots(block: &mut [u8], slots: u16) {
    let at = body_offset(block) + DATA_HEADER_BYTES + 2;
    block[at..at + 2].copy_from_slice(&slots.to_le_bytes());
}

/// Entries of the row directory, free ones included.
#[must_use]
pub fn slot_count(block: &[u8]) -> u16 {
    header(block).slots.get()
}

/// The row directory.
pub(crate) fn directory(block: &[u8]) -> &[U16] {
    let at = directory_offset(block);
    let bytes = &block[at..at + SLOT_BYTES * usize::from(slot_count(block))];
    <[U16]>::ref_from_bytes(bytes).unwrap_or_else(|_| unreachable!("an even number of bytes"))
}

pub(crate) fn entry(block: &[u8], slot: u16) -> Option<u16> {
    directory(block).get(usize::from(slot)).map(|entry| entry.get())
}

pub(crate) fn set_entry(block: &mut [u8], slot: u16, value: u16) {
    let at = directory_offset(block) + SLOT_BYTES * usize::from(slot);
    block[at..at + SLOT_BYTES].copy_from_slice(&value.to_le_bytes());
}
