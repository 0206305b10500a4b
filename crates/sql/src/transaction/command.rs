//! Parsed statements of transaction control.

use storage::txn::{Isolation, LockWait, TableLock};

use crate::ddl::command::Name;

/// COMMIT … WRITE: the parameters decide options that the statement does not give.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct WriteOptions {
    pub(crate) no_wait: Option<bool>,
    pub(crate) batch: Option<bool>,
}

/// The mode of SET TRANSACTION.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Isolation(Isolation),
    /// READ WRITE, or a NAME alone: the session's setting.
    Usual,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TransactionCommand {
    Commit(WriteOptions),
    /// To a savepoint or, without one, to the beginning.
    Rollback(Option<String>),
    Savepoint(String),
    SetTransaction(Mode),
    LockTable {
        tables: Vec<Name>,
        mode: TableLock,
        wait: LockWait,
    },
}

impl TransactionCommand {
    /// The words of the feedback, and the command's number in traces and V$SQL.
    pub(crate) fn verb(&self) -> (&'static str, u32) {
        match self {
            Self::Commit(_) => ("COMMIT", 44),
            Self::Rollback(_) => ("ROLLBACK", 45),
            Self::Savepoint(_) => ("SAVEPOINT", 46),
            Self::SetTransaction(_) => ("SET TRANSACTION", 48),
            Self::LockTable { .. } => ("LOCK TABLE", 26),
        }
    }
}
