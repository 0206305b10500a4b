//! A simulated disk: files in memory that remember every operation, and what of it a crash would leave.
//!
//! ```text
//!   engine ── SimulatedFileSystem ──> Image (what reads see)
//!                    │
//!                    └─> operations ──> Walk: durable image + what is not synced ── crash ──> Image ── engine again
//! ```
//!
//! A run is made once. Every crash of it is built afterwards from the operations before it, on images that share what they have in common.

mod building;
mod content;
mod crash;
mod device;
mod files;
mod image;
mod operation;
mod waiting;

pub use crash::{Keep, Walk};
pub use files::{Fault, Lie, SimulatedFileSystem};
pub use image::Image;
pub use operation::{FileId, Note, Operation};
