//! Gathering table and index statistics: ANALYZE TABLE … COMPUTE STATISTICS, DBMS_STATS.GATHER_TABLE_STATS. They are
//! set by hand in [`super::set_statistics`].
//!
//! All rows are counted, and all entries of indexes are. With a [`Sampling`] the columns of a part of the rows are
//! looked at: NUM_NULLS grows by the rows that were not, NUM_DISTINCT as [`super::column_tally`] says.
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

use common::{BlockAddress, ObjectNumber, Result};
use scan::{RowSink, ScanSpec};

use super::column_tally::{ColumnTally, Size, mixed};
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

/// Fewest rows of a sample: of fewer rows all are taken.
const SAMPLE_MIN: u64 = 2_500;

/// The part of the rows whose columns are looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampling {
    /// Of the rows or blocks, above 0 to 100.
    pub percent: f64,
    /// Whole blocks are taken, or single rows.
    pub blocks: bool,
}

impl Sampling {
    /// All rows.
    pub const ALL: Self = Self { percent: 100.0, blocks: false };
}

/// What a gathering looks at: who gathers, of how many rows, and what is asked of each column.
#[derive(Clone, Copy)]
struct Asked<'a> {
    how: Gathering,
    sampling: Sampling,
    sizes: &'a dyn Fn(usize) -> Size,
}

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
        self.gather_statistics_with(owner, name, (how, Sampling::ALL), &|_, _| Ok(Size::Buckets(1)))
    }

    /// The same of a sample, and with histograms: `sizes` is asked for each column, by its position, before anything is
    /// read.
    ///
    /// # Errors
    /// As above, and errors of `sizes`.
    pub fn gather_statistics_with(
        self: &Arc<Self>,
        owner: &str,
        name: &str,
        (how, sampling): (Gathering, Sampling),
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
            let (statistics, columns) =
                ddl.compute_table_statistics(&table, Asked { how, sampling, sizes: &|column| sizes[column] })?;
            ddl.keep_statistics(&table, Some(statistics), columns)
        })
    }

    /// Computes the statistics of one index; those of its table stay what they were.
    ///
    /// # Errors
    /// ORA-01418, ORA-01031.
    pub fn gather_index_statistics(self: &Arc<Self>, owner: &str, name: &str) -> Result<()> {
        self.ddl(|ddl| {
            let index = ddl.index_to_analyze(owner, name)?;
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
        asked: Asked<'_>,
    ) -> Result<(TableStatistics, Vec<Option<ColumnStatistics>>)> {
        let Asked { how, sampling, sizes } = asked;
        let columns = table.columns.len() as u16;
        // The addresses of rows pick those of a sample.
        let rowids = sampling != Sampling::ALL;
        let spec = ScanSpec { projection: (0..columns).collect(), predicate: None, rowids };
        let tally = |(at, column): (usize, &ColumnDef)| ColumnTally::new(sizes(at), column.data_type);
        let tallies = table.columns.iter().enumerate().map(tally).collect();
        let mut tally = RowTally { picker: Picker::new(sampling), rows: 0, sampled: 0, bytes: 0, columns: tallies };
        let mut scan = table::TableScan::new(self.session.worker().clone(), table.heap().clone(), spec)?;
        while scan.next(&mut tally, 10_000)? {}
        if tally.sampled < tally.rows.min(SAMPLE_MIN) {
            return self.compute_table_statistics(table, Asked { sampling: Sampling::ALL, ..asked });
        }
        let usage = table.segment.space_usage(self.session)?;
        let blocks = match table.segment.management() {
            // The scan leaves out blocks that are not formatted yet.
            SpaceManagement::Auto => u64::from(usage.unformatted + usage.full + usage.free.iter().sum::<u32>()),
            SpaceManagement::Manual => scan.blocks(),
        };
        let (sampled, before) = (tally.sampled.max(1), table.statistics);
        let mut found = TableStatistics {
            num_rows: tally.rows,
            blocks,
            empty_blocks: before.map_or(0, |before| before.empty_blocks),
            average_row_bytes: tally.bytes / sampled,
            average_space: before.map_or(0, |before| before.average_space),
            chained_rows: before.map_or(0, |before| before.chained_rows),
            sampled_rows: tally.sampled,
            analyzed_us: self.now_us(),
        };
        if how == Gathering::Analyze {
            let found_in_blocks = table::chained_rows(self.session, table, &mut |_| Ok(()))?;
            found.empty_blocks = u64::from(usage.unused);
            found.average_row_bytes = (tally.bytes + ROW_HEADER_BYTES * tally.sampled) / sampled;
            found.average_space = found_in_blocks.free_bytes / found_in_blocks.blocks.max(1);
            found.chained_rows = found_in_blocks.chained_rows;
        }
        let part = tally.sampled as f64 / tally.rows.max(1) as f64;
        let columns = tally.columns.into_iter().map(|column| Some(column.finish(part))).collect();
        Ok((found, columns))
    }

    pub(super) fn keep_statistics(
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

    pub(super) fn keep_index_statistics(&mut self, index: IndexDef) -> Result<()> {
        self.update::<IndexRow>(&equal("OBJ#", index.object.0)?, |row| *row = index_row(&index))?;
        self.catalog.put_index(index);
        Ok(())
    }
}

/// Picks rows or blocks that look random, the same ones each time.
struct Picker {
    /// Of 2^64, how many numbers pick.
    part: u64,
    blocks: bool,
    /// Of the block at hand: its address, and whether it was picked.
    block: (u64, bool),
}

impl Picker {
    fn new(Sampling { percent, blocks }: Sampling) -> Self {
        let part = if percent >= 100.0 { u64::MAX } else { (percent / 100.0 * u64::MAX as f64) as u64 };
        Self { part, blocks, block: (0, true) }
    }

    /// The numbers of [`super::column_tally::mixed`] are spread evenly.
    fn picks(&self, number: u64) -> bool {
        self.part == u64::MAX || mixed(number) < self.part
    }

    fn begin(&mut self, block: BlockAddress) {
        let address = u64::from(block.pack());
        self.block = (address, !self.blocks || self.picks(address));
    }

    fn takes(&self, slot: u16) -> bool {
        self.block.1 && (self.blocks || self.picks(self.block.0 << 16 | u64::from(slot)))
    }
}

/// Counts of all rows, and of those that are picked the sums, with the size of each: each column's bytes and its length
/// byte or bytes.
struct RowTally {
    picker: Picker,
    rows: u64,
    sampled: u64,
    bytes: u64,
    columns: Vec<ColumnTally>,
}

impl RowSink for RowTally {
    fn block(&mut self, _: ObjectNumber, block: BlockAddress) {
        self.picker.begin(block);
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        self.rows += 1;
        if !self.picker.takes(slot) {
            return;
        }
        self.sampled += 1;
        // Trailing NULLs are not stored.
        let stored = columns.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        for column in &columns[..stored] {
            let length = column.map_or(0, <[u8]>::len);
            self.bytes += (length + if length > 250 { 3 } else { 1 }) as u64;
        }
        self.columns.iter_mut().zip(columns).for_each(|(tally, value)| tally.add(*value));
    }
}
