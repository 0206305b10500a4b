//! Taking changes back, newest first: by a rollback on the current block, and on clones of it for readers of the past.
//!
//! Room is never missing:
//! - On the current block a running transaction takes only its ITL slot's credit. Growth that is undone goes to the
//!   credit as well, because an older change of the same transaction may need it; [`crate::itl::restore`], the last
//!   step, frees the rest for all.
//! - On a clone later transactions are undone first, so that their bytes are free again. The ITL may have grown since:
//!   unused slots at its end are removed where bytes are missing.

use common::limits::{LEAST_ROW_BYTES, ROWS_PER_BLOCK_MAX};

use super::change::{earn, use_credit};
use super::header::{self, FREE_SLOT, SLOT_BYTES};
use super::row::{DELETED, PIECE_HEADER_BYTES, RowPiece, live_row, row};
use super::{block, cleanout, lock, space};
use crate::itl;
use crate::transaction::{self, ITL_BYTES};

/// Undoes an insert: removes the piece and its slot. False when there is no such row.
pub fn undo_insert(block: &mut [u8], slot: u16) -> bool {
    let Some(stored) = live_row(block, slot).and_then(RowPiece::stored_bytes) else { return false };
    lock::set(block, slot, 0);
    space::take_out(block, slot, stored);
    space::give(block, stored);
    space::release_slot(block, slot);
    true
}

/// After the rows of an insert are removed: returns the bytes that it took from the credit of ITL slot `itl`. If the
/// transaction has ended they are free for all.
pub fn return_credit(block: &mut [u8], itl: u8, bytes: usize) -> bool {
    if itl::slot(block, itl).is_none_or(|slot| !slot.is_active()) {
        return true;
    }
    if block::free_bytes(block) < bytes {
        return false;
    }
    space::spend(block, bytes);
    earn(block, itl, bytes);
    true
}

/// Undoes a delete: clears the mark, sets the lock byte to `old_lock`; a piece cut down since is restored whole. On a
/// clone whose transaction had committed the piece is gone: `piece` is put in its slot. False when the slot holds
/// another row, or there is no room.
pub fn undo_delete(block: &mut [u8], slot: u16, old_lock: u8, piece: &[u8]) -> bool {
    if let Some(old) = row(block, slot) {
        let Some(stored) = old.stored_bytes().filter(|_| old.is_deleted()) else { return false };
        let holder = old.lock();
        let whole = piece.len().max(LEAST_ROW_BYTES);
        if stored < whole && !space::rewrite(block, slot, stored, piece) {
            return false;
        }
        if let Some(at) = header::entry(block, slot) {
            block[usize::from(at)] &= !DELETED;
        }
        use_credit(block, holder, stored.max(whole));
        lock::set(block, slot, old_lock);
        return true;
    }
    if usize::from(slot) >= ROWS_PER_BLOCK_MAX || header::entry(block, slot).is_some_and(|entry| entry & FREE_SLOT == 0)
    {
        return false;
    }
    let stored = piece.len().max(LEAST_ROW_BYTES);
    if piece.len() < PIECE_HEADER_BYTES {
        return false;
    }
    let slots = usize::from((slot + 1).saturating_sub(header::slot_count(block)));
    let need = stored + SLOT_BYTES * slots;
    if !make_room(block, need) || !space::make_gap(block, need) {
        return false;
    }
    space::take_slot_at(block, slot);
    // Offset 0 is no piece: the slot gets one before it is read.
    let at = space::place(block, piece);
    space::spend(block, stored);
    header::set_entry(block, slot, at);
    lock::set(block, slot, old_lock);
    true
}

/// Undoes a replacement: the piece is `old_piece` again, its lock byte `old_lock`. False when there is no such row, or
/// there is no room.
pub fn undo_replace(block: &mut [u8], slot: u16, old_lock: u8, old_piece: &[u8]) -> bool {
    let Some(now) = live_row(block, slot) else { return false };
    let holder = now.lock();
    let Some(now) = now.stored_bytes() else { return false };
    let active = itl::slot(block, holder).is_some_and(|slot| slot.is_active());
    let stored = old_piece.len().max(LEAST_ROW_BYTES);
    let growth = stored.saturating_sub(now);
    let mut credit = 0;
    if growth > 0 && active {
        let own = itl::slot(block, holder).map_or(0, |slot| usize::from(slot.credit()));
        credit = growth.min(own);
    }
    if !make_room(block, growth - credit) || !space::rewrite(block, slot, now, old_piece) {
        return false;
    }
    if growth > 0 {
        use_credit(block, holder, credit);
        space::spend(block, growth - credit);
    } else {
        earn(block, holder, now - stored);
    }
    lock::set(block, slot, old_lock);
    true
}

/// Undoes a lock. False when there is no such row.
pub fn undo_lock(block: &mut [u8], slot: u16, old_lock: u8) -> bool {
    if live_row(block, slot).is_none() {
        return false;
    }
    lock::set(block, slot, old_lock);
    true
}

/// Are `bytes` free, or can they be had by removing unused ITL slots?
fn make_room(block: &mut [u8], bytes: usize) -> bool {
    let missing = bytes.saturating_sub(block::free_bytes(block));
    if missing == 0 {
        return true;
    }
    let wanted = missing.div_ceil(ITL_BYTES);
    let count = transaction::header(block).itl_count;
    let unused = (1..=count).rev().take_while(|n| itl::slot(block, *n).is_some_and(itl::Itl::is_unused)).count();
    if unused < wanted {
        return false;
    }
    cleanout::shrink_itl(block, wanted as u8);
    true
}
