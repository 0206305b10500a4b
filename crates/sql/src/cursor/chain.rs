//! UNION ALL as a concatenation of its inputs.
//!
//! DataFusion's union has its inputs as partitions, and a parent that wants one stream runs each of them as a task.
//! With the session's one thread this gains nothing, and two things are lost: a cancel reaches one branch while the
//! others run on, and aggregates above are made in two phases. [`OneStream`] is the first of the physical optimiser's
//! rules: the others see a node of one partition.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{Distribution, EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
};
use futures::{StreamExt, TryStreamExt};

/// Replaces every union by a [`ChainExec`].
#[derive(Debug)]
pub(crate) struct OneStream;

impl PhysicalOptimizerRule for OneStream {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let any: &dyn std::any::Any = node.as_ref();
            let Some(union) = any.downcast_ref::<UnionExec>() else { return Ok(Transformed::no(node)) };
            let chain: Arc<dyn ExecutionPlan> = Arc::new(ChainExec::new(union.inputs().clone(), union.schema()));
            Ok(Transformed::yes(chain))
        })
        .map(|transformed| transformed.data)
    }

    fn name(&self) -> &'static str {
        "one stream"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// All rows of the first input, then all of the second, and so on.
#[derive(Debug)]
struct ChainExec {
    inputs: Vec<Arc<dyn ExecutionPlan>>,
    schema: SchemaRef,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

impl ChainExec {
    fn new(inputs: Vec<Arc<dyn ExecutionPlan>>, schema: SchemaRef) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self { inputs, schema, metrics: ExecutionPlanMetricsSet::new(), properties: Arc::new(properties) }
    }
}

impl DisplayAs for ChainExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChainExec")
    }
}

impl ExecutionPlan for ChainExec {
    fn name(&self) -> &'static str {
        "ChainExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![Distribution::SinglePartition; self.inputs.len()]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inputs.iter().collect()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(children, Arc::clone(&self.schema))))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let schema = Arc::clone(&self.schema);
        let inputs = self.inputs.clone();
        // An input starts when the one before it has ended: gets come in the order of the text.
        let batches = futures::stream::iter(inputs)
            .map(move |input| input.execute(0, Arc::clone(&context)))
            .try_flatten()
            .map(move |batch| {
                let batch = batch?;
                metrics.record_output(batch.num_rows());
                // Inputs have column names of their own.
                let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
                Ok(RecordBatch::try_new_with_options(Arc::clone(&schema), batch.columns().to_vec(), &options)?)
            });
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
