//! What a run measured, before anything is compared.

use serde::Serialize;

use super::setting::Setting;

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

/// All runs of one arm.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Arm {
    #[serde(flatten)]
    pub setting: Setting,
    pub runs: Vec<Run>,
}

impl Arm {
    /// The last run: counts are alike in all of them.
    #[must_use]
    pub fn last(&self) -> Option<&Run> {
        self.runs.last()
    }

    /// The median of the updates' times.
    #[must_use]
    pub fn update_s(&self) -> Option<f64> {
        crate::interval::median(&self.runs.iter().map(|run| run.update_s).collect::<Vec<_>>())
    }
}

impl Arm {
    /// The median of the scans' times.
    #[must_use]
    pub fn scan_s(&self) -> Option<f64> {
        crate::interval::median(&self.runs.iter().map(|run| run.scan_s).collect::<Vec<_>>())
    }
}

/// All of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measured {
    pub rows: u64,
    pub arms: Vec<Arm>,
}

impl Measured {
    #[must_use]
    pub fn arm(&self, setting: Setting) -> Option<&Arm> {
        self.arms.iter().find(|arm| arm.setting == setting)
    }
}
