//! Statistics that a user sets: DBMS_STATS.SET_TABLE_STATS and its like. What is not set stays what it was.

use std::sync::Arc;

use common::{Error, Result};
use storage::index::IndexStatistics;

use super::statement::Ddl;
use crate::dictionary::{ColumnStatistics, IndexDef, SystemPrivilege, TableDef, TableStatistics};
use crate::instance::Session;

/// Figures of a table.
#[derive(Clone, Copy, Default, Debug)]
pub struct TableFigures {
    pub num_rows: Option<u64>,
    pub blocks: Option<u64>,
    pub average_row_bytes: Option<u64>,
}

/// Figures of an index.
#[derive(Clone, Copy, Default, Debug)]
pub struct IndexFigures {
    pub num_rows: Option<u64>,
    pub leaf_blocks: Option<u64>,
    pub distinct_keys: Option<u64>,
    pub clustering_factor: Option<u64>,
    pub blevel: Option<u32>,
}

/// Figures of a column.
#[derive(Clone, Copy, Default, Debug)]
pub struct ColumnFigures {
    pub distinct: Option<u64>,
    pub nulls: Option<u64>,
}

impl Session {
    /// Sets statistics of a table.
    ///
    /// # Errors
    /// ORA-00942, ORA-01031.
    pub fn set_table_statistics(self: &Arc<Self>, owner: &str, name: &str, figures: TableFigures) -> Result<()> {
        self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, name, SystemPrivilege::AnalyzeAny)?;
            let before = table.statistics.unwrap_or(TableStatistics {
                num_rows: 0,
                blocks: 0,
                empty_blocks: 0,
                average_row_bytes: 0,
                average_space: 0,
                chained_rows: 0,
                sampled_rows: 0,
                analyzed_us: 0,
            });
            let num_rows = figures.num_rows.unwrap_or(before.num_rows);
            let statistics = TableStatistics {
                num_rows,
                sampled_rows: num_rows,
                blocks: figures.blocks.unwrap_or(before.blocks),
                average_row_bytes: figures.average_row_bytes.unwrap_or(before.average_row_bytes),
                analyzed_us: ddl.now_us(),
                ..before
            };
            ddl.keep_statistics(&table, Some(statistics), columns(&table)).map(drop)
        })
    }

    /// Sets statistics of a column; a histogram goes. `figures` None: the column has none any more.
    ///
    /// # Errors
    /// ORA-00942, ORA-01031, ORA-00904.
    pub fn set_column_statistics(
        self: &Arc<Self>,
        owner: &str,
        name: &str,
        column: &str,
        figures: Option<ColumnFigures>,
    ) -> Result<()> {
        self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, name, SystemPrivilege::AnalyzeAny)?;
            let at = table.column(column);
            let at = at.ok_or_else(|| Error::user(904, format!("{column}: invalid identifier")))?;
            let mut columns = columns(&table);
            let none = ColumnStatistics { distinct: 0, nulls: 0, low: None, high: None, histogram: None };
            columns[at] = figures.map(|figures| {
                let before = columns[at].take().unwrap_or(none);
                ColumnStatistics {
                    distinct: figures.distinct.unwrap_or(before.distinct),
                    nulls: figures.nulls.unwrap_or(before.nulls),
                    histogram: None,
                    ..before
                }
            });
            ddl.keep_statistics(&table, table.statistics, columns).map(drop)
        })
    }

    /// Sets statistics of an index. `figures` None: it has none any more.
    ///
    /// # Errors
    /// ORA-01418, ORA-01031.
    pub fn set_index_statistics(
        self: &Arc<Self>,
        owner: &str,
        name: &str,
        figures: Option<IndexFigures>,
    ) -> Result<()> {
        self.ddl(|ddl| {
            let index = ddl.index_to_analyze(owner, name)?;
            let set = |figures: IndexFigures| {
                let before = index.statistics.unwrap_or_default();
                IndexStatistics {
                    blevel: figures.blevel.unwrap_or(before.blevel),
                    leaf_blocks: figures.leaf_blocks.unwrap_or(before.leaf_blocks),
                    distinct_keys: figures.distinct_keys.unwrap_or(before.distinct_keys),
                    clustering_factor: figures.clustering_factor.unwrap_or(before.clustering_factor),
                    num_rows: figures.num_rows.unwrap_or(before.num_rows),
                }
            };
            let analyzed_us = if figures.is_some() { ddl.now_us() } else { 0 };
            ddl.keep_index_statistics(IndexDef { statistics: figures.map(set), analyzed_us, ..IndexDef::clone(&index) })
        })
    }
}

impl Ddl<'_> {
    /// The index, which the user may analyze.
    ///
    /// # Errors
    /// ORA-01418, ORA-01031.
    pub(super) fn index_to_analyze(&self, owner: &str, name: &str) -> Result<Arc<IndexDef>> {
        let found = self.catalog.index(owner, name).cloned();
        let index = found.ok_or_else(|| Error::user(1418, "specified index does not exist"))?;
        self.table_to_change(&index.table_owner, &index.table_name, SystemPrivilege::AnalyzeAny)?;
        Ok(index)
    }
}

/// The statistics of all columns.
fn columns(table: &TableDef) -> Vec<Option<ColumnStatistics>> {
    (0..table.columns.len()).map(|at| table.column_statistics.get(at).cloned().flatten()).collect()
}
