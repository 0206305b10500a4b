//! Columns that are constant on the nullable side of an outer join are not constant above it; nor are grouping columns
//! of ROLLUP, which are NULL in the totals.
//!
//! The planner takes over the constants of its inputs when it derives the order of a join's or a grouping's rows, and
//! drops a sort by such a column. [`ForgetConstants`] is one of the first physical optimiser rules: it puts a node
//! without constants below the join or the grouping.
//!
//! The planner takes values of a window's aggregate for sorted with the window's rows, wherever their NULLs are: the
//! node stands above such windows.
//!
//! If a window's keys are constant, or equal to others by a condition, the planner derives too short an order for its
//! rows: the node stands below windows too.
//!
//! The planner also takes a function of constants for a constant, and two identical calls for one value, though a
//! volatile call has a new value each time. So the node stands above a projection with such calls too.

use std::fmt;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{JoinType, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::window::StandardWindowExpr;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_expr_common::physical_expr::is_volatile;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
    ReplaceChildrenOptions,
};

use crate::error::to_datafusion;

#[derive(Debug)]
pub(crate) struct ForgetConstants;

impl PhysicalOptimizerRule for ForgetConstants {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let (node, changed) = unordered(node)?;
            if has_volatile(&*node) {
                return Ok(Transformed::yes(NullableExec::above(node)));
            }
            if is_window(&*node) {
                let inputs = node.children().into_iter().map(|input| {
                    // The order of one window serves the next one.
                    let sorted = is_window(&**input);
                    if sorted { Arc::clone(input) } else { NullableExec::above(Arc::clone(input)) }
                });
                let inputs = inputs.collect();
                return over(node, inputs).map(Transformed::yes);
            }
            let nullable = if has_totals(&*node) {
                [true, true]
            } else {
                match join_type(&*node) {
                    Some(JoinType::Left) => [false, true],
                    Some(JoinType::Right) => [true, false],
                    Some(JoinType::Full) => [true, true],
                    _ => return Ok(Transformed::new_transformed(node, changed)),
                }
            };
            let inputs = node.children().into_iter().zip(nullable).map(|(input, nullable)| {
                let constants = nullable && !input.equivalence_properties().constants().is_empty();
                if constants { NullableExec::above(Arc::clone(input)) } else { Arc::clone(input) }
            });
            let inputs = inputs.collect();
            over(node, inputs).map(Transformed::yes)
        })
        .map(|transformed| transformed.data)
    }

    fn name(&self) -> &'static str {
        "forget constants"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// True: it groups by several sets of columns.
fn has_totals(node: &dyn ExecutionPlan) -> bool {
    let node: &dyn std::any::Any = node;
    node.downcast_ref::<AggregateExec>().is_some_and(|aggregate| !aggregate.group_expr().is_single())
}

/// The node over other inputs.
fn over(node: Arc<dyn ExecutionPlan>, inputs: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
    node.replace_children(inputs, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

/// The node above the one that drops the order of windows with aggregates below it: their values are taken for sorted
/// with their rows, wherever their NULLs are. A window above keeps the order, which is its rows' order too.
fn unordered(node: Arc<dyn ExecutionPlan>) -> Result<(Arc<dyn ExecutionPlan>, bool)> {
    let children = node.children();
    if is_window(&*node) || !children.iter().any(|child| has_aggregates(&***child)) {
        return Ok((node, false));
    }
    let children = children
        .into_iter()
        .map(|child| if has_aggregates(&**child) { NullableExec::above(Arc::clone(child)) } else { Arc::clone(child) });
    let children = children.collect();
    Ok((over(node, children)?, true))
}

/// True: a window with aggregates.
fn has_aggregates(node: &dyn ExecutionPlan) -> bool {
    let node: &dyn std::any::Any = node;
    let windows = node.downcast_ref::<WindowAggExec>().map(WindowAggExec::window_expr);
    let windows =
        windows.or_else(|| node.downcast_ref::<BoundedWindowAggExec>().map(BoundedWindowAggExec::window_expr));
    windows.is_some_and(|windows| windows.iter().any(|window| !window.as_any().is::<StandardWindowExpr>()))
}

fn is_window(node: &dyn ExecutionPlan) -> bool {
    let node: &dyn std::any::Any = node;
    node.is::<WindowAggExec>() || node.is::<BoundedWindowAggExec>()
}

/// True: it makes columns with a new value at each evaluation.
pub(super) fn has_volatile(node: &dyn ExecutionPlan) -> bool {
    let node: &dyn std::any::Any = node;
    node.downcast_ref::<ProjectionExec>()
        .is_some_and(|projection| projection.expr().iter().any(|column| is_volatile(&column.expr)))
}

fn join_type(node: &dyn ExecutionPlan) -> Option<JoinType> {
    let node: &dyn std::any::Any = node;
    if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        return Some(*join.join_type());
    }
    if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
        return Some(*join.join_type());
    }
    node.downcast_ref::<SortMergeJoinExec>().map(SortMergeJoinExec::join_type)
}

/// Passes batches on.
#[derive(Debug)]
struct NullableExec {
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl NullableExec {
    fn above(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let old = input.properties();
        let forgetful = EquivalenceProperties::new(input.schema());
        let properties = PlanProperties::new(forgetful, old.partitioning.clone(), old.emission_type, old.boundedness)
            .with_scheduling_type(old.scheduling_type)
            .with_evaluation_type(old.evaluation_type);
        Arc::new(Self { input, properties: Arc::new(properties) })
    }
}

impl DisplayAs for NullableExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NullableExec")
    }
}

impl ExecutionPlan for NullableExec {
    fn name(&self) -> &'static str {
        "NullableExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
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
        let input = children.pop().ok_or_else(|| to_datafusion(common::Error::bug("a side of a join without rows")))?;
        Ok(Self::above(input))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.input.metrics()
    }
}
