//! Array insert: rows are encoded into a buffer of about one block, and go into blocks and indexes together.

use common::Result;
use common::limits::COLUMNS_PER_PIECE_MAX;
use common::sync::Arc;
use format::heap::chain::{Chain, fits_one_piece};
use format::heap::row::trim;
use format::heap::{RowAddress, RowBuffer};
use waits::Statistic;

use super::keys::KeyBatch;
use super::place::{place_chain, place_rows, remove_pieces};
use super::{check_width, fetch, piece_capacity};
use crate::catalog::TableDef;
use crate::instance::Session;

/// An insert statement at work. Rows that are pushed stand, with their index entries, once they have been flushed; a dropped inserter drops the rest.
#[derive(Debug)]
pub struct Inserter {
    session: Arc<Session>,
    table: Arc<TableDef>,
    capacity: usize,
    rows: RowBuffer,
    keys: KeyBatch,
    addresses: Vec<RowAddress>,
    slots: Vec<u16>,
    stand: u64,
}

impl Inserter {
    /// # Errors
    /// None so far.
    pub fn new(session: Arc<Session>, table: Arc<TableDef>) -> Result<Self> {
        let capacity = piece_capacity(&table);
        let keys = KeyBatch::new(&table);
        let (rows, addresses, slots) = (RowBuffer::new(), Vec::new(), Vec::new());
        Ok(Self { session, table, capacity, rows, keys, addresses, slots, stand: 0 })
    }

    /// Adds a row: all columns of the table, encoded. Lengths and NOT NULL have been checked.
    ///
    /// # Errors
    /// Those of placing rows and of the indexes; the rows of earlier flushes stand, see [`Self::rows`].
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

    /// Puts the rows that are still in the buffer in, and says how many rows stand.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish(&mut self) -> Result<u64> {
        self.flush()?;
        Ok(self.stand)
    }

    /// Rows that stand.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.stand
    }

    fn flush(&mut self) -> Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.session.check_cancelled()?;
        self.addresses.clear();
        let placed = place_rows(&self.session, &self.table, &self.rows, &mut self.addresses, &mut self.slots);
        self.rows.clear();
        // Rows that went in before an error stand too.
        let indexed = self.index_rows();
        self.keys.clear();
        indexed.and(placed)
    }

    /// Puts the placed rows into the indexes; when an index refuses, takes them out of the table again.
    fn index_rows(&mut self) -> Result<()> {
        if let Err(error) = self.keys.insert(&self.session, &self.addresses) {
            for address in &self.addresses {
                let pieces = fetch::pieces(&self.session, &self.table, *address)?;
                remove_pieces(&self.session, &self.table, &pieces)?;
            }
            return Err(error);
        }
        let rows = self.addresses.len() as u64;
        self.stand += rows;
        self.session.meter().count(Statistic::RowsInserted, rows);
        Ok(())
    }

    /// A row that needs more than one piece goes in by itself.
    fn insert_chained(&mut self, columns: &[Option<&[u8]>]) -> Result<()> {
        self.session.check_cancelled()?;
        self.addresses.clear();
        self.keys.clear();
        let chain = Chain::cut(columns, self.capacity);
        self.addresses.push(place_chain(&self.session, &self.table, &chain)?);
        self.keys.add(0, |position| columns[position]);
        let indexed = self.index_rows();
        self.keys.clear();
        indexed
    }
}
