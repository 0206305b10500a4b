//! Records the file operations of the real binary, and tries the possible states after a power failure at any moment.
//!
//! See README.md.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod cells;
pub mod check;
pub mod error;
pub mod event;
pub mod faults;
pub mod image;
pub mod images;
pub mod lives;
pub mod summary;
pub mod trace;
pub mod walk;
pub mod workload;
