//! Transaction control: COMMIT, ROLLBACK, SAVEPOINT, SET TRANSACTION, LOCK TABLE and SELECT … FOR UPDATE.
//!
//! `command` has the parsed statements, `parse` the grammar, `control` the execution; `for_update` parses the clause of
//! a query and `lock_rows` executes it. Undo, locks and waits of commits are the engine's (`storage::txn`).

pub(crate) mod command;
mod control;
pub(crate) mod for_update;
pub(crate) mod lock_rows;
pub(crate) mod parse;
mod write;

pub(crate) use control::TransactionState;
