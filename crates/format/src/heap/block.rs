//! Putting rows into a block, changing and removing them, and how much room there is.

use common::limits::{LEAST_ROW_BYTES, ROWS_PER_BLOCK_MAX};

use super::header::{
    self, DATA_HEADER_BYTES, FREE_SLOT, NO_SLOT, SLOT_BYTES, TABLE_DIRECTORY_BYTES, directory_offset, header,
    header_mut,
};
use super::itl;
use super::row::{self, RowBuffer};
use crate::block::TAIL_BYTES;
use crate::transaction::{self, ASSM_BYTES, BlockOwner, ITL_BYTES, ITL_OFFSET};

/// Makes a formatted block an empty heap block: transaction header, data header, table directory.
pub fn init(block: &mut [u8], owner: BlockOwner) {
    transaction::init(block, owner);
    let begin = directory_offset(block);
    let end = block.len() - TAIL_BYTES;
    let header = header_mut(block);
    header.flags = 0;
    header.tables = 1;
    header.slots = 0.into();
    header.first_free = NO_SLOT.into();
    header.begin = (begin as u16).into();
    header.end = (end as u16).into();
    header.available = ((end - begin) as u16).into();
    header.total = header.available;
    header::set_table_slots(block, 0);
}

/// The largest row piece that fits an empty block, its directory entry taken off.
#[must_use]
pub const fn capacity(block_bytes: usize, itl_slots: u8, assm: bool) -> usize {
    let extra = if assm { ASSM_BYTES } else { 0 };
    let headers = ITL_OFFSET + ITL_BYTES * itl_slots as usize + extra + DATA_HEADER_BYTES + TABLE_DIRECTORY_BYTES;
    block_bytes - headers - SLOT_BYTES - TAIL_BYTES
}

/// Free bytes, holes between rows included.
#[must_use]
pub fn free_bytes(block: &[u8]) -> usize {
    usize::from(header(block).available.get())
}

/// What of the block is not free, headers included, in whole percent of the block size: what PCTUSED is compared with.
#[must_use]
pub fn used_percent(block: &[u8]) -> usize {
    (block.len() - free_bytes(block)) * 100 / block.len()
}

/// No row piece in the block?
#[must_use]
pub fn is_empty(block: &[u8]) -> bool {
    let header = header(block);
    usize::from(header.available.get()) == block.len() - TAIL_BYTES - usize::from(header.begin.get())
}

/// Row pieces in the block.
#[must_use]
pub fn row_count(block: &[u8]) -> usize {
    header::directory(block).iter().filter(|entry| entry.get() & FREE_SLOT == 0).count()
}

/// Bytes that a new row needs for its directory entry; None when the directory is full.
fn slot_cost(block: &[u8]) -> Option<usize> {
    let header = header(block);
    if header.first_free.get() != NO_SLOT {
        Some(0)
    } else if usize::from(header.slots.get()) < ROWS_PER_BLOCK_MAX {
        Some(SLOT_BYTES)
    } else {
        None
    }
}

/// Bytes that a new row piece may take, PCTFREE aside.
#[must_use]
pub fn available(block: &[u8]) -> usize {
    slot_cost(block).map_or(0, |cost| free_bytes(block).saturating_sub(cost))
}

/// May a row of `row_bytes` be inserted? After it `pctfree` percent of the block size must be free; an empty block takes any row that it can hold.
#[must_use]
pub fn fits(block: &[u8], row_bytes: usize, pctfree: u8) -> bool {
    let row_bytes = row_bytes.max(LEAST_ROW_BYTES);
    let room = available(block);
    row_bytes <= room && (keeps_free(room - row_bytes, block.len(), pctfree) || is_empty(block))
}

/// Is `free` at least `pctfree` percent of the block?
#[inline]
fn keeps_free(free: usize, block_bytes: usize, pctfree: u8) -> bool {
    free * 100 >= usize::from(pctfree) * block_bytes
}

