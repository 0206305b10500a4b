//! Many keys looked up in one index, in its order.
//!
//! A scan goes forward from key to key. When the next key is near, its leaf is the current one or the next, and the
//! lookups become a merge. When it is far (more than [`ENTRIES_PASSED_MAX`] entries), the scan descends again from the
//! root. So a key costs at most a descent, and less the denser the keys lie.

use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use common::{Result, Rowid};

use super::KeySet;
use crate::dictionary::IndexDef;
use crate::instance::Session;
use storage::index::{IndexScan, Key};
use storage::txn::Resource;

/// Entries passed on the way to the next key before a descent from the root counts as cheaper: about the entries of two
/// leaves.
const ENTRIES_PASSED_MAX: usize = 1000;

/// Calls `visit` with each entry whose leading columns are one of `keys`; `Break` skips the rest of that key's entries.
///
/// # Errors
/// Errors of the index and of `visit`.
pub(super) fn probe(
    s: &Arc<Session>,
    index: &Arc<IndexDef>,
    keys: &KeySet,
    width: usize,
    visit: &mut dyn FnMut(&Key, Rowid) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let mut keys = keys.iter();
    let mut wanted = keys.next();
    'descent: while let Some(first) = wanted {
        let mut scan = IndexScan::new(s, index, Bound::Included(first.clone()), Bound::Unbounded, false)?;
        let mut passed = 0;
        // Skip further entries of this key.
        let mut enough = false;
        while let Some((entry, rowid)) = scan.next()? {
            let entry = Key::new(entry.columns().take(width));
            loop {
                let Some(key) = wanted else { return Ok(()) };
                if *key < entry || (*key == entry && enough) {
                    if *key == entry {
                        break;
                    }
                    (wanted, enough, passed) = (keys.next(), false, 0);
                    continue;
                }
                if *key == entry {
                    enough = visit(key, rowid)?.is_break();
                } else {
                    passed += 1;
                    if passed > ENTRIES_PASSED_MAX {
                        continue 'descent;
                    }
                }
                break;
            }
        }
        return Ok(());
    }
    Ok(())
}

/// The keys of `keys` that more than one row has now. Of two sessions that insert the same key the second waits for the
/// first, so no other session sees a duplicate before the caller's transaction ends.
///
/// # Errors
/// ORA-00060 in a deadlock; those of the index.
pub fn duplicates(s: &Arc<Session>, index: &Arc<IndexDef>, keys: &KeySet, width: usize) -> Result<KeySet> {
    if let Some(xid) = s.xid() {
        for key in keys {
            let resource = Resource::Key(index.object, key.image().to_vec());
            s.instance().locks().claim(s, xid, &resource)?;
        }
    }
    let _now = s.enter(s.current_snapshot());
    let mut found = KeySet::new();
    let mut last: Option<Key> = None;
    probe(s, index, keys, width, &mut |key, _| {
        if last.as_ref() == Some(key) {
            found.insert(key.clone());
            return Ok(ControlFlow::Break(()));
        }
        last = Some(key.clone());
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// True: two entries of the index have the same `width` leading columns.
///
/// # Errors
/// Errors of the index.
pub fn duplicate(s: &Arc<Session>, index: &Arc<IndexDef>, width: usize) -> Result<bool> {
    let mut scan = IndexScan::new(s, index, Bound::Unbounded, Bound::Unbounded, false)?;
    let mut last: Option<Key> = None;
    while let Some((entry, _)) = scan.next()? {
        let key = Key::new(entry.columns().take(width));
        if last.as_ref() == Some(&key) && !key.is_all_null() {
            return Ok(true);
        }
        last = Some(key);
    }
    Ok(false)
}
