//! Index entries under transactions: what undo records of an index say, and taking changes back.
//!
//! A record is of one leaf when it is written; splits may have moved its entries since. Rollback looks for each by its key. A consistent read takes back in
//! its copy of a leaf what it finds of a record; what it does not find is in the copies of other leaves.
//!
//! | record | each entry |
//! | --- | --- |
//! | insert | length of the stored key (2), stored key |
//! | delete | the same, then the lock byte before (1) |
//! | revive | the same, then the rowid before (6) |

use common::{Error, Result, Uba};
use format::index::key::ROWID_BYTES;
use format::index::{Leaf, Target, change};
use format::itl::{self, Itl};
use waits::Statistic;

use super::blocks::Blocks;
use super::session::with_tree;
use super::tree::Tree;
use crate::instance::Session;
use crate::txn::operation::{DELETE_ENTRIES, INSERT_ENTRIES, REVIVE_ENTRIES};
use crate::undo::{self, OwnedPrevious, Record};

/// Bytes of payload at which a record is cut, unless its only entry is longer.
pub(super) const UNDO_BYTES: usize = 2000;

const LENGTH_BYTES: usize = 2;

/// Bytes that an entry takes at most in a record.
pub(super) fn entry_bytes(key: &[u8]) -> usize {
    written(REVIVE_ENTRIES, key)
}

/// Bytes that an entry takes in a record.
pub(super) fn written(operation: u8, key: &[u8]) -> usize {
    let more = match operation {
        INSERT_ENTRIES => 0,
        DELETE_ENTRIES => 1,
        _ => 1 + ROWID_BYTES,
    };
    LENGTH_BYTES + key.len() + more
}

pub(super) fn put_inserted(payload: &mut Vec<u8>, key: &[u8]) {
    payload.extend_from_slice(&(key.len() as u16).to_le_bytes());
    payload.extend_from_slice(key);
}

pub(super) fn put_deleted(payload: &mut Vec<u8>, key: &[u8], lock: u8) {
    put_inserted(payload, key);
    payload.push(lock);
}

pub(super) fn put_revived(payload: &mut Vec<u8>, key: &[u8], lock: u8, rowid: [u8; ROWID_BYTES]) {
    put_deleted(payload, key, lock);
    payload.extend_from_slice(&rowid);
}

/// An entry of a record.
#[derive(Clone, Copy, Debug)]
struct Changed<'a> {
    key: &'a [u8],
    /// Before the change.
    lock: u8,
    rowid: [u8; ROWID_BYTES],
}

/// The entries of a record; None when it is none of an index.
fn entries(record: &Record) -> Option<Vec<Changed<'_>>> {
    if !matches!(record.operation, INSERT_ENTRIES | DELETE_ENTRIES | REVIVE_ENTRIES) {
        return None;
    }
    let mut out = Vec::new();
    let mut rest = &record.payload[..];
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk::<LENGTH_BYTES>()?;
        let (key, after) = after.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        let mut changed = Changed { key, lock: 0, rowid: [0; ROWID_BYTES] };
        rest = after;
        if record.operation != INSERT_ENTRIES {
            let (lock, after) = rest.split_first()?;
            (changed.lock, rest) = (*lock, after);
        }
        if record.operation == REVIVE_ENTRIES {
            let (rowid, after) = rest.split_first_chunk::<ROWID_BYTES>()?;
            (changed.rowid, rest) = (*rowid, after);
        }
        out.push(changed);
    }
    Some(out)
}

/// Takes the change of entry `at` back; nothing where it is not as the change left it.
fn take_back(bytes: &mut [u8], at: usize, operation: u8, changed: Changed<'_>) -> bool {
    match operation {
        INSERT_ENTRIES => change::undo_insert(bytes, at),
        DELETE_ENTRIES => change::undo_delete(bytes, at, changed.lock),
        _ => change::undo_revive(bytes, at, changed.lock, changed.rowid),
    }
}

