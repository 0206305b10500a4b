//! Blocks that a segment gives up while others still read them: what readers are told, and what comes of the blocks.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod readers;
mod small_logs;
mod stale;
mod stress;
mod support;
mod truncate;
