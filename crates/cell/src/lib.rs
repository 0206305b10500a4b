//! Storage cells: they own disks, and scan what is on them.
//!
//! ```text
//!   instance ── ScanRequest, as bytes ──> Cell: reads a run of blocks, filters and projects its rows
//!      ^                                   │
//!      └──────── Answer, as bytes ─────────┘   rows, counts, and whole blocks where the cell cannot decide
//! ```
//!
//! A cell knows blocks and rows, and no plans, no undo, no dictionary and no transactions. Requests and answers are
//! messages: bytes with a length, the same for a cell in this process and for one elsewhere. What is counted as
//! traffic is the length of these bytes.

mod answer;
mod local;
mod message;
mod request;
mod smart_scan;
mod workers;

use std::fmt;
use std::io;

pub use answer::{Answer, Figures, Item, Reason};
pub use local::LocalCell;
pub use message::Malformed;
pub use request::{PIECE_BYTES, ScanRequest};

/// Name of the file that makes a folder of disks a cell.
pub const CELL_FILE: &str = "cell.toml";

/// A cell, as its users see it.
pub trait Cell: fmt::Debug + Send + Sync {
    /// The cell's own name.
    fn name(&self) -> &str;

    /// Starts a scan: the bytes of a [`ScanRequest`].
    ///
    /// # Errors
    /// When the cell cannot be asked. What is wrong with the request comes from the wait.
    fn submit_scan(&self, request: Vec<u8>) -> io::Result<PendingAnswer>;
}

/// An answer on its way.
pub trait AnswerInFlight: Send {
    /// The bytes of an [`Answer`].
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a request that the cell does not understand; errors of the disk.
    fn wait(self: Box<Self>) -> io::Result<Vec<u8>>;
}

/// An answer on its way; dropped, it is not waited for.
pub struct PendingAnswer(Box<dyn AnswerInFlight>);

impl fmt::Debug for PendingAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PendingAnswer")
    }
}

impl PendingAnswer {
    pub fn new(answer: impl AnswerInFlight + 'static) -> Self {
        Self(Box::new(answer))
    }

    /// The bytes of an [`Answer`].
    ///
    /// # Errors
    /// As [`AnswerInFlight::wait`].
    pub fn wait(self) -> io::Result<Vec<u8>> {
        self.0.wait()
    }
}
