//! Gathering table and index statistics: ANALYZE TABLE … COMPUTE STATISTICS, DBMS_STATS.GATHER_TABLE_STATS. Always of all rows.

use std::sync::Arc;

use common::{BlockAddress, ObjectNumber, Result};
use scan::{RowSink, ScanSpec};

use super::definition::{IndexDef, TableDef, TableStatistics};
use super::dictionary::{Ddl, equal};
use super::privilege::SystemPrivilege;
use super::rows::{IndexRow, TableRow};
use super::table_rows::{index_row, table_row};
use crate::index;
use crate::instance::Session;
use crate::table;

impl Session {
    /// Computes the statistics of a table and its indexes and keeps them in the dictionary.
    ///
    /// # Errors
    /// ORA-00942, ORA-01031.
    pub fn gather_statistics(self: &Arc<Self>, owner: &str, name: &str) -> Result<Arc<TableDef>> {
        self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, name, SystemPrivilege::AnalyzeAny)?;
            for index in &table.indexes {
                ddl.gather_index_statistics(index)?;
            }
            let statistics = Some(ddl.compute_table_statistics(&table)?);
            let table = TableDef { statistics, ..TableDef::clone(&table) };
            ddl.update::<TableRow>(&equal("OBJ#", table.object.0)?, |row| *row = table_row(&table))?;
            Ok(ddl.catalog.put_table(table))
        })
    }
}

impl Ddl<'_> {
    fn compute_table_statistics(&self, table: &Arc<TableDef>) -> Result<TableStatistics> {
        let columns = table.columns.len() as u16;
        let spec = ScanSpec { projection: (0..columns).collect(), predicate: None, rowids: false };
        let mut sizes = RowSizes { rows: 0, bytes: 0 };
        let mut scan = table::TableScan::new(self.session.clone(), table.clone(), spec)?;
        let blocks = scan.blocks();
        while scan.next(&mut sizes, 10_000)? {}
        let all: u64 = table.segment.extents(self.session)?.iter().map(|extent| u64::from(extent.blocks)).sum();
        Ok(TableStatistics {
            num_rows: sizes.rows,
            blocks,
            empty_blocks: all.saturating_sub(blocks),
            average_row_bytes: sizes.bytes.div_ceil(sizes.rows.max(1)),
            analyzed_us: self.now_us(),
        })
    }

    fn gather_index_statistics(&mut self, index: &IndexDef) -> Result<()> {
        let statistics = index::statistics(self.session, index)?;
        let index = IndexDef { statistics: Some(statistics), analyzed_us: self.now_us(), ..IndexDef::clone(index) };
        self.update::<IndexRow>(&equal("OBJ#", index.object.0)?, |row| *row = index_row(&index))?;
        self.catalog.put_index(index);
        Ok(())
    }
}

/// Sums what rows take: each column its bytes and its length byte or bytes.
struct RowSizes {
    rows: u64,
    bytes: u64,
}

impl RowSink for RowSizes {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        self.rows += 1;
        // Trailing NULLs are not stored.
        let stored = columns.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        for column in &columns[..stored] {
            let length = column.map_or(0, <[u8]>::len);
            self.bytes += (length + if length > 250 { 3 } else { 1 }) as u64;
        }
    }
}
