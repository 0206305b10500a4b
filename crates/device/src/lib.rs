//! Bytes on disks: one narrow trait for a file and one for a directory of files, with implementations for the operating
//! system, for memory, and for faults.
//!
//! ```text
//!     engine ── FileSystem ──┬── OsFileSystem ──┬── preadv / pwritev, O_DIRECT where it is allowed
//!                │           │                  └── submit_read: io_uring, else a small pool of threads
//!                ▼           ├── MemoryFileSystem
//!              Device        └── FaultyFileSystem, over either of them
//! ```
//!
//! The crate does not know blocks.

mod buffer;
mod device;
mod faulty;
mod lock;
mod memory;
mod os;

pub use buffer::{ALIGNMENT, AlignedBuffer};
pub use device::{CellDisk, Device, FileAccess, FileIdentity, FileSystem, PendingRead, Place, Places, ReadInFlight};
pub use faulty::{Fault, FaultyFileSystem};
pub use lock::{Claim, DirectoryLock, lock_directory};
pub use memory::MemoryFileSystem;
pub use os::{OsFileSystem, OsOptions};
