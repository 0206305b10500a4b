//! Taking changes back: to a mark, or all of a transaction; by the session that made them, or by the instance after a crash.

use common::sync::Arc;
use common::{BlockAddress, BlockClass, Error, ObjectNumber, Result, Uba, Xid};
use format::block::{self, BlockType};
use format::itl;
use format::transaction::Owner;
use waits::Statistic;

use super::consistent::{is_newest, not_unloaded, undo_change};
use super::operation;
use super::session::{Mark, Transaction};
use crate::catalog::Catalog;
use crate::instance::Session;
use crate::segment::{OwnFreelist, Segment};
use crate::undo::{self, OwnedPrevious, Record};

/// Records that are undone together at most, and bytes of their payloads, before that is noted. What a crash makes meet again is known by the ITL slot,
/// which names an older record by then.
const RECORDS: usize = 8192;
const BYTES: usize = 4 << 20;
/// Blocks sent for before they are worked on.
const BLOCKS_AHEAD: usize = 16;

#[cfg(test)]
thread_local! {
    /// Records that are undone together at most, for tests.
    pub(crate) static RECORDS_OF_TEST: std::cell::Cell<usize> = const { std::cell::Cell::new(RECORDS) };
}

fn records_max() -> usize {
    #[cfg(test)]
    return RECORDS_OF_TEST.get();
    #[cfg(not(test))]
    RECORDS
}

/// A transaction that a crash has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dead {
    pub(crate) xid: Xid,
    pub(crate) last: Uba,
}

impl Session {
    /// Undoes the whole transaction.
    ///
    /// # Errors
    /// Those of reading undo and changing blocks; the transaction is then still there, and can be rolled back again.
    pub fn rollback(&self) -> Result<()> {
        let whole = |transaction: &mut Transaction| {
            let undo = &transaction.undo;
            (undo.xid(), undo.last(), undo.used_blocks())
        };
        if let Some((xid, last, blocks)) = self.with_transaction(whole) {
            self.instance().undo().rollback_begins(self, xid, blocks);
            self.undo_down_to(last, Uba::NONE)?;
        }
        if let Some(header) = self.with_transaction(|transaction| transaction.undo.header_mut(self)).transpose()? {
            let end =
                |header, scn| self.with_transaction(|transaction| transaction.undo.rolled_back(self, header, scn));
            self.end_at(header, end);
        }
        let locks = &self.instance().transactions().locks;
        if let Some(transaction) = self.take_ended() {
            let xid = transaction.undo.xid();
            self.meter().count(Statistic::TransactionRollbacks, 1);
            self.instance().undo().rollback_ended(self, xid);
            locks.ended(self.meter(), xid);
        }
        locks.release_tables(self.meter(), self.sid());
        Ok(())
    }

    /// Takes back what was done since a mark of the same transaction.
    ///
    /// # Errors
    /// As [`Session::rollback`].
    pub fn rollback_to_mark(&self, mark: Mark) -> Result<()> {
        let Some((xid, last)) = self.with_transaction(|transaction| (transaction.undo.xid(), transaction.undo.last()))
        else {
            return Ok(());
        };
        // A transaction that began after the mark goes back to its own beginning.
        let to = if mark.xid == Some(xid) { mark.last } else { Uba::NONE };
        self.undo_down_to(last, to)
    }

    /// Undoes the records from `last` back to `to`, which stays.
    fn undo_down_to(&self, last: Uba, to: Uba) -> Result<()> {
        let _rolling_back = self.rolling_back();
        let mut at = last;
        while at != to && !at.is_none() {
            let xid = self.xid().ok_or_else(|| Error::bug("a rollback without a transaction"))?;
            let records = self.records_back(at, to, xid)?;
            let Some(oldest) = records.last() else { break };
            self.undo_records(&records)?;
            self.note_progress(xid, &records);
            let mut state = self.transactions().0.lock();
            if let Some(transaction) = &mut state.transaction {
                transaction.undo.undone_to(self, oldest.uba)?;
                // What was refused before may fit now.
                transaction.freelists.values_mut().for_each(OwnFreelist::look_again);
            }
            at = oldest.chain;
        }
        Ok(())
    }

