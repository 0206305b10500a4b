//! The database: files, extents, segments, the buffer cache, tables, indexes and the dictionary.
//!
//! Blocking calls on the session's own thread, as a server process has: no async runtime, no Arrow, no sockets. See ARCHITECTURE.md for the way of a
//! statement, and README.md in each folder here.

pub mod catalog;
pub mod constraint;
pub mod instance;
pub mod verify;
