//! The content of the data file: statements and segments of both arms, and the reasons why figures are far from those
//! measured.

use common::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::experiment::setting::Setting;
use crate::management::is_auto;

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
    pub fn of(&self, arm: &Setting) -> &T {
        if is_auto(arm) { &self.auto } else { &self.manual }
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

/// The reason why a figure of a statement is far from the published one.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Reason {
    pub statements: Vec<String>,
    pub figure: Figure,
    /// The explanation of ours by the counters.
    pub ours: String,
    /// Known facts about theirs, and their certainty.
    pub theirs: String,
}

/// A figure of a statement that is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    Query,
    Current,
}

impl Figure {
    pub const ALL: [Self; 2] = [Self::Query, Self::Current];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Current => "current",
        }
    }

    #[must_use]
    pub fn of(self, figures: &Figures) -> u64 {
        match self {
            Self::Query => figures.query,
            Self::Current => figures.current,
        }
    }
}

/// The published figures.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Paper {
    pub rows: u64,
    pub source_blocks_read: u64,
    #[serde(rename = "statement")]
    pub statements: Vec<PublishedStatement>,
    pub segments: Pair<SegmentBlocks>,
    #[serde(rename = "difference")]
    pub differences: Vec<Reason>,
}

impl Paper {
    /// The published figures of a statement.
    ///
    /// # Errors
    /// ORA-00600 when the statement has none.
    pub fn statement(&self, id: &str) -> Result<&PublishedStatement> {
        let found = self.statements.iter().find(|statement| statement.id == id);
        found.ok_or_else(|| Error::bug(format!("no published figures of '{id}'")))
    }
}