/// Takes a change back in the index, wherever its entries are by now: for rollback. What is back already stays as it is.
///
/// # Errors
/// Those of getting blocks.
pub(crate) fn undo(s: &Session, record: &Record) -> Result<()> {
    let entries =
        entries(record).ok_or_else(|| Error::bug(format!("undo record {} is not one of an index", record.uba)))?;
    // An index that is not there any more has nothing to take back.
    let catalog = s.catalog();
    let Some(index) = catalog.indexes().find(|index| index.segment.data_object() == record.object) else {
        return Ok(());
    };
    with_tree(s, index, |tree| tree.undo(record, &entries, |from| leads_to(s, from, record)))?;
    s.meter().count(Statistic::RollbackChangesUndoRecordsApplied, 1);
    Ok(())
}

/// Whether a record of the same transaction is met on the way back from `from` through the records of one leaf.
fn leads_to(s: &Session, from: Uba, record: &Record) -> Result<bool> {
    let mut at = from;
    while at != record.uba {
        match undo::read(s, at, Some(record.xid))?.previous {
            OwnedPrevious::Uba(previous) => at = previous,
            OwnedPrevious::Itl(_) => return Ok(false),
        }
    }
    Ok(true)
}

impl<B: Blocks> Tree<'_, B> {
    /// Takes the entries of a record back. `leads_to`: whether the record is met on the way back from another.
    fn undo(&self, record: &Record, entries: &[Changed<'_>], leads_to: impl Fn(Uba) -> Result<bool>) -> Result<()> {
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let mut visit = self.visit_leaf(Target::before(first.key))?;
            let belongs = |changed: &&Changed<'_>| {
                !visit.upper.as_ref().is_some_and(|upper| Target::before(changed.key).is_past_separator(upper))
            };
            let count = rest.iter().take_while(belongs).count().max(1);
            let (here, further) = rest.split_at(count);
            rest = further;
            // All that the transaction did in this leaf after the record is taken back by now. Where its slot still names a later record, that was because
            // the entries of that one had moved away.
            let slot = itl::slot(&visit.leaf, record.itl).copied().filter(|slot| is_of(slot, record));
            let restore = match slot {
                Some(slot) => leads_to(slot.uba())?,
                None => false,
            };
            let is_held = |bytes: &[u8], at: usize| {
                let lock = Leaf::of(bytes).entry(at).lock;
                itl::slot(bytes, lock).is_some_and(|slot| is_of(slot, record))
            };
            let leaf = Leaf::of(&visit.leaf);
            let any = here.iter().any(|changed| leaf.search(changed.key).is_ok_and(|at| is_held(&visit.leaf, at)));
            if !any && !restore {
                continue;
            }
            self.blocks.change(&mut visit.leaf, |bytes| {
                for changed in here.iter().rev() {
                    if let Ok(at) = Leaf::of(bytes).search(changed.key)
                        && is_held(bytes, at)
                    {
                        take_back(bytes, at, record.operation, *changed);
                    }
                }
                if restore {
                    match &record.previous {
                        OwnedPrevious::Itl(before) => itl::restore(bytes, record.itl, before),
                        OwnedPrevious::Uba(previous) => itl::set_uba(bytes, record.itl, *previous),
                    }
                }
            });
        }
        Ok(())
    }
}

fn is_of(slot: &Itl, record: &Record) -> bool {
    slot.is_active() && slot.xid() == record.xid
}

/// Takes a change back in a copy of a leaf, as far as its entries are there: for consistent reads. False when the record is none of an index.
pub(crate) fn undo_in_leaf(bytes: &mut [u8], record: &Record) -> bool {
    let Some(entries) = entries(record) else { return false };
    for changed in entries.iter().rev() {
        if let Ok(at) = Leaf::of(bytes).search(changed.key) {
            take_back(bytes, at, record.operation, *changed);
        }
    }
    true
}
