//! Direct-path load: rows into blocks above the high-water mark, filled in private memory and written around the cache,
//! with no undo of them.
//!
//! Load of a table that no other session knows yet (CREATE TABLE AS SELECT, ALTER TABLE … MOVE): if the statement
//! fails, its segment is dropped. The blocks say that their rows were committed before the load began
//! ([`format::itl::set_loaded`]), so a reader need not look up a transaction.
//!
//! Load of a table that other sessions use (INSERT with the hint APPEND): the table is locked exclusively, and the
//! blocks name the transaction ([`format::itl::set_loading`]). Index entries go in when the rows are written, with undo
//! as any others, and last the blocks become the table's. README.md describes the undo of such a load.

use common::limits::COLUMNS_PER_PIECE_MAX;
use common::sync::Arc;
use common::{Error, Result, Scn, Xid};
use format::heap::chain::{Chain, fits_one_piece};
use format::heap::row::trim;
use format::heap::{self, RowAddress, RowBuffer};
use format::itl;
use waits::Statistic;

use super::HeapTable;
use super::keys::KeyBatch;
use super::{check_width, piece_capacity};
use crate::segment::{DirectLoad, Segment};
use crate::txn::Worker;
use crate::txn::{LockWait, TableLock};

/// Most rows whose keys are gathered before they go into the indexes.
const KEYS_MAX: usize = 500_000;
/// Most runs of blocks that one undo record names.
const RUNS_MAX: usize = 1000;

#[cfg(any(test, feature = "testing"))]
common::sync::thread_local! {
    /// Both limits, for tests: rows whose keys are gathered, and runs of blocks that an undo record names.
    pub static MOST: std::cell::Cell<(usize, usize)> = const { std::cell::Cell::new((KEYS_MAX, RUNS_MAX)) };
}

fn most() -> (usize, usize) {
    #[cfg(any(test, feature = "testing"))]
    return MOST.get();
    #[cfg(not(any(test, feature = "testing")))]
    (KEYS_MAX, RUNS_MAX)
}

/// Owner of the loaded rows.
#[derive(Clone, Copy, Debug)]
enum Loader {
    /// No transaction: the table is new. The rows count as committed at this SCN.
    NewTable(Scn),
    Transaction(Xid),
}

/// A load under way. No session sees its rows before [`Self::finish`].
#[derive(Debug)]
pub struct Appender {
    worker: Arc<Worker>,
    table: Arc<HeapTable>,
    load: DirectLoad<Arc<Segment>, Arc<Worker>>,
    capacity: usize,
    rows: RowBuffer,
    slots: Vec<u16>,
    loader: Loader,
    /// True: a block has been begun.
    begun: bool,
    loaded: u64,
    /// Keys of the rows in `addresses`, and of the rows in `rows`, which are numbered after them.
    keys: KeyBatch,
    addresses: Vec<RowAddress>,
}

impl Appender {
    /// A load of a new table without indexes.
    ///
    /// # Errors
    /// ORA-00600 for a table with indexes; errors of reading the segment header; HW-0010 when the instance has stopped.
    pub fn new(worker: Arc<Worker>, table: Arc<HeapTable>) -> Result<Self> {
        if !table.indexes.is_empty() {
            return Err(Error::bug("a direct load of a table with indexes"));
        }
        let loader = Loader::NewTable(worker.store().visible_scn());
        Self::of(worker, table, loader)
    }

    /// A load, by the session's transaction, of a table that other sessions use. The caller rolls a statement that
    /// fails back to its mark.
    ///
    /// # Errors
    /// ORA-12838 when the transaction has loaded the table before, ORA-01456, ORA-00060 while it waits for the table;
    /// as [`Self::new`].
    pub fn into_table(worker: Arc<Worker>, table: Arc<HeapTable>) -> Result<Self> {
        worker.check_not_loaded(table.object)?;
        worker.lock_table(table.object, TableLock::Exclusive, LockWait::Forever)?;
        let xid = worker.xid().ok_or_else(|| Error::bug("a table lock without a transaction"))?;
        Self::of(worker, table, Loader::Transaction(xid))
    }

