//! Filter and projection next to the blocks: which rows of a block are wanted, and which of their columns.
//!
//! A [`ScanSpec`] is plain data, a [`Scanner`] applies it to one block at a time, and a [`RowSink`] receives the rows.
//! The crate reads no files and knows no cache, so the same code can run where the blocks are.
//!
//! Values are compared as they are stored: NUMBER, DATE, TIMESTAMP, character and RAW columns all sort by their bytes,
//! so no row is decoded to be rejected. The scanner reads only the columns of a row that the predicate needs, and the
//! others only in accepted rows; a count without a predicate reads no column at all.
//!
//! A row that continues in another block is not read here: the scan stops at it and returns its slot, the caller
//! fetches it and passes it to [`Scanner::offer`].

mod bloom_filter;
mod entries;
mod predicate;
mod scanner;

#[cfg(test)]
mod tests;

pub use bloom_filter::BloomFilter;
pub use entries::{EntryColumns, scan_leaf};
pub use predicate::{Columns, Comparison, Predicate, Truth};
pub use scanner::{RowSink, ScanOutcome, ScanSpec, Scanner, Stop, scan_block};
