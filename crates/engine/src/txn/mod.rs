//! Transactions as sessions ask for them.

use common::{Error, Result};

use crate::catalog::TableDef;
use crate::instance::Session;

/// How a commit hands its redo over: COMMIT WRITE.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CommitWrite {
    /// NOWAIT: the commit is acknowledged before its redo is durable; a crash may lose it, whole.
    pub no_wait: bool,
    /// BATCH: the log writer is not posted for it.
    pub batch: bool,
}

/// What to do about a lock that another transaction holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LockWait {
    /// Until it is given up.
    #[default]
    Forever,
    /// ORA-00054 at once.
    NoWait,
    /// ORA-30006 after so many seconds.
    Seconds(u64),
    /// Pass the row by (SELECT FOR UPDATE only).
    SkipLocked,
}

/// What a transaction's statements see.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Isolation {
    /// Each statement: what was committed when it began.
    #[default]
    ReadCommitted,
    /// Every statement: what was committed when the transaction began; ORA-08177 for changes of rows that were changed since.
    Serializable,
    /// As serializable, and nothing may be changed (ORA-01456).
    ReadOnly,
}

/// Modes of table locks (TM).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum TableLock {
    RowShare = 2,
    RowExclusive = 3,
    Share = 4,
    ShareRowExclusive = 5,
    Exclusive = 6,
}

impl Session {
    /// Commits the transaction, if there is one.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped.
    pub fn commit(&self, _write: CommitWrite) -> Result<()> {
        self.instance().advance_scn();
        Ok(())
    }

    /// Undoes the whole transaction.
    ///
    /// # Errors
    /// Those of reading undo and changing blocks.
    pub fn rollback(&self) -> Result<()> {
        Err(Error::unsupported("ROLLBACK"))
    }

    /// SAVEPOINT: a name for the present state; a name that is taken moves.
    ///
    /// # Errors
    /// None so far.
    pub fn savepoint(&self, _name: &str) -> Result<()> {
        Err(Error::unsupported("SAVEPOINT"))
    }

    /// ROLLBACK TO.
    ///
    /// # Errors
    /// ORA-01086 when the transaction has no such savepoint.
    pub fn rollback_to(&self, _name: &str) -> Result<()> {
        Err(Error::unsupported("ROLLBACK TO"))
    }

    /// SET TRANSACTION: for the transaction that begins with the next statement.
    ///
    /// # Errors
    /// ORA-01453 when a transaction is under way.
    pub fn set_transaction(&self, _isolation: Isolation) -> Result<()> {
        Err(Error::unsupported("SET TRANSACTION"))
    }

    /// ALTER SESSION SET ISOLATION_LEVEL: for all transactions to come.
    pub fn set_isolation(&self, _isolation: Isolation) {}

    /// Whether the session has changed or locked something since its last commit.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        false
    }

    /// LOCK TABLE.
    ///
    /// # Errors
    /// ORA-00054, ORA-30006 or ORA-00060 when the lock is not had.
    pub fn lock_table(&self, _table: &TableDef, _mode: TableLock, _wait: LockWait) -> Result<()> {
        Err(Error::unsupported("LOCK TABLE"))
    }
}