/// Inserts an encoded row piece at a free slot or a new one. None, and nothing changed, when there is no room.
pub fn insert(block: &mut [u8], piece: &[u8]) -> Option<u16> {
    let stored = piece.len().max(LEAST_ROW_BYTES);
    let cost = slot_cost(block)?;
    if stored + cost > free_bytes(block) {
        return None;
    }
    if gap(block) < stored + cost {
        compact(block);
    }
    let slot = take_slot(block);
    let header = header_mut(block);
    let at = usize::from(header.end.get()) - stored;
    header.end = (at as u16).into();
    let free = usize::from(header.available.get()) - stored - cost;
    set_available(block, free);
    put(block, at, piece);
    header::set_entry(block, slot, at as u16);
    Some(slot)
}

/// Inserts rows of `rows` from `from` on until one does not fit by PCTFREE, and appends their slots. Returns how many went in.
///
/// This is the way of an array insert: while no slot is free and nothing needs compaction, the header is written once for all rows.
pub fn insert_rows(block: &mut [u8], rows: &RowBuffer, from: usize, pctfree: u8, slots: &mut Vec<u16>) -> usize {
    let mut index = from;
    while index < rows.len() {
        let before = index;
        if header(block).first_free.get() == NO_SLOT {
            index += append_rows(block, rows, index, pctfree, slots);
        }
        // What the fast way left: a free slot to reuse, holes to close, a row for an empty block, or no room at all.
        let Some(row) = rows.get(index) else { break };
        if !fits(block, row.len(), pctfree) {
            break;
        }
        let Some(slot) = insert(block, row) else { break };
        slots.push(slot);
        index += 1;
        debug_assert!(index > before);
    }
    index - from
}

/// Appends rows at new slots while the gap holds them.
fn append_rows(block: &mut [u8], rows: &RowBuffer, from: usize, pctfree: u8, slots: &mut Vec<u16>) -> usize {
    let block_bytes = block.len();
    let (mut slot, mut end, mut free, mut begin) = {
        let header = header(block);
        let field = |value: zerocopy::little_endian::U16| usize::from(value.get());
        (field(header.slots), field(header.end), field(header.available), field(header.begin))
    };
    let first = slot;
    let reserve = (usize::from(pctfree) * block_bytes).div_ceil(100);
    while let Some(row) = rows.get(from + slot - first) {
        let stored = row.len().max(LEAST_ROW_BYTES);
        let need = stored + SLOT_BYTES;
        if need + reserve > free || begin + need > end || slot == ROWS_PER_BLOCK_MAX {
            break;
        }
        end -= stored;
        block[begin..begin + SLOT_BYTES].copy_from_slice(&(end as u16).to_le_bytes());
        put(block, end, row);
        slots.push(slot as u16);
        begin += SLOT_BYTES;
        free -= need;
        slot += 1;
    }
    if slot > first {
        let header = header_mut(block);
        header.slots = (slot as u16).into();
        header.begin = (begin as u16).into();
        header.end = (end as u16).into();
        header.available = (free as u16).into();
        header.total = header.available;
        header::set_table_slots(block, slot as u16);
    }
    slot - first
}

/// Removes the row piece at `slot` and frees the slot. False when there is none.
pub fn delete(block: &mut [u8], slot: u16) -> bool {
    let Some(piece) = row::row(block, slot) else { return false };
    let Some(stored) = piece.stored_bytes() else { return false };
    let lock = piece.lock();
    itl::unlock(block, lock);
    give_back(block, slot, stored);
    let next = header(block).first_free.get();
    header::set_entry(block, slot, FREE_SLOT | next);
    header_mut(block).first_free = slot.into();
    if is_empty(block) {
        itl::remove_added(block);
        clear_directory(block);
    }
    true
}

/// Would [`replace`] put a piece of `bytes` in the place of the piece at `slot`?
#[must_use]
pub fn replace_fits(block: &[u8], slot: u16, bytes: usize) -> bool {
    row::row(block, slot)
        .and_then(row::RowPiece::stored_bytes)
        .is_some_and(|old| bytes.max(LEAST_ROW_BYTES) <= free_bytes(block) + old)
}

