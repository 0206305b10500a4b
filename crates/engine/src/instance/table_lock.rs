//! Table locks of statements that change rows.

use std::sync::Arc;
use std::time::Duration;

use common::{Error, ErrorKind, Number, Result};
use waits::{Enqueue, Event};

use super::session::Session;
use crate::dictionary::{ChangeLock, TableDef, TableLock};
use storage::txn::{self, LockWait};

/// Poll interval of a wait; the user may cancel in between.
const LOOK_ROUND: Duration = Duration::from_millis(100);

/// Mode of DML's waits.
const ROW_EXCLUSIVE: u16 = 3;

impl Session {
    /// Locks a table for INSERT, UPDATE or DELETE, and returns the definition that holds as long as the lock: a DDL
    /// statement may have changed it since the statement was parsed.
    ///
    /// # Errors
    /// ORA-08103 when the table was dropped meanwhile; ORA-01013 when the user cancels the wait.
    pub fn lock_for_change(&self, table: &TableDef) -> Result<(ChangeLock, Arc<TableDef>)> {
        // This lock lasts to the end of the transaction; the other is the statement's.
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
            lock.wait_for_release(LOOK_ROUND);
            self.check_cancelled()?;
            if let Some(lock) = lock.try_change() {
                return Ok(lock);
            }
        }
    }
}
