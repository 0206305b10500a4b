//! Conditions stay above an aggregate that gives a row of no rows.
//!
//! DataFusion's `push_down_filter` moves a condition below an aggregate when all its columns are grouping columns. Of a condition without columns that is
//! always so, and below an aggregate without GROUP BY it no longer decides about the one row: `select count(*) from t having exists (select …)`. Of ROLLUP
//! and its like the grouping columns are other columns above than below: NULL in the totals. A limit is what conditions are not moved past.

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};

/// The plan with such aggregates kept apart from the conditions above them.
///
/// # Errors
/// Those of building plans.
pub(super) fn keep_conditions_above(plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.transform_up(|node| {
        let names_nothing = match &node {
            LogicalPlan::Filter(filter) => names_no_column(&filter.predicate),
            LogicalPlan::Join(join) => join.filter.as_ref().is_some_and(names_no_column),
            _ => return Ok(Transformed::no(node)),
        };
        node.map_children(|child| apart(child, names_nothing))
    })
    .map(|plan| plan.data)
}

fn names_no_column(condition: &Expr) -> bool {
    split_conjunction(condition)
        .iter()
        .any(|condition| !matches!(condition, Expr::Literal(..)) && condition.column_refs().is_empty())
}

/// Puts a limit on aggregates with several groupings, and with `all` on those without any.
fn apart(plan: LogicalPlan, all: bool) -> Result<Transformed<LogicalPlan>> {
    let limited =
        |groups: &[Expr]| all && groups.is_empty() || groups.iter().any(|group| matches!(group, Expr::GroupingSet(_)));
    plan.transform_down(|node| match &node {
        // What is below it is out of the condition's reach.
        LogicalPlan::Limit(_) => Ok(Transformed::new(node, false, TreeNodeRecursion::Jump)),
        LogicalPlan::Aggregate(aggregate) if limited(&aggregate.group_expr) => {
            let limit = LogicalPlanBuilder::new(node).limit(0, Some(usize::MAX >> 1))?.build()?;
            Ok(Transformed::new(limit, true, TreeNodeRecursion::Jump))
        }
        _ => Ok(Transformed::no(node)),
    })
}
