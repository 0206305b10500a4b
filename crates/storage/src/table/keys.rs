//! Index keys of rows that are inserted, changed or deleted: gathered for many rows, then given to each index as one
//! batch.

use common::sync::Arc;
use common::{ObjectNumber, Result, Rowid};
use format::heap::RowAddress;

use super::HeapTable;
use crate::index::IndexDef;
use crate::index::{self, Key, Keys};
use crate::txn::Worker;

/// The key of a row in an index; None when all its columns are NULL: such rows are not indexed.
pub(super) fn key_of<'a>(index: &IndexDef, column: impl Fn(usize) -> Option<&'a [u8]>) -> Option<Key> {
    let columns = || index.columns.iter().map(|position| column(usize::from(*position)));
    columns().any(|value| value.is_some()).then(|| Key::new(columns()))
}

/// Entries of one index for the rows of a batch.
#[derive(Debug)]
struct Entries {
    index: Arc<IndexDef>,
    keys: Keys,
    /// The number within the batch of each key's row.
    numbers: Vec<u32>,
}

impl Entries {
    fn add<'a>(&mut self, number: usize, column: impl Fn(usize) -> Option<&'a [u8]>) {
        let columns = || self.index.columns.iter().map(|position| column(usize::from(*position)));
        if columns().any(|value| value.is_some()) {
            debug_assert!(self.numbers.last().is_none_or(|last| *last < number as u32), "row {number} has two keys");
            self.keys.push(columns());
            self.numbers.push(number as u32);
        }
    }

    /// The keys of rows that have an address, with their rowids. Row `n` of the batch has address `n`.
    fn rows<'k>(
        &'k self,
        data_object: ObjectNumber,
        addresses: &'k [RowAddress],
    ) -> impl Iterator<Item = (&'k [u8], Rowid)> {
        self.numbers.iter().enumerate().filter_map(move |(at, number)| {
            Some((self.keys.image(at), addresses.get(*number as usize)?.rowid(data_object)))
        })
    }
}

/// Keys of a batch of rows for every index of a table.
#[derive(Debug)]
pub(super) struct KeyBatch {
    indexes: Vec<Entries>,
    data_object: ObjectNumber,
}

impl KeyBatch {
    pub(super) fn new(table: &HeapTable) -> Self {
        Self::of(table, table.indexes.iter().cloned())
    }

    /// A batch for some of the table's indexes only.
    pub(super) fn of(table: &HeapTable, indexes: impl Iterator<Item = Arc<IndexDef>>) -> Self {
        let indexes = indexes.map(|index| Entries { index, keys: Keys::default(), numbers: Vec::new() }).collect();
        Self { indexes, data_object: table.segment.data_object() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.indexes.is_empty()
    }

    /// Notes the keys of row `number` of the batch.
    pub(super) fn add<'a>(&mut self, number: usize, column: impl Fn(usize) -> Option<&'a [u8]>) {
        for entries in &mut self.indexes {
            entries.add(number, &column);
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
            if entries.index.columns.iter().any(|position| has_changed(usize::from(*position))) {
                entries.add(number, &column);
            }
        }
    }

    /// Puts the keys of the rows at `addresses` into the indexes. When an index refuses a key, the caller goes back to
    /// the mark of its statement.
    pub(super) fn insert(&self, s: &Worker, addresses: &[RowAddress]) -> Result<()> {
        for entries in &self.indexes {
            let last = entries.numbers.last().map_or(0, |last| *last as usize + 1);
            debug_assert!(last <= addresses.len(), "keys of {last} rows, and {} have a place", addresses.len());
            index::insert_batch(s, &entries.index, entries.rows(self.data_object, addresses))?;
        }
        Ok(())
    }

    /// Takes the keys of the rows at `addresses` out of the indexes.
    pub(super) fn remove(&self, s: &Worker, addresses: &[RowAddress]) -> Result<()> {
        for entries in &self.indexes {
            index::delete_batch(s, &entries.index, entries.rows(self.data_object, addresses))?;
        }
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        for entries in &mut self.indexes {
            entries.keys.clear();
            entries.numbers.clear();
        }
    }
}
