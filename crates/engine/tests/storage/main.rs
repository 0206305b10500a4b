//! Storage under a whole instance: tables, indexes, transactions, undo, recovery, the cache.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod broken;
mod cache;
mod index;
mod recovery;
mod segment_locks;
mod table;
mod txn;
mod undo;
