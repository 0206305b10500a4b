//! Turns each subquery of a plan into an executable form.

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

/// Name of the column that a membership compares with.
const MEMBER: &str = "\u{1}MEMBER";

/// Name of the value of a subquery that the planner turns into a join.
const VALUE: &str = "\u{1}VALUE";

/// Nesting of subqueries in one plan; those further in are functions, with plans of their own. The planner checks a
/// plan's subqueries twice for each enclosing one: its time doubles with each level.
const LEVELS_MAX: usize = 6;

/// The plan with every subquery either in a shape that the planner handles correctly, or as a function.
///
/// # Errors
/// Errors of building plans.
pub(crate) fn rewrite(plan: LogicalPlan, planner: &Arc<Planner>) -> Result<LogicalPlan> {
    order::shown(Level { planner, levels: LEVELS_MAX }.rewrite(plan)?)
}

/// The level of rewriting: the plan itself, or a subquery of it.
#[derive(Clone, Copy)]
struct Level<'p> {
    planner: &'p Arc<Planner>,
    /// Further levels that may be part of the plan.
    levels: usize,
}

impl Level<'_> {
    fn rewrite(self, plan: LogicalPlan) -> Result<LogicalPlan> {
        let plan = plan.transform_up(|node| {
            if !node.expressions().iter().any(holds) {
                return Ok(Transformed::no(node));
            }
            match node {
                LogicalPlan::Filter(Filter { predicate, input, .. }) => {
                    let conditions = split_conjunction_owned(predicate)
                        .into_iter()
                        .map(|condition| self.top_condition(condition))
                        .collect::<Result<Vec<_>>>()?;
                    let predicate = conjunction(conditions).unwrap_or_else(|| lit(true));
                    Ok(Transformed::yes(LogicalPlan::Filter(Filter::try_new(predicate, input)?)))
                }
                other => {
                    let joins = matches!(other, LogicalPlan::Projection(_));
                    let changed = other.map_expressions(|expr| self.value(expr, joins).map(Transformed::yes))?;
                    changed.map_data(LogicalPlan::recompute_schema)
                }
            }
        })?;
        order::kept(plan.data)
    }

    /// A condition that all rows of a filter must meet: a membership may become a join.
    fn top_condition(self, condition: Expr) -> Result<Expr> {
        match condition {
            Expr::Exists(Exists { subquery, negated }) => {
                let correlated = !free(&subquery.subquery)?.is_empty();
                if self.levels > 0
                    && correlated
                    && shape::is_plain(&subquery.subquery, false)?
                    && let Some(rows) = shape::below_projection(&subquery.subquery)
                {
                    // The select list does not matter, and its names would be in the way.
                    let rows = LogicalPlanBuilder::new(rows.clone()).project([lit(1_i64)])?.build()?;
                    return Ok(Expr::Exists(Exists { subquery: self.within(&subquery, rows)?, negated }));
                }
                self.value(Expr::Exists(Exists { subquery, negated }), true)
            }
            Expr::InSubquery(inside) if tuple::values(&inside.expr).len() == 1 => {
                let plan = &inside.subquery.subquery;
                let correlated = !free(plan)?.is_empty();
                let plain = if inside.negated {
                    // The planner handles NULLs on both sides in a join on one column.
                    !correlated && shape::keeps_columns(&inside.expr)
                } else {
                    !correlated || shape::is_plain(plan, false)?
                };
                if self.levels == 0 || !plain || holds(&inside.expr) {
                    return self.value(Expr::InSubquery(inside), true);
                }
                let rows = match &**plan {
                    LogicalPlan::Projection(projection) if correlated => shape::renamed(projection, MEMBER)?,
                    plan => plan.clone(),
                };
                let subquery = self.within(&inside.subquery, rows)?;
                Ok(Expr::InSubquery(InSubquery { expr: inside.expr, subquery, negated: inside.negated }))
            }
            other => self.value(other, true),
        }
    }

    /// The subquery with other rows, its own subqueries rewritten, and its references updated.
    fn within(self, subquery: &Subquery, rows: LogicalPlan) -> Result<Subquery> {
        let rows = Self { levels: self.levels - 1, ..self }.rewrite(rows)?;
        let outer_ref_columns = rows.all_out_ref_exprs();
        Ok(Subquery { subquery: Arc::new(rows), outer_ref_columns, spans: subquery.spans.clone() })
    }

    /// An expression anywhere. `joins`: true where the planner turns scalar subqueries into joins.
    fn value(self, expr: Expr, joins: bool) -> Result<Expr> {
        expr.transform_up(|expr| {
            let Some(subquery) = subquery_of(&expr) else { return Ok(Transformed::no(expr)) };
            let correlated = !free(&subquery.subquery)?.is_empty();
            let question = match &expr {
                Expr::ScalarSubquery(subquery) => {
                    if self.levels > 0 && (!correlated || joins && shape::is_plain_aggregate(&subquery.subquery)?) {
                        let rows = match &*subquery.subquery {
                            rows if !correlated && !shape::is_one_row(rows) => nullable(rows.clone())?,
                            // The other side of the planner's join may have a column of the name.
                            LogicalPlan::Projection(projection) => shape::renamed(projection, VALUE)?,
                            rows => {
                                let value = Expr::from(rows.schema().qualified_field(0)).alias(VALUE);
                                LogicalPlanBuilder::new(rows.clone()).project([value])?.build()?
                            }
                        };
                        return Ok(Transformed::yes(Expr::ScalarSubquery(self.within(subquery, rows)?)));
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
            apply::call(question, Arc::clone(&subquery.subquery), references, scope, self.planner).map(Transformed::yes)
        })
        .map(|transformed| transformed.data)
    }
}

/// True: the plan has subqueries in expressions; most plans have none.
///
/// # Errors
/// No known cause.
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

/// True: the expression contains a subquery.
pub(crate) fn holds(expr: &Expr) -> bool {
    expr.exists(|expr| Ok(subquery_of(expr).is_some())).unwrap_or(true)
}

/// The rows of a scalar subquery, in a nullable column where there may be no row.
///
/// Also for a column that is nullable already: a function of literals is, until the planner folds it into a literal,
/// which is not.
fn nullable(rows: LogicalPlan) -> Result<LogicalPlan> {
    let values: Vec<Expr> = rows.schema().iter().map(|column| or_null::call(Expr::from(column)).alias(VALUE)).collect();
    LogicalPlanBuilder::new(rows).project(values)?.build()
}
