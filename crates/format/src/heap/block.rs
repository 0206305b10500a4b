//! Rows of a block: inserting, changing, removing, and free space.

use common::limits::{LEAST_ROW_BYTES, ROWS_PER_BLOCK_MAX};

use super::header::{
    self, DATA_HEADER_BYTES, NO_SLOT, SLOT_BYTES, TABLE_DIRECTORY_BYTES, directory_offset, header, header_mut,
};
use super::row::{RowBuffer, RowPiece, live_row, live_rows};
use super::{lock, space};
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

/// The largest row piece that fits an empty block, without its directory entry.
#[must_use]
pub const fn capacity(block_bytes: usize, itl_slots: u8, assm: bool) -> usize {
    let extra = if assm { ASSM_BYTES } else { 0 };
    let headers = ITL_OFFSET + ITL_BYTES * itl_slots as usize + extra + DATA_HEADER_BYTES + TABLE_DIRECTORY_BYTES;
    block_bytes - headers - SLOT_BYTES - TAIL_BYTES
}

/// Free bytes once every transaction with changes in the block has committed.
#[must_use]
pub fn free_after_commit(block: &[u8]) -> usize {
    usize::from(header(block).total.get())
}

/// Percent of the block in use once every transaction with changes in it has committed.
#[must_use]
pub fn used_after_commit_percent(block: &[u8]) -> usize {
    (block.len() - free_after_commit(block).min(block.len())) * 100 / block.len()
}

/// Free bytes at present, holes between rows included, without those that a transaction has freed and may need again.
#[must_use]
pub fn free_bytes(block: &[u8]) -> usize {
    usize::from(header(block).available.get())
}

/// Used part of the block, headers included, in whole percent of the block size, for the comparison with PCTUSED.
#[must_use]
pub fn used_percent(block: &[u8]) -> usize {
    (block.len() - free_bytes(block)) * 100 / block.len()
}

/// True: no row piece in the block, and no bytes that a transaction may need again.
#[must_use]
pub fn is_empty(block: &[u8]) -> bool {
    let header = header(block);
    usize::from(header.available.get()) == block.len() - TAIL_BYTES - usize::from(header.begin.get())
}

/// Row pieces in the block, without those marked deleted.
#[must_use]
pub fn row_count(block: &[u8]) -> usize {
    live_rows(block, 0).count()
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

/// Free bytes at present beside a new row's directory entry; None when the directory, or the block, has no room for
/// that.
pub(super) fn free_beside_slot(block: &[u8]) -> Option<usize> {
    free_bytes(block).checked_sub(slot_cost(block)?)
}

/// True: a row of `row_bytes` may be inserted. After it `pctfree` percent of the block size must be free; an empty
/// block takes any row that fits.
#[must_use]
pub fn fits(block: &[u8], row_bytes: usize, pctfree: u8) -> bool {
    let row_bytes = row_bytes.max(LEAST_ROW_BYTES);
    let room = available(block);
    row_bytes <= room && (keeps_free(room - row_bytes, block.len(), pctfree) || is_empty(block))
}

/// True: `free` is at least `pctfree` percent of the block.
#[inline]
pub(super) fn keeps_free(free: usize, block_bytes: usize, pctfree: u8) -> bool {
    free * 100 >= usize::from(pctfree) * block_bytes
}

/// Inserts an encoded row piece at a free slot or a new one. None, and nothing changed, when there is no room.
pub fn insert(block: &mut [u8], piece: &[u8]) -> Option<u16> {
    let stored = piece.len().max(LEAST_ROW_BYTES);
    let cost = slot_cost(block)?;
    if stored + cost > free_bytes(block) {
        return None;
    }
    if !space::make_gap(block, stored + cost) {
        return None;
    }
    let slot = space::take_slot(block);
    let at = space::place(block, piece);
    space::spend(block, stored);
    header::set_entry(block, slot, at);
    Some(slot)
}

/// Inserts rows of `rows` from `from` on until one does not fit by PCTFREE, and appends their slots. Returns how many
/// went in.
///
/// The path of an array insert: while no slot is free and no compaction is needed, the header is written once for all
/// rows.
pub fn insert_rows(block: &mut [u8], rows: &RowBuffer, from: usize, pctfree: u8, slots: &mut Vec<u16>) -> usize {
    insert_rows_as(block, rows, from, pctfree, 0, slots)
}

/// [`insert_rows`] with the lock byte of each row set to `lock`; the ITL slot's count is the caller's.
pub(super) fn insert_rows_as(
    block: &mut [u8],
    rows: &RowBuffer,
    from: usize,
    pctfree: u8,
    lock: u8,
    slots: &mut Vec<u16>,
) -> usize {
    let mut index = from;
    while index < rows.len() {
        let before = index;
        if header(block).first_free.get() == NO_SLOT {
            index += append_rows(block, rows, index, pctfree, lock, slots);
        }
        // Cases that the fast path leaves: a free slot to reuse, holes to close, a row for an empty block, or no room
        // at all.
        let Some(row) = rows.get(index) else { break };
        if !fits(block, row.len(), pctfree) {
            break;
        }
        let Some(slot) = insert(block, row) else { break };
        if let Some(at) = header::entry(block, slot) {
            block[usize::from(at) + 1] = lock;
        }
        slots.push(slot);
        index += 1;
        debug_assert!(index > before);
    }
    index - from
}

/// Appends rows at new slots while the gap holds them.
fn append_rows(block: &mut [u8], rows: &RowBuffer, from: usize, pctfree: u8, lock: u8, slots: &mut Vec<u16>) -> usize {
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
        space::put(block, end, row);
        block[end + 1] = lock;
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
        let taken = header.available.get().saturating_sub(free as u16);
        header.available = (free as u16).into();
        header.total = header.total.get().saturating_sub(taken).into();
        header::set_table_slots(block, slot as u16);
    }
    slot - first
}

/// Removes the row piece at `slot` and frees the slot, without a transaction. False when there is none.
pub fn delete(block: &mut [u8], slot: u16) -> bool {
    let Some(stored) = live_row(block, slot).and_then(RowPiece::stored_bytes) else { return false };
    lock::set(block, slot, 0);
    space::take_out(block, slot, stored);
    space::give(block, stored);
    space::release_slot(block, slot);
    true
}

/// True: [`replace`] would put a piece of `bytes` in place of the piece at `slot`.
#[must_use]
pub fn replace_fits(block: &[u8], slot: u16, bytes: usize) -> bool {
    live_row(block, slot)
        .and_then(RowPiece::stored_bytes)
        .is_some_and(|old| bytes.max(LEAST_ROW_BYTES) <= free_bytes(block) + old)
}

/// Replaces the piece at `slot` by `piece` and keeps its lock byte, without a transaction. The PCTFREE reserve may be
/// used. False, and nothing changed, when there is no such row or no room.
pub fn replace(block: &mut [u8], slot: u16, piece: &[u8]) -> bool {
    let Some(old) = live_row(block, slot).and_then(RowPiece::stored_bytes) else { return false };
    let stored = piece.len().max(LEAST_ROW_BYTES);
    if stored > free_bytes(block) + old || !space::rewrite(block, slot, old, piece) {
        return false;
    }
    space::give(block, old);
    space::spend(block, stored);
    true
}
