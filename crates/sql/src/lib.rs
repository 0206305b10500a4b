//! Oracle's SQL over the engine: parser, binder, DataFusion for queries, DML, DDL, dictionary and V$ views, cursors.
//!
//! README.md follows a statement through the crate.

pub(crate) mod cursor;
pub(crate) mod ddl;
pub(crate) mod direct;
pub(crate) mod dml;
pub(crate) mod error;
pub(crate) mod explain;
pub(crate) mod functions;
pub(crate) mod optimizer;
pub(crate) mod plan;
pub(crate) mod plsql;
pub(crate) mod scan;
pub(crate) mod short_stack;
pub(crate) mod statement;
mod statspack;
pub(crate) mod subquery;
pub(crate) mod transaction;
pub(crate) mod types;
pub(crate) mod views;

pub use cursor::{
    ColumnDescription, Connection, CursorNumber, Database, Executed, Fetched, FetchedArrays, FileLoad, Loaded,
};
pub use scalar::Datum;
pub use short_stack::short_stack;
