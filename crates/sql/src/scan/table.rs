//! A table of the engine as DataFusion reads it.

use std::any::Any;
use std::sync::Arc;

use super::exec::TableReadExec;
use super::predicate::push;
use super::read_plan::ReadPlan;
use super::sink::ROWID_TYPE;
use crate::direct::value::Inputs;
use crate::error::to_datafusion;
use crate::plan::hints::Hints;
use crate::plan::parameter::Parameters;
use crate::types::column;
use async_trait::async_trait;
use common::Error;
use common::sync::atomic::AtomicUsize;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::default_table_source::source_as_provider;
use datafusion::catalog::{Session as DataFusionSession, TableProvider};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableScan, TableType};
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
    /// The bind variables in its conditions.
    parameters: Arc<Parameters>,
}

impl EngineTable {
    pub(crate) fn new(
        session: Arc<Session>,
        table: Arc<TableDef>,
        hints: Hints,
        demand: Arc<AtomicUsize>,
        parameters: Arc<Parameters>,
    ) -> Arc<Self> {
        let columns = table.columns.iter().map(|column| (column.name.as_str(), column.data_type));
        let schema = column::schema(columns.chain([(ROWID, ROWID_TYPE)]));
        Arc::new(Self { session, table, hints, schema, demand, parameters })
    }

    /// The same table with other bind variables.
    pub(crate) fn with_parameters(&self, parameters: &Arc<Parameters>) -> Arc<Self> {
        Arc::new(Self {
            session: Arc::clone(&self.session),
            table: Arc::clone(&self.table),
            hints: self.hints.clone(),
            schema: Arc::clone(&self.schema),
            demand: Arc::default(),
            parameters: Arc::clone(parameters),
        })
    }

    pub(crate) fn table(&self) -> &Arc<TableDef> {
        &self.table
    }

    /// The hints that name it.
    pub(crate) fn hints(&self) -> &Hints {
        &self.hints
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    pub(crate) fn parameters(&self) -> &Arc<Parameters> {
        &self.parameters
    }

    pub(crate) fn demand(&self) -> &Arc<AtomicUsize> {
        &self.demand
    }

    /// The same table with other hints.
    pub(crate) fn with_hints(&self, hints: Hints) -> Arc<Self> {
        Arc::new(Self {
            session: Arc::clone(&self.session),
            table: Arc::clone(&self.table),
            hints,
            schema: Arc::clone(&self.schema),
            demand: Arc::clone(&self.demand),
            parameters: Arc::clone(&self.parameters),
        })
    }

    /// The table of a scan; None for another source.
    pub(crate) fn of(scan: &TableScan) -> Option<Arc<Self>> {
        let provider = source_as_provider(&scan.source).ok()?;
        (provider as Arc<dyn Any + Send + Sync>).downcast::<Self>().ok()
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
        let values = self.parameters.values();
        let inputs = Inputs::of_statement(self.parameters.context(), &values);
        let made = ReadPlan::of(&self.session, &self.table, &self.hints, &fields, filters, &inputs);
        let made = made.map_err(to_datafusion)?;
        let (read, sources) = made.ok_or_else(|| to_datafusion(Error::bug("a condition of a scan that is none")))?;
        let schema = Arc::new(self.schema.project(&fields)?);
        let exec = TableReadExec::new(
            Arc::clone(&self.session),
            (Arc::new(read), Arc::clone(&self.parameters)),
            schema,
            sources,
            limit,
            Arc::clone(&self.demand),
        );
        Ok(Arc::new(exec.map_err(to_datafusion)?))
    }
}
