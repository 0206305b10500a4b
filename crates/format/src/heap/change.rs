//! Changes that a transaction makes to the rows of a block, under one of the block's ITL slots.
//!
//! - The lock byte of every piece that a transaction touches is the number of its ITL slot, which counts them.
//! - Bytes that a transaction frees are its slot's *credit* and of use to nobody else until it commits, so that undoing it never lacks room:
//!   a deleted piece keeps its bytes and is only marked; a piece that shrinks gives its bytes to the credit. Growth takes what may be used by all,
//!   and the rest from the slot's own credit.
//! - A piece whose lock byte names the ITL slot of another transaction is not changed. One that has ended is to be cleaned first ([`crate::itl::clean`]):
//!   a lock byte in undo is then always 0 or of the same transaction.
//!
//! [`super::undo`] takes each change back.

use common::limits::LEAST_ROW_BYTES;

use super::row::{DELETED, RowBuffer, RowPiece, live_row};
use super::{block, header, lock, space};
use crate::itl;
use crate::transaction::{self, ITL_BYTES};

/// Inserts an encoded row piece under ITL slot `itl`. None, and nothing changed, when there is no room or `itl` is not a running transaction's.
pub fn insert(block: &mut [u8], piece: &[u8], itl: u8) -> Option<u16> {
    itl::slot(block, itl).filter(|slot| slot.is_active())?;
    let slot = block::insert(block, piece)?;
    lock::set(block, slot, itl);
    Some(slot)
}

/// As [`super::insert_rows`], under ITL slot `itl`.
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
    count
}

/// May a migrated row piece be received? It takes an ITL slot of its own ([`itl::free_slot`], else [`itl::add`]): as [`super::fits`], with room for the slot;
/// not when the block has all the slots it may have and none is free.
#[must_use]
pub fn fits_migrated(block: &[u8], piece: &[u8], pctfree: u8) -> bool {
    let bytes = piece.len().max(LEAST_ROW_BYTES);
    if itl::free_slot(block).is_some() {
        return block::fits(block, bytes, pctfree);
    }
    usize::from(transaction::header(block).itl_count) < itl::slots_max(block.len())
        && block::fits(block, bytes + ITL_BYTES, pctfree)
}

/// Inserts a migrated row piece under `itl`, a slot that no other row uses. None, and nothing changed, as for [`insert`] and when the slot is in use.
pub fn insert_migrated(block: &mut [u8], piece: &[u8], itl: u8) -> Option<u16> {
    itl::slot(block, itl).filter(|slot| slot.lock_count() == 0)?;
    insert(block, piece, itl)
}

/// Marks the piece at `slot` deleted. False, and nothing changed, when there is no such row or it is not this transaction's to change.
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

/// Locks the piece at `slot` and changes nothing else. False when there is no such row or it is not this transaction's to change.
pub fn lock_row(block: &mut [u8], slot: u16, itl: u8) -> bool {
    if changeable(block, slot, itl).is_none() {
        return false;
    }
    lock::set(block, slot, itl);
    true
}

/// Would [`replace`] put a piece of `bytes` in the place of the piece at `slot`?
#[must_use]
pub fn replace_fits(block: &[u8], slot: u16, bytes: usize, itl: u8) -> bool {
    changeable(block, slot, itl)
        .and_then(RowPiece::stored_bytes)
        .is_some_and(|old| from_credit(block, old, bytes.max(LEAST_ROW_BYTES), itl).is_some())
}

/// Puts `piece` in the place of the piece at `slot`. The PCTFREE reserve may be used, and what this ITL slot's own changes have freed.
/// False, and nothing changed, when there is no such row, it is not this transaction's to change, or there is no room.
pub fn replace(block: &mut [u8], slot: u16, piece: &[u8], itl: u8) -> bool {
    let Some(old) = changeable(block, slot, itl).and_then(RowPiece::stored_bytes) else { return false };
    let stored = piece.len().max(LEAST_ROW_BYTES);
    let Some(credit) = from_credit(block, old, stored, itl) else { return false };
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

/// How much of its credit a piece has to use that grows from `old` to `stored` bytes; None when even that is too little.
fn from_credit(block: &[u8], old: usize, stored: usize, itl: u8) -> Option<usize> {
    let missing = stored.saturating_sub(old).saturating_sub(block::free_bytes(block));
    if missing == 0 {
        return Some(0);
    }
    let credit = usize::from(itl::slot(block, itl)?.credit());
    (missing <= credit.saturating_sub(lock::deleted_bytes(block, itl))).then_some(missing)
}

/// Adds to an ITL slot's credit, or to what all may use when the slot is no running transaction's.
pub(super) fn earn(block: &mut [u8], itl: u8, bytes: usize) {
    if !itl::change_credit(block, itl, bytes as i32) {
        return space::give(block, bytes);
    }
    let header = header::header_mut(block);
    header.total = header.total.get().saturating_add(bytes as u16).into();
}

/// Takes from an ITL slot's credit, or from what all may use.
pub(super) fn use_credit(block: &mut [u8], itl: u8, bytes: usize) {
    if !itl::change_credit(block, itl, -(bytes as i32)) {
        return space::spend(block, bytes);
    }
    let header = header::header_mut(block);
    header.total = header.total.get().saturating_sub(bytes as u16).into();
}
