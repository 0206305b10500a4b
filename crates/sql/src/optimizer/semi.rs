//! Semi-joins with a side that has each key once: they are inner joins, and take part in the choice of the order.
//!
//! `select … from lines where order_id in (select id from orders where customer = 5)` finds the orders first, then
//! their lines.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, NullEquality, Result};
use datafusion::logical_expr::{Expr, Join, JoinType, LogicalPlan, Projection};

use crate::scan::table::EngineTable;

/// The plan with such semi-joins as inner joins.
///
/// # Errors
/// Errors of building plans.
pub(super) fn as_inner(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    plan.transform_up_with_subqueries(|node| {
        let LogicalPlan::Join(join) = &node else { return Ok(Transformed::no(node)) };
        if join.join_type != JoinType::LeftSemi
            || join.null_aware
            || join.null_equality != NullEquality::NullEqualsNothing
            || !has_each_once(join)
        {
            return Ok(Transformed::no(node));
        }
        let Join { left, right, on, filter, join_constraint, null_equality, .. } = join.clone();
        let columns = left.schema().columns().into_iter().map(Expr::Column).collect();
        let inner = Join::try_new(left, right, on, filter, JoinType::Inner, join_constraint, null_equality, false);
        // Columns of both sides have one name.
        let Ok(inner) = inner else { return Ok(Transformed::no(node)) };
        let schema = Arc::clone(&join.schema);
        let inner = Arc::new(LogicalPlan::Join(inner));
        Projection::try_new_with_schema(columns, inner, schema).map(LogicalPlan::Projection).map(Transformed::yes)
    })
}

/// True: a row of the left side has at most one partner.
fn has_each_once(join: &Join) -> bool {
    let mut table = None;
    let mut keys: Vec<u16> = Vec::new();
    for (_, right) in &join.on {
        let Expr::Column(column) = right else { continue };
        let Some((of, position)) = origin(&join.right, column) else { return false };
        keys.push(position);
        table = Some(of);
    }
    table.is_some_and(|table| {
        let is_key = |columns: &[u16]| columns.iter().all(|column| keys.contains(column));
        table.table().indexes.iter().any(|index| index.unique && is_key(&index.columns))
    })
}

/// The table's column that an output of a plan is, where the plan gives each row of one table at most once.
fn origin(plan: &LogicalPlan, column: &Column) -> Option<(Arc<EngineTable>, u16)> {
    match plan {
        LogicalPlan::TableScan(scan) => {
            let field = scan.projected_schema.maybe_index_of_column(column)?;
            let at = scan.projection.as_ref().map_or(Some(field), |fields| fields.get(field).copied())?;
            let table = EngineTable::of(scan)?;
            (at < table.table().columns.len()).then_some((table, at as u16))
        }
        LogicalPlan::Filter(filter) => origin(&filter.input, column),
        LogicalPlan::SubqueryAlias(alias) => {
            let at = alias.schema.maybe_index_of_column(column)?;
            origin(&alias.input, &Column::from(alias.input.schema().qualified_field(at)))
        }
        LogicalPlan::Projection(projection) => {
            let at = projection.schema.maybe_index_of_column(column)?;
            let expr = match projection.expr.get(at)? {
                Expr::Alias(alias) => &alias.expr,
                expr => expr,
            };
            let Expr::Column(below) = expr else { return None };
            origin(&projection.input, below)
        }
        _ => None,
    }
}
