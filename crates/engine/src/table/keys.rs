//! Index keys of rows that are put in, changed or taken out: gathered for many rows, then given to each index as one batch.

use common::sync::Arc;
use common::{ObjectNumber, Result, Rowid};
use format::heap::RowAddress;

use crate::catalog::{IndexDef, TableDef};
use crate::index::{self, Key};
use crate::instance::Session;

/// The key of a row in an index; None when all its columns are NULL: such rows are not indexed.
pub(super) fn key_of<'a>(index: &IndexDef, column: impl Fn(usize) -> Option<&'a [u8]>) -> Option<Key> {
    let columns = || index.columns.iter().map(|position| column(usize::from(*position)));
    columns().any(|value| value.is_some()).then(|| Key::new(columns()))
}

/// Entries of one index for the rows of a batch.
#[derive(Debug)]
struct Entries {
    index: Arc<IndexDef>,
    /// The key of a row and its number within the batch.
    keys: Vec<(Key, u32)>,
}

/// Keys of a batch of rows for every index of a table.
#[derive(Debug)]
pub(super) struct KeyBatch {
    indexes: Vec<Entries>,
    data_object: ObjectNumber,
}

impl KeyBatch {
    pub(super) fn new(table: &TableDef) -> Self {
        Self::of(table, table.indexes.iter().cloned())
    }

    /// For some of the table's indexes only.
    pub(super) fn of(table: &TableDef, indexes: impl Iterator<Item = Arc<IndexDef>>) -> Self {
        let indexes = indexes.map(|index| Entries { index, keys: Vec::new() }).collect();
        Self { indexes, data_object: table.segment.data_object() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.indexes.is_empty()
    }

    /// Notes the keys of row `number` of the batch.
    pub(super) fn add<'a>(&mut self, number: usize, column: impl Fn(usize) -> Option<&'a [u8]>) {
        for entries in &mut self.indexes {
            if let Some(key) = key_of(&entries.index, &column) {
                entries.keys.push((key, number as u32));
            }
        }
    }

    /// Notes the keys of row `number` in the indexes that have a column which has changed.
    pub(super) fn add_changed<'a>(
        &mut self,
        number: usize,
        column: impl Fn(usize) -> Option<&'a [u8]>,
        has_changed: impl Fn(usize) -> bool,
    ) {
        for entries in &mut self.indexes {
            if entries.index.columns.iter().any(|position| has_changed(usize::from(*position)))
                && let Some(key) = key_of(&entries.index, &column)
            {
                entries.keys.push((key, number as u32));
            }
        }
    }

    /// Entries of one index, for the rows that have an address: rows are numbered as `addresses` are.
    fn entries(&self, index: usize, addresses: &[RowAddress]) -> Vec<(Key, Rowid)> {
        let rowid = |number: u32| addresses.get(number as usize).map(|address| address.rowid(self.data_object));
        self.indexes[index].keys.iter().filter_map(|(key, number)| Some((key.clone(), rowid(*number)?))).collect()
    }

    /// Puts the keys of the rows at `addresses` into the indexes. When one refuses, the caller goes back to the mark of its statement.
    pub(super) fn insert(&self, s: &Session, addresses: &[RowAddress]) -> Result<()> {
        for at in 0..self.indexes.len() {
            let entries = self.entries(at, addresses);
            index::insert_batch(s, &self.indexes[at].index, &entries)?;
        }
        Ok(())
    }

    /// Takes the keys of the rows at `addresses` out of the indexes.
    pub(super) fn remove(&self, s: &Session, addresses: &[RowAddress]) -> Result<()> {
        for at in 0..self.indexes.len() {
            let entries = self.entries(at, addresses);
            index::delete_batch(s, &self.indexes[at].index, &entries)?;
        }
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        for entries in &mut self.indexes {
            entries.keys.clear();
        }
    }
}
