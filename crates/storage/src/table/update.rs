//! Updating rows by rowid, an array at a time: in place, within the block, or by moving to other blocks.
//!
//! ```text
//! new row ──> fits its block?  ── yes ──> replaced at its slot (the PCTFREE reserve may be used)
//!                  │ no
//!                  ├── has migrated, and fits where it is now ──> replaced there
//!                  ├── fits one piece ──> new piece elsewhere, stub at home points to it
//!                  └── else ──> pieces elsewhere, last first; the first at home when it fits, else elsewhere behind
//!                               a stub
//! ```
//!
//! Only one data block is latched at a time (rule 1): a row that moves is locked at home first, then written elsewhere,
//! then its home is got again and switched over. The lock keeps other transactions from changing it meanwhile. After an
//! error the rollback of the statement takes the changes back.

use common::sync::Arc;
use common::{Error, Result, Rowid};
use format::heap::chain::{Chain, fits_one_piece};
use format::heap::row::{FIRST, LAST, WHOLE, encode_piece, stub, trim};
use format::heap::{RowAddress, RowBuffer, RowPiece};
use waits::Statistic;

use super::HeapTable;
use super::change::{Change as PieceChange, Check, Done, PieceWork, RowChanges};
use super::delete::is_head;
use super::fetch::{Mode, Tail, can_exist};
use super::keys::{KeyBatch, key_of};
use super::place::{place_tail, receive, remove_pieces};
use super::row::Row;
use super::{address_in, check_width, piece_capacity};
use crate::snapshot::Snapshot;
use crate::txn::Mark;
use crate::txn::Worker;

/// An update statement under way.
///
/// Changed keys of unique indexes are deleted at once, and the new ones inserted at [`Updater::finish`], so that rows
/// may exchange keys. After an error none of the updater's changes stands. The statement must roll back the changes of
/// an updater that is dropped without `finish`.
#[derive(Debug)]
pub struct Updater {
    worker: Arc<Worker>,
    table: Arc<HeapTable>,
    capacity: usize,
    /// The statement's snapshot: a row that another transaction has changed since makes the statement start again.
    snapshot: Arc<Snapshot>,
    /// Mark of the transaction when the statement began.
    mark: Mark,
    waiting: Vec<(RowAddress, Row)>,
    waiting_bytes: usize,
    /// Finished rows, whose memory the next ones use.
    spare: Vec<Row>,
    /// Rows whose new keys are not in the unique indexes yet.
    held: Vec<Change>,
    changed: u64,
}

/// A row that was changed. Its old and new columns are empty when the table has no index.
#[derive(Debug)]
struct Change {
    address: RowAddress,
    old: Row,
    new: Row,
}

/// A row that could not be replaced within its home block.
struct Move<'a> {
    home: RowAddress,
    new: &'a Row,
    /// True: the row was in one piece at home.
    whole: bool,
    tail: Tail,
    /// The known part of the old row: the columns at home.
    old: Row,
}

impl Updater {
    #[must_use]
    pub fn new(worker: Arc<Worker>, table: Arc<HeapTable>) -> Self {
        let capacity = piece_capacity(&table);
        let (waiting, held) = (Vec::new(), Vec::new());
        let (snapshot, mark) = (worker.snapshot(), worker.mark());
        Self { worker, table, capacity, snapshot, mark, waiting, waiting_bytes: 0, spare: Vec::new(), held, changed: 0 }
    }

    /// Adds a row to change: all its new columns, encoded.
    ///
    /// # Errors
    /// ORA-01410 for a rowid of another segment; ORA-01013 when the user has cancelled; errors of placing rows and of
    /// the indexes. None of the updater's changes stands then.
    pub fn push(&mut self, rowid: Rowid, columns: &[Option<&[u8]>]) -> Result<()> {
        check_width(&self.table, columns.len())?;
        self.worker.check_not_loaded(self.table.object)?;
        let address = address_in(&self.table, rowid)?;
        let mut row = self.spare.pop().unwrap_or_default();
        row.set(columns);
        self.waiting_bytes += row.bytes() + columns.len();
        self.waiting.push((address, row));
        if self.waiting_bytes >= self.table.segment.block_size().bytes() { self.flush() } else { Ok(()) }
    }

