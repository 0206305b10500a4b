//! Merge joins, where a hint asks for them: hash joins to such a table become merges of both inputs' rows. The planner
//! sorts those that are not in order.

use std::any::Any;
use std::sync::Arc;

use datafusion::arrow::compute::SortOptions;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{HashJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};

use crate::scan::exec::TableReadExec;

type Plan = Arc<dyn ExecutionPlan>;

/// The rule that puts them in. It comes before those that drop sorts: a hash join keeps another order than a merge.
#[derive(Debug)]
pub(crate) struct MergeJoins;

impl PhysicalOptimizerRule for MergeJoins {
    fn optimize(&self, plan: Plan, _: &ConfigOptions) -> Result<Plan> {
        let made = plan.transform_up(|node| {
            let join = (node.as_ref() as &dyn Any).downcast_ref::<HashJoinExec>();
            // NOT IN with NULLs is a hash join's alone.
            let may_be = |join: &&HashJoinExec| !join.null_aware && join.fetch().is_none();
            let asked = |join: &&HashJoinExec| is_merged(join.left()) || is_merged(join.right());
            let Some(join) = join.filter(may_be).filter(asked) else {
                return Ok(Transformed::no(node));
            };
            merged(join).map(Transformed::yes)
        });
        made.map(|made| made.data)
    }

    fn name(&self) -> &'static str {
        "merge joins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// True: it reads one table, whose rows are to be merged.
fn is_merged(plan: &Plan) -> bool {
    let node: &dyn Any = plan.as_ref();
    if let Some(read) = node.downcast_ref::<TableReadExec>() {
        return read.is_merged();
    }
    let over = node.is::<FilterExec>() || node.is::<ProjectionExec>();
    over && plan.children().into_iter().all(is_merged)
}

fn merged(join: &HashJoinExec) -> Result<Plan> {
    let merge = SortMergeJoinExec::try_new(
        Arc::clone(join.left()),
        Arc::clone(join.right()),
        join.on().to_vec(),
        join.filter().cloned(),
        *join.join_type(),
        vec![SortOptions::default(); join.on().len()],
        join.null_equality(),
    )?;
    let merge: Plan = Arc::new(merge);
    let Some(columns) = &join.projection else { return Ok(merge) };
    let schema = merge.schema();
    let column = |at: &usize| {
        let name = schema.field(*at).name();
        let expr = Arc::new(Column::new(name, *at));
        ProjectionExpr { expr, alias: name.clone() }
    };
    let columns: Vec<ProjectionExpr> = columns.iter().map(column).collect();
    Ok(Arc::new(ProjectionExec::try_new(columns, merge)?))
}
