//! What the data file says: the published figures and what has to come out.
//!
//! It lies in `experiments/` and is part of the binary. Only the comparison reads it.

use common::{Error, Result};
use serde::{Deserialize, Serialize};

use super::setting::Setting;
use crate::expectation::ExpectationSpec;

/// A line of the published Top 5 Timed Events.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PublishedEvent {
    pub event: String,
    /// None for CPU time.
    pub waits: Option<u64>,
    pub time_s: f64,
}

/// The published figures of an arm.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PublishedArm {
    #[serde(flatten)]
    pub setting: Setting,
    pub executes_per_s: f64,
    pub executes_per_transaction: f64,
    pub transactions_per_s: f64,
    pub top: Vec<PublishedEvent>,
}

impl PublishedArm {
    /// A line of the published five by its event.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<&PublishedEvent> {
        self.top.iter().find(|line| line.event == name)
    }
}

/// The data file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Published {
    pub name: String,
    pub title: String,
    pub origin: String,
    pub sessions: u32,
    /// How long each arm ran.
    pub minutes: f64,
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
        toml::from_str(include_str!("../../experiments/freelists.toml"))
            .map_err(|error| Error::bug(format!("experiments/freelists.toml: {error}")))
    }

    /// The published figures of an arm.
    ///
    /// # Errors
    /// ORA-00600 when there is no such arm.
    pub fn arm(&self, setting: Setting) -> Result<&PublishedArm> {
        let found = self.arms.iter().find(|arm| arm.setting == setting);
        found.ok_or_else(|| Error::bug(format!("no published figures of '{}'", setting.name())))
    }
}
