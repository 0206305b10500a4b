//! What the dictionary says about a table, a column, an index. Immutable: DDL makes a new definition and a new catalog.

use std::fmt;
use std::sync::Arc;

use common::{BlockAddress, DataType, ObjectNumber};

use super::ConstraintDef;
use super::lock::TableLock;
use crate::index::IndexStatistics;
use crate::segment::{Segment, Storage};

/// A column as declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnDef {
    pub name: String,
    pub data_type: DataType,
    pub nullable: bool,
    /// The text of the DEFAULT expression.
    pub default: Option<String>,
}

/// What gathering statistics found out about a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableStatistics {
    pub num_rows: u64,
    /// Blocks below the high-water mark, those of the segment's own data aside.
    pub blocks: u64,
    /// Blocks above it.
    pub empty_blocks: u64,
    /// Bytes of a row; whether with its header is said where statistics are gathered.
    pub average_row_bytes: u64,
    /// Free bytes of a formatted block.
    pub average_space: u64,
    /// Rows that have migrated or are chained.
    pub chained_rows: u64,
    /// Wall time, microseconds since 1970.
    pub analyzed_us: u64,
}

/// A table.
#[derive(Clone)]
pub struct TableDef {
    pub object: ObjectNumber,
    pub owner: String,
    pub name: String,
    /// In the order in which rows store them.
    pub columns: Vec<ColumnDef>,
    pub segment: Arc<Segment>,
    pub pctfree: u8,
    pub pctused: u8,
    pub initrans: u8,
    pub maxtrans: u8,
    /// As it was asked for.
    pub storage: Storage,
    /// CACHE: blocks of a full scan stay as long in the buffer cache as any others.
    pub cache: bool,
    /// NOLOGGING where false: the log has no images of blocks that are loaded past the cache.
    pub logging: bool,
    /// Rows may get another rowid, as SHRINK SPACE gives them.
    pub row_movement: bool,
    /// By object number.
    pub indexes: Vec<Arc<IndexDef>>,
    /// By constraint number.
    pub constraints: Vec<Arc<ConstraintDef>>,
    /// Foreign keys, of this table too, that refer to a key of this table.
    pub referencing: Vec<Arc<ConstraintDef>>,
    /// Wall time, microseconds since 1970.
    pub created_us: u64,
    /// The last DDL on it.
    pub changed_us: u64,
    pub statistics: Option<TableStatistics>,
    pub(super) lock: Arc<TableLock>,
}

impl TableDef {
    /// Position of the column called `name`, which is in the dictionary's case.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Does the dictionary itself consist of it? Such a table is changed by DDL only.
    #[must_use]
    pub fn is_dictionary(&self) -> bool {
        super::bootstrap::is_dictionary(self.object)
    }

    /// `OWNER.NAME`, for messages.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.owner, self.name)
    }
}

impl fmt::Debug for TableDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableDef")
            .field("object", &self.object)
            .field("owner", &self.owner)
            .field("name", &self.name)
            .field("columns", &self.columns)
            .field("indexes", &self.indexes)
            .finish_non_exhaustive()
    }
}

/// An index.
#[derive(Clone)]
pub struct IndexDef {
    pub object: ObjectNumber,
    pub owner: String,
    pub name: String,
    pub table: ObjectNumber,
    pub table_owner: String,
    pub table_name: String,
    /// Positions in the table's columns, in the order of the key.
    pub columns: Vec<u16>,
    pub unique: bool,
    pub segment: Arc<Segment>,
    /// The root block; it stays where it is as long as the segment lives.
    pub root: BlockAddress,
    pub pctfree: u8,
    pub initrans: u8,
    pub maxtrans: u8,
    pub storage: Storage,
    /// NOLOGGING where false: the log has no images of the blocks that building it fills.
    pub logging: bool,
    pub created_us: u64,
    pub changed_us: u64,
    pub statistics: Option<IndexStatistics>,
    /// When the statistics were computed.
    pub analyzed_us: u64,
}

impl IndexDef {
    /// `OWNER.NAME`, for messages.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.owner, self.name)
    }
}

impl fmt::Debug for IndexDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexDef")
            .field("object", &self.object)
            .field("owner", &self.owner)
            .field("name", &self.name)
            .field("table", &self.table)
            .field("columns", &self.columns)
            .field("unique", &self.unique)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}
