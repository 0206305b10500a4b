//! Direct-path load: rows into blocks above the high-water mark, filled in private memory and written around the cache, with no undo.
//!
//! For a table that nobody else knows yet (CREATE TABLE AS SELECT, ALTER TABLE … MOVE): if the statement fails its segment is dropped. The blocks say that
//! what is in them was committed before the load began ([`format::itl::set_loaded`]), so who reads them need not ask what became of a transaction.

use common::limits::COLUMNS_PER_PIECE_MAX;
use common::sync::Arc;
use common::{Error, Result, Scn};
use format::heap::chain::{Chain, fits_one_piece};
use format::heap::row::trim;
use format::heap::{self, RowAddress, RowBuffer};
use format::itl;
use waits::Statistic;

use super::{check_width, piece_capacity};
use crate::catalog::TableDef;
use crate::instance::Session;
use crate::segment::{DirectLoad, Segment};

/// A load at work. Nothing of it is to be seen before [`Self::finish`].
#[derive(Debug)]
pub struct Appender {
    session: Arc<Session>,
    table: Arc<TableDef>,
    load: DirectLoad<Arc<Segment>, Arc<Session>>,
    capacity: usize,
    rows: RowBuffer,
    slots: Vec<u16>,
    scn: Scn,
    /// A block has been begun.
    begun: bool,
    loaded: u64,
}

impl Appender {
    /// A load of a table that is new, and has no indexes.
    ///
    /// # Errors
    /// ORA-00600 for a table with indexes; those of reading the segment header; HW-0010 when the instance has stopped.
    pub fn new(session: Arc<Session>, table: Arc<TableDef>) -> Result<Self> {
        if !table.indexes.is_empty() {
            return Err(Error::bug("a direct load of a table with indexes"));
        }
        let load = DirectLoad::new(Arc::clone(&table.segment), Arc::clone(&session))?;
        let (capacity, scn) = (piece_capacity(&table), session.instance().visible_scn());
        let (rows, slots) = (RowBuffer::new(), Vec::new());
        Ok(Self { session, table, load, capacity, rows, slots, scn, begun: false, loaded: 0 })
    }

    /// Adds a row: all columns of the table, encoded. Lengths and NOT NULL have been checked.
    ///
    /// # Errors
    /// ORA-01653 when the segment cannot grow; HW-0010 when a write fails.
    pub fn push(&mut self, columns: &[Option<&[u8]>]) -> Result<()> {
        check_width(&self.table, columns.len())?;
        let stored = trim(columns);
        if stored.len() > COLUMNS_PER_PIECE_MAX || !fits_one_piece(stored, self.capacity, false) {
            self.flush()?;
            return self.chain(columns);
        }
        self.rows.push(stored);
        if self.rows.bytes() >= self.table.segment.block_size().bytes() { self.flush() } else { Ok(()) }
    }

    /// Rows that are in blocks.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.loaded
    }

    /// Puts the gathered rows into blocks.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn flush(&mut self) -> Result<()> {
        self.session.check_cancelled()?;
        let rows = std::mem::take(&mut self.rows);
        let mut at = 0;
        while at < rows.len() {
            at += self.fill(&rows, at)?;
        }
        self.count(rows.len() as u64);
        self.rows = rows;
        self.rows.clear();
        Ok(())
    }

    /// Puts rows from `at` on into the block that was begun, and when it takes no more into another; gives back how many.
    fn fill(&mut self, rows: &RowBuffer, at: usize) -> Result<usize> {
        let pctfree = self.table.segment.pctfree();
        self.slots.clear();
        if self.begun
            && let Some(block) = self.load.last_block()
        {
            let taken = heap::insert_rows(block, rows, at, pctfree, &mut self.slots);
            if taken > 0 {
                return Ok(taken);
            }
        }
        let scn = self.scn;
        let (address, block) = self.load.next_block()?;
        self.begun = true;
        itl::set_loaded(block, scn);
        match heap::insert_rows(block, rows, at, pctfree, &mut self.slots) {
            0 => Err(Error::bug(format!("the new block {address} does not take a row"))),
            taken => Ok(taken),
        }
    }

    /// A row of several pieces, the last first.
    fn chain(&mut self, columns: &[Option<&[u8]>]) -> Result<()> {
        let chain = Chain::cut(columns, self.capacity);
        let (mut next, mut piece, mut one) = (None, Vec::new(), RowBuffer::new());
        for index in (0..chain.len()).rev() {
            piece.clear();
            chain.encode(index, None, next, &mut piece);
            one.clear();
            one.push_encoded(&piece);
            self.fill(&one, 0)?;
            let slot = self.slots.last().copied().ok_or_else(|| Error::bug("a row piece without a slot"))?;
            next = Some(RowAddress::new(self.load.last_address(), slot));
        }
        self.count(1);
        Ok(())
    }

    fn count(&mut self, rows: u64) {
        self.loaded += rows;
        self.session.meter().count(Statistic::RowsInserted, rows);
    }

    /// Writes what is left, and moves the high-water mark: the rows are the table's. Says how many there are.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish(mut self) -> Result<u64> {
        self.flush()?;
        self.load.finish()?;
        Ok(self.loaded)
    }
}
