//! The rows of `FROM DUAL CONNECT BY LEVEL <= n`, made a batch at a time.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, BinaryBuilder, StringArray};
use datafusion::arrow::datatypes::{DataType as ArrowType, Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
};

#[derive(Debug)]
pub(crate) struct RowGenerator {
    rows: u64,
    schema: SchemaRef,
}

impl RowGenerator {
    pub(crate) fn new(rows: u64) -> Arc<Self> {
        let schema =
            Schema::new(vec![Field::new("DUMMY", ArrowType::Utf8, true), Field::new("LEVEL", ArrowType::Binary, true)]);
        Arc::new(Self { rows, schema: Arc::new(schema) })
    }
}

#[async_trait]
impl TableProvider for RowGenerator {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Temporary
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let projection = projection.cloned().unwrap_or_else(|| vec![0, 1]);
        let schema = Arc::new(self.schema.project(&projection)?);
        let rows = limit.map_or(self.rows, |limit| self.rows.min(limit as u64));
        Ok(Arc::new(RowGeneratorExec::new(rows, projection, schema)))
    }
}

#[derive(Debug)]
pub(crate) struct RowGeneratorExec {
    rows: u64,
    projection: Vec<usize>,
    schema: SchemaRef,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

impl RowGeneratorExec {
    fn new(rows: u64, projection: Vec<usize>, schema: SchemaRef) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        .with_scheduling_type(SchedulingType::Cooperative);
        Self { rows, projection, schema, metrics: ExecutionPlanMetricsSet::new(), properties: Arc::new(properties) }
    }
}

impl DisplayAs for RowGeneratorExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowGeneratorExec: rows={}", self.rows)
    }
}

impl ExecutionPlan for RowGeneratorExec {
    fn name(&self) -> &'static str {
        "RowGeneratorExec"
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

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let batch_rows = context.session_config().batch_size() as u64;
        let (rows, projection, schema) = (self.rows, self.projection.clone(), Arc::clone(&self.schema));
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let batches = (0..rows.div_ceil(batch_rows)).map(move |n| {
            let first = n * batch_rows;
            let last = rows.min(first + batch_rows);
            let batch = batch(first, last, &projection, &schema);
            if let Ok(batch) = &batch {
                metrics.record_output(batch.num_rows());
            }
            batch
        });
        let stream = RecordBatchStreamAdapter::new(Arc::clone(&self.schema), futures::stream::iter(batches));
        Ok(Box::pin(datafusion::physical_plan::coop::cooperative(stream)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// Rows `first + 1` to `last`.
fn batch(first: u64, last: u64, projection: &[usize], schema: &SchemaRef) -> Result<RecordBatch> {
    let count = (last - first) as usize;
    let columns: Vec<ArrayRef> = projection
        .iter()
        .map(|column| -> ArrayRef {
            if *column == 0 {
                return Arc::new(StringArray::from_iter_values(std::iter::repeat_n("X", count)));
            }
            let mut builder = BinaryBuilder::with_capacity(count, count * 4);
            for level in first..last {
                builder.append_value(&format::number::encode_i64(level as i64 + 1)[..]);
            }
            Arc::new(builder.finish())
        })
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}
