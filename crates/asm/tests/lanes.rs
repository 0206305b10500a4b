//! The tests of mirrored groups and of rebalances once more, with threads that make the disks' requests.

#[path = "mirrored.rs"]
mod mirrored;
#[path = "rebalance.rs"]
mod rebalance;
