//! INSERT, UPDATE and DELETE: a query for the rows, then the engine's own methods.

pub(crate) mod assign;
pub(crate) mod checks;
pub(crate) mod condition;
pub(crate) mod deferred;
pub(crate) mod delete;
pub(crate) mod direct;
mod firing;
pub(crate) mod insert;
pub(crate) mod intake;
mod load;
pub(crate) mod merge;
pub(crate) mod multi_insert;
pub(crate) mod referential;
pub(crate) mod returning;
pub(crate) mod target;
pub(crate) mod transfer;
pub(crate) mod trigger;
pub(crate) mod update;
