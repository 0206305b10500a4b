//! Undo: how every change that is not committed can be taken back, and how older states of blocks are made.
//!
//! See README.md in this folder. Records are opaque here: the caller that changes a block writes what undoes the change, and reads it back.

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
pub use read::{OwnedPrevious, Record, State};
pub use segments::UndoSegments;
pub use segments::first_header;
pub use writer::{UndoProgress, UndoWriter};

/// Undo segments of a new undo tablespace.
// A test of interleavings makes them anew for each schedule.
const FIRST_SEGMENTS: usize = if cfg!(feature = "shuttle") { 2 } else { 10 };

#[cfg(any(test, feature = "testing"))]
common::sync::thread_local! {
    /// Tests of undo itself take transactions up again that a restart has left: nothing in their records can be undone.
    pub static KEEP_DEAD: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether transactions that a crash has left are to stay as they are: never, but in tests of undo.
#[must_use]
pub fn keeps_dead() -> bool {
    #[cfg(any(test, feature = "testing"))]
    return KEEP_DEAD.get();
    #[cfg(not(any(test, feature = "testing")))]
    false
}
