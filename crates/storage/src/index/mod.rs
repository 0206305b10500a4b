//! B-tree indexes.
//!
//! ```text
//!   callers      build   insert_batch   delete_batch   IndexScan   lookup   statistics   verify
//!   order                key.rs: keys of a batch, or of a whole table, sorted
//!   tree                 tree.rs (the descent), visit.rs (changes of a leaf: insert.rs, delete.rs), split.rs,
//!                        scan.rs, statistics.rs, verify.rs
//!   undo                 transaction.rs: rollback by key
//!   blocks               blocks.rs: gets, changes, new blocks, transactions      -> cache, segment, txn
//!   bytes                format::index: leaves and branches
//! ```
//!
//! See README.md in this folder for structure, latching and the state after a crash.

mod blocks;
mod build;
mod definition;
mod delete;
mod fast;
mod insert;
mod key;
#[cfg(test)]
mod memory;
mod scan;
mod split;
mod statistics;
#[cfg(test)]
mod tests;
mod transaction;
mod tree;
mod verify;
mod visit;
mod worker;

pub(crate) use build::build;
pub use build::{Built, check_key_length};
pub use definition::IndexDef;
pub use fast::FastFullScan;
pub(crate) use key::Entries;
#[cfg(any(test, feature = "testing"))]
pub use key::images;
pub use key::{Key, Keys};
pub use statistics::IndexStatistics;
pub(crate) use transaction::undo;
pub use verify::Problem;
pub use worker::key_holder;
pub use worker::{EntryKey, IndexScan, delete_batch, insert_batch, lookup, statistics, verify};
