//! What undo records of index entries say, and taking them back in the bytes of a leaf.
//!
//! | record | each entry |
//! | --- | --- |
//! | insert | length of the stored key (2), stored key |
//! | delete | the same, then the lock byte before (1) |
//! | revive | the same, then the rowid before (6) |

use format::index::key::ROWID_BYTES;
use format::index::{Leaf, change};

use super::operation::{DELETE_ENTRIES, INSERT_ENTRIES, REVIVE_ENTRIES};
use crate::undo::Record;

/// Bytes of payload at which a record is cut, unless its only entry is longer.
pub(crate) const UNDO_BYTES: usize = 2000;

const LENGTH_BYTES: usize = 2;

/// Bytes that an entry takes at most in a record.
pub(crate) fn entry_bytes(key: &[u8]) -> usize {
    written(REVIVE_ENTRIES, key)
}

/// Bytes that an entry takes in a record.
pub(crate) fn written(operation: u8, key: &[u8]) -> usize {
    let more = match operation {
        INSERT_ENTRIES => 0,
        DELETE_ENTRIES => 1,
        _ => 1 + ROWID_BYTES,
    };
    LENGTH_BYTES + key.len() + more
}

pub(crate) fn put_inserted(payload: &mut Vec<u8>, key: &[u8]) {
    debug_assert!(key.len() <= usize::from(u16::MAX), "a key of {} bytes", key.len());
    payload.extend_from_slice(&(key.len() as u16).to_le_bytes());
    payload.extend_from_slice(key);
}

pub(crate) fn put_deleted(payload: &mut Vec<u8>, key: &[u8], lock: u8) {
    put_inserted(payload, key);
    payload.push(lock);
}

pub(crate) fn put_revived(payload: &mut Vec<u8>, key: &[u8], lock: u8, rowid: [u8; ROWID_BYTES]) {
    let start = payload.len();
    put_deleted(payload, key, lock);
    payload.extend_from_slice(&rowid);
    debug_assert_eq!(payload.len() - start, entry_bytes(key), "an entry takes the room that is reckoned");
}

/// An entry of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Changed<'a> {
    pub(crate) key: &'a [u8],
    /// Before the change.
    pub(crate) lock: u8,
    pub(crate) rowid: [u8; ROWID_BYTES],
}

/// The entries of a record; None when it is none of an index.
pub(crate) fn entries(record: &Record) -> Option<Vec<Changed<'_>>> {
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
pub(crate) fn take_back(bytes: &mut [u8], at: usize, operation: u8, changed: Changed<'_>) -> bool {
    match operation {
        INSERT_ENTRIES => change::undo_insert(bytes, at),
        DELETE_ENTRIES => change::undo_delete(bytes, at, changed.lock),
        _ => change::undo_revive(bytes, at, changed.lock, changed.rowid),
    }
}

/// Takes a change back in a copy of a leaf, as far as its entries are there: for consistent reads. False when the
/// record is none of an index.
pub(crate) fn undo_in_leaf(bytes: &mut [u8], record: &Record) -> bool {
    let Some(entries) = entries(record) else { return false };
    for changed in entries.iter().rev() {
        if let Ok(at) = Leaf::of(bytes).search(changed.key) {
            take_back(bytes, at, record.operation, *changed);
        }
    }
    true
}
