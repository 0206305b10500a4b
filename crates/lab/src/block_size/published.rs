//! What the data file says: the published figures and what has to come out.
//!
//! It lies in `experiments/` and is part of the binary. Only the comparison reads it.

use common::{Error, Result};
use serde::{Deserialize, Serialize};

use super::pctfree::setting::Setting;
use crate::expectation::ExpectationSpec;

/// One arm as published.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct UpdateArm {
    pub block_bytes: u32,
    pub pctfree: u8,
    /// Before and after the update.
    pub blocks: [u64; 2],
    pub update_s: f64,
    /// The time is that of the search which a switch brings back; blocks are the same with it and without.
    #[serde(default)]
    pub legacy_search: bool,
}

/// The part about rows that grow.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Pctfree {
    pub rows: u64,
    /// AVG_ROW_LEN before and after the update.
    pub average_row_bytes: [u64; 2],
    #[serde(rename = "arm")]
    pub arms: Vec<UpdateArm>,
    #[serde(rename = "expectation")]
    pub expectations: Vec<ExpectationSpec>,
}

/// A scan as published.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ScanArm {
    pub block_bytes: u32,
    pub segment_mb: u64,
    pub elapsed_s: f64,
    pub cpu_s: f64,
    /// Blocks.
    pub physical_reads: u64,
    pub consistent_gets: u64,
    /// Requests.
    pub direct_path_reads: u64,
}

/// The part about one table in blocks of four sizes.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Multiblock {
    pub rows: u64,
    pub flat_file_bytes: u64,
    /// Calls that fetched rows.
    pub fetches: u64,
    #[serde(rename = "arm")]
    pub arms: Vec<ScanArm>,
    #[serde(rename = "expectation")]
    pub expectations: Vec<ExpectationSpec>,
}

/// The data file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Published {
    pub name: String,
    pub title: String,
    pub origin: String,
    pub pctfree: Pctfree,
    pub multiblock: Multiblock,
}

impl Published {
    /// Reads the data file.
    ///
    /// # Errors
    /// ORA-00600 when the file in the binary cannot be read: it is tested that it can.
    pub fn read() -> Result<Self> {
        toml::from_str(include_str!("../../experiments/block-size.toml"))
            .map_err(|error| Error::bug(format!("experiments/block-size.toml: {error}")))
    }
}

impl Pctfree {
    /// The published figures of a block size and PCTFREE.
    ///
    /// # Errors
    /// ORA-00600 when there are none.
    pub fn arm(&self, setting: Setting) -> Result<&UpdateArm> {
        let found =
            self.arms.iter().find(|arm| (arm.block_bytes, arm.pctfree) == (setting.block_bytes, setting.pctfree));
        found.ok_or_else(|| Error::bug(format!("no published figures of '{}'", setting.name())))
    }
}

impl Multiblock {
    /// The published figures of a block size.
    ///
    /// # Errors
    /// ORA-00600 when there are none.
    pub fn arm(&self, block_bytes: u32) -> Result<&ScanArm> {
        let found = self.arms.iter().find(|arm| arm.block_bytes == block_bytes);
        found.ok_or_else(|| Error::bug(format!("no published scan of blocks of {block_bytes} bytes")))
    }
}
