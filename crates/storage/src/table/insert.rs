//! Array insert: rows are encoded into a buffer of about one block, and go into blocks and indexes together.

use common::limits::COLUMNS_PER_PIECE_MAX;
use common::sync::Arc;
use common::{Result, Rowid};
use format::heap::chain::{Chain, fits_one_piece};
use format::heap::row::trim;
use format::heap::{RowAddress, RowBuffer};
use waits::Statistic;

use super::HeapTable;
use super::keys::KeyBatch;
use super::place::{place_chain, place_rows};
use super::{check_width, piece_capacity};
use crate::txn::Mark;
use crate::txn::Worker;

/// An insert statement under way. Pushed rows stand, with their index entries, once they have been flushed; a dropped
/// inserter drops the rest.
#[derive(Debug)]
pub struct Inserter {
    worker: Arc<Worker>,
    table: Arc<HeapTable>,
    capacity: usize,
    rows: RowBuffer,
    keys: KeyBatch,
    addresses: Vec<RowAddress>,
    slots: Vec<u16>,
    stand: u64,
}

impl Inserter {
    /// # Errors
    /// ORA-12838; ORA-08103 for a definition of a table whose segment was given up since.
    pub fn new(worker: Arc<Worker>, table: Arc<HeapTable>) -> Result<Self> {
        worker.check_not_loaded(table.object)?;
        table.segment.check_alive()?;
        let capacity = piece_capacity(&table);
        let keys = KeyBatch::new(&table);
        let (rows, addresses, slots) = (RowBuffer::new(), Vec::new(), Vec::new());
        Ok(Self { worker, table, capacity, rows, keys, addresses, slots, stand: 0 })
    }

    /// Adds a row: all columns of the table, encoded. Lengths and NOT NULL have been checked.
    ///
    /// # Errors
    /// Errors of placing rows and of the indexes; the rows of earlier flushes stand, see [`Self::rows`].
    pub fn push(&mut self, columns: &[Option<&[u8]>]) -> Result<()> {
        check_width(&self.table, columns.len())?;
        let stored = trim(columns);
        if stored.len() > COLUMNS_PER_PIECE_MAX || !fits_one_piece(stored, self.capacity, false) {
            self.flush()?;
            return self.insert_chained(columns);
        }
        if !self.keys.is_empty() {
            self.keys.add(self.rows.len(), |position| columns[position]);
        }
        self.rows.push(stored);
        if self.rows.bytes() >= self.table.segment.block_size().bytes() { self.flush() } else { Ok(()) }
    }

    /// Inserts the rows that are still in the buffer. Returns the number of rows that stand.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish(&mut self) -> Result<u64> {
        self.flush()?;
        Ok(self.stand)
    }

    /// Number of rows that stand.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.stand
    }

    /// Rowid of the last of the rows that stand.
    #[must_use]
    pub fn last_rowid(&self) -> Option<Rowid> {
        self.addresses.last().map(|address| address.rowid(self.table.segment.data_object()))
    }

    fn flush(&mut self) -> Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.worker.check_cancelled()?;
        self.addresses.clear();
        let mark = self.worker.mark();
        let placed = place_rows(&self.worker, &self.table, &self.rows, &mut self.addresses, &mut self.slots);
        debug_assert!(placed.is_err() || self.addresses.len() == self.rows.len(), "a row has no place, or two");
        self.rows.clear();
        let indexed = placed.and_then(|()| self.index_rows());
        self.keys.clear();
        self.or_back_to(mark, indexed)
    }

    /// Puts the keys of the placed rows into the indexes.
    fn index_rows(&mut self) -> Result<()> {
        self.keys.insert(&self.worker, &self.addresses)?;
        debug_assert!(!self.addresses.is_empty(), "keys without rows");
        let rows = self.addresses.len() as u64;
        self.stand += rows;
        self.worker.meter().count(Statistic::RowsInserted, rows);
        Ok(())
    }

    /// Inserts a row that needs more than one piece, by itself.
    fn insert_chained(&mut self, columns: &[Option<&[u8]>]) -> Result<()> {
        self.worker.check_cancelled()?;
        self.addresses.clear();
        self.keys.clear();
        let chain = Chain::cut(columns, self.capacity);
        let mark = self.worker.mark();
        let placed = place_chain(&self.worker, &self.table, &chain).and_then(|address| {
            self.addresses.push(address);
            self.keys.add(0, |position| columns[position]);
            self.index_rows()
        });
        self.keys.clear();
        self.or_back_to(mark, placed)
    }

    /// Passes `result` on; after an error it first takes back the changes of the flush.
    fn or_back_to(&self, mark: Mark, result: Result<()>) -> Result<()> {
        if result.is_err() {
            self.worker.rollback_to_mark(mark)?;
        }
        result
    }
}
