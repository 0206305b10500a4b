//! The flash of a cell: its cache and its log, beside disks as they should be.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod cache;
mod log;
mod power;
