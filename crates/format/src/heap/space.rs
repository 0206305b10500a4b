//! Bytes and slots of a heap block: the building blocks of all changes.
//!
//! None of these keeps the sums right by itself: [`take_out`], [`place`] and [`rewrite`] move bytes, [`spend`] and
//! [`give`] count them.

use common::limits::LEAST_ROW_BYTES;

use super::header::{self, FREE_SLOT, NO_SLOT, SLOT_BYTES, header, header_mut};
use super::row;
use crate::block::TAIL_BYTES;

/// Contiguous bytes between the directory and the lowest row piece.
pub(super) fn gap(block: &[u8]) -> usize {
    let header = header(block);
    usize::from(header.end.get()).saturating_sub(usize::from(header.begin.get()))
}

/// Makes the gap at least `bytes`; false when even all holes together are too small.
pub(super) fn make_gap(block: &mut [u8], bytes: usize) -> bool {
    if gap(block) < bytes {
        compact(block);
    }
    gap(block) >= bytes
}

/// Subtracts from the free bytes.
pub(super) fn spend(block: &mut [u8], bytes: usize) {
    let header = header_mut(block);
    header.available = header.available.get().saturating_sub(bytes as u16).into();
    header.total = header.total.get().saturating_sub(bytes as u16).into();
}

/// Adds to the free bytes.
pub(super) fn give(block: &mut [u8], bytes: usize) {
    let header = header_mut(block);
    header.available = header.available.get().saturating_add(bytes as u16).into();
    header.total = header.total.get().saturating_add(bytes as u16).into();
}

/// Writes a piece, padded with zeros to the minimum.
#[inline]
pub(super) fn put(block: &mut [u8], at: usize, piece: &[u8]) {
    block[at..at + piece.len()].copy_from_slice(piece);
    if piece.len() < LEAST_ROW_BYTES {
        block[at + piece.len()..at + LEAST_ROW_BYTES].fill(0);
    }
}

/// Writes a live piece with no lock at the upper end of the gap, which must hold it. Returns its offset.
pub(super) fn place(block: &mut [u8], piece: &[u8]) -> u16 {
    let header = header_mut(block);
    let at = usize::from(header.end.get()) - piece.len().max(LEAST_ROW_BYTES);
    header.end = (at as u16).into();
    put(block, at, piece);
    block[at] &= !row::DELETED;
    block[at + 1] = 0;
    at as u16
}

/// Turns the piece at `slot` into a hole; the lowest piece widens the gap instead. The slot then holds no row and is in
/// no chain.
pub(super) fn take_out(block: &mut [u8], slot: u16, stored: usize) {
    let at = header::entry(block, slot).unwrap_or(0);
    let header = header_mut(block);
    if header.end.get() == at {
        header.end = at.saturating_add(stored as u16).into();
    }
    header::set_entry(block, slot, FREE_SLOT | NO_SLOT);
}

/// Replaces the live piece of `old` bytes at `slot` by `piece`; its lock byte stays. False, and the row unchanged, when
/// the holes do not hold it.
pub(super) fn rewrite(block: &mut [u8], slot: u16, old: usize, piece: &[u8]) -> bool {
    let Some(old_at) = header::entry(block, slot).map(usize::from) else { return false };
    let stored = piece.len().max(LEAST_ROW_BYTES);
    let lock = block[old_at + 1];
    let mut fits = true;
    let at = if stored <= old {
        put(block, old_at, piece);
        block[old_at] &= !row::DELETED;
        old_at
    } else {
        let before = block[old_at..old_at + old].to_vec();
        take_out(block, slot, old);
        fits = make_gap(block, stored);
        let at = place(block, if fits { piece } else { &before });
        header::set_entry(block, slot, at);
        usize::from(at)
    };
    block[at + 1] = lock;
    fits
}

/// The first free slot, or a new one behind the last, whose bytes it spends; the gap must hold them.
pub(super) fn take_slot(block: &mut [u8]) -> u16 {
    let slot = header(block).first_free.get();
    if slot != NO_SLOT {
        let next = header::entry(block, slot).unwrap_or(FREE_SLOT | NO_SLOT) & !FREE_SLOT;
        header_mut(block).first_free = next.into();
        return slot;
    }
    append_slot(block)
}

/// Appends a slot, in no chain.
fn append_slot(block: &mut [u8]) -> u16 {
    let header = header_mut(block);
    let slot = header.slots.get();
    header.slots = (slot + 1).into();
    header.begin = (header.begin.get() + SLOT_BYTES as u16).into();
    header::set_table_slots(block, slot + 1);
    header::set_entry(block, slot, FREE_SLOT | NO_SLOT);
    spend(block, SLOT_BYTES);
    slot
}

/// Takes the slot `slot`, which is free or beyond the directory: that grows as far as needed, and the gap must hold it.
pub(super) fn take_slot_at(block: &mut [u8], slot: u16) {
    while header::slot_count(block) <= slot {
        append_slot(block);
    }
    header::set_entry(block, slot, 0);
    chain_free_slots(block);
}

/// Frees a slot whose piece has been removed. The directory never ends with a free slot, so that an undone insert
/// leaves nothing behind, and a block without rows takes any row that a new block takes.
pub(super) fn release_slot(block: &mut [u8], slot: u16) {
    let slots = header::slot_count(block);
    if slot + 1 < slots {
        let next = header(block).first_free.get();
        header::set_entry(block, slot, FREE_SLOT | next);
        header_mut(block).first_free = slot.into();
        return;
    }
    let used = header::directory(block)[..usize::from(slot)].iter().rposition(|entry| entry.get() & FREE_SLOT == 0);
    let keep = used.map_or(0, |last| last as u16 + 1);
    let freed = SLOT_BYTES * usize::from(slots - keep);
    let limit = (block.len() - TAIL_BYTES) as u16;
    let header = header_mut(block);
    header.slots = keep.into();
    header.begin = (header.begin.get() - freed as u16).into();
    if keep == 0 {
        header.end = limit.into();
    }
    header::set_table_slots(block, keep);
    give(block, freed);
    if keep < slot {
        chain_free_slots(block);
    }
}

/// Chains the free slots anew, in ascending order.
fn chain_free_slots(block: &mut [u8]) {
    let mut first = NO_SLOT;
    for slot in (0..header::slot_count(block)).rev() {
        if header::entry(block, slot).is_some_and(|entry| entry & FREE_SLOT != 0) {
            header::set_entry(block, slot, FREE_SLOT | first);
            first = slot;
        }
    }
    header_mut(block).first_free = first.into();
}

/// Moves all row pieces down to the tail, so that all holes are in the gap. Slots keep their numbers.
pub(super) fn compact(block: &mut [u8]) {
    let low = usize::from(header(block).end.get());
    let old = block[low..].to_vec();
    let old_end = old.len() - TAIL_BYTES;
    let mut end = block.len() - TAIL_BYTES;
    for slot in 0..header::slot_count(block) {
        let Some(at) = header::entry(block, slot).filter(|entry| entry & FREE_SLOT == 0) else { continue };
        let Some(from) = usize::from(at).checked_sub(low).filter(|from| *from <= old_end) else { continue };
        let Some(stored) = row::RowPiece::new(&old[from..old_end]).and_then(row::RowPiece::stored_bytes) else {
            continue;
        };
        if from + stored > old_end || end < stored {
            continue;
        }
        end -= stored;
        block[end..end + stored].copy_from_slice(&old[from..from + stored]);
        header::set_entry(block, slot, end as u16);
    }
    header_mut(block).end = (end as u16).into();
}