/// Puts `piece` in the place of the piece at `slot`, whose lock byte it keeps. The PCTFREE reserve may be used.
/// False, and nothing changed, when there is no such row or no room.
pub fn replace(block: &mut [u8], slot: u16, piece: &[u8]) -> bool {
    let Some(old) = row::row(block, slot) else { return false };
    let Some(old_stored) = old.stored_bytes() else { return false };
    let lock = old.lock();
    let stored = piece.len().max(LEAST_ROW_BYTES);
    if stored > free_bytes(block) + old_stored {
        return false;
    }
    let Some(old_at) = header::entry(block, slot).map(usize::from) else { return false };
    if stored <= old_stored {
        let free = free_bytes(block) + old_stored - stored;
        set_available(block, free);
        put(block, old_at, piece);
        block[old_at + 1] = lock;
        return true;
    }
    give_back(block, slot, old_stored);
    // The slot holds no row while its block is compacted.
    header::set_entry(block, slot, FREE_SLOT | NO_SLOT);
    if gap(block) < stored {
        compact(block);
    }
    let header = header_mut(block);
    let at = usize::from(header.end.get()) - stored;
    header.end = (at as u16).into();
    let free = usize::from(header.available.get()) - stored;
    set_available(block, free);
    put(block, at, piece);
    block[at + 1] = lock;
    header::set_entry(block, slot, at as u16);
    true
}

/// Writes a piece, and zero behind one that is shorter than a piece may be.
#[inline]
fn put(block: &mut [u8], at: usize, piece: &[u8]) {
    block[at..at + piece.len()].copy_from_slice(piece);
    if piece.len() < LEAST_ROW_BYTES {
        block[at + piece.len()..at + LEAST_ROW_BYTES].fill(0);
    }
}

/// Contiguous bytes between the directory and the lowest row piece.
pub(super) fn gap(block: &[u8]) -> usize {
    let header = header(block);
    usize::from(header.end.get()) - usize::from(header.begin.get())
}

pub(super) fn set_available(block: &mut [u8], free: usize) {
    let header = header_mut(block);
    header.available = (free as u16).into();
    header.total = header.available;
}

/// Counts a piece's bytes as free; the lowest piece also widens the gap.
fn give_back(block: &mut [u8], slot: u16, stored: usize) {
    let at = header::entry(block, slot).unwrap_or(0);
    let free = free_bytes(block) + stored;
    let header = header_mut(block);
    if header.end.get() == at {
        header.end = (at + stored as u16).into();
    }
    set_available(block, free);
}

/// The first free slot, or a new one behind the last.
fn take_slot(block: &mut [u8]) -> u16 {
    let slot = header(block).first_free.get();
    if slot != NO_SLOT {
        let next = header::entry(block, slot).unwrap_or(FREE_SLOT | NO_SLOT) & !FREE_SLOT;
        header_mut(block).first_free = next.into();
        return slot;
    }
    let header = header_mut(block);
    let slot = header.slots.get();
    header.slots = (slot + 1).into();
    header.begin = (header.begin.get() + SLOT_BYTES as u16).into();
    header::set_table_slots(block, slot + 1);
    slot
}

/// An empty block keeps no directory: it then takes any row that a new block takes.
fn clear_directory(block: &mut [u8]) {
    let begin = directory_offset(block);
    let end = block.len() - TAIL_BYTES;
    let header = header_mut(block);
    header.slots = 0.into();
    header.first_free = NO_SLOT.into();
    header.begin = (begin as u16).into();
    header.end = (end as u16).into();
    set_available(block, end - begin);
    header::set_table_slots(block, 0);
}

/// Moves all row pieces down to the tail, so that all free bytes are in the gap. Slots keep their numbers.
pub(super) fn compact(block: &mut [u8]) {
    let low = usize::from(header(block).end.get());
    let old = block[low..].to_vec();
    let old_end = old.len() - TAIL_BYTES;
    let mut end = block.len() - TAIL_BYTES;
    for slot in 0..header::slot_count(block) {
        let Some(at) = header::entry(block, slot).filter(|entry| entry & FREE_SLOT == 0) else { continue };
        let from = usize::from(at) - low;
        let Some(stored) = row::RowPiece::new(&old[from..old_end]).and_then(row::RowPiece::stored_bytes) else {
            continue;
        };
        end -= stored;
        block[end..end + stored].copy_from_slice(&old[from..from + stored]);
        header::set_entry(block, slot, end as u16);
    }
    header_mut(block).end = (end as u16).into();
}
