//! Expressions over the stored rows of one table: conditions of checks, and values of RETURNING.

use std::sync::Arc;

use common::{Error, Result, Rowid};
use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::default_table_source::provider_as_source;
use datafusion::common::{Column, DFSchema, TableReference};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, not};
use datafusion::physical_expr::{PhysicalExpr, create_physical_expr};
use engine::dictionary::{ColumnDef, TableDef};
use scalar::DatumType;

use crate::cursor::connection::Connection;
use crate::cursor::run::Running;
use crate::error::from_datafusion;
use crate::functions::coalesce;
use crate::plan::hints::Hints;
use crate::plan::parameter::Parameters;
use crate::plan::scope::{Merged, Scope, ScopeColumn};
use crate::scan::sink::{ArrowSink, ROWID_TYPE, kinds};
use crate::scan::source::ReadSink;
use crate::scan::table::{EngineTable, ROWID};
use crate::statement::parse::parse_expression;
use crate::types::column;

/// The columns of a row as the scope of an expression about one row.
pub(crate) fn row_scope(table: &str, columns: &[ColumnDef]) -> Scope<'static> {
    let columns = columns
        .iter()
        .map(|column| ScopeColumn {
            table: Some(table.to_owned()),
            owner: None,
            name: column.name.clone(),
            column: Column::new_unqualified(&column.name),
            kind: DatumType::from(column.data_type),
            declared: column.data_type,
            exact: true,
            nullable: true,
            pseudo: false,
            merged: Merged::No,
        })
        .collect();
    Scope::of(columns)
}

/// An expression ready to be evaluated over batches of `schema`.
pub(crate) fn physical(expr: &Expr, schema: &DFSchema) -> Result<Arc<dyn PhysicalExpr>> {
    let expr = coalesce::carried_out(expr.clone(), schema).map_err(from_datafusion)?.data;
    create_physical_expr(&expr, schema, &ExecutionProps::new(), &PhysicalPlanningContext::default())
        .map_err(from_datafusion)
}

/// The values of an expression, one a row of the batch.
pub(crate) fn values(expr: &Arc<dyn PhysicalExpr>, batch: &RecordBatch) -> Result<ArrayRef> {
    expr.evaluate(batch).and_then(|value| value.into_array(batch.num_rows())).map_err(from_datafusion)
}

/// The condition of a check.
#[derive(Debug)]
pub(crate) struct Condition {
    expr: Expr,
}

impl Condition {
    /// # Errors
    /// Errors of the condition, with their position in `text`.
    pub(crate) fn bind(connection: &Connection, text: &str, table: &str, columns: &[ColumnDef]) -> Result<Self> {
        let tree = parse_expression(text)?;
        let scope = row_scope(table, columns);
        let expr = connection.with_binder(text, &[], |binder| binder.without_programs().condition(&tree, &scope))?;
        Ok(Self { expr })
    }

    /// The columns in it, each once.
    pub(crate) fn columns(&self) -> Vec<String> {
        let mut names: Vec<String> = self.expr.column_refs().iter().map(|column| column.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    pub(crate) fn physical(&self, schema: &DFSchema) -> Result<Arc<dyn PhysicalExpr>> {
        physical(&self.expr, schema)
    }
}

/// Stored rows of a table as arrays of some of its columns.
#[derive(Debug)]
pub(crate) struct StoredRows {
    pub(crate) schema: DFSchema,
    sink: ArrowSink,
}

impl StoredRows {
    /// `columns` are positions in the table.
    pub(crate) fn new(table: &TableDef, columns: &[usize]) -> Result<Self> {
        let definitions: Vec<&ColumnDef> = columns.iter().map(|at| &table.columns[*at]).collect();
        let arrow = column::schema(definitions.iter().map(|column| (column.name.as_str(), column.data_type)));
        let kinds: Vec<DatumType> = definitions.iter().map(|column| DatumType::from(column.data_type)).collect();
        let schema = DFSchema::try_from(Arc::clone(&arrow)).map_err(from_datafusion)?;
        let sink = ArrowSink::new(arrow, &kinds, columns.iter().copied().map(Some).collect());
        Ok(Self { schema, sink })
    }

    /// All columns, and ROWID behind them.
    pub(crate) fn with_rowid(table: &TableDef) -> Result<Self> {
        let columns = table.columns.iter().map(|column| (column.name.as_str(), column.data_type));
        let arrow = column::schema(columns.chain([(ROWID, ROWID_TYPE)]));
        let sources = (0..table.columns.len()).map(Some).chain([None]).collect();
        let schema = DFSchema::try_from(Arc::clone(&arrow)).map_err(from_datafusion)?;
        Ok(Self { schema, sink: ArrowSink::new(arrow, &kinds(&table.columns), sources) })
    }

    /// Adds a row: all columns of the table, encoded.
    pub(crate) fn add(&mut self, row: &[Option<&[u8]>]) {
        scan::RowSink::row(&mut self.sink, 0, row);
    }

    /// Adds a row that has a rowid.
    pub(crate) fn add_at(&mut self, rowid: Rowid, row: &[Option<&[u8]>]) {
        self.sink.fetched(rowid, row);
    }

    pub(crate) fn len(&self) -> usize {
        self.sink.rows()
    }

    pub(crate) fn take(&mut self) -> Result<RecordBatch> {
        self.sink.take()
    }
}

/// True: the condition is false for some row.
pub(crate) fn any_false(condition: &Arc<dyn PhysicalExpr>, batch: &RecordBatch) -> Result<bool> {
    let values = values(condition, batch)?;
    let values = values.as_boolean_opt().ok_or_else(|| Error::bug("a condition that is not true or false"))?;
    Ok(values.iter().any(|value| value == Some(false)))
}

impl Connection {
    /// True: the condition is false for no row of the table.
    pub(crate) fn all_rows_satisfy(&self, table: &Arc<TableDef>, condition: &str) -> Result<bool> {
        let condition = Condition::bind(self, condition, &table.name, &table.columns)?;
        let provider = EngineTable::new(
            Arc::clone(&self.session),
            Arc::clone(table),
            Hints::default(),
            Arc::clone(&self.demand),
            Parameters::new(self.statement_context()?, Vec::new()),
        );
        let plan =
            LogicalPlanBuilder::scan(TableReference::bare(table.name.as_str()), provider_as_source(provider), None)
                .and_then(|builder| builder.filter(not(condition.expr)))
                .and_then(|builder| builder.limit(0, Some(1)))
                .and_then(LogicalPlanBuilder::build)
                .map_err(from_datafusion)?;
        let physical = self.plan(&plan)?;
        let mut running =
            Running::start(&self.session, &self.runtime, &self.state, physical, Arc::clone(&self.demand))?;
        Ok(running.fetch(1)?.is_empty())
    }
}
