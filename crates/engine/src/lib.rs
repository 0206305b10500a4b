//! The database over its storage: dictionary, instance and sessions, constraints, DDL, jobs, start-up, verification.
//!
//! Blocking calls on the session's own thread, as a server process has: no async runtime, no Arrow, no sockets. Each
//! folder uses those above it in this list and no other; `tests/layers.rs` checks that. ARCHITECTURE.md follows a
//! statement through it, README.md in each folder describes it.

pub mod dictionary;

pub mod instance;

pub mod constraint;

pub mod ddl;

pub mod jobs;

pub mod startup;

pub mod verify;
