//! Table locks (TM): many statements may change a table's rows at once, or one DDL statement may change the table.
//!
//! A statement that changes rows waits for the DDL to end; DDL does not wait, it reports ORA-00054. Queries take no lock: they recognise a
//! table that went away under them by the data object number in its blocks.

use std::sync::Arc;
use std::time::Duration;

use common::sync::{Condvar, Mutex};
use common::{Error, ErrorKind, Number, Result};
use waits::{Enqueue, Event};

use super::TableDef;
use crate::instance::Session;
use storage::txn::{self, LockWait};

/// How long a waiter sleeps between two looks at whether its user has cancelled.
const LOOK_ROUND: Duration = Duration::from_millis(100);
/// Mode of the waits of those who change rows.
const ROW_EXCLUSIVE: u16 = 3;

#[derive(Default, Debug)]
struct Holders {
    changers: u32,
    exclusive: bool,
}

/// The lock of one table; all definitions of the table share it.
#[derive(Default, Debug)]
pub struct TableLock {
    holders: Mutex<Holders>,
    released: Condvar,
}

/// Rows of the table may be changed while this is held.
#[derive(Debug)]
pub struct ChangeLock(Arc<TableLock>);

/// The table itself may be changed while this is held.
#[derive(Debug)]
pub(super) struct ExclusiveLock(Arc<TableLock>);

impl Drop for ChangeLock {
    fn drop(&mut self) {
        self.0.holders.lock().changers -= 1;
        self.0.released.notify_all();
    }
}

impl Drop for ExclusiveLock {
    fn drop(&mut self) {
        self.0.holders.lock().exclusive = false;
        self.0.released.notify_all();
    }
}

impl ExclusiveLock {
    /// Is it the lock of this table?
    pub(super) fn is_of(&self, table: &TableDef) -> bool {
        Arc::ptr_eq(&self.0, &table.lock)
    }
}

impl TableLock {
    pub(super) fn try_exclusive(self: &Arc<Self>) -> Option<ExclusiveLock> {
        let mut holders = self.holders.lock();
        if holders.exclusive || holders.changers > 0 {
            return None;
        }
        holders.exclusive = true;
        Some(ExclusiveLock(self.clone()))
    }

    fn try_change(self: &Arc<Self>) -> Option<ChangeLock> {
        let mut holders = self.holders.lock();
        if holders.exclusive {
            return None;
        }
        holders.changers += 1;
        Some(ChangeLock(self.clone()))
    }

    fn wait_for_release(&self) {
        let mut holders = self.holders.lock();
        if holders.exclusive {
            self.released.wait_for(&mut holders, LOOK_ROUND);
        }
    }
}

impl Session {
    /// Locks a table for INSERT, UPDATE or DELETE, and gives the definition that holds as long as the lock: a DDL statement may have
    /// changed it since the statement was parsed.
    ///
    /// # Errors
    /// ORA-08103 when the table was dropped meanwhile; ORA-01013 when the user cancels the wait.
    pub fn lock_for_change(&self, table: &TableDef) -> Result<(ChangeLock, Arc<TableDef>)> {
        // To the end of the transaction; the other lock is for the statement.
        self.lock_table(table.object, txn::TableLock::RowExclusive, LockWait::Forever)?;
        let lock = match table.lock.try_change() {
            Some(lock) => lock,
            None => {
                let object = i64::from(table.object.0);
                let at = [Enqueue::TmContention.name_mode(ROW_EXCLUSIVE), u64::from(table.object.0), 0];
                let had = self.meter().wait(Event::EnqTmContention, at, object, || self.wait_for_lock(&table.lock));
                self.meter().enqueue(Enqueue::TmContention, had.is_ok());
                had?
            }
        };
        let current = self.catalog().table_by_number(table.object).cloned().ok_or_else(|| {
            Error::new(ErrorKind::Retry, Number::Ora(8103), format!("table {} is gone", table.qualified_name()))
        })?;
        Ok((lock, current))
    }

    fn wait_for_lock(&self, lock: &Arc<TableLock>) -> Result<ChangeLock> {
        loop {
            lock.wait_for_release();
            self.check_cancelled()?;
            if let Some(lock) = lock.try_change() {
                return Ok(lock);
            }
        }
    }
}

/// Locks a table for DDL.
///
/// # Errors
/// ORA-00054 when rows of it are being changed.
pub(super) fn lock_for_ddl(session: &Session, table: &TableDef) -> Result<ExclusiveLock> {
    session.lock_table(table.object, txn::TableLock::Exclusive, LockWait::NoWait)?;
    table.lock.try_exclusive().ok_or_else(|| {
        Error::new(
            ErrorKind::Retry,
            Number::Ora(54),
            format!("rows of table {} are being changed by another statement", table.qualified_name()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ddl_keeps_changers_out_and_they_keep_it_out() {
        let lock = Arc::new(TableLock::default());
        let one = lock.try_change().unwrap();
        let two = lock.try_change().unwrap();
        assert!(lock.try_exclusive().is_none());
        drop(one);
        assert!(lock.try_exclusive().is_none());
        drop(two);
        let ddl = lock.try_exclusive().unwrap();
        assert!(lock.try_change().is_none() && lock.try_exclusive().is_none());
        drop(ddl);
        assert!(lock.try_change().is_some());
    }
}
