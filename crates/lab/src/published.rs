//! What an experiment's data file says: the published figures and what has to come out.
//!
//! The files lie in `experiments/` and are part of the binary. Only the comparison reads them.

use common::{Error, Result};
use serde::{Deserialize, Serialize};

/// The two arms of an experiment about space management.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArmName {
    /// Freelists.
    Manual,
    /// Bitmaps.
    Auto,
}

impl ArmName {
    pub const ALL: [Self; 2] = [Self::Manual, Self::Auto];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Auto => "auto",
        }
    }
}

/// The columns of TKPROF's table, all calls of a statement together.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Consistent gets.
    pub query: u64,
    /// Current gets.
    pub current: u64,
    /// Blocks read from disk.
    pub disk: u64,
    pub cpu_s: f64,
    pub elapsed_s: f64,
}

/// One figure for each arm.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pair<T> {
    pub manual: T,
    pub auto: T,
}

impl<T> Pair<T> {
    pub fn of(&self, arm: ArmName) -> &T {
        match arm {
            ArmName::Manual => &self.manual,
            ArmName::Auto => &self.auto,
        }
    }
}

/// A statement with its published figures.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct PublishedStatement {
    pub id: String,
    pub name: String,
    #[serde(flatten)]
    pub figures: Pair<Figures>,
}

/// Blocks allocated to an arm's table and index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SegmentBlocks {
    pub table: u64,
    pub index: u64,
}

/// Whether a false expectation fails the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Must hold.
    Exact,
    /// Says what the comparison looks like; a false one is news, not a failure.
    Shape,
}

/// What has to come out.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct ExpectationSpec {
    pub id: String,
    pub kind: Kind,
    pub text: String,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// The data file of `insert-gets`.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Published {
    pub name: String,
    pub title: String,
    pub origin: String,
    pub rows: u64,
    pub source_blocks_read: u64,
    #[serde(rename = "statement")]
    pub statements: Vec<PublishedStatement>,
    pub segments: Pair<SegmentBlocks>,
    #[serde(rename = "expectation")]
    pub expectations: Vec<ExpectationSpec>,
}

impl Published {
    /// The data file of `insert-gets`.
    ///
    /// # Errors
    /// ORA-00600 when the file in the binary cannot be read: it is tested that it can.
    pub fn insert_gets() -> Result<Self> {
        toml::from_str(include_str!("../experiments/insert-gets.toml"))
            .map_err(|error| Error::bug(format!("experiments/insert-gets.toml: {error}")))
    }

    /// The published figures of a statement.
    #[must_use]
    pub fn statement(&self, id: &str) -> Option<&PublishedStatement> {
        self.statements.iter().find(|statement| statement.id == id)
    }
}
