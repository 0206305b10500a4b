//! Shapes of subqueries that the planner's own rules may turn into joins.
//!
//! Those rules are right for plain shapes only: they pull the conditions on outer columns up to the join, and fail when
//! a column's name occurs twice, when groups, limits or set operators stand between, and when a subquery without rows
//! has a value all the same. So they get only the shapes spelt out here.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Operator, Projection};

use super::reference::{free, reaches_out, subquery_of};
use crate::functions::integer;

/// The input of a plan's projection, if it has one.
pub(super) fn below_projection(plan: &LogicalPlan) -> Option<&LogicalPlan> {
    match plan {
        LogicalPlan::Projection(projection) if has_more(&projection.expr) => None,
        LogicalPlan::Projection(projection) => Some(&projection.input),
        other => Some(other),
    }
}

/// True: there are references or subqueries in the expressions.
fn has_more(expressions: &[Expr]) -> bool {
    let more = |expr: &Expr| Ok(matches!(expr, Expr::OuterReferenceColumn(..)) || subquery_of(expr).is_some());
    expressions.iter().any(|expr| expr.exists(more).unwrap_or(true))
}

/// True: all outer references of a plan stand in conditions of one filter below its projections, and can be pulled up
/// from there.
pub(super) fn is_plain(plan: &LogicalPlan, equal_only: bool) -> Result<bool> {
    let Some(LogicalPlan::Filter(filter)) = below_projection(plan) else { return Ok(false) };
    // Nodes further down must not refer to the outside either.
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

/// `column = outer expression`.
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

/// True: a correlated scalar subquery may be left to the planner: one group of plain rows, and a value that is NULL
/// without rows.
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

/// True: the planner's simplification never removes the expression's columns: it may fold a CASE to NULL, which no join
/// finds.
pub(super) fn keeps_columns(expr: &Expr) -> bool {
    match expr {
        Expr::Column(_) => true,
        Expr::Alias(alias) => keeps_columns(&alias.expr),
        Expr::Cast(cast) => keeps_columns(&cast.expr),
        Expr::ScalarFunction(call) => is_arithmetic(call.name()) && call.args.iter().any(keeps_columns),
        _ => false,
    }
}

/// True: an aggregate without GROUP BY, which returns one row for any input.
pub(super) fn is_one_row(plan: &LogicalPlan) -> bool {
    match below_projection(plan) {
        Some(LogicalPlan::Aggregate(aggregate)) => aggregate.group_expr.is_empty(),
        _ => false,
    }
}

/// Aggregates that are NULL without rows.
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

/// True: the plan's rows may be found by a join on equal columns: required for a scalar subquery that may return
/// several rows.
pub(crate) fn may_be_joined(plan: &LogicalPlan) -> bool {
    is_plain(plan, true).unwrap_or(false)
}

/// A projection of one column under another name: its own could be that of a column pulled up beside it.
pub(crate) fn renamed(projection: &Projection, name: &str) -> Result<LogicalPlan> {
    let column = projection.expr[0].clone().unalias().alias(name);
    LogicalPlanBuilder::new(LogicalPlan::clone(&projection.input)).project([column])?.build()
}
