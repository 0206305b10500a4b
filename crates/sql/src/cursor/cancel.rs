//! Cancels inside DataFusion's operators.
//!
//! A running plan checks for a cancel between two polls. Scans yield now and then, but a join that rejects millions of
//! pairs, and an operator above a join that takes batch after batch from it, stay inside one poll for as long as it
//! takes. So the filter of every join checks at each batch of pairs ([`CheckedFilter`]), and every join passes its
//! batches through a node that checks ([`CheckedExec`]).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType as ArrowType, SchemaRef};
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
};
use engine::instance::Session;
use futures::StreamExt;

use crate::error::to_datafusion;

/// The optimised plan, with every join's filter checking for a cancel.
pub(crate) fn check_filters(session: &Arc<Session>, plan: LogicalPlan) -> Result<LogicalPlan> {
    let function = Arc::new(ScalarUDF::new_from_impl(CheckedFilter {
        session: Arc::clone(session),
        // Volatile: evaluated for every batch, and never moved.
        signature: Signature::any(1, Volatility::Volatile),
    }));
    plan.transform_up_with_subqueries(|mut node| {
        let LogicalPlan::Join(join) = &mut node else { return Ok(Transformed::no(node)) };
        let Some(filter) = join.filter.take() else { return Ok(Transformed::no(node)) };
        join.filter = Some(Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(&function), vec![filter])));
        Ok(Transformed::yes(node))
    })
    .map(|transformed| transformed.data)
}

/// The physical plan with a [`CheckedExec`] above every join.
pub(crate) fn check_joins(session: &Arc<Session>, plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    plan.transform_up(|node| {
        if !node.name().ends_with("JoinExec") {
            return Ok(Transformed::no(node));
        }
        let checked: Arc<dyn ExecutionPlan> = Arc::new(CheckedExec { session: Arc::clone(session), input: node });
        Ok(Transformed::yes(checked))
    })
    .map(|transformed| transformed.data)
}

/// A condition that returns its argument, or fails with ORA-01013.
struct CheckedFilter {
    session: Arc<Session>,
    signature: Signature,
}

impl fmt::Debug for CheckedFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CheckedFilter")
    }
}

impl PartialEq for CheckedFilter {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session)
    }
}

impl Eq for CheckedFilter {}

impl Hash for CheckedFilter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.session.sid().hash(state);
    }
}

impl ScalarUDFImpl for CheckedFilter {
    fn name(&self) -> &'static str {
        "CHECKED"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> Result<ArrowType> {
        Ok(ArrowType::Boolean)
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.session.check_cancelled().map_err(to_datafusion)?;
        args.args.pop().ok_or_else(|| to_datafusion(common::Error::bug("a join's filter without a condition")))
    }
}

/// Passes batches on, or fails with ORA-01013 after a cancel.
#[derive(Debug)]
pub(crate) struct CheckedExec {
    session: Arc<Session>,
    input: Arc<dyn ExecutionPlan>,
}

impl DisplayAs for CheckedExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CheckedExec")
    }
}

impl ExecutionPlan for CheckedExec {
    fn name(&self) -> &'static str {
        "CheckedExec"
    }

    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input =
            children.pop().ok_or_else(|| to_datafusion(common::Error::bug("a checked join without the join")))?;
        Ok(Arc::new(Self { session: Arc::clone(&self.session), input }))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        let session = Arc::clone(&self.session);
        let checked = input.map(move |batch| {
            session.check_cancelled().map_err(to_datafusion)?;
            batch
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), checked)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.input.metrics()
    }
}
