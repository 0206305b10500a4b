//! Undo: how every change that is not committed can be taken back, and how older states of blocks are made.
//!
//! See README.md in this folder. Records are opaque here: who changes a block says what it takes to undo that, and reads it back.

mod extents;
mod figures;
mod read;
mod segment;
mod segments;
#[cfg(test)]
mod tests;
mod writer;

pub use figures::{SegmentFigures, TransactionFigures, UndoInterval};
pub use read::{OwnedPrevious, Record, State, read, state};
pub use segments::UndoSegments;
pub(crate) use segments::first_header;
pub use writer::UndoWriter;

/// Undo segments of a new undo tablespace.
const FIRST_SEGMENTS: usize = 10;
