//! The database: files, extents, segments, the buffer cache, tables, indexes and the dictionary.
//!
//! Blocking calls on the session's own thread, as a server process has: no async runtime, no Arrow, no sockets. See ARCHITECTURE.md for the way of a
//! statement, and README.md in each folder here.

pub mod cache;
pub mod instance;
pub mod parameters;
pub mod segment;
pub mod tablespace;

/// Stand-in until the dictionary is in.
pub mod catalog {
    #[derive(Debug, Default)]
    pub struct Catalog;
    pub fn create(_: &std::sync::Arc<crate::instance::Session>) -> common::Result<()> { Ok(()) }
    pub fn load(_: &std::sync::Arc<crate::instance::Session>) -> common::Result<()> { Ok(()) }
}
