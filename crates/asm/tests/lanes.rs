//! The tests of mirrored groups and of rebalances once more, with threads that make the disks' requests.

#![allow(clippy::duplicate_mod, reason = "each of the files is a test of its own, too, with the helpers that it needs")]

#[path = "mirrored.rs"]
mod mirrored;
#[path = "rebalance.rs"]
mod rebalance;
