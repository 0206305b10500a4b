//! Keeps the order of an inline view below nodes that number its rows: ROWNUM, a sequence, or a function evaluated row
//! by row.
//!
//! The planner keeps a sort for a parent that requires the order, and its plans do not state that these require one: a
//! sort below them would be dropped where another sort, a join or a grouping follows above. [`KeepOrder`] puts a node
//! on such a sort that requires its order. Where a subquery between them has become a join, the sort has been moved
//! above it before (`subquery/order.rs`).

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::window::WindowExpr;
use datafusion::physical_expr::{LexOrdering, OrderingRequirements, PhysicalExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
};

use super::nullable::has_volatile;
use crate::error::to_datafusion;

type Plan = Arc<dyn ExecutionPlan>;

/// One of the first physical optimiser rules: it must see the sorts before the planner drops any.
#[derive(Debug)]
pub(crate) struct KeepOrder;

impl PhysicalOptimizerRule for KeepOrder {
    fn optimize(&self, plan: Plan, _: &ConfigOptions) -> Result<Plan> {
        plan.transform_up(|node| {
            if !numbers_rows(&*node) {
                return Ok(Transformed::no(node));
            }
            let Some(input) = node.children().first().copied().map(Arc::clone) else {
                return Ok(Transformed::no(node));
            };
            match held(&input)? {
                Some(input) => replaced(node, input).map(Transformed::yes),
                None => Ok(Transformed::no(node)),
            }
        })
        .map(|transformed| transformed.data)
    }

    fn name(&self) -> &'static str {
        "keep order"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// True: the node's result depends on the order of its rows, without a stated requirement.
fn numbers_rows(node: &dyn ExecutionPlan) -> bool {
    if has_volatile(node) {
        return true;
    }
    let node: &dyn Any = node;
    let windows = node
        .downcast_ref::<WindowAggExec>()
        .map(WindowAggExec::window_expr)
        .or_else(|| node.downcast_ref::<BoundedWindowAggExec>().map(BoundedWindowAggExec::window_expr));
    // A window requires an order within partitions itself.
    let over_all = |windows: &[Arc<dyn WindowExpr>]| {
        windows.iter().any(|window| window.order_by().is_empty() && window.partition_by().is_empty())
    };
    windows.is_some_and(over_all)
}

fn replaced(node: Plan, input: Plan) -> Result<Plan> {
    node.replace_children(vec![input], ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

/// The plan with its sort held, where only order-preserving nodes stand above the sort. None: there is no such sort.
fn held(plan: &Plan) -> Result<Option<Plan>> {
    let node: &dyn Any = plan.as_ref();
    if let Some(sort) = node.downcast_ref::<SortExec>() {
        return Ok(Some(KeepOrderExec::above(Arc::clone(plan), sort.expr().clone())));
    }
    let [input] = plan.children()[..] else { return Ok(None) };
    if plan.maintains_input_order() != [true] {
        return Ok(None);
    }
    held(input)?.map(|input| replaced(Arc::clone(plan), input)).transpose()
}

/// Passes batches on, and requires its input's order.
#[derive(Debug)]
struct KeepOrderExec {
    input: Plan,
    order: LexOrdering,
}

impl KeepOrderExec {
    fn above(input: Plan, order: LexOrdering) -> Plan {
        Arc::new(Self { input, order })
    }
}

impl DisplayAs for KeepOrderExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeepOrderExec: {}", self.order)
    }
}

impl ExecutionPlan for KeepOrderExec {
    fn name(&self) -> &'static str {
        "KeepOrderExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Plan> {
        vec![&self.input]
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![Some(OrderingRequirements::from(self.order.clone()))]
    }

    // A parent that requires another order gets a sort of its own above.
    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        expression: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for key in &self.order {
            if expression(&key.expr)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(self: Arc<Self>, mut children: Vec<Plan>, _: ReplaceChildrenOptions) -> Result<Plan> {
        let input = children.pop().ok_or_else(|| to_datafusion(common::Error::bug("an order without rows")))?;
        Ok(Self::above(input, self.order.clone()))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Plan>) -> Result<Plan> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.input.metrics()
    }
}