    fn of(worker: Arc<Worker>, table: Arc<HeapTable>, loader: Loader) -> Result<Self> {
        let load = DirectLoad::new(Arc::clone(&table.segment), Arc::clone(&worker))?;
        let load = if table.logging { load } else { load.unlogged()? };
        let (capacity, keys) = (piece_capacity(&table), KeyBatch::new(&table));
        let (rows, slots, addresses) = (RowBuffer::new(), Vec::new(), Vec::new());
        Ok(Self { worker, table, load, capacity, rows, slots, loader, begun: false, loaded: 0, keys, addresses })
    }

    /// Adds a row: all columns of the table, encoded. Lengths and NOT NULL have been checked.
    ///
    /// # Errors
    /// ORA-01653 when the segment cannot grow; ORA-00001; errors of the indexes; HW-0010 when a write fails.
    pub fn push(&mut self, columns: &[Option<&[u8]>]) -> Result<()> {
        check_width(&self.table, columns.len())?;
        let stored = trim(columns);
        if stored.len() > COLUMNS_PER_PIECE_MAX || !fits_one_piece(stored, self.capacity, false) {
            self.flush()?;
            return self.chain(columns);
        }
        if !self.keys.is_empty() {
            self.keys.add(self.addresses.len() + self.rows.len(), |position| columns[position]);
        }
        self.rows.push(stored);
        if self.rows.bytes() >= self.table.segment.block_size().bytes() { self.flush() } else { Ok(()) }
    }

    /// Number of rows that are in blocks.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.loaded
    }

    /// Puts the gathered rows into blocks.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn flush(&mut self) -> Result<()> {
        self.worker.check_cancelled()?;
        let rows = std::mem::take(&mut self.rows);
        let mut at = 0;
        while at < rows.len() {
            at += self.fill(&rows, at)?;
            debug_assert!(at <= rows.len(), "a block took rows that are not there: {:?}", self.slots);
            if !self.keys.is_empty() {
                let block = self.load.last_address();
                self.addresses.extend(self.slots.iter().map(|slot| RowAddress::new(block, *slot)));
            }
        }
        self.count(rows.len() as u64);
        self.rows = rows;
        self.rows.clear();
        self.keep_small()
    }

    /// Puts rows from `at` on into the block that was begun, or into a new one when it takes no more. Returns the
    /// number of rows placed.
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
        let loader = self.loader;
        let (address, block) = self.load.next_block()?;
        self.begun = true;
        match loader {
            Loader::NewTable(scn) => itl::set_loaded(block, scn),
            Loader::Transaction(xid) => itl::set_loading(block, xid),
        }
        match heap::insert_rows(block, rows, at, pctfree, &mut self.slots) {
            0 => Err(Error::bug(format!("the new block {address} does not take a row"))),
            taken => Ok(taken),
        }
    }

    /// Places a row of several pieces, the last piece first.
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
        if !self.keys.is_empty() {
            self.keys.add(self.addresses.len(), |position| columns[position]);
            self.addresses.extend(next);
        }
        self.count(1);
        self.keep_small()
    }

    fn count(&mut self, rows: u64) {
        self.loaded += rows;
        self.worker.meter().count(Statistic::RowsInserted, rows);
    }

    /// Frees the memory that a long load gathers, when it has reached its limits. No row may be waiting for a block.
    fn keep_small(&mut self) -> Result<()> {
        let (keys, runs) = most();
        if self.addresses.len() >= keys {
            self.index()?;
        }
        if self.load.runs() >= runs && matches!(self.loader, Loader::Transaction(_)) {
            self.settle()?;
        }
        Ok(())
    }

    /// Puts the keys of the rows that are in blocks into the indexes. The blocks are written first, so that no index
    /// entry leads to a missing row.
    fn index(&mut self) -> Result<()> {
        if self.addresses.is_empty() {
            return Ok(());
        }
        self.load.write_run()?;
        self.begun = false;
        self.keys.insert(&self.worker, &self.addresses)?;
        self.keys.clear();
        self.addresses.clear();
        Ok(())
    }

    /// Makes the blocks written so far the table's.
    fn settle(&mut self) -> Result<()> {
        self.begun = false;
        match self.loader {
            Loader::NewTable(_) => self.load.settle(None),
            Loader::Transaction(_) => self.load.settle(Some(self.table.object)),
        }
    }

    /// Writes the rest, completes the indexes, and moves the high-water mark: the rows now belong to the table. Returns
    /// their number.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish(mut self) -> Result<u64> {
        self.flush()?;
        self.index()?;
        self.settle()?;
        Ok(self.loaded)
    }
}
