//! Table locks (TM): many statements may change a table's rows at once, or one DDL statement may change the table.
//!
//! A statement that changes rows waits for the DDL to end; DDL does not wait but fails with ORA-00054. Queries take no
//! lock: they recognise by the data object number in its blocks that a table has been dropped or truncated under them.

use std::sync::Arc;
use std::time::Duration;

use common::sync::{Condvar, Mutex};

use super::table::TableDef;

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

/// Held while rows of the table are changed.
#[derive(Debug)]
pub struct ChangeLock(Arc<TableLock>);

/// Held while the table itself is changed.
#[derive(Debug)]
pub(crate) struct ExclusiveLock(Arc<TableLock>);

impl Drop for ChangeLock {
    fn drop(&mut self) {
        let mut holders = self.0.holders.lock();
        debug_assert!(
            holders.changers > 0 && !holders.exclusive,
            "a change of rows beside one of the table: {holders:?}"
        );
        holders.changers -= 1;
        drop(holders);
        self.0.released.notify_all();
    }
}

impl Drop for ExclusiveLock {
    fn drop(&mut self) {
        let mut holders = self.0.holders.lock();
        debug_assert!(
            holders.exclusive && holders.changers == 0,
            "a change of the table beside one of rows: {holders:?}"
        );
        holders.exclusive = false;
        drop(holders);
        self.0.released.notify_all();
    }
}

impl ExclusiveLock {
    /// True: this is the lock of that table.
    pub(crate) fn is_of(&self, table: &TableDef) -> bool {
        Arc::ptr_eq(&self.0, &table.lock)
    }
}

impl TableLock {
    pub(crate) fn try_exclusive(self: &Arc<Self>) -> Option<ExclusiveLock> {
        let mut holders = self.holders.lock();
        if holders.exclusive || holders.changers > 0 {
            return None;
        }
        holders.exclusive = true;
        Some(ExclusiveLock(self.clone()))
    }

    pub(crate) fn try_change(self: &Arc<Self>) -> Option<ChangeLock> {
        let mut holders = self.holders.lock();
        if holders.exclusive {
            return None;
        }
        holders.changers += 1;
        Some(ChangeLock(self.clone()))
    }

    /// Waits until DDL releases the table, or for `round`.
    pub(crate) fn wait_for_release(&self, round: Duration) {
        let mut holders = self.holders.lock();
        if holders.exclusive {
            self.released.wait_for(&mut holders, round);
        }
    }
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