    /// Counts the undo blocks that are through with these records.
    fn note_progress(&self, xid: Xid, records: &[Record]) {
        for _ in records.iter().filter(|record| record.chain.block != record.uba.block) {
            self.instance().undo().rollback_goes_on(xid);
        }
    }

    /// Records from `last` back, the newest first, as many as are undone together.
    fn records_back(&self, last: Uba, to: Uba, xid: Xid) -> Result<Vec<Record>> {
        let (mut records, mut bytes): (Vec<Record>, usize) = (Vec::new(), 0);
        let mut at = last;
        while at != to && !at.is_none() && records.len() < records_max() && bytes < BYTES {
            let mut more = undo::read_back(self, at, to, xid)?;
            more.truncate(records_max() - records.len());
            let Some(oldest) = more.last() else { break };
            at = oldest.chain;
            bytes += more.iter().map(|record| record.payload.len()).sum::<usize>();
            records.extend(more);
        }
        Ok(records)
    }

    /// Takes changes back in the blocks that they are in; the records are in the order of a rollback. Entries of indexes go first, all of them: for each row
    /// that is the order anyway, since its entries were made after it. Rows keep theirs: a row may have pieces in several blocks, and must not be free
    /// in one of them while it is not in another.
    fn undo_records(&self, records: &[Record]) -> Result<()> {
        let (entries, rows): (Vec<_>, Vec<_>) =
            records.iter().partition(|record| operation::is_of_index(record.operation));
        crate::index::undo(self, &entries)?;
        let is_load = |record: &Record| record.operation == operation::LOAD_BLOCKS;
        let same = |a: &&Record, b: &&Record| a.block == b.block && a.object == b.object && !is_load(a) && !is_load(b);
        let runs: Vec<_> = rows.chunk_by(same).collect();
        let mut segments = Segments::default();
        let mut sent = 0;
        for (at, run) in runs.iter().enumerate() {
            while sent < runs.len() && sent <= at + BLOCKS_AHEAD {
                // What fails is met when the block is got.
                let _ = self.instance().cache().read_ahead(self.meter(), runs[sent][0].block, 1, BlockClass::Data);
                sent += 1;
            }
            let segment = segments.of(self, run[0].object);
            if is_load(run[0]) { self.undo_load(run[0], segment.as_ref())? } else { self.undo_rows(run, segment)? }
        }
        Ok(())
    }

    /// Empties the blocks of a load that still hold it: a crash may have kept the record from being noted as undone, and the blocks may have been put to other
    /// use since.
    fn undo_load(&self, record: &Record, segment: Option<&Arc<Segment>>) -> Result<()> {
        let blocks = operation::read_blocks(&record.payload);
        let mut ahead = operation::read_blocks(&record.payload).skip(1);
        let mut sent = 0;
        for address in blocks {
            while sent < BLOCKS_AHEAD
                && let Some(next) = ahead.next()
            {
                // What fails is met when the block is got.
                let _ = self.instance().cache().read_ahead(self.meter(), next, 1, BlockClass::Data);
                sent += 1;
            }
            sent = sent.saturating_sub(1);
            self.unload(address, record, segment)?;
        }
        self.with_transaction(|transaction| transaction.loads.retain(|load| load.uba != record.uba));
        Ok(())
    }

    fn unload(&self, address: BlockAddress, record: &Record, segment: Option<&Arc<Segment>>) -> Result<()> {
        let _group = self.group();
        let mut block = self.current_mut(address, BlockClass::Data)?;
        let held = is_of(&block, record.object)
            && itl::slot(&block, 1)
                .is_some_and(|slot| slot.is_loaded() && slot.is_active() && slot.xid() == record.xid);
        if !held {
            return Ok(());
        }
        if let Some(segment) = segment {
            segment.watch(&mut block);
        }
        let mut bytes = block.to_vec();
        if !itl::unload(&mut bytes, 1) {
            return Err(not_unloaded(address));
        }
        self.change(&mut block, |block| block.copy_from_slice(&bytes));
        match segment {
            Some(segment) => segment.emptied(self, block),
            None => Ok(()),
        }
    }

