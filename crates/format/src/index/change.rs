//! Changes of a transaction to the entries of a leaf, under one of its ITL slots, and their undo.
//!
//! - The lock byte of every entry that a transaction touches is the number of its ITL slot, which counts them.
//! - A deleted entry is marked and keeps its bytes until [`purge`]. A leaf has no credit: an insert takes free bytes,
//!   and undoing it frees them.
//! - An entry whose lock byte names the ITL slot of another transaction is not changed. If that one has ended it must
//!   be cleaned first ([`crate::itl::clean`]).
//!
//! | change | taken back by |
//! | --- | --- |
//! | [`insert`] | [`undo_insert`] |
//! | [`mark_deleted`] | [`undo_delete`] |
//! | [`revive`], the same key again | [`undo_revive`] with the rowid that it returned |
//! | [`lock`] | [`undo_lock`] |
//!
//! Positions are valid for the moment: undo finds its entry by key, in its present leaf.

use common::Scn;

use super::header::{self, DIRECTORY_BYTES, LEAF_HEADER_BYTES};
use super::itl::set_lock;
use super::key::ROWID_BYTES;
use super::leaf::{self, Leaf};
use super::node::{self, Node};
use crate::block::HEADER_BYTES;
use crate::itl::{self, CLEANED, Itl, UPPER_BOUND};
use crate::redo::Reach;
use crate::transaction;

/// True: the transaction of ITL slot `itl`, which must be running, may change entry `at`.
#[must_use]
pub fn is_changeable(block: &[u8], at: usize, itl: u8) -> bool {
    let leaf = Leaf::of(block);
    let Some(mine) = itl::slot(block, itl).filter(|slot| slot.is_active()) else { return false };
    if at >= leaf.entries() {
        return false;
    }
    let lock = leaf.entry(at).lock;
    let is_mine = |other: &Itl| other.is_active() && other.xid() == mine.xid();
    lock == 0 || lock == itl || itl::slot(block, lock).is_some_and(is_mine)
}

/// What [`insert`] of an entry with a key of `key_bytes` may write where no other has to be moved for it, with the ITL
/// slot of the change; None otherwise.
#[must_use]
pub fn insert_reach(block: &[u8], key_bytes: usize) -> Option<Reach> {
    let node = Node::of(block);
    let common = header::common(block);
    let (begin, end) = (usize::from(common.free_begin.get()), usize::from(common.free_end.get()));
    let bytes = node.prefix_bytes + key_bytes;
    if end < begin + bytes + DIRECTORY_BYTES {
        return None;
    }
    let base = transaction::body_offset(block);
    let headers = Reach::default().with(block.len(), HEADER_BYTES..base + begin + DIRECTORY_BYTES)?;
    headers.with(block.len(), base + end - bytes..base + end)
}

/// What [`mark_deleted`], [`revive`] and [`lock`] of entry `at` may write, with the ITL slot of the change.
#[must_use]
pub fn touch_reach(block: &[u8], at: usize) -> Option<Reach> {
    let node = Node::of(block);
    let base = transaction::body_offset(block);
    let start = base + node.offset(at);
    let headers = Reach::default().with(block.len(), HEADER_BYTES..base + LEAF_HEADER_BYTES)?;
    headers.with(block.len(), start..start + node.prefix_bytes)
}

/// Inserts an entry as number `at`, under ITL slot `itl`. False, and nothing changed, when it does not fit or `itl` is
/// not a running transaction's.
pub fn insert(block: &mut [u8], at: usize, key: &[u8], rowid: [u8; ROWID_BYTES], itl: u8) -> bool {
    let running = itl::slot(block, itl).is_some_and(Itl::is_active);
    if !running || at > Leaf::of(block).entries() || !leaf::insert(block, at, key, rowid) {
        return false;
    }
    set_lock(block, at, itl);
    true
}

/// Marks entry `at` deleted. False, and nothing changed, when it is deleted already, or this transaction may not change
/// it.
pub fn mark_deleted(block: &mut [u8], at: usize, itl: u8) -> bool {
    if !is_changeable(block, at, itl) || Leaf::of(block).is_deleted(at) {
        return false;
    }
    leaf::set_deleted(block, at, true);
    set_lock(block, at, itl);
    true
}

