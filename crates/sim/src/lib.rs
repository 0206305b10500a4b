//! Crash and fault simulation: the engine on a disk that loses unsynced writes, at every moment of a run.
//!
//! See README.md.

pub mod check;
pub mod clock;
mod database;
pub mod disk;
pub mod dump;
pub mod explore;
mod faulty;
pub mod mirrors;
pub mod workload;

/// Path of the database on every simulated disk.
pub const DIRECTORY: &str = "/db";
