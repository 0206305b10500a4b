//! Changes of a transaction to the rows of a block, under one of the block's ITL slots.
//!
//! - The lock byte of every piece that a transaction touches is the number of its ITL slot, which counts them.
//! - Bytes that a transaction frees are its slot's *credit*: no other may use them until it commits, so that undoing it
//!   never lacks room. A deleted piece is only marked; a piece that shrinks adds its bytes to the credit. Growth takes
//!   free bytes, and the rest from the slot's own credit. An insert for which the free bytes do not suffice takes the
//!   slot's own credit first ([`insert_freed`]).
//! - The credit of a slot is never less than the bytes of its pieces marked deleted. When the credit is used they are
//!   cut down to [`LEAST_ROW_BYTES`], which keep their place in the directory; the undo of the delete restores the
//!   piece whole.
//! - A piece whose lock byte names the ITL slot of another transaction is not changed. If that one has ended it must be
//!   cleaned first ([`crate::itl::clean`]): a lock byte in undo is then always 0 or of the same transaction.
//!
//! [`super::undo`] undoes each change.

use common::limits::LEAST_ROW_BYTES;

use super::header::SLOT_BYTES;
use super::row::{DELETED, RowBuffer, RowPiece, WHOLE, live_row};
use super::{block, header, lock, space};
use crate::block::HEADER_BYTES;
use crate::itl;
use crate::redo::Reach;
use crate::transaction::{self, ITL_BYTES};

/// Flags and lock byte of a piece: what a change of its state writes.
const LOCK_END: usize = 2;

/// Inserts an encoded row piece under ITL slot `itl`. None, and nothing changed, when there is no room or `itl` is not
/// a running transaction's.
pub fn insert(block: &mut [u8], piece: &[u8], itl: u8) -> Option<u16> {
    itl::slot(block, itl).filter(|slot| slot.is_active())?;
    let slot = block::insert(block, piece)?;
    lock::set(block, slot, itl);
    Some(slot)
}

/// True: a row of `row_bytes` may be inserted under ITL slot `itl`. As [`super::fits`], with the bytes that the slot's
/// own changes have freed.
#[must_use]
pub fn fits(block: &[u8], row_bytes: usize, pctfree: u8, itl: u8) -> bool {
    block::fits(block, row_bytes, pctfree) || fits_freed(block, row_bytes, pctfree, itl)
}

fn fits_freed(block: &[u8], row_bytes: usize, pctfree: u8, itl: u8) -> bool {
    let stored = row_bytes.max(LEAST_ROW_BYTES);
    let usable = usable_credit(block, itl);
    let Some(free) = block::free_beside_slot(block) else { return false };
    usable > 0 && stored <= free + usable && block::keeps_free(free + usable - stored, block.len(), pctfree)
}

/// As [`insert`], with the credit of ITL slot `itl` before the free bytes. A new place in the directory is never taken
/// from the credit: the undo of the insert may leave it behind.
pub fn insert_freed(block: &mut [u8], piece: &[u8], itl: u8) -> Option<u16> {
    itl::slot(block, itl).filter(|slot| slot.is_active())?;
    let stored = piece.len().max(LEAST_ROW_BYTES);
    let credit = stored.min(usable_credit(block, itl));
    let free = block::free_beside_slot(block)?;
    if stored - credit > free {
        return None;
    }
    cut_deleted(block, itl, credit);
    let entry = block::free_bytes(block) - free;
    if !space::make_gap(block, stored + entry) {
        return None;
    }
    let slot = space::take_slot(block);
    let at = space::place(block, piece);
    use_credit(block, itl, credit);
    space::spend(block, stored - credit);
    header::set_entry(block, slot, at);
    lock::set(block, slot, itl);
    Some(slot)
}

/// As [`super::insert_rows`], under ITL slot `itl`; bytes that its own changes have freed are used as well.
pub fn insert_rows(
    block: &mut [u8],
    rows: &RowBuffer,
    from: usize,
    pctfree: u8,
    itl: u8,
    slots: &mut Vec<u16>,
) -> usize {
    if itl::slot(block, itl).is_none_or(|slot| !slot.is_active()) {
        return 0;
    }
    let count = block::insert_rows_as(block, rows, from, pctfree, itl, slots);
    itl::count_locks(block, itl, count);
    let mut index = from + count;
    while let Some(row) = rows.get(index)
        && fits_freed(block, row.len(), pctfree, itl)
        && let Some(slot) = insert_freed(block, row, itl)
    {
        slots.push(slot);
        index += 1;
    }
    index - from
}

