//! MIN and MAX without groups over a scan by cells: these send the rows that have the least or the greatest values of
//! a piece, and the aggregate finds those of all.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::{ChildrenPropertiesMode, ExecutionPlan, ReplaceChildrenOptions};

use crate::scan::exec::TableReadExec;

type Plan = Arc<dyn ExecutionPlan>;

/// The plan with scans that may leave out other rows.
pub(super) fn put_in(plan: Plan) -> Result<Plan> {
    plan.transform_up(|node| {
        let aggregate = (node.as_ref() as &dyn Any).downcast_ref::<AggregateExec>();
        let wanted = aggregate.and_then(|aggregate| Some((aggregate.input(), wanted(aggregate)?)));
        let Some((input, wanted)) = wanted else { return Ok(Transformed::no(node)) };
        match reduced(input, &wanted)? {
            Some(input) => replaced(&node, input).map(Transformed::yes),
            None => Ok(Transformed::no(node)),
        }
    })
    .map(|made| made.data)
}

/// The columns of the input of which an aggregate wants the least or the greatest value. None: it wants something else.
fn wanted(aggregate: &AggregateExec) -> Option<Vec<(usize, bool)>> {
    let is_plain = aggregate.group_expr().is_empty() && aggregate.filter_expr().iter().all(Option::is_none);
    if !is_plain || aggregate.aggr_expr().is_empty() {
        return None;
    }
    let of = |function: &Arc<datafusion::physical_expr::aggregate::AggregateFunctionExpr>| {
        let greatest = match function.fun().name() {
            "min" => false,
            "max" => true,
            _ => return None,
        };
        let arguments = function.expressions();
        let [argument] = &arguments[..] else { return None };
        let column = (argument.as_ref() as &dyn Any).downcast_ref::<Column>()?;
        Some((column.index(), greatest))
    };
    aggregate.aggr_expr().iter().map(of).collect()
}

fn replaced(node: &Plan, input: Plan) -> Result<Plan> {
    Arc::clone(node).replace_children(vec![input], ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
}

/// The plan over a scan that may leave rows out. None: something between them looks at all rows.
fn reduced(plan: &Plan, wanted: &[(usize, bool)]) -> Result<Option<Plan>> {
    let node: &dyn Any = plan.as_ref();
    if let Some(read) = node.downcast_ref::<TableReadExec>() {
        return Ok(read.of_extremes(wanted).map(|read| Arc::new(read) as Plan));
    }
    let Some(projection) = node.downcast_ref::<ProjectionExec>() else { return Ok(None) };
    // Each column as it is: an expression may fail, or be another one at each row.
    let below = |index: usize| (projection.expr().get(index)?.expr.as_ref() as &dyn Any).downcast_ref::<Column>();
    if !(0..projection.expr().len()).all(|index| below(index).is_some()) {
        return Ok(None);
    }
    let wanted: Option<Vec<_>> =
        wanted.iter().map(|(index, greatest)| Some((below(*index)?.index(), *greatest))).collect();
    let Some(wanted) = wanted else { return Ok(None) };
    match reduced(projection.input(), &wanted)? {
        Some(input) => replaced(plan, input).map(Some),
        None => Ok(None),
    }
}
