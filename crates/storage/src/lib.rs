//! Storage: files, extents, segments, the buffer cache, redo, undo, transactions, indexes and rows of tables.
//!
//! Blocking calls on the caller's own thread: no async runtime, no Arrow, no sockets, no dictionary, no users. Each
//! folder uses only the folders before it in the list of `tests/layers.rs`, which checks that. Each folder has a
//! README.md.

#[macro_use]
mod invariants;

pub mod cache;
pub mod cells {
    //! Storage cells, for those above storage.
    pub use ::cell::{
        CELL_FILE, Cells, Extreme, FLASH_CACHE_FILE, FLASH_LOG_FILE, FlashState, FlashUse, TrafficFigures, hash,
    };
}
pub mod checkpoint;
pub mod control;
pub mod datafile;
pub mod disk_group;
pub mod health;
pub mod index;
pub mod parameters;
pub mod process;
pub mod recovery;
pub mod redo;
pub mod rollback;
pub mod segment;
pub mod snapshot;
pub mod table;
pub mod tablespace;
pub mod txn;
pub mod undo;
