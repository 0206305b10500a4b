//! The parent side of a foreign key: the keys that children refer to.

use std::ops::ControlFlow;
use std::sync::Arc;

use common::{BlockAddress, Error, ObjectNumber, Result};
use scan::{RowSink, ScanSpec};

use super::probe::probe;
use super::{KeySet, whole_key};
use crate::catalog::{Catalog, ConstraintDef, IndexDef, TableDef};
use crate::index::lookup;
use crate::instance::Session;
use crate::table::TableScan;

/// Keys that are looked up one by one in a unique index, without the copies of leaves that a scan makes.
const SINGLE_LOOKUPS: usize = 4;
/// Rows asked for in one call of the table scan.
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

/// Those of `keys` that no parent row has. The keys are the foreign key's, whole.
///
/// This is the one place where a statement finds out that a parent is there: what keeps the parent row from being deleted before the child's
/// transaction ends, a lock on its row, is to be taken where its rowid (`_parent`) is seen.
///
/// # Errors
/// Those of the index.
pub fn missing_parents(s: &Arc<Session>, foreign: &ConstraintDef, keys: &KeySet) -> Result<KeySet> {
    if keys.is_empty() {
        return Ok(KeySet::new());
    }
    let index = key_index(&s.catalog(), foreign)?;
    let mut missing = keys.clone();
    if keys.len() <= SINGLE_LOOKUPS && index.unique && index.columns.len() == foreign.columns.len() {
        for key in keys {
            if let Some(_parent) = lookup(s, &index, key)? {
                missing.remove(key);
            }
        }
        return Ok(missing);
    }
    probe(s, &index, keys, foreign.columns.len(), &mut |key, _parent| {
        missing.remove(key);
        Ok(ControlFlow::Break(()))
    })?;
    Ok(missing)
}

/// Does any row of `child` refer to a parent that is not there? One scan of the child, keys looked up in batches.
///
/// # Errors
/// Those of reading the tables.
pub fn orphan(s: &Arc<Session>, child: &Arc<TableDef>, foreign: &ConstraintDef, parent: &TableDef) -> Result<bool> {
    let Some(index) = parent_index(s, foreign, parent) else {
        return Err(Error::bug(format!("the key of foreign key {} has no index", foreign.qualified_name())));
    };
    let spec = ScanSpec { projection: foreign.columns.clone(), predicate: None, rowids: false };
    let mut scan = TableScan::new(s.clone(), child.clone(), spec)?;
    let mut sink = Keys { columns: (0..foreign.columns.len() as u16).collect(), keys: KeySet::new() };
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

/// The index of the key, by the definition of the parent that the caller has: within a DDL statement the catalog does not show it yet.
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
struct Keys {
    columns: Vec<u16>,
    keys: KeySet,
}

impl RowSink for Keys {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        if let Some(key) = whole_key(&self.columns, |position| columns[position]) {
            self.keys.insert(key);
        }
    }
}
