//! The parent side of a foreign key: the keys that children refer to.

use std::ops::ControlFlow;
use std::sync::Arc;

use common::{BlockAddress, Error, ObjectNumber, Result, Rowid, Xid};
use scan::{RowSink, ScanSpec};
use waits::Event;

use super::probe::probe;
use super::{KeySet, whole_key};
use crate::dictionary::{Catalog, ConstraintDef, IndexDef, TableDef};
use crate::instance::Session;
use storage::index::{Key, key_holder, lookup};
use storage::table::{Fetcher, Row, TableScan, lock_row, row_holder};
use storage::txn::{LockWait, Resource, TableLock};

/// Up to so many keys are looked up one by one in a unique index, which spares the copies of leaves that a scan makes.
const SINGLE_LOOKUPS: usize = 4;
/// Attempts to find a parent row that other sessions delete and insert all the time.
const LOOKS_MAX: usize = 1000;
/// Mode of the wait for the transaction that holds a parent (S).
const SHARE_MODE: u64 = 4;
/// Rows a call of the table scan returns.
const SCAN_ROWS: usize = 10_000;

/// The index that enforces the key which a foreign key refers to.
///
/// # Errors
/// HW-0600 when there is none: an enabled foreign key refers to an enabled key.
pub fn key_index(catalog: &Catalog, foreign: &ConstraintDef) -> Result<Arc<IndexDef>> {
    foreign
        .reference
        .as_ref()
        .and_then(|reference| catalog.constraint_by_number(reference.key))
        .and_then(|key| catalog.index_by_number(key.index?))
        .cloned()
        .ok_or_else(|| Error::bug(format!("the key of foreign key {} has no index", foreign.qualified_name())))
}

/// The keys of `keys` that no parent row has. The keys are the foreign key's, whole.
///
/// The parents that are found stay until the caller's transaction ends: other sessions may refer to them too, but a
/// session that deletes one or changes its key waits ([`take_parents`]). A parent that another transaction has inserted
/// or locked is looked up again when that transaction has ended.
///
/// # Errors
/// ORA-00060 in a deadlock; those of the index and of reading rows.
pub fn missing_parents(s: &Arc<Session>, foreign: &ConstraintDef, keys: &KeySet) -> Result<KeySet> {
    if keys.is_empty() {
        return Ok(KeySet::new());
    }
    let catalog = s.catalog();
    let index = key_index(&catalog, foreign)?;
    let gone = || Error::bug(format!("the table that foreign key {} refers to is gone", foreign.qualified_name()));
    let reference = foreign.reference.as_ref().ok_or_else(gone)?;
    let parent = catalog.table_by_number(reference.table).ok_or_else(gone)?;
    s.lock_table(parent.object, TableLock::RowShare, LockWait::Forever)?;
    let columns: Vec<usize> = reference.columns.iter().map(|column| usize::from(*column)).collect();
    let mut missing = keys.clone();
    for _ in 0..LOOKS_MAX {
        s.check_cancelled()?;
        let (mut again, mut held) = (false, Vec::new());
        for (key, rowid) in entries(s, &index, &missing, columns.len())? {
            match hold(s, parent, rowid)? {
                Some(new) => held.push(HeldParent { rowid, key, new }),
                None => again = true,
            }
        }
        again |= !there(s, parent, &columns, held, &mut missing)?;
        // Uncommitted rows of other transactions may become parents.
        for key in &missing {
            if let Some(other) = key_holder(s, &index, key)? {
                wait_for(s, other)?;
                again = true;
            }
        }
        if !again {
            break;
        }
    }
    Ok(missing)
}

