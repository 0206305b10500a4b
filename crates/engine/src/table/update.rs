//! Updating rows by rowid, an array at a time: in place, within the block, or by moving to other blocks.
//!
//! ```text
//! new row ──> fits its block?  ── yes ──> replaced at its slot (the PCTFREE reserve may be used)
//!                  │ no
//!                  ├── has migrated, and fits where it is now ──> replaced there
//!                  ├── fits one piece ──> new piece elsewhere, stub at home points to it
//!                  └── else ──> pieces elsewhere, last first; the first at home when it fits, else elsewhere behind a stub
//! ```
//!
//! Only one data block is latched at a time (rule 1), so a row that moves is written elsewhere first; then its home is got again, and the row is
//! switched over only if it is still what it was. Otherwise the new pieces go and the move starts again.

use common::sync::Arc;
use common::{BlockClass, Error, ErrorKind, Result, Rowid};
use format::heap::chain::{Chain, fits_one_piece};
use format::heap::row::{FIRST, LAST, WHOLE, encode_piece, stub, trim};
use format::heap::{self, RowAddress, RowBuffer};
use waits::Statistic;

use super::fetch::{Mode, Tail, can_exist, head_piece};
use super::keys::{KeyBatch, key_of};
use super::place::{next_statement, place_tail, receive, remove_pieces};
use super::row::Row;
use super::{address_in, check_width, piece_capacity};
use crate::cache::BlockMut;
use crate::catalog::TableDef;
use crate::instance::Session;

/// How often a move starts again because others change the same row.
const MOVE_TRIES: usize = 8;

/// An update statement at work.
///
/// Keys of unique indexes that the statement changes are taken out at once and put in at [`Updater::finish`], so that rows may exchange keys.
/// An updater that is dropped without it puts them in then.
#[derive(Debug)]
pub struct Updater {
    session: Arc<Session>,
    table: Arc<TableDef>,
    capacity: usize,
    statement: u32,
    waiting: Vec<(RowAddress, Row)>,
    waiting_bytes: usize,
    /// Rows whose new keys are not in the unique indexes yet.
    held: Vec<Change>,
    changed: u64,
}

/// A row that was changed. `old` is empty when the table has no index.
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
    /// The piece at home as it was seen.
    head: Vec<u8>,
    tail: Tail,
    /// What of the old row is known: the columns at home.
    old: Row,
}

impl Move<'_> {
    /// Was the row in one piece at home?
    fn was_whole(&self) -> bool {
        self.head[0] & WHOLE == WHOLE
    }

    /// Is the row still what was seen? Who holds its lock does not matter.
    fn is_unchanged(&self, block: &[u8]) -> bool {
        heap::row(block, self.home.slot)
            .and_then(heap::RowPiece::encoded)
            .is_some_and(|piece| piece[0] == self.head[0] && piece[2..] == self.head[2..])
    }
}

enum Moved {
    Done,
    /// Somebody changed the row meanwhile.
    Again,
}

impl Updater {
    #[must_use]
    pub fn new(session: Arc<Session>, table: Arc<TableDef>) -> Self {
        let capacity = piece_capacity(&table);
        let (waiting, held) = (Vec::new(), Vec::new());
        Self { session, table, capacity, statement: next_statement(), waiting, waiting_bytes: 0, held, changed: 0 }
    }

    /// Adds a row to change: all its columns as they are to be, encoded.
    ///
    /// # Errors
    /// ORA-01410 for a rowid of another segment; ORA-01013 when the user has cancelled; those of placing rows and of the indexes. Rows of
    /// earlier flushes stand, see [`Self::rows`].
    pub fn push(&mut self, rowid: Rowid, columns: &[Option<&[u8]>]) -> Result<()> {
        check_width(&self.table, columns.len())?;
        let address = address_in(&self.table, rowid)?;
        let row = Row::from_columns(columns);
        self.waiting_bytes += row.bytes() + columns.len();
        self.waiting.push((address, row));
        if self.waiting_bytes >= self.table.segment.block_size().bytes() { self.flush() } else { Ok(()) }
    }

    /// Changes the rows that still wait, completes the unique indexes, and says how many rows stand changed.
    ///
    /// # Errors
    /// As [`Self::push`]. When a unique key is refused, all rows whose unique keys the statement changed are as they were.
    pub fn finish(&mut self) -> Result<u64> {
        self.flush()?;
        self.release_held()?;
        Ok(self.changed)
    }

