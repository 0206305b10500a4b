//! Migrated rows without transactions: each takes an ITL slot of its own in the block that receives it, told apart by the number of its statement.
//!
//! A statement that moves many rows into a block thus fills it with ITL slots, until their number is capped; that is what makes a table grow
//! about four times when all its rows migrate. A slot is 24 bytes and moves the data header and the directories up; rows stay where they are.
//! Slots of earlier statements are taken again, and a block that becomes empty gives the added ones up. [`super::change`] has the same for transactions.

use common::limits::LEAST_ROW_BYTES;

use super::block::{self, available, fits, free_bytes};
use super::header::{self, header_mut};
use super::{cleanout, space};
use crate::itl::{Itl, slot, slot_mut, slots_max};
use crate::transaction::{self, ITL_BYTES, ITL_OFFSET, body_offset};

/// In [`Itl::flags`]: the slot was added for a migrated row. Such slots go when the block becomes empty.
const ADDED: u16 = 0x1000;

fn rows_locked(itl: &Itl) -> u16 {
    itl.lock_count()
}

/// A slot that a row of `statement` may take without adding one: unused, or of a statement that is over. Not one that a transaction has used.
fn reusable(block: &[u8], statement: u32) -> Option<u8> {
    let is_statements = |itl: &Itl| itl.flags.get() & !0x0fff & !ADDED == 0 && itl.credit() == 0;
    let is_over = |itl: &Itl| is_statements(itl) && (rows_locked(itl) == 0 || itl.sequence.get() != statement);
    let count = transaction::header(block).itl_count;
    (1..=count).find(|number| slot(block, *number).is_some_and(is_over))
}

/// May a migrated row of `row_bytes` be received? As [`fits`], with room for an ITL slot; not when the block has all the ITL slots it may have.
#[must_use]
pub fn fits_migrated(block: &[u8], row_bytes: usize, pctfree: u8, statement: u32) -> bool {
    let row_bytes = row_bytes.max(LEAST_ROW_BYTES);
    if reusable(block, statement).is_some() {
        return fits(block, row_bytes, pctfree);
    }
    usize::from(transaction::header(block).itl_count) < slots_max(block.len())
        && fits(block, row_bytes + ITL_BYTES, pctfree)
}

/// Inserts a migrated row piece with an ITL slot of its own. None, and nothing changed, when there is no room or no slot to be had.
pub fn insert_migrated(block: &mut [u8], piece: &[u8], statement: u32) -> Option<u16> {
    let stored = piece.len().max(LEAST_ROW_BYTES);
    let number = match reusable(block, statement) {
        Some(number) if stored <= available(block) => {
            clean_out(block, number);
            number
        }
        Some(_) => return None,
        None if stored + ITL_BYTES <= available(block) => add_slot(block)?,
        None => return None,
    };
    let itl = slot_mut(block, number)?;
    itl.sequence = statement.into();
    itl.flags = (itl.flags.get() & ADDED | 1).into();
    let slot = block::insert(block, piece)?;
    let at = usize::from(header::entry(block, slot)?);
    block[at + 1] = number;
    Some(slot)
}

/// Adds an ITL slot; None when there may be no more or the room is missing.
fn add_slot(block: &mut [u8]) -> Option<u8> {
    let count = transaction::header(block).itl_count;
    if usize::from(count) >= slots_max(block.len()) || !grow(block) {
        return None;
    }
    if let Some(itl) = slot_mut(block, count + 1) {
        itl.flags = ADDED.into();
    }
    Some(count + 1)
}

/// Adds the bytes of an ITL slot, zero; false where they are missing.
pub(super) fn grow(block: &mut [u8]) -> bool {
    if free_bytes(block) < ITL_BYTES || !space::make_gap(block, ITL_BYTES) {
        return false;
    }
    let count = transaction::header(block).itl_count;
    let at = ITL_OFFSET + ITL_BYTES * usize::from(count);
    let begin = usize::from(header::header(block).begin.get());
    let body = body_offset(block);
    // The spare bytes of an automatic segment's block, the data header and the directories move up as they are.
    block.copy_within(at..begin, at + ITL_BYTES);
    block[at..at + ITL_BYTES].fill(0);
    transaction::header_mut(block).itl_count = count + 1;
    debug_assert_eq!(body_offset(block), body + ITL_BYTES);
    header_mut(block).begin = ((begin + ITL_BYTES) as u16).into();
    space::spend(block, ITL_BYTES);
    true
}

/// Removes the last `slots` ITL slots.
pub(super) fn shrink(block: &mut [u8], slots: u8) {
    let count = transaction::header(block).itl_count;
    let bytes = ITL_BYTES * usize::from(slots);
    let end = ITL_OFFSET + ITL_BYTES * usize::from(count);
    let begin = usize::from(header::header(block).begin.get());
    block.copy_within(end..begin, end - bytes);
    transaction::header_mut(block).itl_count = count - slots;
    header_mut(block).begin = ((begin - bytes) as u16).into();
    space::give(block, bytes);
}

/// Takes the lock bytes of an ended statement's slot off its rows.
fn clean_out(block: &mut [u8], number: u8) {
    if slot(block, number).is_none_or(|itl| rows_locked(itl) == 0) {
        return;
    }
    cleanout::unlock(block, number);
    if let Some(itl) = slot_mut(block, number) {
        itl.flags = (itl.flags.get() & ADDED).into();
    }
}

/// Removes the slots that migrated rows have added from a block without rows, so that it takes any row that a new block takes.
pub(super) fn remove_added(block: &mut [u8]) {
    let count = transaction::header(block).itl_count;
    let is_added = |number: &u8| slot(block, *number).is_some_and(|itl| itl.flags.get() == ADDED);
    let added = (1..=count).rev().take_while(is_added).count();
    if added > 0 {
        shrink(block, added as u8);
    }
}