/// What [`insert`] of a piece of `bytes` may write where nothing has to be moved for it, with the ITL slot of the
/// change; None otherwise.
#[must_use]
pub fn insert_reach(block: &[u8], bytes: usize) -> Option<Reach> {
    let stored = bytes.max(LEAST_ROW_BYTES);
    if space::gap(block) < stored + SLOT_BYTES || block::free_bytes(block) < stored + SLOT_BYTES {
        return None;
    }
    let (begin, end) = gap_of(block);
    reach_to(block, begin + SLOT_BYTES)?.with(block.len(), end - stored..end)
}

/// What [`mark_deleted`] and [`lock_row`] of the piece at `slot` may write, with the ITL slot of the change.
#[must_use]
pub fn touch_reach(block: &[u8], slot: u16) -> Option<Reach> {
    let at = usize::from(header::entry(block, slot)?);
    headers_reach(block)?.with(block.len(), at..at + LOCK_END)
}

/// What [`replace`] of the piece at `slot` by one of `bytes` may write where no other has to be moved for it, with the
/// ITL slot of the change; None otherwise.
#[must_use]
pub fn replace_reach(block: &[u8], slot: u16, bytes: usize) -> Option<Reach> {
    let at = usize::from(header::entry(block, slot)?);
    let (old, stored) = (live_row(block, slot)?.stored_bytes()?, bytes.max(LEAST_ROW_BYTES));
    let (begin, end) = gap_of(block);
    let reach = reach_to(block, begin)?;
    if stored <= old {
        return reach.with(block.len(), at..at + stored);
    }
    if space::gap(block) < stored || block::free_bytes(block) < stored - old {
        return None;
    }
    // The lowest piece widens the gap before its new form is placed.
    let end_after = if at == end { end + old } else { end };
    reach.with(block.len(), end_after - stored..end_after)?.with(block.len(), at..at + LOCK_END)
}

/// Where the directory ends and the row pieces begin.
fn gap_of(block: &[u8]) -> (usize, usize) {
    let header = header::header(block);
    (usize::from(header.begin.get()), usize::from(header.end.get()))
}

/// All headers and the ITL.
pub(crate) fn headers_reach(block: &[u8]) -> Option<Reach> {
    reach_to(block, header::directory_offset(block))
}

/// `reach` with the lock bytes of the pieces that an ITL slot holds.
pub(crate) fn locks_reach(block: &[u8], itl: u8, reach: Reach) -> Option<Reach> {
    lock::held(block, itl).try_fold(reach, |reach, (slot, _)| {
        let at = usize::from(header::entry(block, slot)?);
        reach.with(block.len(), at..at + LOCK_END)
    })
}

/// Everything from the block's header to `end`.
fn reach_to(block: &[u8], end: usize) -> Option<Reach> {
    Reach::default().with(block.len(), HEADER_BYTES..end)
}

/// True: a migrated row piece may be received. It takes an ITL slot of its own ([`itl::free_slot`], else [`itl::add`]):
/// as [`super::fits`], with room for the slot; not when the block has its maximum of slots and none is free.
#[must_use]
pub fn fits_migrated(block: &[u8], piece_bytes: usize, pctfree: u8, maxtrans: u8) -> bool {
    let bytes = piece_bytes.max(LEAST_ROW_BYTES);
    if itl::free_slot(block).is_some() {
        return block::fits(block, bytes, pctfree);
    }
    fits_migrated_with_slot(block, piece_bytes, pctfree, maxtrans)
}

/// As [`fits_migrated`], in a block without a free ITL slot.
#[must_use]
pub fn fits_migrated_with_slot(block: &[u8], piece_bytes: usize, pctfree: u8, maxtrans: u8) -> bool {
    let bytes = piece_bytes.max(LEAST_ROW_BYTES);
    usize::from(transaction::header(block).itl_count) < itl::slots_max(block.len()).min(usize::from(maxtrans))
        && block::fits(block, bytes + ITL_BYTES, pctfree)
}

/// Inserts a migrated row piece under `itl`, a slot that no other row uses. None, and nothing changed, as for
/// [`insert`] and when the slot is in use.
pub fn insert_migrated(block: &mut [u8], piece: &[u8], itl: u8) -> Option<u16> {
    itl::slot(block, itl).filter(|slot| slot.lock_count() == 0)?;
    insert(block, piece, itl)
}

/// Marks the piece at `slot` deleted. False, and nothing changed, when there is no such row or this transaction may not
/// change it.
pub fn mark_deleted(block: &mut [u8], slot: u16, itl: u8) -> bool {
    let Some(piece) = changeable(block, slot, itl) else { return false };
    let Some(stored) = piece.stored_bytes() else { return false };
    lock::set(block, slot, itl);
    if let Some(at) = header::entry(block, slot) {
        block[usize::from(at)] |= DELETED;
    }
    earn(block, itl, stored);
    true
}

