//! Deleting rows by rowid, an array at a time.

use common::sync::Arc;
use common::{Result, Rowid};
use format::heap::row::HEAD;
use format::heap::{RowAddress, RowPiece};
use waits::Statistic;

use super::HeapTable;
use super::address_in;
use super::change::{Change, Check, Done, PieceWork, RowChanges};
use super::fetch::{Mode, Tail, can_exist};
use super::keys::KeyBatch;
use super::place::remove_pieces;
use super::row::Row;
use crate::snapshot::Snapshot;
use crate::txn::Worker;

/// Rows whose index entries are deleted together.
const BATCH_ROWS: usize = 1024;

/// A delete statement under way. Rowids that follow one another in the same block cost one get.
#[derive(Debug)]
pub struct Deleter {
    worker: Arc<Worker>,
    table: Arc<HeapTable>,
    /// The statement's snapshot: a row that another transaction has changed since makes the statement start again.
    snapshot: Arc<Snapshot>,
    waiting: Vec<RowAddress>,
    gone: u64,
}

/// A row that was found in a block, and the place where it goes on.
struct Found {
    home: RowAddress,
    row: Row,
    tail: Tail,
    continues: bool,
}

impl Deleter {
    #[must_use]
    pub fn new(worker: Arc<Worker>, table: Arc<HeapTable>) -> Self {
        let snapshot = worker.snapshot();
        Self { worker, table, snapshot, waiting: Vec::new(), gone: 0 }
    }

    /// Adds a row to delete.
    ///
    /// # Errors
    /// ORA-01410 for a rowid of another segment; ORA-01013 when the user has cancelled; errors of getting blocks. Rows
    /// of earlier flushes are deleted.
    pub fn push(&mut self, rowid: Rowid) -> Result<()> {
        self.worker.check_not_loaded(self.table.object)?;
        let address = address_in(&self.table, rowid)?;
        self.waiting.push(address);
        if self.waiting.len() >= BATCH_ROWS { self.flush() } else { Ok(()) }
    }

    /// Deletes the rows that still wait. Returns the number of rows deleted.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish(&mut self) -> Result<u64> {
        self.flush()?;
        Ok(self.gone)
    }

    /// Number of rows deleted.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.gone
    }

    fn flush(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let mut keys = KeyBatch::new(&self.table);
        let mut addresses = Vec::new();
        let mark = self.worker.mark();
        let mut result = Ok(());
        for group in waiting.chunk_by(|a, b| a.block == b.block) {
            result =
                self.worker.check_cancelled().and_then(|()| self.delete_in_block(group, &mut keys, &mut addresses));
            if result.is_err() {
                break;
            }
        }
        let result = result.and_then(|()| keys.remove(&self.worker, &addresses));
        if result.is_err() {
            self.worker.rollback_to_mark(mark)?;
            return result;
        }
        self.gone += addresses.len() as u64;
        self.worker.meter().count(Statistic::RowsDeleted, addresses.len() as u64);
        result
    }

    /// Deletes rows of one block. Pieces in other blocks go after it has been released.
    fn delete_in_block(
        &self,
        group: &[RowAddress],
        keys: &mut KeyBatch,
        addresses: &mut Vec<RowAddress>,
    ) -> Result<()> {
        if group.first().is_none_or(|home| !can_exist(&self.worker, &self.table, *home)) {
            return Ok(());
        }
        let mut changes = RowChanges::new(&self.worker, &self.table, Check::Against(&self.snapshot));
        let work: Vec<_> = group.iter().map(|home| Change { at: *home, work: PieceWork::Delete }).collect();
        let mut seen: Vec<Option<Found>> = Vec::new();
        seen.resize_with(group.len(), || None);
        let mut done = Vec::with_capacity(group.len());
        let look = |number: usize, piece: RowPiece<'_>| {
            let Some(home) = group.get(number).copied() else { return };
            let mut row = Row::new();
            if !keys.is_empty() {
                row.append_piece(piece);
            }
            seen[number] = Some(Found { home, row, tail: Tail::behind(piece, home), continues: piece.continues() });
        };
        changes.change_many(&work, is_head, look, &mut done)?;
        // A rowid that was given twice is deleted once.
        let found: Vec<Found> =
            seen.into_iter().zip(done).filter_map(|(seen, done)| seen.filter(|_| done == Done::Yes)).collect();
        changes.release()?;
        for mut found in found {
            if found.continues {
                let rest = found.tail.read(&self.worker, &self.table, Mode::Current, usize::MAX, &mut found.row)?;
                remove_pieces(&self.worker, &self.table, &rest)?;
            }
            keys.add(addresses.len(), |position| found.row.column(position));
            addresses.push(found.home);
        }
        Ok(())
    }
}

/// True: it is the piece that a rowid names.
pub(super) fn is_head(piece: RowPiece<'_>) -> bool {
    piece.flags() & HEAD != 0
}

/// Deletes one row. False when there is no such row.
///
/// # Errors
/// As [`Deleter::push`].
pub fn delete(s: &Arc<Worker>, table: &Arc<HeapTable>, rowid: Rowid) -> Result<bool> {
    let mut deleter = Deleter::new(s.clone(), table.clone());
    deleter.push(rowid)?;
    Ok(deleter.finish()? > 0)
}