    /// Takes changes of one block's rows back: one get, and one change.
    fn undo_rows(&self, records: &[&Record], segment: Option<Arc<Segment>>) -> Result<()> {
        let address = records[0].block;
        let _group = self.group();
        let mut block = self.current_mut(address, BlockClass::Data)?;
        let rows = is_of(&block, records[0].object);
        // A record that a crash has kept from being noted as undone is met again.
        if !rows || !records.iter().any(|record| is_newest(&block, record)) {
            return Ok(());
        }
        if let Some(segment) = &segment {
            segment.watch(&mut block);
        }
        let mut undone = 0;
        self.change(&mut block, |bytes| {
            for record in records {
                if !is_newest(bytes, record) {
                    continue;
                }
                undo_change(bytes, record, address)?;
                match &record.previous {
                    OwnedPrevious::Itl(before) => itl::restore(bytes, record.itl, before),
                    OwnedPrevious::Uba(previous) => itl::set_uba(bytes, record.itl, *previous),
                }
                undone += 1;
            }
            Ok(())
        })
        .map_err(|error: Error| self.instance().health().stop(&error))?;
        self.meter().count(Statistic::RollbackChangesUndoRecordsApplied, undone);
        match segment {
            Some(segment) => segment.restored(self, block),
            None => Ok(()),
        }
    }

    /// Rolls back a transaction that a crash has left.
    ///
    /// # Errors
    /// As [`Session::rollback`]; ORA-01089 when the instance is being closed: the rest is left to the next open.
    pub(crate) fn rollback_dead(&self, dead: Dead) -> Result<()> {
        let mut writer = self.instance().undo().resume(self, dead.xid)?;
        self.instance().undo().rollback_begins(self, dead.xid, writer.used_blocks());
        let mut at = dead.last;
        while !at.is_none() {
            self.instance().health().check()?;
            let records = self.records_back(at, Uba::NONE, dead.xid)?;
            let Some(oldest) = records.last() else { break };
            self.undo_records(&records)?;
            self.note_progress(dead.xid, &records);
            writer.undone_to(self, oldest.uba)?;
            at = oldest.chain;
            if !at.is_none() {
                self.check_cancelled()?;
            }
        }
        self.end_at(writer.header_mut(self)?, |header, scn| writer.rolled_back(self, header, scn));
        self.instance().undo().rollback_ended(self, dead.xid);
        self.instance().transactions().locks.ended(self.meter(), dead.xid);
        Ok(())
    }

    /// Whether a dead transaction has changed the dictionary: it is rolled back before that is read.
    pub(crate) fn touches_dictionary(&self, dead: Dead) -> Result<bool> {
        let mut at = dead.last;
        while !at.is_none() {
            let records = undo::read_back(self, at, Uba::NONE, dead.xid)?;
            if records.iter().any(|record| crate::catalog::is_dictionary(record.object)) {
                return Ok(true);
            }
            at = records.last().map_or(Uba::NONE, |record| record.chain);
        }
        Ok(false)
    }
}

/// Is this a block of rows of the table with this data object?
fn is_of(block: &[u8], object: ObjectNumber) -> bool {
    block::kind(block) == Some(BlockType::Data)
        && format::transaction::header(block).owner == Owner::Table as u8
        && format::transaction::header(block).object_number() == object
}

/// The table segments that records are about, looked up anew when the dictionary has changed.
#[derive(Default)]
struct Segments {
    catalog: Option<Arc<Catalog>>,
    last: Option<(ObjectNumber, Option<Arc<Segment>>)>,
}

impl Segments {
    /// None for an object that the dictionary does not know (yet): its space is then not told of the change.
    fn of(&mut self, s: &Session, object: ObjectNumber) -> Option<Arc<Segment>> {
        let catalog = s.catalog();
        let same = self.catalog.as_ref().is_some_and(|before| Arc::ptr_eq(before, &catalog));
        if let Some((last, segment)) = &self.last
            && same
            && *last == object
        {
            return segment.clone();
        }
        let segments = || catalog.tables().map(|table| &table.segment);
        let segment = segments().find(|segment| segment.data_object() == object).cloned();
        self.last = Some((object, segment.clone()));
        self.catalog = Some(catalog);
        segment
    }
}
