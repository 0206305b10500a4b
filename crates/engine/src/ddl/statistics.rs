//! Gathering table and index statistics: ANALYZE TABLE … COMPUTE STATISTICS, DBMS_STATS.GATHER_TABLE_STATS. Always of
//! all rows.
//!
//! | figure | DBMS_STATS | ANALYZE |
//! |---|---|---|
//! | NUM_ROWS, BLOCKS | yes | yes |
//! | NUM_DISTINCT, NUM_NULLS, LOW_VALUE, HIGH_VALUE of all columns | yes | yes |
//! | AVG_ROW_LEN | columns with their length bytes | with the row's header of three bytes |
//! | EMPTY_BLOCKS, AVG_SPACE, CHAIN_CNT | stay what they were, 0 at first | yes |
//!
//! BLOCKS are those below the (high) high-water mark less bitmap blocks and segment header, formatted or not; averages
//! are rounded down.

use std::sync::Arc;

use common::{BlockAddress, Error, ObjectNumber, Result};
use scan::{RowSink, ScanSpec};

use super::column_tally::{ColumnTally, Size};
use super::statement::Ddl;
use crate::dictionary::access::{equal, is};
use crate::dictionary::rows::{ColumnRow, IndexRow, TableRow};
use crate::dictionary::table_rows::{index_row, table_row};
use crate::dictionary::{ColumnDef, ColumnStatistics, IndexDef, SystemPrivilege, TableDef, TableStatistics};
use crate::instance::Session;
use storage::control::SpaceManagement;
use storage::{index, table};

/// Bytes in front of a row's columns.
const ROW_HEADER_BYTES: u64 = 3;

/// The caller of gathering: it decides which figures are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gathering {
    /// DBMS_STATS.
    Optimizer,
    /// DBMS_STATS with CASCADE => FALSE: statistics of the table's indexes stay what they were.
    OptimizerOfTable,
    /// ANALYZE.
    Analyze,
}

impl Session {
    /// Computes the statistics of a table, and if asked of its indexes, and keeps them in the dictionary.
    ///
    /// # Errors
    /// ORA-00942, ORA-01031.
    pub fn gather_statistics(self: &Arc<Self>, owner: &str, name: &str, how: Gathering) -> Result<Arc<TableDef>> {
        self.gather_statistics_with(owner, name, how, &|_, _| Ok(Size::Buckets(1)))
    }

    /// The same with histograms: `sizes` is asked for each column, by its position, before anything is read.
    ///
    /// # Errors
    /// As above, and errors of `sizes`.
    pub fn gather_statistics_with(
        self: &Arc<Self>,
        owner: &str,
        name: &str,
        how: Gathering,
        sizes: &dyn Fn(&TableDef, usize) -> Result<Size>,
    ) -> Result<Arc<TableDef>> {
        self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, name, SystemPrivilege::AnalyzeAny)?;
            if how != Gathering::OptimizerOfTable {
                for index in &table.indexes {
                    ddl.gather_index_statistics(index)?;
                }
            }
            let sizes = (0..table.columns.len()).map(|column| sizes(&table, column)).collect::<Result<Vec<_>>>()?;
            let (statistics, columns) = ddl.compute_table_statistics(&table, (how, &|column| sizes[column]))?;
            ddl.keep_statistics(&table, Some(statistics), columns)
        })
    }

    /// Computes the statistics of one index; those of its table stay what they were.
    ///
    /// # Errors
    /// ORA-01418, ORA-01031.
    pub fn gather_index_statistics(self: &Arc<Self>, owner: &str, name: &str) -> Result<()> {
        self.ddl(|ddl| {
            let found = ddl.catalog.index(owner, name).cloned();
            let index = found.ok_or_else(|| Error::user(1418, "specified index does not exist"))?;
            ddl.table_to_change(&index.table_owner, &index.table_name, SystemPrivilege::AnalyzeAny)?;
            ddl.gather_index_statistics(&index)
        })
    }

    /// ANALYZE TABLE … DELETE STATISTICS: those of the table and of its indexes are forgotten.
    ///
    /// # Errors
    /// ORA-00942, ORA-01031.
    pub fn delete_statistics(self: &Arc<Self>, owner: &str, name: &str) -> Result<Arc<TableDef>> {
        self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, name, SystemPrivilege::AnalyzeAny)?;
            for index in &table.indexes {
                ddl.keep_index_statistics(IndexDef { statistics: None, analyzed_us: 0, ..IndexDef::clone(index) })?;
            }
            ddl.keep_statistics(&table, None, vec![None; table.columns.len()])
        })
    }
}

