//! Taking changes back: to a mark, or all of a transaction; by the session that made them, or by the instance after a crash.

use common::sync::Arc;
use common::{BlockClass, Result, Uba, Xid};
use format::block::{self, BlockType};
use format::itl;
use format::transaction::Owner;
use waits::Statistic;

use super::consistent::{is_newest, undo_change};
use super::session::{Mark, Transaction};
use crate::instance::Session;
use crate::segment::{OwnFreelist, Segment};
use crate::undo::{self, OwnedPrevious, Record};

/// Records undone before that is noted. What a crash makes meet again is known by the ITL slot, which names an older record by then.
const NOTED_EVERY: u64 = 256;

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
        let transaction = {
            let mut state = self.transactions().0.lock();
            (state.isolation, state.fixed) = (None, None);
            state.transaction.take()
        };
        let all = self.instance().transactions();
        if let Some(transaction) = transaction {
            self.end_rolled_back(transaction)?;
        }
        all.locks.release_tables(self.sid());
        Ok(())
    }

    fn end_rolled_back(&self, transaction: Transaction) -> Result<()> {
        let xid = transaction.undo.xid();
        {
            let _group = self.group();
            transaction.undo.rolled_back(self, self.instance().advance_scn())?;
        }
        self.meter().count(Statistic::TransactionRollbacks, 1);
        self.instance().undo().rollback_ended(self, xid);
        self.instance().transactions().locks.ended(xid);
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
        let (mut at, mut count) = (last, 0);
        while at != to && !at.is_none() {
            let record = undo::read(self, at, self.xid())?;
            self.undo_record(&record)?;
            at = record.chain;
            count += 1;
            if at.block != record.uba.block {
                self.instance().undo().rollback_goes_on(record.xid);
            }
            if count % NOTED_EVERY == 0 || at == to || at.is_none() {
                let mut state = self.transactions().0.lock();
                if let Some(transaction) = &mut state.transaction {
                    transaction.undo.undone_to(self, record.uba)?;
                    // What was refused before may fit now.
                    transaction.freelists.values_mut().for_each(OwnFreelist::look_again);
                }
            }
        }
        Ok(())
    }

    /// Takes one change back in the block that it is in.
    pub(super) fn undo_record(&self, record: &Record) -> Result<()> {
        if record.operation >= super::operation::INSERT_ENTRIES {
            return crate::index::undo(self, record);
        }
        let segment = self.segment_of(record);
        let _group = self.group();
        let mut block = self.current_mut(record.block, BlockClass::Data)?;
        let rows = block::kind(&block) == Some(BlockType::Data)
            && format::transaction::header(&block).owner == Owner::Table as u8
            && format::transaction::header(&block).object_number() == record.object;
        // A record that a crash has kept from being noted as undone is met again.
        if !rows || !is_newest(&block, record) {
            return Ok(());
        }
        if let Some(segment) = &segment {
            segment.watch(&mut block);
        }
        let address = record.block;
        self.change(&mut block, |bytes| {
            undo_change(bytes, record, address)?;
            match &record.previous {
                OwnedPrevious::Itl(before) => itl::restore(bytes, record.itl, before),
                OwnedPrevious::Uba(previous) => itl::set_uba(bytes, record.itl, *previous),
            }
            Ok(())
        })
        .map_err(|error: common::Error| self.instance().health().stop(&error))?;
        self.meter().count(Statistic::RollbackChangesUndoRecordsApplied, 1);
        match segment {
            Some(segment) => segment.restored(self, block),
            None => Ok(()),
        }
    }

    /// The table segment that a record is about; None for one that the dictionary does not know (yet): its space is then not told of the change.
    fn segment_of(&self, record: &Record) -> Option<Arc<Segment>> {
        let catalog = self.catalog();
        catalog.tables().map(|table| &table.segment).find(|segment| segment.data_object() == record.object).cloned()
    }

    /// Rolls back a transaction that a crash has left.
    ///
    /// # Errors
    /// As [`Session::rollback`]; ORA-01089 when the instance is being closed: the rest is left to the next open.
    pub(crate) fn rollback_dead(&self, dead: Dead) -> Result<()> {
        let mut writer = self.instance().undo().resume(self, dead.xid)?;
        self.instance().undo().rollback_begins(self, dead.xid, writer.used_blocks());
        let (mut at, mut count) = (dead.last, 0);
        while !at.is_none() {
            self.instance().health().check()?;
            let record = undo::read(self, at, Some(dead.xid))?;
            self.undo_record(&record)?;
            at = record.chain;
            count += 1;
            if at.block != record.uba.block {
                self.instance().undo().rollback_goes_on(dead.xid);
            }
            if count % NOTED_EVERY == 0 || at.is_none() {
                writer.undone_to(self, record.uba)?;
                if !at.is_none() {
                    self.check_cancelled()?;
                }
            }
        }
        let _group = self.group();
        writer.rolled_back(self, self.instance().advance_scn())?;
        self.instance().undo().rollback_ended(self, dead.xid);
        self.instance().transactions().locks.ended(dead.xid);
        Ok(())
    }

    /// Whether a dead transaction has changed the dictionary: it is rolled back before that is read.
    pub(crate) fn touches_dictionary(&self, dead: Dead) -> Result<bool> {
        let mut at = dead.last;
        while !at.is_none() {
            let record = undo::read(self, at, Some(dead.xid))?;
            if crate::catalog::is_dictionary(record.object) {
                return Ok(true);
            }
            at = record.chain;
        }
        Ok(false)
    }
}
