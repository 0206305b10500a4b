//! The database: files, extents, segments, the buffer cache, tables, indexes and the dictionary.
//!
//! Blocking calls on the session's own thread, as a server process has: no async runtime, no Arrow, no sockets. See ARCHITECTURE.md for the way of a
//! statement, and README.md in each folder here.

pub mod cache;
pub mod catalog;
pub(crate) mod checkpoint;
pub mod constraint;
pub mod control;
pub mod datafile;
pub mod disk_group;
pub mod health;
pub mod index;
pub mod instance;
pub mod parameters;
pub mod process;
pub mod recovery;
pub mod redo;
mod rollback;
pub mod segment;
pub mod snapshot;
pub mod table;
pub mod tablespace;
pub mod txn;
pub mod undo;
pub mod verify;
