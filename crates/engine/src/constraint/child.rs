//! The child side of a foreign key: the rows that refer to some keys, as they are now.
//!
//! Where an index of the child begins with the foreign key's columns, the keys are looked up in it; else the child is
//! scanned once for all keys together.

use std::ops::ControlFlow;
use std::sync::Arc;

use common::{BlockAddress, ObjectNumber, Result, Rowid};
use scan::{RowSink, ScanSpec};

use super::probe::probe;
use super::{KeySet, whole_key};
use crate::dictionary::{ConstraintDef, IndexDef, TableDef};
use crate::instance::Session;
use storage::index::Key;
use storage::table::TableScan;

/// Rows a call of the table scan returns.
const SCAN_ROWS: usize = 10_000;

fn usable_index<'t>(child: &'t TableDef, foreign: &ConstraintDef) -> Option<&'t Arc<IndexDef>> {
    child.indexes.iter().find(|index| index.columns.starts_with(&foreign.columns))
}

/// The rows of `child` that refer to any of `keys`, each with its key.
///
/// # Errors
/// Errors of reading the table or the index.
pub fn children(
    s: &Arc<Session>,
    child: &Arc<TableDef>,
    foreign: &ConstraintDef,
    keys: &KeySet,
) -> Result<Vec<(Key, Rowid)>> {
    find(s, child, foreign, keys, usize::MAX)
}

/// True: some row of `child` refers to one of `keys`.
///
/// # Errors
/// Errors of reading the table or the index.
pub fn has_children(s: &Arc<Session>, child: &Arc<TableDef>, foreign: &ConstraintDef, keys: &KeySet) -> Result<bool> {
    Ok(!find(s, child, foreign, keys, 1)?.is_empty())
}

fn find(
    s: &Arc<Session>,
    child: &Arc<TableDef>,
    foreign: &ConstraintDef,
    keys: &KeySet,
    most: usize,
) -> Result<Vec<(Key, Rowid)>> {
    let mut found = Vec::new();
    if keys.is_empty() {
        return Ok(found);
    }
    // Rows committed since the statement began count.
    let _now = s.enter(s.current_snapshot());
    if let Some(index) = usable_index(child, foreign) {
        probe(s, index, keys, foreign.columns.len(), &mut |key, rowid| {
            if found.len() < most {
                found.push((key.clone(), rowid));
                return Ok(ControlFlow::Continue(()));
            }
            Ok(ControlFlow::Break(()))
        })?;
        return Ok(found);
    }
    let spec = ScanSpec { projection: foreign.columns.clone(), predicate: None, rowids: true };
    let mut scan = TableScan::new(s.worker().clone(), child.heap().clone(), spec)?;
    let mut sink = ChildCollector {
        keys,
        columns: (0..foreign.columns.len() as u16).collect(),
        data_object: ObjectNumber(0),
        block: BlockAddress::NONE,
        found,
    };
    while sink.found.len() < most && scan.next(&mut sink, SCAN_ROWS)? {}
    sink.found.truncate(most);
    Ok(sink.found)
}

struct ChildCollector<'k> {
    keys: &'k KeySet,
    columns: Vec<u16>,
    data_object: ObjectNumber,
    block: BlockAddress,
    found: Vec<(Key, Rowid)>,
}

impl RowSink for ChildCollector<'_> {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        (self.data_object, self.block) = (object, address);
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        if let Some(key) = whole_key(&self.columns, |position| columns[position])
            && self.keys.contains(&key)
        {
            let rowid = Rowid { data_object: self.data_object, block: self.block, slot };
            self.found.push((key, rowid));
        }
    }
}
