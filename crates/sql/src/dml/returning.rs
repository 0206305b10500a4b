//! RETURNING … INTO: values of the rows that a statement has inserted, changed or deleted. A program takes any number
//! of rows, bind variables of other callers take one.

use std::sync::Arc;

use common::{Error, Result, Rowid};
use datafusion::catalog::MemTable;
use datafusion::catalog::default_table_source::provider_as_source;
use datafusion::common::Column;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, UNNAMED_TABLE};
use datafusion::physical_expr::PhysicalExpr;
use engine::dictionary::TableDef;
use scalar::{Datum, DatumType};

use super::condition::{StoredRows, physical, row_scope, values};
use super::insert::holds_subquery;
use crate::cursor::arrays::to_rows;
use crate::cursor::connection::Connection;
use crate::cursor::open::Cursor;
use crate::cursor::run::Running;
use crate::error::from_datafusion;
use crate::functions::rows::Argument;
use crate::plan::grouping::holds_aggregate;
use crate::plan::scope::{Merged, ScopeColumn};
use crate::scan::sink::ROWID_TYPE;
use crate::scan::table::ROWID;
use crate::statement::merge::Returning;

/// The bound values of RETURNING.
#[derive(Debug)]
pub(crate) struct Giving {
    rows: StoredRows,
    values: Vec<Arc<dyn PhysicalExpr>>,
    into: Vec<String>,
    /// One of the values contains ROWID.
    rowid: bool,
    /// Aggregates over all rows, in place of values of each.
    aggregates: Vec<Expr>,
}

/// ORA-01422: RETURNING into single variables takes one row.
pub(crate) fn several_rows() -> Error {
    Error::user(1422, "exact fetch returns more than requested number of rows: RETURNING is for one row")
}

/// ROWID as a column beside those of a row.
pub(crate) fn rowid_column(table: &TableDef) -> ScopeColumn {
    ScopeColumn {
        table: Some(table.name.clone()),
        owner: None,
        name: ROWID.to_owned(),
        column: Column::new_unqualified(ROWID),
        kind: DatumType::Rowid,
        declared: ROWID_TYPE,
        exact: true,
        nullable: false,
        pseudo: true,
        merged: Merged::No,
    }
}

impl Connection {
    /// Binds the values of RETURNING.
    pub(crate) fn giving(&self, returning: &Returning, table: &TableDef, cursor: &Cursor) -> Result<Giving> {
        let mut scope = row_scope(&table.name, &table.columns);
        scope.columns.push(rowid_column(table));
        let rows = StoredRows::with_rowid(table)?;
        let mut bound = Vec::new();
        for value in &returning.values {
            let value = self
                .with_binder(&cursor.shared.text, &cursor.binds, |binder| binder.value_of_group(value, &scope))?
                .expr;
            if holds_subquery(&value) {
                return Err(Error::user(22816, "unsupported feature with RETURNING clause: a subquery"));
            }
            bound.push(value);
        }
        let rowid = bound.iter().any(|value| value.column_refs().iter().any(|column| column.name == ROWID));
        let into = returning.into.clone();
        if bound.iter().any(holds_aggregate) {
            return Ok(Giving { rows, values: Vec::new(), into, rowid, aggregates: bound });
        }
        let values = bound.iter().map(|value| physical(value, &rows.schema)).collect::<Result<_>>()?;
        Ok(Giving { rows, values, into, rowid, aggregates: Vec::new() })
    }
}

impl Giving {
    pub(crate) fn add(&mut self, rowid: Option<Rowid>, row: &[Option<&[u8]>]) {
        match rowid {
            Some(rowid) => self.rows.add_at(rowid, row),
            None => self.rows.add(row),
        }
    }

    /// True: rows must be in their final place before they are added.
    pub(crate) fn wants_rowid(&self) -> bool {
        self.rowid
    }

    /// The values of each row.
    fn finish(mut self) -> Result<Vec<Vec<Datum>>> {
        let count = self.rows.len();
        if count == 0 {
            return Ok(Vec::new());
        }
        let batch = self.rows.take()?;
        let arrays = self.values.iter().map(|value| values(value, &batch)).collect::<Result<Vec<_>>>()?;
        let columns = arrays.iter().map(Argument::array).collect::<Result<Vec<_>>>()?;
        (0..count).map(|row| columns.iter().map(|column| column.datum(row)).collect()).collect()
    }
}

impl Connection {
    /// The one row of aggregates over all rows added.
    fn aggregated(&self, mut giving: Giving, cursor: &Cursor) -> Result<Vec<Vec<Datum>>> {
        let batch = giving.rows.take()?;
        let rows = MemTable::try_new(batch.schema(), vec![vec![batch]]).map_err(from_datafusion)?;
        let rows = LogicalPlanBuilder::scan(UNNAMED_TABLE, provider_as_source(Arc::new(rows)), None)
            .and_then(|rows| {
                // The values name the columns without a table.
                let columns = rows.schema().columns().into_iter().map(|column| {
                    let name = column.name.clone();
                    Expr::Column(column).alias(name)
                });
                let columns: Vec<Expr> = columns.collect();
                rows.project(columns)
            })
            .and_then(LogicalPlanBuilder::build)
            .map_err(from_datafusion)?;
        let plan = self.with_binder(&cursor.shared.text, &cursor.binds, |binder| {
            binder.group_of_all(rows, std::mem::take(&mut giving.aggregates))
        })?;
        let physical = self.plan(&plan)?;
        let mut running =
            Running::start(&self.session, &self.runtime, &self.state, physical, Arc::clone(&self.demand))?;
        to_rows(&running.fetch(1)?)
    }

    /// Stores the values of RETURNING in the cursor.
    ///
    /// # Errors
    /// ORA-01422 for several rows, unless a program takes them.
    pub(crate) fn give(&self, giving: Option<Giving>, cursor: &mut Cursor) -> Result<()> {
        let Some(giving) = giving else { return Ok(()) };
        let into = giving.into.clone();
        let rows = if giving.aggregates.is_empty() { giving.finish()? } else { self.aggregated(giving, cursor)? };
        if rows.len() > 1 && !self.shared.is_recursive() {
            return Err(several_rows());
        }
        cursor.returned =
            rows.first().map(|row| into.into_iter().zip(row.iter().cloned()).collect()).unwrap_or_default();
        cursor.returned_rows = rows;
        Ok(())
    }
}
