//! A simulated disk: files in memory with a recording of every operation, and the possible states after a crash.
//!
//! ```text
//!   engine ── SimulatedFileSystem ──> Image (what reads see)
//!                    │
//!                    └─> operations ──> Walk: durable image + what is not synced ── crash ──> Image ── engine again
//! ```
//!
//! A run is made once. Every crash of it is built afterwards from the operations before it, on images that share
//! unchanged pages.

mod broken;
mod building;
mod content;
mod crash;
mod device;
mod files;
mod flight;
mod image;
mod operation;
mod waiting;

pub use broken::{FaultsMet, FileFault};
pub use crash::{Keep, Walk};
pub use files::{Fault, Lie, SimulatedFileSystem};
pub use image::Image;
pub use operation::{FileId, Note, Operation, can_lose_disk};
