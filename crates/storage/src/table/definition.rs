//! The definition of a heap table, as far as its rows are concerned.

use std::fmt;

use common::sync::Arc;
use common::{DataType, ObjectNumber};

use crate::index::IndexDef;
use crate::segment::Segment;

/// A column as declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnDef {
    pub name: String,
    pub data_type: DataType,
    pub nullable: bool,
    /// The text of the DEFAULT expression.
    pub default: Option<String>,
}

/// A table: its columns, its segment, its indexes.
#[derive(Clone)]
pub struct HeapTable {
    pub object: ObjectNumber,
    pub owner: String,
    pub name: String,
    /// Columns in the order in which rows store them.
    pub columns: Vec<ColumnDef>,
    pub segment: Arc<Segment>,
    /// CACHE: blocks of a full scan stay in the buffer cache as long as any others.
    pub cache: bool,
    /// False: NOLOGGING, the log has no images of blocks that are loaded past the cache.
    pub logging: bool,
    /// ROW MOVEMENT: rows may get another rowid, for example by SHRINK SPACE.
    pub row_movement: bool,
    /// True: it is a table of the dictionary itself, which only DDL changes.
    pub dictionary: bool,
    /// Indexes by object number.
    pub indexes: Vec<Arc<IndexDef>>,
}

impl HeapTable {
    /// Position of the column called `name`, which is in the dictionary's case.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// True: it is a table of the dictionary itself, which only DDL changes.
    #[must_use]
    pub fn is_dictionary(&self) -> bool {
        self.dictionary
    }

    /// `OWNER.NAME`, for messages.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.owner, self.name)
    }
}

impl fmt::Debug for HeapTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeapTable")
            .field("object", &self.object)
            .field("owner", &self.owner)
            .field("name", &self.name)
            .field("columns", &self.columns)
            .field("indexes", &self.indexes)
            .finish_non_exhaustive()
    }
}
