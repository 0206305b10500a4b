//! What a run measured, before anything is compared.

use serde::Serialize;

use super::flamegraph::Flame;

/// What a run of one arm found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Run {
    /// As USER_TABLES has them after DBMS_STATS, before and after the update.
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

/// What is measured beside the arms.
#[derive(Clone, PartialEq, Debug)]
pub struct Rest {
    /// Of every table.
    pub rows: u64,
    /// Where the time of one update went, when that was asked for.
    pub flame: Option<Flame>,
}
