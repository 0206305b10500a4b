//! RETURNING … INTO: values of the one row that a statement has put in, changed or taken out, for bind variables.

use std::sync::Arc;

use common::{Error, Result, Rowid};
use datafusion::common::Column;
use datafusion::physical_expr::PhysicalExpr;
use engine::catalog::TableDef;
use scalar::Datum;

use super::condition::{StoredRows, physical, row_scope, values};
use super::insert::holds_subquery;
use crate::cursor::connection::Connection;
use crate::cursor::open::Cursor;
use crate::functions::rows::Argument;
use crate::plan::scope::{Merged, ScopeColumn};
use crate::scan::sink::ROWID_TYPE;
use crate::scan::table::ROWID;
use crate::statement::merge::Returning;
use crate::types::Kind;

/// The values to give back, ready for the row.
#[derive(Debug)]
pub(crate) struct Giving {
    rows: StoredRows,
    values: Vec<Arc<dyn PhysicalExpr>>,
    into: Vec<String>,
}

/// ORA-01422: RETURNING into single variables takes one row.
pub(crate) fn several_rows() -> Error {
    Error::user(1422, "exact fetch returns more than requested number of rows: RETURNING is for one row")
}

impl Connection {
    /// Binds the values of RETURNING. Rows that are not in the table yet have no ROWID.
    pub(crate) fn giving(
        &self,
        returning: &Returning,
        table: &TableDef,
        placed: bool,
        cursor: &Cursor,
    ) -> Result<Giving> {
        let mut scope = row_scope(&table.name, &table.columns);
        scope.columns.push(ScopeColumn {
            table: Some(table.name.clone()),
            owner: None,
            name: ROWID.to_owned(),
            column: Column::new_unqualified(ROWID),
            kind: Kind::Rowid,
            declared: ROWID_TYPE,
            exact: true,
            nullable: false,
            pseudo: true,
            merged: Merged::No,
        });
        let rows = StoredRows::with_rowid(table)?;
        let mut bound = Vec::new();
        for value in &returning.values {
            let value =
                self.with_binder(&cursor.shared.text, &cursor.binds, |binder| binder.value(value, &scope))?.expr;
            if holds_subquery(&value) {
                return Err(Error::user(22816, "unsupported feature with RETURNING clause: a subquery"));
            }
            if !placed && value.column_refs().iter().any(|column| column.name == ROWID) {
                return Err(Error::unsupported("RETURNING ROWID of INSERT"));
            }
            bound.push(physical(&value, &rows.schema)?);
        }
        Ok(Giving { rows, values: bound, into: returning.into.clone() })
    }
}

impl Giving {
    pub(crate) fn add(&mut self, rowid: Option<Rowid>, row: &[Option<&[u8]>]) {
        match rowid {
            Some(rowid) => self.rows.add_at(rowid, row),
            None => self.rows.add(row),
        }
    }

    /// Bind variables and their values; none when there was no row.
    pub(crate) fn finish(mut self) -> Result<Vec<(String, Datum)>> {
        if self.rows.len() == 0 {
            return Ok(Vec::new());
        }
        let batch = self.rows.take()?;
        self.into
            .into_iter()
            .zip(&self.values)
            .map(|(name, value)| Ok((name, Argument::array(&values(value, &batch)?)?.datum(0)?)))
            .collect()
    }
}