/// Revives deleted entry `at` for the row `rowid`, which in a unique index may be another. Returns the rowid that it
/// had, for undo. None, and nothing changed, when it is not deleted, or this transaction may not change it.
pub fn revive(block: &mut [u8], at: usize, rowid: [u8; ROWID_BYTES], itl: u8) -> Option<[u8; ROWID_BYTES]> {
    if !is_changeable(block, at, itl) || !Leaf::of(block).is_deleted(at) {
        return None;
    }
    let old = Leaf::of(block).entry(at).rowid;
    leaf::revive(block, at, rowid);
    set_lock(block, at, itl);
    Some(old)
}

/// Locks entry `at` and changes nothing else. False when this transaction may not change it.
pub fn lock(block: &mut [u8], at: usize, itl: u8) -> bool {
    if !is_changeable(block, at, itl) {
        return false;
    }
    set_lock(block, at, itl);
    true
}

/// Undoes an insert: removes the entry. False where there is none.
pub fn undo_insert(block: &mut [u8], at: usize) -> bool {
    if at >= Leaf::of(block).entries() {
        return false;
    }
    leaf::remove(block, at);
    true
}

/// Undoes a delete: clears the mark. False where there is no deleted entry: on a clone it may have been purged, and is
/// to be inserted.
pub fn undo_delete(block: &mut [u8], at: usize, old_lock: u8) -> bool {
    if at >= Leaf::of(block).entries() || !Leaf::of(block).is_deleted(at) {
        return false;
    }
    leaf::set_deleted(block, at, false);
    set_lock(block, at, old_lock);
    true
}

/// Undoes a revival: the entry is deleted again, and has `old_rowid`. False where there is no live entry.
pub fn undo_revive(block: &mut [u8], at: usize, old_lock: u8, old_rowid: [u8; ROWID_BYTES]) -> bool {
    if at >= Leaf::of(block).entries() || Leaf::of(block).is_deleted(at) {
        return false;
    }
    leaf::set_deleted(block, at, true);
    leaf::set_rowid(block, at, old_rowid);
    set_lock(block, at, old_lock);
    true
}

/// Restores the lock byte of an entry. False where there is no entry.
pub fn undo_lock(block: &mut [u8], at: usize, old_lock: u8) -> bool {
    if at >= Leaf::of(block).entries() {
        return false;
    }
    set_lock(block, at, old_lock);
    true
}

/// Removes entries marked deleted that no snapshot needs; returns their number. `is_over` is called with the ITL slot
/// of the deleting transaction: it must have committed before every snapshot in use. Where that slot has been cleaned,
/// so that the entry no longer names it, the argument is a slot that committed at the block's cleanout SCN, which is
/// not earlier.
pub fn purge(block: &mut [u8], is_over: impl Fn(&Itl) -> bool) -> usize {
    let gone = purgeable(block, is_over);
    for at in gone.iter().rev() {
        set_lock(block, *at, 0);
        node::remove(block, *at);
    }
    header::leaf_mut(block).deleted -= gone.len() as u16;
    gone.len()
}

/// True: [`purge`] would remove an entry.
#[must_use]
pub fn is_purgeable(block: &[u8], is_over: impl Fn(&Itl) -> bool) -> bool {
    !purgeable(block, is_over).is_empty()
}

fn purgeable(block: &[u8], is_over: impl Fn(&Itl) -> bool) -> Vec<usize> {
    let leaf = Leaf::of(block);
    if leaf.deleted() == 0 {
        return Vec::new();
    }
    let cleaned = is_over(&committed_by(transaction::header(block).cleanout()));
    let mut over = [false; 256];
    over[0] = cleaned;
    for (number, slot) in itl::slots(block) {
        over[usize::from(number)] = is_over(slot);
    }
    (0..leaf.entries()).filter(|i| leaf.is_deleted(*i) && over[usize::from(leaf.entry(*i).lock)]).collect()
}

/// A slot of a transaction that committed at `scn` or before.
fn committed_by(scn: Scn) -> Itl {
    let mut itl = Itl::default();
    itl.set_committed(CLEANED | UPPER_BOUND, scn);
    itl
}