    /// Rows that stand changed.
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
            result = self.session.check_cancelled().and_then(|()| self.update_in_block(group, &mut changes));
            if result.is_err() {
                break;
            }
        }
        // Rows that were changed before an error stand.
        let rows = changes.len() as u64;
        let result = self
            .change_keys(changes)
            .inspect(|()| {
                self.changed += rows;
                self.session.meter().count(Statistic::RowsUpdated, rows);
            })
            .and(result);
        if result.is_err() {
            self.release_held()?;
        }
        result
    }

    /// Changes rows of one block; those that no longer fit it move after it has been released.
    fn update_in_block(&self, group: &[(RowAddress, Row)], changes: &mut Vec<Change>) -> Result<()> {
        let Some((first, _)) = group.first().filter(|(home, _)| can_exist(&self.session, &self.table, *home)) else {
            return Ok(());
        };
        let mut block = self.session.current_mut(first.block, BlockClass::Data)?;
        let mut piece = Vec::new();
        let moves = if group.iter().any(|(home, new)| self.fits_at_home(&block, *home, new, &mut piece)) {
            self.table.segment.watch(&mut block);
            let moves = self.session.change(&mut block, |bytes| self.replace_in_block(bytes, group, changes));
            self.table.segment.changed(&self.session, block)?;
            moves
        } else {
            // A visit that changes nothing must not count as a change.
            let moves = group.iter().filter_map(|(home, new)| self.look(&block, *home, new)).collect();
            drop(block);
            moves
        };
        self.migrate_and_move(moves, changes)
    }

    /// Would the new row go in place of the old one, both in one piece? Leaves it encoded in `piece`.
    fn fits_at_home(&self, block: &[u8], home: RowAddress, new: &Row, piece: &mut Vec<u8>) -> bool {
        head_piece(&self.table, block, home).is_some_and(|old| old.flags() & WHOLE == WHOLE)
            && self.encode_whole(new, piece)
            && heap::replace_fits(block, home.slot, piece.len())
    }

    /// Replaces the rows that fit their places; the others that exist are to move.
    fn replace_in_block<'a>(
        &self,
        bytes: &mut [u8],
        group: &'a [(RowAddress, Row)],
        changes: &mut Vec<Change>,
    ) -> Vec<Move<'a>> {
        let mut moves = Vec::new();
        let mut piece = Vec::new();
        for (home, new) in group {
            let Some(seen) = self.look(bytes, *home, new) else { continue };
            if self.fits_at_home(bytes, *home, new, &mut piece) && heap::replace(bytes, home.slot, &piece) {
                changes.push(Change { address: *home, old: seen.old, new: new.clone() });
            } else {
                moves.push(seen);
            }
        }
        moves
    }

    /// What is at a row's home.
    fn look<'a>(&self, block: &[u8], home: RowAddress, new: &'a Row) -> Option<Move<'a>> {
        let piece = head_piece(&self.table, block, home)?;
        let mut old = Row::new();
        if !self.table.indexes.is_empty() {
            old.append_piece(piece);
        }
        Some(Move { home, new, head: piece.encoded()?.to_vec(), tail: Tail::behind(piece, home), old })
    }

    /// The row as one piece at home; false when it is no such row.
    fn encode_whole(&self, row: &Row, piece: &mut Vec<u8>) -> bool {
        let columns = row.columns();
        piece.clear();
        let fits = fits_one_piece(&columns, self.capacity, false);
        if fits {
            encode_piece(WHOLE, None, None, trim(&columns), piece);
        }
        fits
    }

    /// The row as one piece away from home; false when it is no such row.
    fn encode_migrated(&self, row: &Row, home: RowAddress, piece: &mut Vec<u8>) -> bool {
        let columns = row.columns();
        piece.clear();
        let fits = fits_one_piece(&columns, self.capacity, true);
        if fits {
            encode_piece(FIRST | LAST, Some(home), None, trim(&columns), piece);
        }
        fits
    }

    /// Rows of one block that have outgrown it: whole ones that stay in one piece migrate together, the others move one by one.
    fn migrate_and_move(&self, moves: Vec<Move<'_>>, changes: &mut Vec<Change>) -> Result<()> {
        let mut pieces = RowBuffer::new();
        let mut piece = Vec::new();
        let (mut migrating, mut moving) = (Vec::new(), Vec::new());
        for row in moves {
            if row.was_whole() && self.encode_migrated(row.new, row.home, &mut piece) {
                pieces.push_encoded(&piece);
                migrating.push(row);
            } else {
                moving.push(row);
            }
        }
        if let Some(first) = migrating.first() {
            let home = first.home.block;
            let addresses = receive(&self.session, &self.table, &pieces, self.statement)?;
            let mut block = self.session.current_mut(home, BlockClass::Data)?;
            self.table.segment.watch(&mut block);
            let mut abandoned = Vec::new();
            self.session.change(&mut block, |bytes| {
                for (row, address) in migrating.into_iter().zip(addresses) {
                    if row.is_unchanged(bytes) && heap::replace(bytes, row.home.slot, &stub(address)) {
                        self.session.meter().count(Statistic::RowsMigrated, 1);
                        changes.push(Change { address: row.home, old: row.old, new: row.new.clone() });
                    } else {
                        abandoned.push(address);
                        moving.push(row);
                    }
                }
            });
            self.table.segment.changed(&self.session, block)?;
            remove_pieces(&self.session, &self.table, &abandoned)?;
        }
        for row in moving {
            changes.extend(self.move_row(row)?);
        }
        Ok(())
    }

    /// Moves one row, starting again when it was changed meanwhile. None when the row is gone.
    fn move_row(&self, mut row: Move<'_>) -> Result<Option<Change>> {
        for _ in 0..MOVE_TRIES {
            match row.tail.read(&self.session, &self.table, Mode::Current, usize::MAX, &mut row.old) {
                Ok(rest) => {
                    if matches!(self.try_move(&row, &rest)?, Moved::Done) {
                        return Ok(Some(Change { address: row.home, old: row.old, new: row.new.clone() }));
                    }
                }
                Err(error) if error.kind == ErrorKind::Retry => {}
                Err(error) => return Err(error),
            }
            let block = self.session.current(row.home.block, BlockClass::Data)?;
            let Some(seen) = self.look(&block, row.home, row.new) else { return Ok(None) };
            row = seen;
        }
        let why =
            format!("the row at slot {} of block {} is changed by others all the time", row.home.slot, row.home.block);
        Err(Error::own(ErrorKind::Retry, 41, why))
    }

    fn try_move(&self, row: &Move<'_>, rest: &[RowAddress]) -> Result<Moved> {
        let mut piece = Vec::new();
        // Home, when there is room again.
        if self.encode_whole(row.new, &mut piece)
            && let Some(moved) = self.replace_home(row, &piece, rest)?
        {
            return Ok(moved);
        }
        if self.encode_migrated(row.new, row.home, &mut piece) {
            // Where it is now.
            if let [only] = rest
                && self.replace_migrated(row.home, *only, &piece)?
            {
                return Ok(Moved::Done);
            }
            return self.move_behind_stub(row, &piece, rest, &[]);
        }
        let columns = row.new.columns();
        let chain = Chain::cut(&columns, self.capacity);
        let tail = place_tail(&self.session, &self.table, &chain)?;
        let next = tail.first().copied();
        piece.clear();
        chain.encode(0, None, next, &mut piece);
        match self.replace_home(row, &piece, rest)? {
            Some(Moved::Done) => return Ok(Moved::Done),
            Some(Moved::Again) => {
                remove_pieces(&self.session, &self.table, &tail)?;
                return Ok(Moved::Again);
            }
            None => {}
        }
        piece.clear();
        chain.encode(0, Some(row.home), next, &mut piece);
        self.move_behind_stub(row, &piece, rest, &tail)
    }

    /// The row's home block, if the row is still what it was.
    fn home_block(&self, row: &Move<'_>) -> Result<Option<BlockMut>> {
        let block = self.session.current_mut(row.home.block, BlockClass::Data)?;
        Ok(row.is_unchanged(&block).then_some(block))
    }

    /// Puts `piece` at the row's home and takes the row's other pieces out. None when it does not fit there.
    fn replace_home(&self, row: &Move<'_>, piece: &[u8], rest: &[RowAddress]) -> Result<Option<Moved>> {
        let Some(mut block) = self.home_block(row)? else { return Ok(Some(Moved::Again)) };
        if !heap::replace_fits(&block, row.home.slot, piece.len()) {
            return Ok(None);
        }
        self.table.segment.watch(&mut block);
        self.session.change(&mut block, |bytes| heap::replace(bytes, row.home.slot, piece));
        self.table.segment.changed(&self.session, block)?;
        // Once the home piece says where the row is, nothing leads to the old pieces.
        remove_pieces(&self.session, &self.table, rest)?;
        Ok(Some(Moved::Done))
    }

    /// Puts `piece` in the place of a migrated one. False when it does not fit there.
    fn replace_migrated(&self, home: RowAddress, at: RowAddress, piece: &[u8]) -> Result<bool> {
        let mut block = self.session.current_mut(at.block, BlockClass::Data)?;
        let belongs = heap::row(&block, at.slot).is_some_and(|old| old.head_address() == Some(home));
        if !belongs || !heap::replace_fits(&block, at.slot, piece.len()) {
            return Ok(false);
        }
        self.table.segment.watch(&mut block);
        self.session.change(&mut block, |bytes| heap::replace(bytes, at.slot, piece));
        self.table.segment.changed(&self.session, block)?;
        Ok(true)
    }

    /// Puts `piece` into a receiving block, points the stub at home to it, and takes the old pieces out. `tail`: pieces that `piece` already points to.
    fn move_behind_stub(
        &self,
        row: &Move<'_>,
        piece: &[u8],
        rest: &[RowAddress],
        tail: &[RowAddress],
    ) -> Result<Moved> {
        let mut pieces = RowBuffer::new();
        pieces.push_encoded(piece);
        let mut new = match receive(&self.session, &self.table, &pieces, self.statement) {
            Ok(new) => new,
            Err(error) => {
                remove_pieces(&self.session, &self.table, tail)?;
                return Err(error);
            }
        };
        let Some(address) = new.first().copied() else { return Err(Error::bug("a received piece has no address")) };
        match self.replace_home(row, &stub(address), rest)? {
            Some(Moved::Done) => {
                self.session.meter().count(Statistic::RowsMigrated, 1);
                Ok(Moved::Done)
            }
            Some(Moved::Again) => {
                new.extend_from_slice(tail);
                remove_pieces(&self.session, &self.table, &new)?;
                Ok(Moved::Again)
            }
            None => Err(Error::corrupt(row.home.block, format!("no room for a stub at slot {}", row.home.slot))),
        }
    }

    /// Brings the indexes up to the changed rows: old keys out, new keys into the indexes that are not unique. When that fails, the rows are as they were.
    fn change_keys(&mut self, changes: Vec<Change>) -> Result<()> {
        if self.table.indexes.is_empty() || changes.is_empty() {
            return Ok(());
        }
        let addresses: Vec<RowAddress> = changes.iter().map(|change| change.address).collect();
        let old = self.changed_keys(&changes, |change| &change.old, |_| true);
        let new = self.changed_keys(&changes, |change| &change.new, |unique| !unique);
        old.remove(&self.session, &addresses)?;
        if let Err(error) = new.insert(&self.session, &addresses) {
            self.restore_rows(&changes)?;
            old.insert(&self.session, &addresses)?;
            return Err(error);
        }
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

    /// Keys of changed rows, as `image` says the old or the new ones, in the indexes in which they differ and whose uniqueness is `wanted`.
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

    /// Writes the old rows back, last first. Indexes are the caller's.
    fn restore_rows(&self, changes: &[Change]) -> Result<()> {
        for change in changes.iter().rev() {
            self.update_in_block(&[(change.address, change.old.clone())], &mut Vec::new())?;
        }
        Ok(())
    }

    /// Puts the new keys of held rows into the unique indexes. When one is refused, all held rows are as they were.
    fn release_held(&mut self) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return Ok(());
        }
        let addresses: Vec<RowAddress> = held.iter().map(|change| change.address).collect();
        let new = self.changed_keys(&held, |change| &change.new, |unique| unique);
        let Err(error) = new.insert(&self.session, &addresses) else { return Ok(()) };
        self.changed -= held.len() as u64;
        self.changed_keys(&held, |change| &change.new, |unique| !unique).remove(&self.session, &addresses)?;
        self.restore_rows(&held)?;
        self.changed_keys(&held, |change| &change.old, |_| true).insert(&self.session, &addresses)?;
        Err(error)
    }
}

impl Drop for Updater {
    fn drop(&mut self) {
        // The statement has failed elsewhere, or nobody asked how it ended: what must hold is that table and indexes agree.
        let _ = self.release_held();
    }
}

/// Changes one row to `columns`. False when there is no such row.
///
/// # Errors
/// As [`Updater::push`] and [`Updater::finish`].
pub fn update(s: &Arc<Session>, table: &Arc<TableDef>, rowid: Rowid, columns: &[Option<&[u8]>]) -> Result<bool> {
    let mut updater = Updater::new(s.clone(), table.clone());
    updater.push(rowid, columns)?;
    Ok(updater.finish()? > 0)
}
