//! The database over its storage: dictionary, instance and sessions, constraints, DDL, jobs, start-up, verification.
//!
//! Blocking calls on the session's own thread, as a server process has: no async runtime, no Arrow, no sockets. Each folder uses those above it in this
//! list and no other; `tests/layers.rs` holds that. See ARCHITECTURE.md for the way of a statement, and README.md in each folder here.

pub mod dictionary;

pub mod instance;

pub mod constraint;

pub mod ddl;

pub mod jobs;

pub mod startup;

pub mod verify;
