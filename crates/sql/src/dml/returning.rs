//! RETURNING … INTO: values of the rows that a statement has put in, changed or taken out. A program takes as many rows as there are, bind variables of
//! other callers take one.

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
    /// One of the values has ROWID in it.
    rowid: bool,
}

/// ORA-01422: RETURNING into single variables takes one row.
fn several_rows() -> Error {
    Error::user(1422, "exact fetch returns more than requested number of rows: RETURNING is for one row")
}

impl Connection {
    /// Binds the values of RETURNING.
    pub(crate) fn giving(&self, returning: &Returning, table: &TableDef, cursor: &Cursor) -> Result<Giving> {
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
        let (mut bound, mut rowid) = (Vec::new(), false);
        for value in &returning.values {
            let value =
                self.with_binder(&cursor.shared.text, &cursor.binds, |binder| binder.value(value, &scope))?.expr;
            if holds_subquery(&value) {
                return Err(Error::user(22816, "unsupported feature with RETURNING clause: a subquery"));
            }
            rowid |= value.column_refs().iter().any(|column| column.name == ROWID);
            bound.push(physical(&value, &rows.schema)?);
        }
        Ok(Giving { rows, values: bound, into: returning.into.clone(), rowid })
    }
}

impl Giving {
    pub(crate) fn add(&mut self, rowid: Option<Rowid>, row: &[Option<&[u8]>]) {
        match rowid {
            Some(rowid) => self.rows.add_at(rowid, row),
            None => self.rows.add(row),
        }
    }

    /// Whether rows are to be where they stay before they are added.
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
    /// Keeps in the cursor what a statement gives back.
    ///
    /// # Errors
    /// ORA-01422 for several rows, unless a program takes them.
    pub(crate) fn give(&self, giving: Option<Giving>, cursor: &mut Cursor) -> Result<()> {
        let Some(giving) = giving else { return Ok(()) };
        let into = giving.into.clone();
        let rows = giving.finish()?;
        if rows.len() > 1 && !self.shared.is_recursive() {
            return Err(several_rows());
        }
        cursor.returned =
            rows.first().map(|row| into.into_iter().zip(row.iter().cloned()).collect()).unwrap_or_default();
        cursor.returned_rows = rows;
        Ok(())
    }
}
