//! Dictionary rows that belong to users' transactions: those of jobs.
//!
//! The session changes them as rows of any table: in its transaction, with undo and row locks, outside the DDL latch.
//! Other sessions see them after the commit. Users change them only through the functions that end up here:
//! `Catalog::check_table` refuses the tables to everybody.

use std::sync::Arc;

use common::{Error, ErrorKind, Result, Rowid};

use crate::dictionary::TableDef;
use crate::dictionary::access::{Condition, insert_rows, select, select_whole, update_row};
use crate::dictionary::field::damaged;
use crate::dictionary::rows::DictionaryRow;
use crate::instance::Session;
use storage::table::{self, RESTART};
use storage::txn::{Isolation, LockWait, Resource};

/// HW-0043: the row that a statement is to change has gone since the statement began.
fn gone(session: &Session) -> Error {
    if session.isolation() == Isolation::Serializable {
        return Error::user(8177, "can't serialize access for this transaction");
    }
    Error::own(ErrorKind::Retry, RESTART, "a row has gone since the statement began: it is to start again")
}

impl Session {
    pub(crate) fn dictionary_table<R: DictionaryRow>(&self) -> Result<Arc<TableDef>> {
        let table = self.kept_catalog().table_by_number(R::TABLE.object).cloned();
        table.ok_or_else(|| damaged("a table of its own is missing"))
    }

    /// Runs `work` as one statement of the session's transaction: one snapshot, and no change stays when it fails. It
    /// starts again when a row was changed meanwhile.
    ///
    /// # Errors
    /// Errors of `work`; ORA-08177, ORA-01456 by the transaction's isolation; ORA-00060, ORA-01013 of waits for rows.
    pub(crate) fn row_statement<T>(self: &Arc<Self>, work: impl Fn() -> Result<T>) -> Result<T> {
        loop {
            self.check_cancelled()?;
            let mark = self.mark();
            let result = {
                let _entered = self.enter(self.begin_snapshot());
                work()
            };
            match result {
                Err(error) => {
                    self.rollback_to_mark(mark)?;
                    if !error.is_own(RESTART) {
                        return Err(error);
                    }
                }
                done => return done,
            }
        }
    }

    /// The rows that the session sees, and where they are.
    pub(crate) fn own_rows<R: DictionaryRow>(self: &Arc<Self>, conditions: &[Condition]) -> Result<Vec<(Rowid, R)>> {
        select(self, &self.dictionary_table::<R>()?, conditions)
    }

    /// All rows that the session sees, without damaged ones.
    pub(crate) fn whole_own_rows<R: DictionaryRow>(self: &Arc<Self>) -> Result<Vec<R>> {
        select_whole(self, &self.dictionary_table::<R>()?)
    }

    pub(crate) fn insert_own<R: DictionaryRow>(self: &Arc<Self>, rows: &[R]) -> Result<()> {
        let rows = rows.iter().map(R::encode).collect::<Result<Vec<_>>>()?;
        insert_rows(self, &self.dictionary_table::<R>()?, &rows)
    }

    /// Waits for a row and locks it for the transaction. False when another transaction has it and it is to be skipped.
    pub(crate) fn lock_own<R: DictionaryRow>(self: &Arc<Self>, rowid: Rowid, wait: LockWait) -> Result<bool> {
        let locked = table::lock_row(self, &*self.dictionary_table::<R>()?, rowid, &self.snapshot(), wait)?;
        if locked || wait == LockWait::SkipLocked { Ok(locked) } else { Err(gone(self)) }
    }

    pub(crate) fn update_own<R: DictionaryRow>(self: &Arc<Self>, rowid: Rowid, row: &R) -> Result<()> {
        let table = self.dictionary_table::<R>()?;
        self.lock_own::<R>(rowid, LockWait::Forever)?;
        update_row(self, &table, rowid, &row.encode()?)
    }

    pub(crate) fn delete_own<R: DictionaryRow>(self: &Arc<Self>, rowid: Rowid) -> Result<()> {
        if table::delete(self, self.dictionary_table::<R>()?.heap(), rowid)? { Ok(()) } else { Err(gone(self)) }
    }

    /// Keeps other sessions from making a row with this key until the transaction ends: the dictionary has no unique
    /// indexes.
    pub(crate) fn claim_key<R: DictionaryRow>(self: &Arc<Self>, key: &str) -> Result<()> {
        let xid = self.prepare(0)?;
        let resource = Resource::Key(R::TABLE.object, key.as_bytes().to_vec());
        self.instance().transactions().locks.claim(self, xid, &resource)
    }
}
