//! INSERT, UPDATE and DELETE: a query for the rows, then the engine's own methods.

pub(crate) mod assign;
pub(crate) mod delete;
pub(crate) mod insert;
pub(crate) mod target;
pub(crate) mod transfer;
pub(crate) mod update;
