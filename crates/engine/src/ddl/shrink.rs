//! ALTER TABLE … SHRINK SPACE: rows move to the segment's beginning in the statement's transaction; once that has
//! committed, what is free behind them is given back. The table is locked all the while.

use std::sync::Arc;

use common::{Error, Result};

use super::statement::Ddl;
use crate::dictionary::TableDef;
use storage::control::SpaceManagement;
use storage::table::shrink;

impl Ddl<'_> {
    /// `lower`: the high-water mark goes down, and extents are given back. `cascade`: the indexes are built anew, which
    /// makes them as small as they can be.
    ///
    /// # Errors
    /// ORA-10635, ORA-10636; those of moving rows.
    pub(super) fn shrink_table(&mut self, table: TableDef, lower: bool, cascade: bool) -> Result<TableDef> {
        if table.segment.management() == SpaceManagement::Manual {
            return Err(Error::user(10635, "invalid segment or tablespace type"));
        }
        if !table.row_movement {
            return Err(Error::user(10636, "ROW MOVEMENT is not enabled"));
        }
        let table = Arc::new(table);
        shrink::compact(self.session, &table)?;
        if cascade {
            for old in &table.indexes {
                self.rebuild_index(&table, old, old.columns.clone())?;
                self.drop_at_end(old.segment.clone());
            }
        }
        // A session that sees a rebuilt index must see the rows at their new places.
        if lower || cascade {
            self.shrink_at_end(Arc::clone(&table), lower);
        }
        let mut table = TableDef::clone(&table);
        table.heap_mut().indexes = Vec::new();
        Ok(table)
    }
}
