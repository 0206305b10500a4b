//! The ITL of an index block: its room, and lock bytes of entries.

use common::BlockSize;

use super::header::{self, BRANCH_HEADER_BYTES, DIRECTORY_BYTES, LEAF_HEADER_BYTES, RESERVE_BYTES};
use super::key::ROWID_BYTES;
use super::leaf::Leaf;
use super::node::{self, LEAF_PREFIX_BYTES, Node};
use crate::block::TAIL_BYTES;
use crate::itl;
use crate::transaction::{self, ASSM_BYTES, ITL_BYTES, ITL_OFFSET};

/// Maximum of ITL slots in an index block of this size: as in table blocks, and leaving room for the longest key. A
/// leaf passes its slots on to both halves when it is split, so splitting would not help such a key.
pub(crate) fn itl_slots_max(block_bytes: usize) -> usize {
    let Ok(size) = BlockSize::from_bytes(block_bytes as u64) else { return 0 };
    let entry = DIRECTORY_BYTES + LEAF_PREFIX_BYTES + ROWID_BYTES + super::key::longest(size);
    let other = ITL_OFFSET + ASSM_BYTES + LEAF_HEADER_BYTES + RESERVE_BYTES + TAIL_BYTES + entry;
    (block_bytes.saturating_sub(other) / ITL_BYTES).min(itl::slots_max(block_bytes))
}

/// Adds an ITL slot, zeroed; false when there is no room. Header and directory move up; entries stay, so that their
/// offsets, which count from the body, shrink.
pub(crate) fn grow_itl(block: &mut [u8]) -> bool {
    let common = *header::common(block);
    if usize::from(common.available.get()) < ITL_BYTES {
        return false;
    }
    if usize::from(common.free_end.get()).saturating_sub(usize::from(common.free_begin.get())) < ITL_BYTES {
        node::compact(block);
    }
    let common = *header::common(block);
    let (begin, end) = (usize::from(common.free_begin.get()), usize::from(common.free_end.get()));
    if end < begin + ITL_BYTES {
        return false;
    }
    let leaf = common.level == 0;
    let header_bytes = if leaf { LEAF_HEADER_BYTES } else { BRANCH_HEADER_BYTES };
    let base = transaction::body_offset(block);
    let count = transaction::header(block).itl_count;
    let at = ITL_OFFSET + ITL_BYTES * usize::from(count);
    for entry in 0..usize::from(common.entries.get()) {
        let place = base + header_bytes + DIRECTORY_BYTES * entry;
        let offset = u16::from_le_bytes([block[place], block[place + 1]]);
        block[place..place + DIRECTORY_BYTES].copy_from_slice(&offset.saturating_sub(ITL_BYTES as u16).to_le_bytes());
    }
    block.copy_within(at..base + begin, at + ITL_BYTES);
    block[at..at + ITL_BYTES].fill(0);
    transaction::header_mut(block).itl_count = count + 1;
    let usable = (header::usable(block) as u32).into();
    if leaf {
        header::leaf_mut(block).usable = usable;
    } else {
        header::branch_mut(block).usable = usable;
    }
    let common = header::common_mut(block);
    common.free_end = ((end - ITL_BYTES) as u16).into();
    common.available -= ITL_BYTES as u16;
    true
}

/// Clears the lock bytes of the entries that ITL slot `number` holds.
pub(crate) fn unlock(block: &mut [u8], number: u8) {
    if !header::is_leaf(block) {
        return;
    }
    for i in 0..Leaf::of(block).entries() {
        if Leaf::of(block).entry(i).lock == number {
            set_lock(block, i, 0);
        }
    }
}

/// Sets the lock byte of entry `i`, and counts it.
pub(super) fn set_lock(block: &mut [u8], i: usize, lock: u8) {
    let at = transaction::body_offset(block).saturating_add(Node::of(block).offset(i)).saturating_add(1);
    let Some(byte) = block.get_mut(at) else { return };
    let old = std::mem::replace(byte, lock);
    if old != lock {
        itl::count_lock(block, old, false);
        itl::count_lock(block, lock, true);
    }
}

/// Recounts the lock bytes of all entries, after entries have moved between blocks.
pub(super) fn count_locks(block: &mut [u8]) {
    let mut counts = [0u16; 256];
    if header::is_leaf(block) {
        let leaf = Leaf::of(block);
        for i in 0..leaf.entries() {
            counts[usize::from(leaf.entry(i).lock)] += 1;
        }
    }
    for number in 1..=transaction::header(block).itl_count {
        if let Some(slot) = itl::slot_mut(block, number) {
            slot.set_lock_count(counts[usize::from(number)]);
        }
    }
}