/// The entries of `keys` as of now.
fn entries(s: &Arc<Session>, index: &Arc<IndexDef>, keys: &KeySet, width: usize) -> Result<Vec<(Key, Rowid)>> {
    let _now = s.enter(s.current_snapshot());
    let mut found = Vec::new();
    if keys.len() <= SINGLE_LOOKUPS && index.unique && index.columns.len() == width {
        for key in keys {
            found.extend(lookup(s, index, key)?.map(|rowid| (key.clone(), rowid)));
        }
        return Ok(found);
    }
    probe(s, index, keys, width, &mut |key, rowid| {
        found.push((key.clone(), rowid));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// A parent row that the caller's transaction holds.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct HeldParent {
    rowid: Rowid,
    key: Key,
    /// True: this call has taken the hold.
    new: bool,
}

fn own_transaction(s: &Session) -> Result<Xid> {
    s.xid().ok_or_else(|| Error::bug("a foreign key is checked outside a transaction"))
}

/// Holds a parent row for the caller's transaction. `Some(true)`: the hold is new. None: another transaction had the
/// row and has ended; the caller looks the row up again.
fn hold(s: &Session, parent: &TableDef, rowid: Rowid) -> Result<Option<bool>> {
    let xid = own_transaction(s)?;
    let (locks, resource) = (s.instance().locks(), Resource::Parent(parent.object, rowid));
    // This side holds the row, then looks who has locked it; the session that locks the row locks it, then looks who
    // holds it. So one of the two sees the other.
    let new = locks.share(s.meter(), xid, &resource);
    let Some(other) = row_holder(s, parent, rowid)? else { return Ok(Some(new)) };
    if new {
        locks.unshare(s.meter(), xid, &resource);
    }
    wait_for(s, other)?;
    Ok(None)
}

/// Removes the keys whose rows are present from `missing`, and releases the holds on rows that are not. Returns false
/// when a row was not present.
fn there(
    s: &Arc<Session>,
    parent: &Arc<TableDef>,
    columns: &[usize],
    mut held: Vec<HeldParent>,
    missing: &mut KeySet,
) -> Result<bool> {
    let xid = own_transaction(s)?;
    let _now = s.enter(s.current_snapshot());
    let places: Vec<u16> = (0..columns.len() as u16).collect();
    let mut fetcher = Fetcher::new(s.worker().clone(), parent.heap().clone(), columns.to_vec());
    let mut row = Row::new();
    let mut all = true;
    // In the order of blocks, the rows of one block cost one get.
    held.sort_unstable();
    for HeldParent { rowid, key, new } in held {
        if fetcher.fetch(rowid, &mut row)? && whole_key(&places, |position| row.column(position)).as_ref() == Some(&key)
        {
            missing.remove(&key);
            continue;
        }
        all = false;
        if new {
            s.instance().locks().unshare(s.meter(), xid, &Resource::Parent(parent.object, rowid));
        }
    }
    Ok(all)
}

fn wait_for(s: &Session, other: Xid) -> Result<()> {
    s.instance().locks().wait_for(s, other, LockWait::Forever, Event::EnqTxRowLockContention, SHARE_MODE)
}

/// Locks rows that are to be deleted, or whose keys are to change, and waits for the transactions that have inserted
/// rows referring to them. The caller then finds the remaining referring rows by [`super::children`].
///
/// # Errors
/// HW-0043 or ORA-08177 when a row was changed since the statement began; ORA-00060 in a deadlock; those of the cache
/// and of undo.
pub fn take_parents(s: &Arc<Session>, table: &TableDef, rows: impl Iterator<Item = Rowid>) -> Result<()> {
    let snapshot = s.snapshot();
    for rowid in rows {
        if !lock_row(s, table, rowid, &snapshot, LockWait::Forever)? {
            continue;
        }
        let xid = s.xid().ok_or_else(|| Error::bug("a row is locked outside a transaction"))?;
        s.instance().locks().wait_unheld(s, xid, &Resource::Parent(table.object, rowid))?;
    }
    Ok(())
}

/// True: a row of `child` refers to a parent that does not exist. One scan of the child; keys are looked up in batches.
///
/// # Errors
/// Errors of reading the tables.
pub fn orphan(s: &Arc<Session>, child: &Arc<TableDef>, foreign: &ConstraintDef, parent: &TableDef) -> Result<bool> {
    let Some(index) = parent_index(s, foreign, parent) else {
        return Err(Error::bug(format!("the key of foreign key {} has no index", foreign.qualified_name())));
    };
    let spec = ScanSpec { projection: foreign.columns.clone(), predicate: None, rowids: false };
    let mut scan = TableScan::new(s.worker().clone(), child.heap().clone(), spec)?;
    let mut sink = KeyCollector { columns: (0..foreign.columns.len() as u16).collect(), keys: KeySet::new() };
    loop {
        let more = scan.next(&mut sink, SCAN_ROWS)?;
        let keys = std::mem::take(&mut sink.keys);
        let mut missing = keys.clone();
        probe(s, &index, &keys, foreign.columns.len(), &mut |key, _| {
            missing.remove(key);
            Ok(ControlFlow::Break(()))
        })?;
        if !missing.is_empty() {
            return Ok(true);
        }
        if !more {
            return Ok(false);
        }
    }
}

/// The index of the key, from the caller's definition of the parent: within a DDL statement the catalog does not show
/// it yet.
fn parent_index(s: &Session, foreign: &ConstraintDef, parent: &TableDef) -> Option<Arc<IndexDef>> {
    let reference = foreign.reference.as_ref()?;
    let key = parent.constraints.iter().find(|key| key.number == reference.key)?;
    let object = key.index?;
    parent
        .indexes
        .iter()
        .find(|index| index.object == object)
        .cloned()
        .or_else(|| s.catalog().index_by_number(object).cloned())
}

/// The whole keys of rows.
struct KeyCollector {
    columns: Vec<u16>,
    keys: KeySet,
}

impl RowSink for KeyCollector {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        if let Some(key) = whole_key(&self.columns, |position| columns[position]) {
            self.keys.insert(key);
        }
    }
}
