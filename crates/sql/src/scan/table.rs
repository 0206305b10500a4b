//! A table of the engine as DataFusion reads it.

use std::sync::Arc;

use super::access::{self, Access};
use super::exec::TableReadExec;
use super::predicate::{Pushed, push};
use super::sink::ROWID_TYPE;
use super::source::ReadSpec;
use super::template::{Operand, Template};
use crate::plan::hints::Hints;
use crate::types::column;
use async_trait::async_trait;
use common::sync::atomic::AtomicUsize;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session as DataFusionSession, TableProvider};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use engine::dictionary::TableDef;
use engine::instance::Session;

/// Name of the pseudocolumn behind a table's own columns.
pub(crate) const ROWID: &str = "ROWID";

/// A heap table, in one statement of one session. DML through DataFusion is not implemented, on purpose: it loses
/// conditions.
#[derive(Debug)]
pub(crate) struct EngineTable {
    session: Arc<Session>,
    table: Arc<TableDef>,
    hints: Hints,
    schema: SchemaRef,
    demand: Arc<AtomicUsize>,
}

impl EngineTable {
    pub(crate) fn new(
        session: Arc<Session>,
        table: Arc<TableDef>,
        hints: Hints,
        demand: Arc<AtomicUsize>,
    ) -> Arc<Self> {
        let columns = table.columns.iter().map(|column| (column.name.as_str(), column.data_type));
        let schema = column::schema(columns.chain([(ROWID, ROWID_TYPE)]));
        Arc::new(Self { session, table, hints, schema, demand })
    }

    pub(crate) fn table(&self) -> &Arc<TableDef> {
        &self.table
    }

    /// The hints that name it.
    pub(crate) fn hints(&self) -> &Hints {
        &self.hints
    }
}

#[async_trait]
impl TableProvider for EngineTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(filters
            .iter()
            .map(|filter| match push(filter, &self.table) {
                Some(_) => TableProviderFilterPushDown::Exact,
                None => TableProviderFilterPushDown::Unsupported,
            })
            .collect())
    }

    async fn scan(
        &self,
        _: &dyn DataFusionSession,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let fields: Vec<usize> = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        let rowid_field = self.table.columns.len();
        let mut columns = Vec::new();
        let mut sources = Vec::new();
        for field in &fields {
            if *field == rowid_field {
                sources.push(None);
            } else {
                sources.push(Some(columns.len()));
                columns.push(*field as u16);
            }
        }
        let mut conditions = Vec::new();
        let mut rowids: Option<Vec<common::Rowid>> = None;
        for filter in filters {
            match push(filter, &self.table) {
                Some(Pushed::Columns(condition)) => conditions.push(condition),
                Some(Pushed::Rowids(list)) => {
                    let list = rowids_of(&list).map_err(crate::error::to_datafusion)?;
                    rowids = Some(match rowids {
                        None => list,
                        Some(before) => before.into_iter().filter(|rowid| list.contains(rowid)).collect(),
                    });
                }
                None => {
                    return Err(crate::error::to_datafusion(common::Error::bug(format!("filter {filter} in a scan"))));
                }
            }
        }
        let conditions = match conditions.len() {
            0 => None,
            1 => conditions.pop(),
            _ => Some(Template::And(conditions)),
        };
        let predicate = conditions.as_ref().map(Template::without_parameters).transpose();
        let predicate = predicate.map_err(crate::error::to_datafusion)?;
        let (access, hints) = match rowids {
            Some(mut rowids) => {
                rowids.sort_unstable();
                rowids.dedup();
                (Access::Rowids(rowids), access::unused(&self.hints, "rows are read by their rowids"))
            }
            None => access::choose(&self.table, || self.blocks(), predicate.as_ref(), &self.hints)
                .map_err(crate::error::to_datafusion)?,
        };
        let spec = ReadSpec {
            table: Arc::clone(&self.table),
            alias: self.hints.table.clone().unwrap_or_else(|| self.table.name.clone()),
            projection: columns,
            conditions,
            predicate,
            rowids: sources.contains(&None),
            access,
            first_only: false,
            rowids_shown: None,
            hints,
        };
        let schema = Arc::new(self.schema.project(&fields)?);
        Ok(Arc::new(TableReadExec::new(
            Arc::clone(&self.session),
            spec,
            schema,
            sources,
            limit,
            Arc::clone(&self.demand),
        )))
    }
}

/// The rowids of a plan without parameters.
fn rowids_of(list: &[Operand]) -> common::Result<Vec<common::Rowid>> {
    let text = |operand: &Operand| match operand {
        Operand::Stored(Some(bytes)) => std::str::from_utf8(bytes).ok()?.parse().ok(),
        _ => None,
    };
    let found = list.iter().map(text).collect::<Option<Vec<_>>>();
    found.ok_or_else(|| common::Error::bug("a rowid of a scan that is none"))
}

impl EngineTable {
    fn blocks(&self) -> common::Result<u64> {
        access::blocks(&self.session, &self.table)
    }
}
