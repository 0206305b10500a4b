//! Bloom filters where a hash join has the rows of one side before a scan by cells begins on the other.
//!
//! A row of that side without a partner must be of no use: so the join is an inner one, or one that keeps the rows of
//! its first side alone. Between the join and the table there may be conditions and computed columns; those are then
//! evaluated for fewer rows.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{JoinType, NullEquality, Result};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::{ChildrenPropertiesMode, ExecutionPlan, ReplaceChildrenOptions};

use crate::scan::exec::TableReadExec;
use crate::scan::join_filter::{JoinFilter, JoinFilterExec, has_stored_form};

type Plan = Arc<dyn ExecutionPlan>;

/// The plan with filters where they may be.
pub(super) fn put_in(plan: Plan) -> Result<Plan> {
    let mut made = 0;
    plan.transform_up(|node| {
        let join = (node.as_ref() as &dyn Any).downcast_ref::<HashJoinExec>();
        let Some(join) = join.filter(|join| drops_others(join)) else { return Ok(Transformed::no(node)) };
        let name = format!(":BF{made:04}");
        let (mut right, mut filters) = (Arc::clone(join.right()), Vec::new());
        for (first, second) in join.on() {
            let (Some(first), Some(second)) = (column(first), column(second)) else { continue };
            let types = (join.left().schema(), join.right().schema());
            let (from, to) = (types.0.field(first).data_type(), types.1.field(second).data_type());
            if from != to || !has_stored_form(from) {
                continue;
            }
            let filter = Arc::new(JoinFilter::new(name.clone()));
            if let Some(filtered) = with_filter(&right, second, &filter)? {
                right = filtered;
                filters.push((first, filter));
            }
        }
        if filters.is_empty() {
            return Ok(Transformed::no(node));
        }
        made += 1;
        let left: Plan = Arc::new(JoinFilterExec::new(Arc::clone(join.left()), filters));
        replaced(&node, vec![left, right]).map(Transformed::yes)
    })
    .map(|made| made.data)
}

/// True: rows of the second side without a partner have no part in the join's result.
fn drops_others(join: &HashJoinExec) -> bool {
    let kind = matches!(
        join.join_type(),
        JoinType::Inner | JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::RightSemi
    );
    kind && !join.null_aware && join.null_equality() == NullEquality::NullEqualsNothing
}

fn column(expr: &Arc<dyn PhysicalExpr>) -> Option<usize> {
    (expr.as_ref() as &dyn Any).downcast_ref::<Column>().map(Column::index)
}

fn replaced(node: &Plan, children: Vec<Plan>) -> Result<Plan> {
    Arc::clone(node).replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

/// The plan with a filter on one of its columns, in the scan of the table that it comes from. None: it comes from none,
/// or the scan takes no filter.
fn with_filter(plan: &Plan, index: usize, filter: &Arc<JoinFilter>) -> Result<Option<Plan>> {
    let node: &dyn Any = plan.as_ref();
    if let Some(read) = node.downcast_ref::<TableReadExec>() {
        return Ok(read.with_join_filter(index, filter).map(|read| Arc::new(read) as Plan));
    }
    if let Some(projection) = node.downcast_ref::<ProjectionExec>() {
        let below = projection.expr().get(index).and_then(|expr| column(&expr.expr));
        return below.map_or(Ok(None), |index| over(plan, projection.input(), index, filter));
    }
    let through = |projection: Option<&[usize]>| match projection {
        Some(projection) => projection.get(index).copied(),
        None => Some(index),
    };
    if let Some(condition) = node.downcast_ref::<FilterExec>().filter(|condition| condition.fetch().is_none()) {
        let below = through(condition.projection().as_deref());
        return below.map_or(Ok(None), |index| over(plan, condition.input(), index, filter));
    }
    // The second side of a join below it: that is read last.
    if let Some(join) = node.downcast_ref::<HashJoinExec>().filter(|join| join.fetch().is_none()) {
        let below = through(join.projection.as_deref());
        let first = join.left().schema().fields().len();
        let second = below.and_then(|index| match join.join_type() {
            JoinType::Inner => index.checked_sub(first),
            JoinType::RightSemi => Some(index),
            _ => None,
        });
        let Some(index) = second else { return Ok(None) };
        let Some(right) = with_filter(join.right(), index, filter)? else { return Ok(None) };
        return replaced(plan, vec![Arc::clone(join.left()), right]).map(Some);
    }
    Ok(None)
}

fn over(plan: &Plan, input: &Plan, index: usize, filter: &Arc<JoinFilter>) -> Result<Option<Plan>> {
    match with_filter(input, index, filter)? {
        Some(input) => replaced(plan, vec![input]).map(Some),
        None => Ok(None),
    }
}
