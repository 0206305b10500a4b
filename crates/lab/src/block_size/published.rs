//! What the data file says: the published figures and what has to come out.
//!
//! It lies in `experiments/` and is part of the binary. Only the comparison reads it.

use common::{Error, Result};
use serde::{Deserialize, Serialize};

use super::setting::Setting;
use crate::expectation::ExpectationSpec;

/// One arm as published.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PublishedArm {
    pub block_bytes: u32,
    pub pctfree: u8,
    /// Before and after the update.
    pub blocks: [u64; 2],
    pub update_s: f64,
    /// The time is that of the search which a switch brings back; blocks are the same with it and without.
    #[serde(default)]
    pub legacy_search: bool,
}

/// The data file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Published {
    pub name: String,
    pub title: String,
    pub origin: String,
    pub rows: u64,
    /// AVG_ROW_LEN before and after the update.
    pub average_row_bytes: [u64; 2],
    #[serde(rename = "arm")]
    pub arms: Vec<PublishedArm>,
    #[serde(rename = "expectation")]
    pub expectations: Vec<ExpectationSpec>,
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

    /// The published figures of a block size and PCTFREE.
    ///
    /// # Errors
    /// ORA-00600 when there are none.
    pub fn arm(&self, setting: Setting) -> Result<&PublishedArm> {
        let found =
            self.arms.iter().find(|arm| (arm.block_bytes, arm.pctfree) == (setting.block_bytes, setting.pctfree));
        found.ok_or_else(|| Error::bug(format!("no published figures of '{}'", setting.name())))
    }
}
