//! Blocks that a segment gives up while others still read them: the readers' errors, and the further use of the blocks.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod readers;
mod small_logs;
mod stale;
mod stress;
mod support;
mod truncate;
