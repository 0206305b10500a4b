//! The figures of a run, before any comparison.

use serde::Serialize;

use super::flamegraph::Flame;

/// The figures of one run of one arm.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Run {
    /// The blocks of USER_TABLES after DBMS_STATS, before and after the update.
    pub blocks: [u64; 2],
    pub average_row_bytes: [u64; 2],
    /// Rows in most of the blocks before the update.
    pub rows_a_block: u64,
    /// CHAIN_CNT of ANALYZE after the update.
    pub migrated: u64,
    pub update_s: f64,
    /// Of the update.
    pub current_gets: u64,
    pub redo_bytes: u64,
    /// A full scan after the update, of cached blocks, and its gets.
    pub scan_s: f64,
    pub scan_gets: u64,
}

/// Figures that are measured in addition to the arms.
#[derive(Clone, PartialEq, Debug)]
pub struct Rest {
    /// Of every table.
    pub rows: u64,
    /// Where the time of one update went, if a flame graph was asked for.
    pub flame: Option<Flame>,
}
