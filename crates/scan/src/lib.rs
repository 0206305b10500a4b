//! Filter and projection next to the blocks: which rows of a block are wanted, and which of their columns.
//!
//! A [`ScanSpec`] is pure data, a [`Scanner`] applies it to one block at a time, and a [`RowSink`] takes what is found. Nothing here reads a file or
//! knows a cache, so the same code can run where the blocks are.
//!
//! Values are compared as they are stored: NUMBER, DATE, TIMESTAMP, character and RAW columns all sort by their bytes, so no row is decoded to be
//! rejected. Only as many columns of a row are looked at as the predicate needs, and the others only in rows that it accepts; a count without a
//! predicate looks at no column at all.
//!
//! A row that goes on in another block is not read here: the scan stops at it and names its slot, the caller fetches it and gives it to
//! [`Scanner::offer`].

mod predicate;
mod scanner;

#[cfg(test)]
mod tests;

pub use predicate::{Columns, Comparison, Predicate, Truth};
pub use scanner::{RowSink, ScanOutcome, ScanSpec, Scanner, Stop, scan_block};
