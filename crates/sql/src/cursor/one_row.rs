//! Conditions that name no column stay above an aggregate without GROUP BY.
//!
//! DataFusion's `push_down_filter` moves a condition below an aggregate when all its columns are grouping columns; of a condition without columns that is
//! always so. Below an aggregate that gives a row whatever it reads, the condition would no longer decide about that row:
//! `select count(*) from t having exists (select …)`. A limit is what conditions are not moved past.

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode};
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
            _ => false,
        };
        if names_nothing {
            node.map_children(apart).map(|node| Transformed::yes(node.data))
        } else {
            Ok(Transformed::no(node))
        }
    })
    .map(|plan| plan.data)
}

fn names_no_column(condition: &Expr) -> bool {
    split_conjunction(condition)
        .iter()
        .any(|condition| !matches!(condition, Expr::Literal(..)) && condition.column_refs().is_empty())
}

/// Whether it gives a row of no rows.
fn always_gives_a_row(groups: &[Expr]) -> bool {
    groups.is_empty() || groups.iter().any(|group| matches!(group, Expr::GroupingSet(_)))
}

fn apart(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    plan.transform_up(|node| match &node {
        LogicalPlan::Aggregate(aggregate) if always_gives_a_row(&aggregate.group_expr) => {
            let limit = LogicalPlanBuilder::new(node).limit(0, Some(usize::MAX >> 1))?.build()?;
            Ok(Transformed::yes(limit))
        }
        _ => Ok(Transformed::no(node)),
    })
}
