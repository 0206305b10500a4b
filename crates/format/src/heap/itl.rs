//! ITL slots as far as they take room: a migrated row takes a slot of its own in the block that receives it.
//!
//! A statement that moves many rows into a block thus fills it with ITL slots, until their number is capped; that is what makes a table grow
//! about four times when all its rows migrate. A slot is 24 bytes and moves the data header and the directories up; rows stay where they are.
//! Slots of earlier statements are taken again, and a block that becomes empty gives the added ones up. The transaction's identity goes into the slots once there are transactions; until then
//! `sequence` holds the number of the statement.

use common::limits::{ITL_SLOTS_MAX, LEAST_ROW_BYTES};
use zerocopy::FromBytes;

use super::block::{self, available, compact, fits, free_bytes, gap, set_available};
use super::header::{self, header_mut};
use super::row;
use crate::block::{HEADER_BYTES, TAIL_BYTES};
use crate::transaction::{self, ITL_BYTES, ITL_OFFSET, Itl, body_offset};

/// The rows-locked part of [`Itl::flags`].
const ROWS_LOCKED: u16 = 0x0fff;
/// In [`Itl::flags`]: the slot was added for a migrated row. Such slots go when the block becomes empty.
const ADDED: u16 = 0x1000;

/// ITL slots that a block of this size can have: half of the room behind its fixed headers, and 255 at most. 169 in a block of 8 KB.
#[must_use]
pub const fn slots_max(block_bytes: usize) -> usize {
    let room = block_bytes - ITL_OFFSET - TAIL_BYTES;
    let half = room / 2 / ITL_BYTES;
    if half < ITL_SLOTS_MAX { half } else { ITL_SLOTS_MAX }
}

const _: () = assert!(ITL_OFFSET == HEADER_BYTES + 24);
const _: () = assert!(slots_max(8192) == 169 && slots_max(16384) == 255);

/// The ITL slot `number`, from 1.
#[must_use]
pub fn slot(block: &[u8], number: u8) -> Option<&Itl> {
    if number == 0 || number > transaction::header(block).itl_count {
        return None;
    }
    let at = ITL_OFFSET + ITL_BYTES * (usize::from(number) - 1);
    Itl::ref_from_prefix(block.get(at..)?).ok().map(|(itl, _)| itl)
}

fn slot_mut(block: &mut [u8], number: u8) -> Option<&mut Itl> {
    if number == 0 || number > transaction::header(block).itl_count {
        return None;
    }
    let at = ITL_OFFSET + ITL_BYTES * (usize::from(number) - 1);
    Itl::mut_from_prefix(block.get_mut(at..)?).ok().map(|(itl, _)| itl)
}

fn rows_locked(itl: &Itl) -> u16 {
    itl.flags.get() & ROWS_LOCKED
}

/// A row that `number` held is gone.
pub(super) fn unlock(block: &mut [u8], number: u8) {
    if let Some(itl) = slot_mut(block, number) {
        let flags = itl.flags.get();
        if flags & ROWS_LOCKED != 0 {
            itl.flags = (flags - 1).into();
        }
    }
}

/// A slot that a row of `statement` may take without adding one: unused, or of a statement that is over.
fn reusable(block: &[u8], statement: u32) -> Option<u8> {
    let count = transaction::header(block).itl_count;
    (1..=count)
        .find(|number| slot(block, *number).is_some_and(|itl| rows_locked(itl) == 0 || itl.sequence.get() != statement))
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
    if usize::from(count) >= slots_max(block.len()) || free_bytes(block) < ITL_BYTES {
        return None;
    }
    if gap(block) < ITL_BYTES {
        compact(block);
    }
    let free = free_bytes(block) - ITL_BYTES;
    let at = ITL_OFFSET + ITL_BYTES * usize::from(count);
    let body = body_offset(block);
    let begin = usize::from(header::header(block).begin.get());
    // The spare bytes of an automatic segment's block, the data header and the directories move up as they are.
    block.copy_within(at..begin, at + ITL_BYTES);
    block[at..at + ITL_BYTES].fill(0);
    transaction::header_mut(block).itl_count = count + 1;
    if let Some(itl) = slot_mut(block, count + 1) {
        itl.flags = ADDED.into();
    }
    debug_assert_eq!(body_offset(block), body + ITL_BYTES);
    header_mut(block).begin = ((begin + ITL_BYTES) as u16).into();
    set_available(block, free);
    Some(count + 1)
}

/// Takes the lock bytes of an ended statement's slot off its rows.
fn clean_out(block: &mut [u8], number: u8) {
    if slot(block, number).is_none_or(|itl| rows_locked(itl) == 0) {
        return;
    }
    let locked: Vec<u16> =
        row::rows(block, 0).filter(|(_, piece)| piece.lock() == number).map(|(slot, _)| slot).collect();
    for slot in locked {
        if let Some(at) = header::entry(block, slot) {
            block[usize::from(at) + 1] = 0;
        }
    }
    if let Some(itl) = slot_mut(block, number) {
        itl.flags = (itl.flags.get() & ADDED).into();
    }
}

/// Removes the slots that migrated rows have added from a block without rows, so that it takes any row that a new block takes.
/// The caller resets the directory.
pub(super) fn remove_added(block: &mut [u8]) {
    let count = transaction::header(block).itl_count;
    let is_added = |number: &u8| slot(block, *number).is_some_and(|itl| itl.flags.get() == ADDED);
    let added = (1..=count).rev().take_while(is_added).count();
    if added == 0 {
        return;
    }
    let end = ITL_OFFSET + ITL_BYTES * usize::from(count);
    let begin = usize::from(header::header(block).begin.get());
    block.copy_within(end..begin, end - ITL_BYTES * added);
    transaction::header_mut(block).itl_count = count - added as u8;
}