impl Ddl<'_> {
    fn compute_table_statistics(
        &self,
        table: &Arc<TableDef>,
        (how, sizes): (Gathering, &dyn Fn(usize) -> Size),
    ) -> Result<(TableStatistics, Vec<Option<ColumnStatistics>>)> {
        let columns = table.columns.len() as u16;
        let spec = ScanSpec { projection: (0..columns).collect(), predicate: None, rowids: false };
        let tally = |(at, column): (usize, &ColumnDef)| ColumnTally::new(sizes(at), column.data_type);
        let tallies = table.columns.iter().enumerate().map(tally).collect();
        let mut tally = RowTally { rows: 0, bytes: 0, columns: tallies };
        let mut scan = table::TableScan::new(self.session.worker().clone(), table.heap().clone(), spec)?;
        while scan.next(&mut tally, 10_000)? {}
        let usage = table.segment.space_usage(self.session)?;
        let blocks = match table.segment.management() {
            // The scan leaves out blocks that are not formatted yet.
            SpaceManagement::Auto => u64::from(usage.unformatted + usage.full + usage.free.iter().sum::<u32>()),
            SpaceManagement::Manual => scan.blocks(),
        };
        let (rows, before) = (tally.rows.max(1), table.statistics);
        let mut found = TableStatistics {
            num_rows: tally.rows,
            blocks,
            empty_blocks: before.map_or(0, |before| before.empty_blocks),
            average_row_bytes: tally.bytes / rows,
            average_space: before.map_or(0, |before| before.average_space),
            chained_rows: before.map_or(0, |before| before.chained_rows),
            analyzed_us: self.now_us(),
        };
        if how == Gathering::Analyze {
            let found_in_blocks = table::chained_rows(self.session, table, &mut |_| Ok(()))?;
            found.empty_blocks = u64::from(usage.unused);
            found.average_row_bytes = (tally.bytes + ROW_HEADER_BYTES * tally.rows) / rows;
            found.average_space = found_in_blocks.free_bytes / found_in_blocks.blocks.max(1);
            found.chained_rows = found_in_blocks.chained_rows;
        }
        let columns = tally.columns.into_iter().map(|column| Some(column.finish())).collect();
        Ok((found, columns))
    }

    fn keep_statistics(
        &mut self,
        table: &Arc<TableDef>,
        statistics: Option<TableStatistics>,
        columns: Vec<Option<ColumnStatistics>>,
    ) -> Result<Arc<TableDef>> {
        for (position, column) in (1u16..).zip(&columns) {
            let place = [is("OBJ#", table.object.0)?, is("COL#", position)?];
            self.update::<ColumnRow>(&place, |row| {
                row.distinct = column.as_ref().map(|column| column.distinct);
                row.nulls = column.as_ref().map(|column| column.nulls);
                row.low = column.as_ref().and_then(|column| column.low.clone());
                row.high = column.as_ref().and_then(|column| column.high.clone());
                row.histogram = column.as_ref().and_then(|column| column.histogram.as_ref()?.encode());
            })?;
        }
        let column_statistics = columns.into();
        let table = TableDef { statistics, column_statistics, ..TableDef::clone(table) };
        self.update::<TableRow>(&equal("OBJ#", table.object.0)?, |row| *row = table_row(&table))?;
        Ok(self.catalog.put_table(table))
    }

    fn gather_index_statistics(&mut self, index: &IndexDef) -> Result<()> {
        let statistics = index::statistics(self.session, index)?;
        let analyzed_us = self.now_us();
        self.keep_index_statistics(IndexDef { statistics: Some(statistics), analyzed_us, ..IndexDef::clone(index) })
    }

    fn keep_index_statistics(&mut self, index: IndexDef) -> Result<()> {
        self.update::<IndexRow>(&equal("OBJ#", index.object.0)?, |row| *row = index_row(&index))?;
        self.catalog.put_index(index);
        Ok(())
    }
}

/// Sums of all rows, with the size of each: each column's bytes and its length byte or bytes.
struct RowTally {
    rows: u64,
    bytes: u64,
    columns: Vec<ColumnTally>,
}

impl RowSink for RowTally {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        self.rows += 1;
        // Trailing NULLs are not stored.
        let stored = columns.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        for column in &columns[..stored] {
            let length = column.map_or(0, <[u8]>::len);
            self.bytes += (length + if length > 250 { 3 } else { 1 }) as u64;
        }
        self.columns.iter_mut().zip(columns).for_each(|(tally, value)| tally.add(*value));
    }
}
