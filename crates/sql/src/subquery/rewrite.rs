//! Each subquery of a plan becomes what can carry it out.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetQuantifier};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Expr, Filter, LogicalPlan, LogicalPlanBuilder, Operator, Subquery, lit};

use super::apply::{self, Planner, Question};
use super::reference::{free, scope_around, subquery_of};
use super::{order, shape, tuple};
use crate::functions::or_null;

/// The name of the column that a membership compares with.
const MEMBER: &str = "\u{1}MEMBER";

/// The plan with every subquery either in a shape that the planner is trusted with, or as a function.
///
/// # Errors
/// Those of building plans.
pub(crate) fn rewrite(plan: LogicalPlan, planner: &Arc<Planner>) -> Result<LogicalPlan> {
    order::shown(rewritten(plan, planner)?)
}

fn rewritten(plan: LogicalPlan, planner: &Arc<Planner>) -> Result<LogicalPlan> {
    let plan = plan.transform_up(|node| {
        if !node.expressions().iter().any(holds) {
            return Ok(Transformed::no(node));
        }
        match node {
            LogicalPlan::Filter(Filter { predicate, input, .. }) => {
                let conditions = split_conjunction_owned(predicate)
                    .into_iter()
                    .map(|condition| top_condition(condition, planner))
                    .collect::<Result<Vec<_>>>()?;
                let predicate = conjunction(conditions).unwrap_or_else(|| lit(true));
                Ok(Transformed::yes(LogicalPlan::Filter(Filter::try_new(predicate, input)?)))
            }
            other => {
                let joins = matches!(other, LogicalPlan::Projection(_));
                let changed = other.map_expressions(|expr| value(expr, joins, planner).map(Transformed::yes))?;
                changed.map_data(LogicalPlan::recompute_schema)
            }
        }
    })?;
    order::kept(plan.data)
}

/// Whether a plan has subqueries in expressions: most have none.
///
/// # Errors
/// None that is known.
pub(crate) fn holds_subquery(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply(|node| {
        node.apply_expressions(|expr| {
            found |= holds(expr);
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    Ok(found)
}

/// Whether a subquery stands in an expression.
pub(crate) fn holds(expr: &Expr) -> bool {
    expr.exists(|expr| Ok(subquery_of(expr).is_some())).unwrap_or(true)
}

/// A condition that all rows of a filter have to meet: a membership may become a join.
fn top_condition(condition: Expr, planner: &Arc<Planner>) -> Result<Expr> {
    match condition {
        Expr::Exists(Exists { subquery, negated }) => {
            let correlated = !free(&subquery.subquery)?.is_empty();
            if correlated
                && shape::is_plain(&subquery.subquery, false)?
                && let Some(rows) = shape::below_projection(&subquery.subquery)
            {
                // What is selected does not matter, and its names would be in the way.
                let rows = LogicalPlanBuilder::new(rows.clone()).project([lit(1_i64)])?.build()?;
                return Ok(Expr::Exists(Exists { subquery: within(&subquery, rows, planner)?, negated }));
            }
            value(Expr::Exists(Exists { subquery, negated }), true, planner)
        }
        Expr::InSubquery(inside) if tuple::values(&inside.expr).len() == 1 => {
            let plan = &inside.subquery.subquery;
            let correlated = !free(plan)?.is_empty();
            let plain = if inside.negated {
                // The planner minds NULLs on both sides, in a join on one column.
                !correlated && !inside.expr.column_refs().is_empty()
            } else {
                !correlated || shape::is_plain(plan, false)?
            };
            if !plain || holds(&inside.expr) {
                return value(Expr::InSubquery(inside), true, planner);
            }
            let rows = match &**plan {
                LogicalPlan::Projection(projection) if correlated => shape::renamed(projection, MEMBER)?,
                plan => plan.clone(),
            };
            let subquery = within(&inside.subquery, rows, planner)?;
            Ok(Expr::InSubquery(InSubquery { expr: inside.expr, subquery, negated: inside.negated }))
        }
        other => value(other, true, planner),
    }
}

/// The rows of a scalar subquery, in a column that may be NULL where there may be none.
fn nullable(rows: LogicalPlan) -> Result<LogicalPlan> {
    if rows.schema().fields().iter().all(|field| field.is_nullable()) || shape::is_one_row(&rows) {
        return Ok(rows);
    }
    let columns: Vec<Expr> = rows
        .schema()
        .iter()
        .map(|column| {
            let name = column.1.name().clone();
            or_null::call(Expr::from(column)).alias(name)
        })
        .collect();
    LogicalPlanBuilder::new(rows).project(columns)?.build()
}

/// The subquery with other rows, its own subqueries rewritten, and what it refers to up to date.
fn within(subquery: &Subquery, rows: LogicalPlan, planner: &Arc<Planner>) -> Result<Subquery> {
    let rows = rewritten(rows, planner)?;
    let outer_ref_columns = rows.all_out_ref_exprs();
    Ok(Subquery { subquery: Arc::new(rows), outer_ref_columns, spans: subquery.spans.clone() })
}

/// An expression anywhere. `joins`: whether the planner makes joins of scalar subqueries where it stands.
fn value(expr: Expr, joins: bool, planner: &Arc<Planner>) -> Result<Expr> {
    expr.transform_up(|expr| {
        let Some(subquery) = subquery_of(&expr) else { return Ok(Transformed::no(expr)) };
        let correlated = !free(&subquery.subquery)?.is_empty();
        let question = match &expr {
            Expr::ScalarSubquery(subquery) => {
                if !correlated || joins && shape::is_plain_aggregate(&subquery.subquery)? {
                    let rows = LogicalPlan::clone(&subquery.subquery);
                    let rows = if correlated { rows } else { nullable(rows)? };
                    return Ok(Transformed::yes(Expr::ScalarSubquery(within(subquery, rows, planner)?)));
                }
                Question::Value
            }
            Expr::Exists(exists) => Question::Exists { negated: exists.negated },
            Expr::InSubquery(inside) => Question::In { negated: inside.negated, left: tuple::values(&inside.expr) },
            Expr::SetComparison(comparison) => {
                let left = tuple::values(&comparison.expr);
                let negated = comparison.op == Operator::NotEq;
                let all = comparison.quantifier == SetQuantifier::All;
                if tuple::is_compared_with_one(&comparison.expr) {
                    Question::Row { negated, left }
                } else if left.len() > 1 {
                    Question::Rows { negated, all, left }
                } else {
                    Question::Compared { left: (*comparison.expr).clone(), op: comparison.op, all }
                }
            }
            _ => return Ok(Transformed::no(expr)),
        };
        let scope = scope_around(subquery);
        let references = free(&subquery.subquery)?;
        apply::call(question, Arc::clone(&subquery.subquery), references, scope, planner).map(Transformed::yes)
    })
    .map(|transformed| transformed.data)
}
