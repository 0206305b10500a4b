//! Validation of a block's own structure, for blocks from disk with a valid checksum, and for tests after every change.

use common::limits::{LEAST_ROW_BYTES, ROWS_PER_BLOCK_MAX};
use common::{Error, Result};

use super::header::{
    self, DATA_HEADER_BYTES, FREE_SLOT, NO_SLOT, SLOT_BYTES, TABLE_DIRECTORY_BYTES, directory_offset, table_entry,
};
use super::row::{CONTINUED, CONTINUES, DELETED, FIRST, HEAD, LAST, RowPiece};
use crate::block::{self, TAIL_BYTES};
use crate::itl;
use crate::transaction::{self, Owner};

/// Checks a heap block: directories, free chain, every row piece, and that the free bytes add up.
///
/// # Errors
/// ORA-01578 with the block's address and the fault.
pub fn validate(block: &[u8]) -> Result<()> {
    check(block).map_err(|why| Error::corrupt(block::header(block).address(), why))
}

fn check(block: &[u8]) -> Result<(), String> {
    let transaction = transaction::header(block);
    if transaction.owner != Owner::Table as u8 {
        return Err(format!("owner {} is not a table", transaction.owner));
    }
    if usize::from(transaction.itl_count) > itl::slots_max(block.len()) {
        return Err(format!("{} ITL slots", transaction.itl_count));
    }
    let first = directory_offset(block);
    debug_assert_eq!(first, transaction::body_offset(block) + DATA_HEADER_BYTES + TABLE_DIRECTORY_BYTES);
    let header = header::header(block);
    let slots = usize::from(header.slots.get());
    if header.tables != 1 || slots > ROWS_PER_BLOCK_MAX {
        return Err(format!("{} tables, {slots} slots", header.tables));
    }
    let table = table_entry(block);
    if table.first_slot.get() != 0 || usize::from(table.slots.get()) != slots {
        return Err(format!("table directory has {} slots, the header {slots}", table.slots));
    }
    let limit = block.len() - TAIL_BYTES;
    let (begin, end) = (usize::from(header.begin.get()), usize::from(header.end.get()));
    if begin != first + SLOT_BYTES * slots || begin > end || end > limit {
        return Err(format!("free space from {begin} to {end} with {slots} slots"));
    }
    let (live, free_slots) = check_pieces(block, end, limit)?;
    check_free_chain(block, header.first_free.get(), free_slots)?;
    // Credits are of free bytes, or of pieces marked deleted.
    let total = limit - begin - live;
    let credits: usize = itl::slots(block).map(|(_, itl)| usize::from(itl.credit())).sum();
    if usize::from(header.total.get()) != total || usize::from(header.available.get()) + credits != total {
        let (available, said) = (header.available, header.total);
        return Err(format!("{available} of {said} bytes available, credits of {credits}, in fact {total} are free"));
    }
    Ok(())
}

/// Every piece lies within the row area and none over another: bytes of the live ones, and the number of free slots.
fn check_pieces(block: &[u8], end: usize, limit: usize) -> Result<(usize, usize), String> {
    let itl_slots = transaction::header(block).itl_count;
    let mut locked = vec![0u16; usize::from(itl_slots) + 1];
    let mut deleted = vec![0usize; usize::from(itl_slots) + 1];
    let mut pieces = Vec::new();
    let mut live = 0;
    let mut free_slots = 0;
    for (slot, entry) in header::directory(block).iter().enumerate() {
        let at = entry.get();
        if at & FREE_SLOT != 0 {
            free_slots += 1;
            continue;
        }
        let at = usize::from(at);
        if at < end || at + LEAST_ROW_BYTES > limit {
            return Err(format!("slot {slot} points to {at}, rows are from {end} to {limit}"));
        }
        let piece = RowPiece::new(&block[at..limit]).ok_or_else(|| format!("slot {slot}: row piece cut off"))?;
        check_flags(piece.flags()).map_err(|why| format!("slot {slot}: {why}"))?;
        if piece.lock() > itl_slots {
            return Err(format!("slot {slot} is held by ITL slot {} of {itl_slots}", piece.lock()));
        }
        locked[usize::from(piece.lock())] += 1;
        let stored = piece.stored_bytes().ok_or_else(|| format!("slot {slot}: columns leave the row area"))?;
        pieces.push((at, stored));
        if piece.is_deleted() {
            deleted[usize::from(piece.lock())] += stored;
        } else {
            live += stored;
        }
    }
    if deleted[0] > 0 {
        return Err("a row was deleted by nobody".to_owned());
    }
    for (number, slot) in itl::slots(block) {
        let at = usize::from(number);
        if slot.lock_count() != locked[at] {
            return Err(format!("ITL slot {number} says {} rows, in fact {}", slot.lock_count(), locked[at]));
        }
        if slot.is_cleaned() && locked[at] > 0 {
            return Err(format!("ITL slot {number} is cleaned and holds {} rows", locked[at]));
        }
        if deleted[at] > usize::from(slot.credit()) {
            return Err(format!("ITL slot {number} deleted {} bytes, its credit is {}", deleted[at], slot.credit()));
        }
    }
    pieces.sort_unstable();
    if let Some(pair) = pieces.windows(2).find(|pair| pair[0].0 + pair[0].1 > pair[1].0) {
        return Err(format!("row pieces at {} and {} overlap", pair[0].0, pair[1].0));
    }
    Ok((live, free_slots))
}

fn check_flags(flags: u8) -> Result<(), String> {
    if flags & !(HEAD | DELETED | FIRST | LAST | CONTINUED | CONTINUES) != 0
        || (flags & HEAD != 0 && flags & FIRST == 0 && flags & LAST != 0)
        || (flags & LAST != 0 && flags & CONTINUES != 0)
        || (flags & FIRST != 0 && flags & CONTINUED != 0)
    {
        return Err(format!("row flags {flags:#04x}"));
    }
    Ok(())
}

fn check_free_chain(block: &[u8], first: u16, free_slots: usize) -> Result<(), String> {
    let mut slot = first;
    for seen in 0..=free_slots {
        if slot == NO_SLOT {
            return if seen == free_slots {
                Ok(())
            } else {
                Err(format!("free chain of {seen}, {free_slots} free slots"))
            };
        }
        match header::entry(block, slot) {
            Some(entry) if entry & FREE_SLOT != 0 => slot = entry & !FREE_SLOT,
            _ => return Err(format!("free chain leads to slot {slot}, which is not free")),
        }
    }
    Err("free chain is a circle".to_owned())
}
