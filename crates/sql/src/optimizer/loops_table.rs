//! Nested loops over indexes as a source of rows for the planner's operators: the tables of one or more joins, each
//! looked up for every row of those before it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use common::ObjectNumber;
use common::sync::Mutex;
use common::sync::atomic::{AtomicUsize, Ordering};
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::catalog::default_table_source::{provider_as_source, source_as_provider};
use datafusion::catalog::{Session as DataFusionSession, TableProvider};
use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, TableScan, TableType};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions};
use engine::instance::Session;
use scalar::DatumType;

use super::cost::Cost;
use super::estimate::Estimate;
use crate::cursor::open::RowSource;
use crate::direct::plan::{DirectQuery, Stage};
use crate::direct::run::DirectRun;
use crate::direct::value::{Inputs, Value};
use crate::error::to_datafusion;
use crate::plan::parameter::Parameters;
use crate::scan::table::EngineTable;
use crate::types::of_arrow;

/// Rows of a batch, where the fetch does not want fewer.
const BATCH_ROWS: usize = 1024;

/// The loops, as a table of the planner's.
#[derive(Debug)]
pub(crate) struct LoopsTable {
    host: Host,
    stage: Stage,
    estimate: Estimate,
    cost: Cost,
    schema: SchemaRef,
}

/// What the tables of a plan have in common.
#[derive(Clone, Debug)]
pub(super) struct Host {
    session: Arc<Session>,
    pub(super) parameters: Arc<Parameters>,
    demand: Arc<AtomicUsize>,
}

impl Host {
    /// That of the first table of the engine in a plan; None without one.
    pub(super) fn of(plan: &LogicalPlan) -> Option<Self> {
        let mut found = None;
        // The visitor does not fail.
        let _ = plan.apply(|node| {
            if let LogicalPlan::TableScan(scan) = node {
                let loops = || LoopsTable::of(scan).map(|loops| loops.host.clone());
                found = EngineTable::of(scan)
                    .map(|table| Self {
                        session: Arc::clone(table.session()),
                        parameters: Arc::clone(table.parameters()),
                        demand: Arc::clone(table.demand()),
                    })
                    .or_else(loops);
            }
            Ok(if found.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        });
        found
    }
}

impl LoopsTable {
    /// The loops of this stage in a plan with the same columns.
    pub(super) fn plan(stage: Stage, estimate: Estimate, cost: Cost, host: Host) -> Result<LogicalPlan> {
        let names = Arc::clone(&stage.schema);
        let fields = names.fields().iter().enumerate();
        let fields: Vec<Field> = fields.map(|(at, field)| field.as_ref().clone().with_name(format!("c{at}"))).collect();
        let schema = Arc::new(Schema::new(fields));
        let loops = Self { host, stage, estimate, cost, schema: Arc::clone(&schema) };
        let scan = LogicalPlanBuilder::scan("loops", provider_as_source(Arc::new(loops)), None)?.build()?;
        let columns = scan.schema().columns();
        let named = columns
            .into_iter()
            .zip(names.iter())
            .map(|(column, (qualifier, field))| Expr::Column(column).alias_qualified(qualifier.cloned(), field.name()));
        LogicalPlanBuilder::from(scan).project(named)?.build()
    }

    /// The loops that are scanned; None for another table.
    pub(crate) fn of(scan: &TableScan) -> Option<Arc<Self>> {
        let provider = source_as_provider(&scan.source).ok()?;
        (provider as Arc<dyn Any + Send + Sync>).downcast::<Self>().ok()
    }

    pub(super) fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    pub(super) fn cost(&self) -> Cost {
        self.cost
    }

    /// The loops as a stage of a query that is carried out row by row; its columns are those of the scan.
    pub(crate) fn stage(&self, scan: &TableScan) -> Stage {
        let values = match &scan.projection {
            Some(projection) => projection.iter().map(|at| self.stage.values[*at].clone()).collect(),
            None => self.stage.values.clone(),
        };
        let mut stage = self.stage.clone();
        (stage.values, stage.schema, stage.fetch) = (values, Arc::clone(&scan.projected_schema), scan.fetch);
        stage
    }
}

#[async_trait]
impl TableProvider for LoopsTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        _: &dyn DataFusionSession,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let fields: Vec<usize> = projection.cloned().unwrap_or_else(|| (0..self.stage.values.len()).collect());
        let schema = Arc::new(self.schema.project(&fields)?);
        let outputs = fields.iter().map(|at| self.stage.values[*at].clone()).collect();
        let kinds = schema.fields().iter().map(|field| of_arrow(field.data_type())).collect::<Option<Vec<_>>>();
        let kinds = kinds.ok_or_else(|| to_datafusion(common::Error::bug("a column of loops without a type")))?;
        let estimate = self.estimate.clone().projected(fields.into_iter().map(Some));
        let query = Arc::new(self.stage.clone().with_outputs(outputs, kinds, limit));
        let Host { session, parameters, demand } = self.host.clone();
        let expected = (estimate, self.cost);
        Ok(Arc::new(LoopsExec::new(session, query, schema, expected, parameters, demand)))
    }
}