/// Locks the piece at `slot` and changes nothing else. False when there is no such row or this transaction may not
/// change it.
pub fn lock_row(block: &mut [u8], slot: u16, itl: u8) -> bool {
    if changeable(block, slot, itl).is_none() {
        return false;
    }
    lock::set(block, slot, itl);
    true
}

/// True: [`replace`] would put a piece of `bytes` in place of the piece at `slot`.
#[must_use]
pub fn replace_fits(block: &[u8], slot: u16, bytes: usize, itl: u8) -> bool {
    changeable(block, slot, itl)
        .and_then(RowPiece::stored_bytes)
        .is_some_and(|old| from_credit(block, old, bytes.max(LEAST_ROW_BYTES), itl).is_some())
}

/// Replaces the piece at `slot` by `piece`. The PCTFREE reserve may be used, and the bytes that this ITL slot's own
/// changes have freed. False, and nothing changed, when there is no such row, this transaction may not change it, or
/// there is no room.
pub fn replace(block: &mut [u8], slot: u16, piece: &[u8], itl: u8) -> bool {
    let Some(old) = changeable(block, slot, itl).and_then(RowPiece::stored_bytes) else { return false };
    let stored = piece.len().max(LEAST_ROW_BYTES);
    let Some(credit) = from_credit(block, old, stored, itl) else { return false };
    cut_deleted(block, itl, credit);
    if !space::rewrite(block, slot, old, piece) {
        return false;
    }
    lock::set(block, slot, itl);
    if stored <= old {
        earn(block, itl, old - stored);
    } else {
        use_credit(block, itl, credit);
        space::spend(block, stored - old - credit);
    }
    true
}

/// The live piece at `slot`, if this transaction may change it.
fn changeable(block: &[u8], slot: u16, itl: u8) -> Option<RowPiece<'_>> {
    live_row(block, slot).filter(|piece| lock::is_held_by(block, *piece, itl))
}

/// Bytes of its credit that a piece needs to grow from `old` to `stored` bytes; None when the credit is too small.
fn from_credit(block: &[u8], old: usize, stored: usize, itl: u8) -> Option<usize> {
    let missing = stored.saturating_sub(old).saturating_sub(block::free_bytes(block));
    if missing == 0 {
        return Some(0);
    }
    (missing <= usable_credit(block, itl)).then_some(missing)
}

/// Bytes of an ITL slot's credit that its transaction may use again: all but the least that its deleted pieces keep.
fn usable_credit(block: &[u8], itl: u8) -> usize {
    let credit = itl::slot(block, itl).map_or(0, |slot| usize::from(slot.credit()));
    if credit == 0 {
        return 0;
    }
    let deleted = lock::held(block, itl).filter(|(_, piece)| piece.is_deleted()).count();
    credit.saturating_sub(deleted * LEAST_ROW_BYTES)
}

/// Cuts deleted pieces of an ITL slot down to the minimum, until they fit into its credit without `spent` bytes of it.
fn cut_deleted(block: &mut [u8], itl: u8, spent: usize) {
    if spent == 0 {
        return;
    }
    let left = itl::slot(block, itl).map_or(0, |slot| usize::from(slot.credit())).saturating_sub(spent);
    let pieces = lock::deleted(block, itl);
    let mut deleted: usize = pieces.iter().map(|(_, stored)| stored).sum();
    for (slot, stored) in pieces {
        if deleted <= left {
            break;
        }
        if let Some(at) = header::entry(block, slot).map(usize::from).filter(|_| stored > LEAST_ROW_BYTES) {
            block[at..at + LEAST_ROW_BYTES].fill(0);
            (block[at], block[at + 1]) = (WHOLE | DELETED, itl);
            deleted -= stored - LEAST_ROW_BYTES;
        }
    }
}

/// Adds to an ITL slot's credit, or to the free bytes when the slot is no running transaction's.
pub(super) fn earn(block: &mut [u8], itl: u8, bytes: usize) {
    if !itl::change_credit(block, itl, bytes as i32) {
        return space::give(block, bytes);
    }
    let header = header::header_mut(block);
    header.total = header.total.get().saturating_add(bytes as u16).into();
}

/// Takes from an ITL slot's credit, or from the free bytes.
pub(super) fn use_credit(block: &mut [u8], itl: u8, bytes: usize) {
    if !itl::change_credit(block, itl, -(bytes as i32)) {
        return space::spend(block, bytes);
    }
    let header = header::header_mut(block);
    header.total = header.total.get().saturating_sub(bytes as u16).into();
}
