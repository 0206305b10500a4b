//! Taking changes back: to a mark, or all of a transaction; by the session that made them, or by the instance after a
//! crash.

use common::{Error, ObjectNumber, Result, Uba, Xid};
use waits::Statistic;

use super::worker::{Mark, Transaction};
use super::{OwnFreelist, Worker};
use crate::undo::Record;

/// Records that are undone together at most, and bytes of their payloads, before that is noted. What a crash makes meet
/// again is known by the ITL slot, which names an older record by then.
const RECORDS: usize = 8192;
const BYTES: usize = 4 << 20;

#[cfg(any(test, feature = "testing"))]
common::sync::thread_local! {
    /// Records that are undone together at most, for tests.
    pub static RECORDS_OF_TEST: std::cell::Cell<usize> = const { std::cell::Cell::new(RECORDS) };
}

fn records_max() -> usize {
    #[cfg(any(test, feature = "testing"))]
    return RECORDS_OF_TEST.get();
    #[cfg(not(any(test, feature = "testing")))]
    RECORDS
}

/// A transaction that a crash has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dead {
    pub xid: Xid,
    pub last: Uba,
}

impl Worker {
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
            self.undo().rollback_begins(self, xid, blocks);
            self.undo_down_to(last, Uba::NONE)?;
        }
        if let Some(header) = self.with_transaction(|transaction| transaction.undo.header_mut(self)).transpose()? {
            let end =
                |header, scn| self.with_transaction(|transaction| transaction.undo.rolled_back(self, header, scn));
            self.end_at(header, end);
        }
        let locks = &self.transactions().locks;
        if let Some(transaction) = self.take_ended() {
            let xid = transaction.undo.xid();
            self.meter().count(Statistic::TransactionRollbacks, 1);
            self.undo().rollback_ended(self, xid);
            locks.ended(self.meter(), xid);
        }
        locks.release_tables(self.meter(), self.sid());
        Ok(())
    }

    /// Takes back what was done since a mark of the same transaction.
    ///
    /// # Errors
    /// As [`Worker::rollback`].
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
            self.definitions().undo(self, &records)?;
            self.note_progress(xid, &records);
            let mut state = self.state.lock();
            if let Some(transaction) = &mut state.transaction {
                transaction.undo.undone_to(self, oldest.uba)?;
                debug_assert_eq!(transaction.undo.last(), oldest.chain, "{xid}: the undo goes on elsewhere");
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
            self.undo().rollback_goes_on(xid);
        }
    }

    /// Records from `last` back, the newest first, as many as are undone together.
    fn records_back(&self, last: Uba, to: Uba, xid: Xid) -> Result<Vec<Record>> {
        let (mut records, mut bytes): (Vec<Record>, usize) = (Vec::new(), 0);
        let mut at = last;
        while at != to && !at.is_none() && records.len() < records_max() && bytes < BYTES {
            let mut more = self.undo().read_back(self, at, to, xid)?;
            more.truncate(records_max() - records.len());
            let Some(oldest) = more.last() else { break };
            at = oldest.chain;
            bytes += more.iter().map(|record| record.payload.len()).sum::<usize>();
            records.extend(more);
        }
        debug_assert!(records.iter().all(|record| record.xid == xid), "records of another transaction than {xid}");
        debug_assert!(records.windows(2).all(|pair| pair[0].chain == pair[1].uba), "records of {xid} are left out");
        Ok(records)
    }

    /// Rolls back a transaction that a crash has left.
    ///
    /// # Errors
    /// As [`Worker::rollback`]; ORA-01089 when the instance is being closed: the rest is left to the next open.
    pub fn rollback_dead(&self, dead: Dead) -> Result<()> {
        let mut writer = self.undo().resume(self, dead.xid)?;
        self.undo().rollback_begins(self, dead.xid, writer.used_blocks());
        let mut at = dead.last;
        debug_assert_eq!(writer.last(), at, "{}: it is rolled back from another place", dead.xid);
        while !at.is_none() {
            self.store().health().check()?;
            let records = self.records_back(at, Uba::NONE, dead.xid)?;
            let Some(oldest) = records.last() else { break };
            self.definitions().undo(self, &records)?;
            self.note_progress(dead.xid, &records);
            writer.undone_to(self, oldest.uba)?;
            debug_assert_eq!(writer.last(), oldest.chain, "{}: the undo goes on elsewhere", dead.xid);
            at = oldest.chain;
            if !at.is_none() {
                self.check_cancelled()?;
            }
        }
        self.end_at(writer.header_mut(self)?, |header, scn| writer.rolled_back(self, header, scn));
        self.undo().rollback_ended(self, dead.xid);
        self.transactions().locks.ended(self.meter(), dead.xid);
        Ok(())
    }

    /// Whether a dead transaction has changed one of these objects.
    pub fn touches(&self, dead: Dead, one_of: impl Fn(ObjectNumber) -> bool) -> Result<bool> {
        let mut at = dead.last;
        while !at.is_none() {
            let records = self.undo().read_back(self, at, Uba::NONE, dead.xid)?;
            if records.iter().any(|record| one_of(record.object)) {
                return Ok(true);
            }
            at = records.last().map_or(Uba::NONE, |record| record.chain);
        }
        Ok(false)
    }
}
