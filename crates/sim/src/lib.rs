//! Crash and fault simulation: the engine on a disk that forgets what was not synced, at every moment of a run.
//!
//! See README.md.

pub mod check;
pub mod clock;
mod database;
pub mod disk;
pub mod dump;
pub mod explore;
mod faulty;
pub mod workload;

/// Where the database is, on every simulated disk.
pub const DIRECTORY: &str = "/db";
