//! Which subqueries the planner's own rules make joins of.
//!
//! Those rules are right for plain shapes only: they pull the conditions on outer columns up to the join, and lose their way where a column's name is there
//! twice, where groups, limits or set operators stand between, and where a subquery without rows has a value all the same. So nothing is left to them but
//! what is spelt out here.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Operator, Projection};

use super::reference::{free, reaches_out, subquery_of};
use crate::functions::integer;

/// What stands below a plan's projection, if it has one.
pub(super) fn below_projection(plan: &LogicalPlan) -> Option<&LogicalPlan> {
    match plan {
        LogicalPlan::Projection(projection) if has_more(&projection.expr) => None,
        LogicalPlan::Projection(projection) => Some(&projection.input),
        other => Some(other),
    }
}

/// Whether there are references or subqueries in expressions.
fn has_more(expressions: &[Expr]) -> bool {
    let more = |expr: &Expr| Ok(matches!(expr, Expr::OuterReferenceColumn(..)) || subquery_of(expr).is_some());
    expressions.iter().any(|expr| expr.exists(more).unwrap_or(true))
}

/// Whether all that the rows of a plan refer to outside stands in conditions of one filter below its projections, and can be pulled up from there.
pub(super) fn is_plain(plan: &LogicalPlan, equal_only: bool) -> Result<bool> {
    let Some(LogicalPlan::Filter(filter)) = below_projection(plan) else { return Ok(false) };
    // Nor may anything deeper refer to what is outside.
    if !free(&filter.input)?.is_empty() || reaches_out(plan)? {
        return Ok(false);
    }
    let mut columns: Vec<Column> = Vec::new();
    for condition in split_conjunction(&filter.predicate) {
        let (mut outer, mut nested) = (false, false);
        condition.apply(|expr| {
            outer |= matches!(expr, Expr::OuterReferenceColumn(..));
            nested |= subquery_of(expr).is_some();
            Ok(TreeNodeRecursion::Continue)
        })?;
        if outer && (nested || condition.is_volatile()) {
            return Ok(false);
        }
        if !outer {
            continue;
        }
        if equal_only && !is_equality(condition) {
            return Ok(false);
        }
        for column in condition.column_refs() {
            if columns.iter().any(|known| known.name == column.name && known != column) {
                return Ok(false);
            }
            columns.push(column.clone());
        }
    }
    Ok(!columns.is_empty())
}

/// `column = what is outside`.
fn is_equality(condition: &Expr) -> bool {
    let Expr::BinaryExpr(binary) = condition else { return false };
    if binary.op != Operator::Eq {
        return false;
    }
    let outside =
        |expr: &Expr| expr.column_refs().is_empty() && !matches!(expr, Expr::Literal(..)) && holds_reference(expr);
    let column = |expr: &Expr| matches!(expr, Expr::Column(_));
    column(&binary.left) && outside(&binary.right) || column(&binary.right) && outside(&binary.left)
}

fn holds_reference(expr: &Expr) -> bool {
    expr.exists(|expr| Ok(matches!(expr, Expr::OuterReferenceColumn(..)))).unwrap_or(false)
}

/// Whether a correlated scalar subquery may be left to the planner: one group of plain rows, and a value that is NULL where there are none.
pub(super) fn is_plain_aggregate(plan: &LogicalPlan) -> Result<bool> {
    let top: &[Expr] = match plan {
        LogicalPlan::Projection(projection) => &projection.expr,
        _ => &[],
    };
    let Some(LogicalPlan::Aggregate(aggregate)) = below_projection(plan) else { return Ok(false) };
    if !aggregate.group_expr.is_empty() || has_more(&aggregate.aggr_expr) {
        return Ok(false);
    }
    let counts = aggregate.aggr_expr.iter().any(|expr| {
        expr.exists(|expr| Ok(matches!(expr, Expr::AggregateFunction(call) if !is_null_of_nothing(call.func.name()))))
            .unwrap_or(true)
    });
    let strict = if counts { top.iter().all(is_count_alone) } else { top.iter().all(is_strict) };
    Ok(strict && !(counts && aggregate.aggr_expr.len() > 1) && is_plain(&aggregate.input, true)?)
}

/// Whether an expression keeps its columns, whatever the planner finds out about it: of a CASE it may leave a NULL alone, which no join finds.
pub(super) fn keeps_columns(expr: &Expr) -> bool {
    match expr {
        Expr::Column(_) => true,
        Expr::Alias(alias) => keeps_columns(&alias.expr),
        Expr::Cast(cast) => keeps_columns(&cast.expr),
        Expr::ScalarFunction(call) => is_arithmetic(call.name()) && call.args.iter().any(keeps_columns),
        _ => false,
    }
}

/// Whether it is an aggregate without GROUP BY, which gives one row of whatever it reads.
pub(super) fn is_one_row(plan: &LogicalPlan) -> bool {
    match below_projection(plan) {
        Some(LogicalPlan::Aggregate(aggregate)) => aggregate.group_expr.is_empty(),
        _ => false,
    }
}

/// Aggregates that are NULL where there are no rows.
fn is_null_of_nothing(name: &str) -> bool {
    ["min", "max", "sum", "avg"].contains(&name.to_lowercase().as_str())
}

fn is_arithmetic(name: &str) -> bool {
    ["+", "-", "*", "/", "NEGATE"].contains(&name)
}

/// A column, under whatever name, and as NUMBER.
fn is_count_alone(expr: &Expr) -> bool {
    match expr {
        Expr::Alias(alias) => is_count_alone(&alias.expr),
        Expr::Column(_) => true,
        Expr::ScalarFunction(call) => integer::is_to_number(call) && call.args.iter().all(is_count_alone),
        _ => false,
    }
}

/// NULL where a column in it is.
fn is_strict(expr: &Expr) -> bool {
    match expr {
        Expr::Alias(alias) => is_strict(&alias.expr),
        Expr::Column(_) | Expr::Literal(..) => true,
        Expr::ScalarFunction(call) => is_arithmetic(call.name()) && call.args.iter().all(is_strict),
        _ => false,
    }
}

/// Whether rows of a plan may be found by a join on equal columns: what a scalar subquery needs that is not sure to give one row.
pub(crate) fn may_be_joined(plan: &LogicalPlan) -> bool {
    is_plain(plan, true).unwrap_or(false)
}

/// A projection of one column under another name: its own could be that of a column that is pulled up beside it.
pub(crate) fn renamed(projection: &Projection, name: &str) -> Result<LogicalPlan> {
    let column = projection.expr[0].clone().unalias().alias(name);
    LogicalPlanBuilder::new(LogicalPlan::clone(&projection.input)).project([column])?.build()
}
