//! Storage cells: they own disks, and scan what is on them.
//!
//! ```text
//!   instance ── ScanRequest, as bytes ──> Cell: reads a run of blocks, filters and projects its rows
//!      ^                                   │
//!      └──────── Answers, as bytes ────────┘   rows, counts, and whole blocks where the cell cannot decide
//! ```
//!
//! A cell knows blocks and rows, and no plans, no undo, no dictionary and no transactions. Requests and answers are
//! messages: bytes with a length, the same for a cell in this process and for one elsewhere. What is counted as
//! traffic is the length of these bytes.

mod answer;
mod block_message;
mod capture;
mod cells;
mod disk;
mod disk_scanner;
mod extremes;
mod flash;
mod flash_cache;
mod flash_log;
mod flash_use;
mod link;
mod local;
mod machine;
mod mailbox;
mod message;
mod remote;
mod request;
mod service;
mod smart_scan;
mod storage_index;
mod stored_disk;
mod traffic;
mod unsynced;
mod worker;

use std::fmt;
use std::io;

use common::sync::Arc;
use device::Device;

pub use answer::{Answer, Figures, Item, Reason};
pub use block_message::{BlockRequest, HEAD_BYTES, TRANSFER_BYTES, answer_head, flash_answer_head, read_answer_head};
pub use capture::Capture;
pub use cells::Cells;
pub use extremes::Extreme;
pub use flash::{FLASH_CACHE_FILE, FLASH_LOG_FILE, FlashState};
pub use flash_cache::FlashFigures;
pub use flash_log::FlashLogFigures;
pub use flash_use::{FlashRules, FlashUse};
pub use link::{Answered, Link};
pub use local::LocalCell;
pub use mailbox::{Answers, Letter, Mailbox, Reply};
pub use message::Malformed;
pub use remote::RemoteCell;
pub use request::{PIECE_BYTES, Piece, REQUEST_BYTES, ScanRequest};
pub use service::{Service, ensure};
pub use traffic::TrafficFigures;

/// Name of the file that makes a folder of disks a cell.
pub const CELL_FILE: &str = "cell.toml";

/// True: a file in a cell's folder that is none of its disks.
#[must_use]
pub fn is_own_file(name: &str) -> bool {
    let failed_log = name.strip_suffix(".failed");
    [CELL_FILE, FLASH_CACHE_FILE, FLASH_LOG_FILE].contains(&failed_log.unwrap_or(name))
}

/// Number of a name in waits and views: CELLHASH#, DISKHASH#.
#[must_use]
pub fn hash(name: &str) -> u32 {
    crc32c::crc32c(name.as_bytes())
}

/// A cell, as its users see it.
pub trait Cell: fmt::Debug + Send + Sync {
    /// The cell's own name.
    fn name(&self) -> &str;

    /// Starts a scan: the bytes of a [`ScanRequest`]. An [`Answer`] for each piece goes to `reply`, in their order; so
    /// does what is wrong with the request ([`io::ErrorKind::InvalidInput`]), and an error of the disk.
    fn submit_scan(&self, request: Vec<u8>, reply: Box<dyn Answers>);

    /// A disk of the cell, for reads and writes.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] when the cell has no such disk.
    fn open(&self, disk: &str) -> io::Result<Arc<dyn Device>>;

    /// True: its processors may be others than the instance's.
    fn has_own_processors(&self) -> bool;

    /// Its messages so far.
    fn traffic(&self) -> TrafficFigures;

    /// What segments want of its flash cache, from now on. A second call changes nothing.
    fn use_flash_by(&self, rules: &Arc<FlashRules>);

    /// The state of its flash; None where the instance does not know.
    fn flash(&self) -> Option<FlashState>;

    /// Has its messages written from now on, too.
    fn capture(&self, capture: &Arc<Capture>);
}
