//! What a run measured, before anything is compared.

use common::BlockClass;
use serde::Serialize;
use waits::{GetMode, MeterSnapshot, Statistic};

use super::published::{Figures, SegmentBlocks};
use crate::clustering::Clustering;
use crate::index::IndexFigures;
use crate::management::Management;
use crate::time::seconds;

/// Gets of one block class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClassGets {
    pub class: String,
    pub query: u64,
    pub current: u64,
}

/// A statement that was run, with what the session's meter counted meanwhile.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Statement {
    pub id: String,
    pub sql: String,
    pub rows: u64,
    #[serde(flatten)]
    pub figures: Figures,
    /// Classes with at least one get.
    pub gets: Vec<ClassGets>,
    /// The same statement as TKPROF of the arm's own trace has it; None where the trace has no such statement.
    pub tkprof: Option<Figures>,
}

impl Statement {
    /// From what the meter counted between two moments.
    #[must_use]
    pub fn new(id: &str, sql: &str, rows: u64, counted: &MeterSnapshot, cpu_us: u64, elapsed_us: u64) -> Self {
        let gets = BlockClass::ALL
            .into_iter()
            .map(|class| ClassGets {
                class: class.name().to_owned(),
                query: counted.gets(class, GetMode::Consistent),
                current: counted.gets(class, GetMode::Current),
            })
            .filter(|gets| gets.query + gets.current > 0)
            .collect();
        let figures = Figures {
            query: counted.value(Statistic::ConsistentGets),
            current: counted.value(Statistic::DbBlockGets),
            disk: counted.value(Statistic::PhysicalReads),
            cpu_s: seconds(cpu_us),
            elapsed_s: seconds(elapsed_us),
        };
        Self { id: id.to_owned(), sql: sql.to_owned(), rows, figures, gets, tkprof: None }
    }

    /// Gets of a class; zero where it has none.
    #[must_use]
    pub fn gets_of(&self, class: &str) -> ClassGets {
        let found = self.gets.iter().find(|gets| gets.class == class);
        found.cloned().unwrap_or_else(|| ClassGets { class: class.to_owned(), query: 0, current: 0 })
    }
}

/// One arm.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Arm {
    pub statements: Vec<Statement>,
    pub segments: SegmentBlocks,
    /// Blocks of the extents of the table, in the order of the extents.
    pub table_extents: Vec<u64>,
    pub index: IndexFigures,
}

impl Arm {
    #[must_use]
    pub fn statement(&self, id: &str) -> Option<&Statement> {
        self.statements.iter().find(|statement| statement.id == id)
    }
}

/// The table that is inserted from.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Source {
    pub description: String,
    pub rows: u64,
    /// Data blocks below the high-water mark.
    pub blocks: u64,
    /// The column that is indexed.
    pub key: String,
    /// Rows of the published table's shape, so that published sizes can be compared.
    pub published_shape: bool,
}

/// All of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measured {
    pub source: Source,
    pub manual: Arm,
    pub auto: Arm,
    /// Why not, where the sessions could not be run.
    #[serde(skip)]
    pub clustering: Result<Clustering, String>,
}

impl Measured {
    #[must_use]
    pub fn arm(&self, name: Management) -> &Arm {
        match name {
            Management::Manual => &self.manual,
            Management::Auto => &self.auto,
        }
    }
}
