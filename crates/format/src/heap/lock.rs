//! Lock bytes of rows, and the counts of them in the ITL slots.

use super::header::{self, FREE_SLOT};
use super::row::{self, RowPiece};
use crate::itl;

/// Sets the lock byte of the piece at `slot`, deleted or not, and counts it.
pub(super) fn set(block: &mut [u8], slot: u16, lock: u8) {
    let Some(at) = header::entry(block, slot).filter(|entry| entry & FREE_SLOT == 0) else { return };
    let Some(old) = block.get(usize::from(at) + 1).copied() else { return };
    if old != lock {
        itl::count_lock(block, old, false);
        itl::count_lock(block, lock, true);
        block[usize::from(at) + 1] = lock;
    }
}

/// True: the transaction of ITL slot `itl`, which must be running, may change this piece. Not while the lock byte names
/// the slot of another transaction: if that one has ended it must be cleaned first.
pub(super) fn is_held_by(block: &[u8], piece: RowPiece<'_>, itl: u8) -> bool {
    let Some(mine) = itl::slot(block, itl).filter(|slot| slot.is_active()) else { return false };
    let lock = piece.lock();
    lock == 0
        || lock == itl
        || itl::slot(block, lock).is_some_and(|other| other.is_active() && other.xid() == mine.xid())
}

/// The pieces that ITL slot `number` holds, by slot.
pub(super) fn held(block: &[u8], number: u8) -> impl Iterator<Item = (u16, RowPiece<'_>)> {
    row::rows(block, 0).filter(move |(_, piece)| piece.lock() == number)
}

/// Slots and bytes of the deleted pieces that ITL slot `number` holds.
pub(super) fn deleted(block: &[u8], number: u8) -> Vec<(u16, usize)> {
    let gone = held(block, number).filter(|(_, piece)| piece.is_deleted());
    gone.filter_map(|(slot, piece)| Some((slot, piece.stored_bytes()?))).collect()
}
