//! The order of an inline view stays where the rows above it are numbered: by ROWNUM, a sequence, or a function that looks at them one by one.
//!
//! The planner keeps a sort for what says that it needs the order, and nothing in its plans says so of these: a sort below them would be dropped where
//! another one, a join or a grouping follows above. [`KeepOrder`] puts a node on such a sort that asks for its order. Where a subquery between them has become a
//! join, the sort has been put above that before (`subquery/order.rs`).

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

/// One of the first of the physical optimiser's rules: it has to see the sorts before the planner drops any.
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

/// Whether what a node makes of its rows depends on the order in which they come, without saying by what.
fn numbers_rows(node: &dyn ExecutionPlan) -> bool {
    if has_volatile(node) {
        return true;
    }
    let node: &dyn Any = node;
    let windows = node
        .downcast_ref::<WindowAggExec>()
        .map(WindowAggExec::window_expr)
        .or_else(|| node.downcast_ref::<BoundedWindowAggExec>().map(BoundedWindowAggExec::window_expr));
    // An order within partitions is one that the window asks for itself.
    let over_all = |windows: &[Arc<dyn WindowExpr>]| {
        windows.iter().any(|window| window.order_by().is_empty() && window.partition_by().is_empty())
    };
    windows.is_some_and(over_all)
}

fn replaced(node: Plan, input: Plan) -> Result<Plan> {
    node.replace_children(vec![input], ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

/// The plan with its sort held, where only nodes stand above the sort that hand its rows on in their order. None: there is no such sort.
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

/// Hands batches on, and needs its input in an order.
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

    // What asks for another order above it gets a sort of its own there.
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
