//! The figures of a run, before any comparison.

use common::{BlockClass, Error, Result};
use serde::Serialize;
use waits::{GetMode, MeterSnapshot, Statistic};

use super::paper::{Figures, SegmentBlocks};
use crate::clustering::Clustering;
use crate::index::IndexFigures;
use crate::time::seconds;

/// Classes of blocks that belong to a table's or an index's segment.
const OF_SEGMENTS: [BlockClass; 7] = [
    BlockClass::Data,
    BlockClass::SegmentHeader,
    BlockClass::FreeList,
    BlockClass::ExtentMap,
    BlockClass::FirstLevelBitmap,
    BlockClass::SecondLevelBitmap,
    BlockClass::ThirdLevelBitmap,
];

/// Outcomes of a consistent get: each is counted when a block is made as the query must see it.
const CONSISTENT_READS: [Statistic; 4] = [
    Statistic::NoWorkConsistentReadGets,
    Statistic::CleanoutsOnlyConsistentReadGets,
    Statistic::RollbacksOnlyConsistentReadGets,
    Statistic::CleanoutsAndRollbacksConsistentReadGets,
];

/// Gets of one block class.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClassGets {
    pub class: String,
    pub query: u64,
    pub current: u64,
}

/// A statement that was run, with the counters of the session's meter meanwhile.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Statement {
    pub id: String,
    pub sql: String,
    pub rows: u64,
    #[serde(flatten)]
    pub figures: Figures,
    /// Classes with at least one get.
    pub gets: Vec<ClassGets>,
    /// Gets of blocks of tables and indexes, as the segment statistics have them: counted where a block is latched, for
    /// the segment that its bytes name, and not by the class that its reader asked for.
    pub segment_gets: u64,
    /// Blocks that were made consistent for a query, with work or without: counted where that is decided.
    pub consistent_reads: u64,
    /// Blocks that were got for a query and looked at as they are, branches of indexes and undo: counted where that is
    /// decided.
    pub examinations: u64,
    /// Blocks that full scans of tables got.
    pub scanned_blocks: u64,
    /// The same statement in TKPROF of the arm's own trace; None if the trace lacks it.
    pub tkprof: Option<Figures>,
}

impl Statement {
    /// From the counters of the meter between two moments, with the logical reads of all segments together.
    #[must_use]
    pub fn new(
        id: &str,
        sql: &str,
        rows: u64,
        counted: &MeterSnapshot,
        segment_gets: u64,
        cpu_us: u64,
        elapsed_us: u64,
    ) -> Self {
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
        Self {
            id: id.to_owned(),
            sql: sql.to_owned(),
            rows,
            figures,
            gets,
            segment_gets,
            consistent_reads: CONSISTENT_READS.into_iter().map(|statistic| counted.value(statistic)).sum(),
            examinations: counted.value(Statistic::ConsistentGetsExamination),
            scanned_blocks: counted.value(Statistic::TableScanBlocksGotten),
            tkprof: None,
        }
    }

    /// Gets in both modes of the classes whose blocks belong to segments.
    #[must_use]
    pub fn gets_of_segments(&self) -> u64 {
        OF_SEGMENTS.into_iter().map(|class| self.gets_of(class.name())).map(|gets| gets.query + gets.current).sum()
    }

    /// Gets of a class; zero where it has none.
    #[must_use]
    pub fn gets_of(&self, class: &str) -> ClassGets {
        let found = self.gets.iter().find(|gets| gets.class == class);
        found.cloned().unwrap_or_else(|| ClassGets { class: class.to_owned(), query: 0, current: 0 })
    }
}

/// An arm, run once.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Run {
    pub statements: Vec<Statement>,
    pub segments: SegmentBlocks,
    /// Blocks of the extents of the table, in the order of the extents.
    pub table_extents: Vec<u64>,
    pub index: IndexFigures,
}

impl Run {
    /// A statement by its id.
    ///
    /// # Errors
    /// ORA-00600 when it was not run.
    pub fn statement(&self, id: &str) -> Result<&Statement> {
        let found = self.statements.iter().find(|statement| statement.id == id);
        found.ok_or_else(|| Error::bug(format!("the statement '{id}' was not run")))
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
    /// The part of the rows that was fitted to a published figure.
    pub fitted: Option<&'static str>,
}

/// Figures that are measured in addition to the arms.
#[derive(Clone, PartialEq, Debug)]
pub struct Rest {
    pub source: Source,
    pub clustering: Clustering,
}