/// The loops among the planner's operators.
pub(crate) struct LoopsExec {
    session: Arc<Session>,
    query: Arc<DirectQuery>,
    schema: SchemaRef,
    estimate: Estimate,
    cost: Cost,
    parameters: Arc<Parameters>,
    demand: Arc<AtomicUsize>,
    /// The execution, once it has begun.
    run: Arc<Mutex<Option<DirectRun>>>,
    properties: Arc<PlanProperties>,
}

impl fmt::Debug for LoopsExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoopsExec").field("query", &self.query).finish_non_exhaustive()
    }
}

impl LoopsExec {
    fn new(
        session: Arc<Session>,
        query: Arc<DirectQuery>,
        schema: SchemaRef,
        (estimate, cost): (Estimate, Cost),
        parameters: Arc<Parameters>,
        demand: Arc<AtomicUsize>,
    ) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        .with_scheduling_type(SchedulingType::Cooperative);
        let (run, properties) = (Arc::default(), Arc::new(properties));
        Self { session, query, schema, estimate, cost, parameters, demand, run, properties }
    }

    /// True: the present values of the bind variables fit the loops.
    pub(crate) fn takes_parameters(&self) -> bool {
        let values = self.parameters.values();
        let inputs = Inputs::of_statement(self.parameters.context(), &values);
        self.query.read.spec(&inputs).is_some() && self.query.takes(&inputs)
    }

    /// True: it is one of the tables.
    pub(crate) fn reads(&self, table: ObjectNumber) -> bool {
        let inner = self.query.inner.iter().map(|read| &read.table);
        inner.chain([&self.query.read.table]).any(|read| read.object == table)
    }

    /// Number of tables.
    pub(crate) fn tables(&self) -> usize {
        1 + self.query.inner.len()
    }

    pub(super) fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    pub(super) fn cost(&self) -> Cost {
        self.cost
    }

    /// The row sources, with their figures so far.
    pub(crate) fn row_sources(&self, depth: u32) -> Vec<RowSource> {
        if let Some(run) = &*self.run.lock() {
            return run.row_sources(depth);
        }
        let values = self.parameters.values();
        let inputs = Inputs::of_statement(self.parameters.context(), &values);
        self.query.explained(&self.session, &inputs, depth).unwrap_or_default()
    }

    /// The name and the column of an output that is an unchanged copy of a table's.
    pub(crate) fn column(&self, output: usize) -> Option<(String, String)> {
        match self.query.outputs.get(output)? {
            Value::Column(at, _) => self.query.column(*at),
            _ => None,
        }
    }
}

impl DisplayAs for LoopsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LoopsExec: {}", self.query.read.table.name)?;
        self.query.inner.iter().try_for_each(|read| write!(f, ", {}", read.table.name))
    }
}

impl ExecutionPlan for LoopsExec {
    fn name(&self) -> &'static str {
        "LoopsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    /// The same loops for another execution.
    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(
            Arc::clone(&self.session),
            Arc::clone(&self.query),
            Arc::clone(&self.schema),
            (self.estimate.clone(), self.cost),
            Arc::clone(&self.parameters),
            Arc::clone(&self.demand),
        )))
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (session, query) = (Arc::clone(&self.session), Arc::clone(&self.query));
        let (parameters, schema) = (Arc::clone(&self.parameters), Arc::clone(&self.schema));
        let (run, demand) = (Arc::clone(&self.run), Arc::clone(&self.demand));
        let begin = move || {
            let context = parameters.shared_context();
            let started = DirectRun::start(&session, &query, context, parameters.values().to_vec(), true);
            started.ok_or_else(|| common::Error::bug("loops with values that are none"))
        };
        let mut begin = Some(begin);
        let batch_schema = Arc::clone(&schema);
        // Nothing is read before the first batch is asked for.
        let batches = std::iter::from_fn(move || {
            let mut run = run.lock();
            if let Some(begin) = begin.take() {
                match begin() {
                    Ok(started) => *run = Some(started),
                    Err(error) => return Some(Err(to_datafusion(error))),
                }
            }
            let rows = match demand.load(Ordering::Relaxed) {
                0 => BATCH_ROWS,
                wanted => wanted.min(BATCH_ROWS),
            };
            let batches = run.as_mut()?.fetch_arrays(rows);
            match batches {
                Ok(batches) => batches.into_iter().next().map(|batch| named(batch, &batch_schema)),
                Err(error) => Some(Err(to_datafusion(error))),
            }
        });
        let stream = RecordBatchStreamAdapter::new(schema, futures::stream::iter(batches));
        Ok(Box::pin(datafusion::physical_plan::coop::cooperative(stream)))
    }
}

/// The batch under the names of the plan.
fn named(batch: RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), batch.columns().to_vec(), &options)?)
}

/// The types of columns as the row-by-row way has them.
pub(super) fn has_types(schema: &datafusion::common::DFSchema) -> bool {
    schema.fields().iter().all(|field| of_arrow(field.data_type()).is_some_and(|kind| kind != DatumType::Null))
}