    /// Changes the rows that still wait, and completes the unique indexes. Returns the number of changed rows that
    /// stand.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish(&mut self) -> Result<u64> {
        self.flush()?;
        let released = self.release_held();
        self.or_nothing(released)?;
        Ok(self.changed)
    }

    /// Changes the rows that still wait, so that a reader now sees their new columns. Inserts those of their unique
    /// keys that no other row has; [`Self::finish`] inserts the others.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn settle(&mut self) -> Result<()> {
        let held = self.held.len();
        self.flush()?;
        let released = self.release_free(held);
        self.or_nothing(released)
    }

    /// Inserts the new keys of held rows, from number `since` on, as far as no row has them.
    fn release_free(&mut self, since: usize) -> Result<()> {
        let _now = self.worker.enter(self.worker.current_snapshot());
        for change in self.held.split_off(since) {
            let mut is_free = true;
            for index in self.table.indexes.iter().filter(|index| index.unique) {
                let old = key_of(index, |position| change.old.column(position));
                let new = key_of(index, |position| change.new.column(position));
                if let Some(new) = new.filter(|new| Some(new) != old.as_ref()) {
                    is_free &= crate::index::lookup(&self.worker, index, &new)?.is_none();
                }
            }
            if is_free {
                let (changes, address) = (std::slice::from_ref(&change), [change.address]);
                self.changed_keys(changes, |change| &change.new, |unique| unique).insert(&self.worker, &address)?;
            } else {
                self.held.push(change);
            }
        }
        Ok(())
    }

    fn or_nothing(&mut self, result: Result<()>) -> Result<()> {
        if result.is_err() {
            self.held.clear();
            self.waiting.clear();
            self.changed = 0;
            self.worker.rollback_to_mark(self.mark)?;
        }
        result
    }

    /// Number of changed rows that stand.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.changed
    }

    fn flush(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let mut changes = Vec::new();
        let mut result = Ok(());
        for group in waiting.chunk_by(|a, b| a.0.block == b.0.block) {
            result = self.worker.check_cancelled().and_then(|()| self.update_in_block(group, &mut changes));
            if result.is_err() {
                break;
            }
        }
        debug_assert!(result.is_err() || changes.len() <= waiting.len(), "more rows were changed than there were");
        self.spare.extend(waiting.into_iter().map(|(_, row)| row));
        let rows = changes.len() as u64;
        let result = result.and_then(|()| self.change_keys(changes));
        if result.is_ok() {
            self.changed += rows;
            self.worker.meter().count(Statistic::RowsUpdated, rows);
        }
        self.or_nothing(result)
    }

    /// Changes rows of one block. Rows that no longer fit are locked there, and move after the block has been released.
    fn update_in_block(&self, group: &[(RowAddress, Row)], changes: &mut Vec<Change>) -> Result<()> {
        if group.first().is_none_or(|(home, _)| !can_exist(&self.worker, &self.table, *home)) {
            return Ok(());
        }
        let mut rows = RowChanges::new(&self.worker, &self.table, Check::Against(&self.snapshot));
        // The new pieces, in one buffer.
        let (mut pieces, mut ends) = (Vec::new(), Vec::with_capacity(group.len()));
        let mut columns = Vec::new();
        for (_, new) in group {
            new.put_columns(&mut columns);
            let fits = self.encode_columns(&columns, &mut pieces);
            ends.push((pieces.len(), fits));
        }
        let mut start = 0;
        let work: Vec<PieceChange<'_>> = group
            .iter()
            .zip(&ends)
            .map(|((home, _), (end, fits))| {
                let piece = &pieces[std::mem::replace(&mut start, *end)..*end];
                PieceChange { at: *home, work: if *fits { PieceWork::ReplaceWhole(piece) } else { PieceWork::Lock } }
            })
            .collect();
        let mut seen: Vec<Option<Move<'_>>> = Vec::new();
        seen.resize_with(group.len(), || None);
        let mut done = Vec::with_capacity(group.len());
        let look = |number: usize, old: RowPiece<'_>| {
            if let Some((home, new)) = group.get(number) {
                seen[number] = Some(self.look(old, *home, new));
            }
        };
        rows.change_many(&work, is_head, look, &mut done)?;
        debug_assert_eq!(done.len(), work.len(), "each change has its result");
        rows.release()?;
        let mut moves = Vec::new();
        for ((seen, done), change) in seen.into_iter().zip(done).zip(&work) {
            let Some(seen) = seen else { continue };
            match (done, &change.work) {
                (Done::Yes, PieceWork::ReplaceWhole(_)) => changes.push(self.changed(&seen)),
                (Done::Yes | Done::NoRoom, _) => moves.push(seen),
                (Done::Gone | Done::Skipped, _) => {}
            }
        }
        self.migrate_and_move(moves, changes)
    }

    /// The state of a row at its home, for the case that it must move.
    fn look<'a>(&self, piece: RowPiece<'_>, home: RowAddress, new: &'a Row) -> Move<'a> {
        let mut old = Row::new();
        if !self.table.indexes.is_empty() {
            old.append_piece(piece);
        }
        Move { home, new, whole: piece.flags() & WHOLE == WHOLE, tail: Tail::behind(piece, home), old }
    }

    /// The columns of a changed row that the indexes need.
    fn changed(&self, row: &Move<'_>) -> Change {
        let (mut old, mut new) = (Row::new(), Row::new());
        if !self.table.indexes.is_empty() {
            (old, new) = (row.old.clone(), row.new.clone());
        }
        Change { address: row.home, old, new }
    }

    /// Appends the row to `piece`, encoded as one piece at home. False when it needs several pieces.
    fn encode_whole(&self, row: &Row, piece: &mut Vec<u8>) -> bool {
        self.encode_columns(&row.columns(), piece)
    }

    fn encode_columns(&self, columns: &[Option<&[u8]>], piece: &mut Vec<u8>) -> bool {
        let fits = fits_one_piece(columns, self.capacity, false);
        if fits {
            encode_piece(WHOLE, None, None, trim(columns), piece);
        }
        fits
    }

    /// Appends the row to `piece`, encoded as one piece away from home. False when it needs several pieces.
    fn encode_migrated(&self, row: &Row, home: RowAddress, piece: &mut Vec<u8>) -> bool {
        let columns = row.columns();
        piece.clear();
        let fits = fits_one_piece(&columns, self.capacity, true);
        if fits {
            encode_piece(FIRST | LAST, Some(home), None, trim(&columns), piece);
        }
        fits
    }

    /// Moves rows that have outgrown their block: whole rows that stay in one piece migrate together, the others move
    /// one by one.
    fn migrate_and_move(&self, moves: Vec<Move<'_>>, changes: &mut Vec<Change>) -> Result<()> {
        let mut pieces = RowBuffer::new();
        let mut piece = Vec::new();
        let (mut migrating, mut moving) = (Vec::new(), Vec::new());
        for row in moves {
            if row.whole && self.encode_migrated(row.new, row.home, &mut piece) {
                pieces.push_encoded(&piece);
                migrating.push(row);
            } else {
                moving.push(row);
            }
        }
        if !migrating.is_empty() {
            let addresses = receive(&self.worker, &self.table, &pieces)?;
            let mut rows = RowChanges::new(&self.worker, &self.table, Check::Held);
            let stubs: Vec<_> = addresses.into_iter().map(stub).collect();
            let work: Vec<PieceChange<'_>> = migrating
                .iter()
                .zip(&stubs)
                .map(|(row, stub)| PieceChange { at: row.home, work: PieceWork::Replace(stub) })
                .collect();
            let mut done = Vec::with_capacity(work.len());
            rows.change_many(&work, is_head, |_, _| {}, &mut done)?;
            rows.release()?;
            if let Some((row, done)) = migrating.iter().zip(&done).find(|(_, done)| **done != Done::Yes) {
                return Err(self.lost(row, *done));
            }
            self.worker.meter().count(Statistic::RowsMigrated, migrating.len() as u64);
            changes.extend(migrating.iter().map(|row| self.changed(row)));
        }
        for row in moving {
            changes.push(self.move_row(row)?);
        }
        Ok(())
    }

    /// The error for a row that has changed although this transaction holds it.
    fn lost(&self, row: &Move<'_>, done: Done) -> Error {
        Error::bug(format!("the row at slot {} of block {} was locked and is {done:?}", row.home.slot, row.home.block))
    }

    /// Moves one row, which is locked at home.
    fn move_row(&self, mut row: Move<'_>) -> Result<Change> {
        let rest = row.tail.read(&self.worker, &self.table, Mode::Current, usize::MAX, &mut row.old)?;
        self.move_pieces(&row, &rest)?;
        Ok(self.changed(&row))
    }

    fn move_pieces(&self, row: &Move<'_>, rest: &[RowAddress]) -> Result<()> {
        let mut piece = Vec::new();
        // The row comes home when there is room again.
        if self.encode_whole(row.new, &mut piece) && self.replace_home(row, &piece, rest)? {
            return Ok(());
        }
        if self.encode_migrated(row.new, row.home, &mut piece) {
            // Else it stays in its receiving block, if it fits there.
            if let [only] = rest
                && self.replace_migrated(row.home, *only, &piece)?
            {
                return Ok(());
            }
            return self.move_behind_stub(row, &piece, rest);
        }
        let columns = row.new.columns();
        let chain = Chain::cut(&columns, self.capacity);
        let tail = place_tail(&self.worker, &self.table, &chain)?;
        let next = tail.first().copied();
        piece.clear();
        chain.encode(0, None, next, &mut piece);
        if self.replace_home(row, &piece, rest)? {
            return Ok(());
        }
        piece.clear();
        chain.encode(0, Some(row.home), next, &mut piece);
        self.move_behind_stub(row, &piece, rest)
    }

    /// Puts `piece` at the row's home and removes the row's other pieces. False when it does not fit there.
    fn replace_home(&self, row: &Move<'_>, piece: &[u8], rest: &[RowAddress]) -> Result<bool> {
        let mut rows = RowChanges::new(&self.worker, &self.table, Check::Held);
        let done = rows.change(row.home, &PieceWork::Replace(piece), is_head, |_| {})?;
        rows.release()?;
        match done {
            Done::Yes => {
                // Once the home piece has the row or leads to it, nothing leads to the old pieces.
                remove_pieces(&self.worker, &self.table, rest)?;
                Ok(true)
            }
            Done::NoRoom => Ok(false),
            Done::Gone | Done::Skipped => Err(self.lost(row, done)),
        }
    }

    /// Replaces a migrated piece by `piece`. False when it does not fit there.
    fn replace_migrated(&self, home: RowAddress, at: RowAddress, piece: &[u8]) -> Result<bool> {
        let mut rows = RowChanges::new(&self.worker, &self.table, Check::Held);
        let done = rows.change(at, &PieceWork::Replace(piece), |old| old.head_address() == Some(home), |_| {})?;
        rows.release()?;
        Ok(done == Done::Yes)
    }

    /// Puts `piece` into a receiving block, points the stub at home to it, and removes the old pieces.
    fn move_behind_stub(&self, row: &Move<'_>, piece: &[u8], rest: &[RowAddress]) -> Result<()> {
        let mut pieces = RowBuffer::new();
        pieces.push_encoded(piece);
        let new = receive(&self.worker, &self.table, &pieces)?;
        let Some(address) = new.first().copied() else { return Err(Error::bug("a received piece has no address")) };
        if !self.replace_home(row, &stub(address), rest)? {
            return Err(Error::corrupt(row.home.block, format!("no room for a stub at slot {}", row.home.slot)));
        }
        self.worker.meter().count(Statistic::RowsMigrated, 1);
        Ok(())
    }

    /// Brings the indexes up to date with the changed rows: deletes old keys, and inserts new keys into the indexes
    /// that are not unique.
    fn change_keys(&mut self, changes: Vec<Change>) -> Result<()> {
        if self.table.indexes.is_empty() || changes.is_empty() {
            return Ok(());
        }
        let addresses: Vec<RowAddress> = changes.iter().map(|change| change.address).collect();
        let old = self.changed_keys(&changes, |change| &change.old, |_| true);
        let new = self.changed_keys(&changes, |change| &change.new, |unique| !unique);
        old.remove(&self.worker, &addresses)?;
        new.insert(&self.worker, &addresses)?;
        let unique: Vec<_> = self.table.indexes.iter().filter(|index| index.unique).cloned().collect();
        let touches = |change: &Change| {
            unique.iter().any(|index| {
                key_of(index, |position| change.old.column(position))
                    != key_of(index, |position| change.new.column(position))
            })
        };
        self.held.extend(changes.into_iter().filter(touches));
        Ok(())
    }

    /// Keys of changed rows in the indexes in which they differ and whose uniqueness is `wanted`. `image` picks the old
    /// or the new columns.
    fn changed_keys(
        &self,
        changes: &[Change],
        image: impl Fn(&Change) -> &Row,
        wanted: impl Fn(bool) -> bool,
    ) -> KeyBatch {
        let indexes = self.table.indexes.iter().filter(|index| wanted(index.unique)).cloned();
        let mut batch = KeyBatch::of(&self.table, indexes);
        for (number, change) in changes.iter().enumerate() {
            batch.add_changed(
                number,
                |position| image(change).column(position),
                |position| change.old.column(position) != change.new.column(position),
            );
        }
        batch
    }

    /// Inserts the new keys of held rows into the unique indexes.
    fn release_held(&mut self) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return Ok(());
        }
        let addresses: Vec<RowAddress> = held.iter().map(|change| change.address).collect();
        self.changed_keys(&held, |change| &change.new, |unique| unique).insert(&self.worker, &addresses)
    }
}

/// Changes one row to `columns`. False when there is no such row.
///
/// # Errors
/// As [`Updater::push`] and [`Updater::finish`].
pub fn update(s: &Arc<Worker>, table: &Arc<HeapTable>, rowid: Rowid, columns: &[Option<&[u8]>]) -> Result<bool> {
    let mut updater = Updater::new(s.clone(), table.clone());
    updater.push(rowid, columns)?;
    Ok(updater.finish()? > 0)
}
