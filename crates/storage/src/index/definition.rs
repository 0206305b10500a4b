//! The definition of an index.

use std::fmt;

use common::sync::Arc;
use common::{BlockAddress, ObjectNumber};

use super::IndexStatistics;
use crate::segment::{Segment, Storage};

/// An index.
#[derive(Clone)]
pub struct IndexDef {
    pub object: ObjectNumber,
    pub owner: String,
    pub name: String,
    pub table: ObjectNumber,
    pub table_owner: String,
    pub table_name: String,
    /// Its columns, in the order of the key, as positions among the table's columns.
    pub columns: Vec<u16>,
    pub unique: bool,
    pub segment: Arc<Segment>,
    /// The root block. Its address stays the same as long as the segment lives.
    pub root: BlockAddress,
    pub pctfree: u8,
    pub initrans: u8,
    pub maxtrans: u8,
    pub storage: Storage,
    /// False: NOLOGGING, the log has no images of the blocks that a build fills.
    pub logging: bool,
    pub created_us: u64,
    pub changed_us: u64,
    pub statistics: Option<IndexStatistics>,
    /// Time at which the statistics were computed.
    pub analyzed_us: u64,
}

impl IndexDef {
    /// `OWNER.NAME`, for messages.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        self.name_shown().to_string()
    }

    /// As [`IndexDef::qualified_name`], written where it is shown: most work on an index shows no name.
    pub(super) fn name_shown(&self) -> QualifiedName<'_> {
        QualifiedName(self)
    }
}

/// `OWNER.NAME` of an index.
pub(super) struct QualifiedName<'a>(&'a IndexDef);

impl fmt::Display for QualifiedName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0.owner, self.0.name)
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
