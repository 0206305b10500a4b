//! Transaction control: COMMIT, ROLLBACK, SAVEPOINT, SET TRANSACTION, LOCK TABLE and SELECT … FOR UPDATE.
//!
//! `command` says what a statement asks for, `parse` reads it, `control` has the session do it; `for_update` reads the clause of a query and
//! `lock_rows` carries it out. Undo, locks and what a commit waits for are the engine's (`storage::txn`).

pub(crate) mod command;
mod control;
pub(crate) mod for_update;
mod lock_rows;
pub(crate) mod parse;
mod write;

pub(crate) use control::TransactionState;
