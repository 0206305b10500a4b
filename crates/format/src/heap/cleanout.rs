//! What the end of a transaction does to the rows of a block. Called by [`crate::itl`].

use super::header::header_mut;
use super::{lock, space, statement};
use crate::itl;

/// The transaction of ITL slot `number` has committed: the rows it deleted go, and the bytes it freed may be used by all.
pub(crate) fn release(block: &mut [u8], number: u8) {
    let credit = itl::take_credit(block, number);
    if credit == 0 {
        return;
    }
    // `total` has them already.
    let header = header_mut(block);
    header.available = header.available.get().saturating_add(credit).into();
    let gone: Vec<_> = lock::held(block, number).filter(|(_, _, deleted)| *deleted).collect();
    for (slot, stored, _) in gone.into_iter().rev() {
        lock::set(block, slot, 0);
        space::take_out(block, slot, stored);
        space::release_slot(block, slot);
    }
}

/// Takes the lock bytes off the rows that ITL slot `number` holds.
pub(crate) fn unlock(block: &mut [u8], number: u8) {
    let held: Vec<_> = lock::held(block, number).map(|(slot, _, _)| slot).collect();
    for slot in held {
        lock::set(block, slot, 0);
    }
}

/// Credit that nobody needs any more, because the transaction has been undone, may be used by all.
pub(crate) fn give_credit(block: &mut [u8], credit: u16) {
    let header = header_mut(block);
    header.available = header.available.get().saturating_add(credit).into();
}

/// Adds an ITL slot's bytes behind the last one; false where they are missing.
pub(crate) fn grow_itl(block: &mut [u8]) -> bool {
    statement::grow(block)
}

/// Gives the bytes of the last `slots` ITL slots, which nobody needs, to the rows.
pub(crate) fn shrink_itl(block: &mut [u8], slots: u8) {
    statement::shrink(block, slots);
}
