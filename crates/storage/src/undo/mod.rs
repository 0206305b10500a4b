//! Undo: the records by which every uncommitted change can be taken back and older states of blocks are made.
//!
//! See README.md in this folder. Payloads of records are opaque here: the caller that changes a block writes the
//! payload that undoes the change, and reads it back.

mod extents;
mod figures;
mod read;
mod retention;
mod rollbacks;
mod segment;
mod segments;
mod shrink;
mod writer;

pub use figures::{ExtentFigures, ExtentStatus, RollbackFigures, SegmentFigures, TransactionFigures, UndoInterval};
pub use read::{OwnedPrevious, Record, TransactionState};
pub use segments::UndoSegments;
pub use segments::first_header;
pub use writer::{UndoProgress, UndoWriter};

/// Number of undo segments of a new undo tablespace.
// A test of interleavings makes the segments anew for each schedule.
const FIRST_SEGMENTS: usize = if cfg!(feature = "shuttle") { 2 } else { 10 };

#[cfg(any(test, feature = "testing"))]
common::sync::thread_local! {
    /// Set by tests of undo itself: they resume transactions that a restart has left, whose records nothing can undo.
    pub static KEEP_DEAD: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// True: transactions that a crash has left are not rolled back. Only in tests of undo.
#[must_use]
pub fn keeps_dead() -> bool {
    #[cfg(any(test, feature = "testing"))]
    return KEEP_DEAD.get();
    #[cfg(not(any(test, feature = "testing")))]
    false
}
