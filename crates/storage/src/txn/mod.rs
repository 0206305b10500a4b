//! Transactions: changes that stand or fall together, their visibility to others, and waits for them.
//!
//! See README.md in this folder.

mod change;
mod commit;
mod consistent;
mod deadlock;
mod definitions;
mod ended;
pub(crate) mod entries;
mod load;
mod locks;
pub(crate) mod operation;
mod own_freelist;
mod rollback;
mod waiting;
mod worker;

pub(crate) use change::{Interest, RowLock, Slots, is_changed_since};
#[cfg(any(test, feature = "testing"))]
pub use commit::ENDED;
pub(crate) use consistent::{is_newest, not_unloaded, undo_change};
pub use deadlock::{Deadlock, DeadlockedSession, Waited};
pub use definitions::Definitions;
pub use locks::Resource;
#[cfg(any(test, feature = "testing"))]
pub use locks::WOKEN;
pub use locks::{HeldTableLock, Locks, Waiter};
pub(crate) use own_freelist::OwnFreelist;
pub use rollback::Dead;
#[cfg(any(test, feature = "testing"))]
pub use rollback::RECORDS_OF_TEST;
pub use worker::{Entered, Mark, Worker};

use common::Result;
use common::sync::Arc;

use crate::undo::UndoSegments;

/// What an instance knows of its transactions, beside what is in blocks.
#[derive(Debug)]
pub struct Transactions {
    pub locks: Locks,
    pub undo: Arc<UndoSegments>,
    ended: ended::Ended,
}

impl Transactions {
    pub fn new(undo: Arc<UndoSegments>) -> Self {
        Self { locks: Locks::default(), undo, ended: ended::Ended::default() }
    }

    /// What is true while no process is at work: for tests and the simulator.
    ///
    /// # Errors
    /// ORA-00600 with what is not so.
    pub fn check_invariants(&self) -> Result<()> {
        self.locks.check_invariants()?;
        self.undo.check_invariants()
    }
}

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
    /// Every statement: what was committed when the transaction began; ORA-08177 for changes of rows that were changed
    /// since.
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
