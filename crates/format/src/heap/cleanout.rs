//! The end of a transaction in the rows of a block, and room for ITL slots. Called by [`crate::itl`].

use super::block::free_bytes;
use super::header::{self, header_mut};
use super::{lock, space};
use crate::itl;
use crate::transaction::{self, ITL_BYTES, ITL_OFFSET, body_offset};

/// The transaction of ITL slot `number` has committed: the rows it deleted go, and the bytes it freed may be used by
/// all.
pub(crate) fn release(block: &mut [u8], number: u8) {
    let credit = itl::take_credit(block, number);
    if credit == 0 {
        return;
    }
    // `total` has them already.
    let header = header_mut(block);
    header.available = header.available.get().saturating_add(credit).into();
    for (slot, stored) in lock::deleted(block, number).into_iter().rev() {
        lock::set(block, slot, 0);
        space::take_out(block, slot, stored);
        space::release_slot(block, slot);
    }
}

/// Clears the lock bytes of the rows that ITL slot `number` holds.
pub(crate) fn unlock(block: &mut [u8], number: u8) {
    let held: Vec<_> = lock::held(block, number).map(|(slot, _)| slot).collect();
    for slot in held {
        lock::set(block, slot, 0);
    }
}

/// Makes the remaining credit of an undone transaction free bytes.
pub(crate) fn give_credit(block: &mut [u8], credit: u16) {
    let header = header_mut(block);
    header.available = header.available.get().saturating_add(credit).into();
}

/// Appends an ITL slot, zeroed; false when there is no room.
pub(crate) fn grow_itl(block: &mut [u8]) -> bool {
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

/// Gives the bytes of the last `slots` ITL slots, which are unused, to the rows.
pub(crate) fn shrink_itl(block: &mut [u8], slots: u8) {
    let count = transaction::header(block).itl_count;
    let bytes = ITL_BYTES * usize::from(slots);
    let end = ITL_OFFSET + ITL_BYTES * usize::from(count);
    let begin = usize::from(header::header(block).begin.get());
    block.copy_within(end..begin, end - bytes);
    transaction::header_mut(block).itl_count = count - slots;
    header_mut(block).begin = ((begin - bytes) as u16).into();
    space::give(block, bytes);
}
