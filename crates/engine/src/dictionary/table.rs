//! Definitions of tables, columns and indexes. Immutable: DDL makes a new definition and a new catalog.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::constraint::ConstraintDef;
use super::histogram::Histogram;
use super::lock::TableLock;
use storage::segment::Storage;
use storage::table::HeapTable;

/// Statistics of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableStatistics {
    pub num_rows: u64,
    /// Blocks below the high-water mark, those of the segment's own data aside.
    pub blocks: u64,
    /// Blocks above it.
    pub empty_blocks: u64,
    /// Average bytes of a row; the gathering procedure decides whether the header counts.
    pub average_row_bytes: u64,
    /// Free bytes of a formatted block.
    pub average_space: u64,
    /// Rows that have migrated or are chained.
    pub chained_rows: u64,
    /// Rows whose columns were looked at.
    pub sampled_rows: u64,
    /// Wall time, microseconds since 1970.
    pub analyzed_us: u64,
}

/// Statistics of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnStatistics {
    /// Distinct values; an estimate where there are very many.
    pub distinct: u64,
    /// Rows in which it is NULL.
    pub nulls: u64,
    /// The first 32 bytes of the least and of the greatest value, as stored; None where all are NULL.
    pub low: Option<Vec<u8>>,
    pub high: Option<Vec<u8>>,
    /// How the values are spread; None where they are taken to be spread evenly.
    pub histogram: Option<Arc<Histogram>>,
}

/// A table in the dictionary. It derefs to storage's table, which scans and changes of rows hold on to.
#[derive(Clone)]
pub struct TableDef {
    pub(crate) heap: Arc<HeapTable>,
    pub pctfree: u8,
    pub pctused: u8,
    pub initrans: u8,
    pub maxtrans: u8,
    /// The STORAGE clause as given.
    pub storage: Storage,
    /// By constraint number.
    pub constraints: Vec<Arc<ConstraintDef>>,
    /// Foreign keys, of this table too, that refer to a key of this table.
    pub referencing: Vec<Arc<ConstraintDef>>,
    /// Wall time, microseconds since 1970.
    pub created_us: u64,
    /// The last DDL on it.
    pub changed_us: u64,
    pub statistics: Option<TableStatistics>,
    /// By column; columns behind the last one have none.
    pub column_statistics: Arc<[Option<ColumnStatistics>]>,
    pub(crate) lock: Arc<TableLock>,
}

impl TableDef {
    /// The table in storage.
    #[must_use]
    pub fn heap(&self) -> &Arc<HeapTable> {
        &self.heap
    }

    /// The statistics of a column, by its position.
    #[must_use]
    pub fn statistics_of(&self, column: usize) -> Option<&ColumnStatistics> {
        self.column_statistics.get(column)?.as_ref()
    }

    /// The table in storage, to change. A shared one is copied first.
    pub(crate) fn heap_mut(&mut self) -> &mut HeapTable {
        Arc::make_mut(&mut self.heap)
    }
}

impl Deref for TableDef {
    type Target = Arc<HeapTable>;

    fn deref(&self) -> &Arc<HeapTable> {
        &self.heap
    }
}

impl fmt::Debug for TableDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.heap, f)
    }
}
