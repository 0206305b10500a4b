//! The order of an inline view above the joins that subqueries become.
//!
//! ROWNUM, FETCH FIRST, sequences and programs depend on the order of rows. An inline view below them with ORDER BY
//! gives that order, and a condition or a value between does not change it. The join that the planner makes of such a
//! condition does.
//!
//! ```text
//! Limit                                 Limit
//!   Filter: a IN (subquery)               Projection: the columns that were there
//!     SubqueryAlias                =>       Sort: the keys
//!       Sort: keys                            Filter: a IN (subquery)
//!         rows                                  SubqueryAlias
//!                                                 Projection: all columns, and the keys
//!                                                   Sort: keys
//!                                                     rows
//! ```
//!
//! The sort further down has no effect then, and the planner drops it.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::expr::Sort as Key;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Projection, Sort, SubqueryAlias};

use super::apply::is_new_each_time;
use super::reference::subquery_of;

/// Prefix of the columns that carry keys up; a number follows.
const KEY: &str = "\u{1}ORDER";
/// Prefix of the values that a projection takes from subqueries below it.
const VALUE: &str = "\u{1}BELOW";

/// The plan of a statement whose rows keep the order in which they were numbered further down, though a join stands
/// above.
pub(super) fn shown(plan: LogicalPlan) -> Result<LogicalPlan> {
    let columns: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
    match carried(plan.clone())? {
        Some(Carried { plan, keys, joined_above: true, .. }) => {
            LogicalPlanBuilder::new(plan).sort(keys)?.project(columns)?.build()
        }
        _ => Ok(plan),
    }
}

/// The plan, its subqueries rewritten, with each order restored where it matters.
pub(super) fn kept(plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.transform_up(|node| {
        if !looks_at_order(&node) {
            return Ok(Transformed::no(node));
        }
        let node = values_below(node)?;
        let Some(input) = node.inputs().first().copied().cloned() else { return Ok(Transformed::no(node)) };
        let columns: Vec<Expr> = input.schema().columns().into_iter().map(Expr::Column).collect();
        match carried(input)? {
            Some(Carried { plan, keys, joined: true, .. }) => {
                let input = LogicalPlanBuilder::new(plan).sort(keys)?.project(columns)?.build()?;
                node.with_new_exprs(node.expressions(), vec![input]).map(Transformed::yes)
            }
            _ => Ok(Transformed::no(node)),
        }
    })
    .map(|transformed| transformed.data)
}

/// True: the node's result depends on the order of its rows, without a stated requirement.
fn looks_at_order(node: &LogicalPlan) -> bool {
    match node {
        LogicalPlan::Limit(_) => true,
        LogicalPlan::Window(window) => window.window_expr.iter().any(is_over_all),
        LogicalPlan::Projection(projection) => projection.expr.iter().any(is_new_each_time),
        _ => false,
    }
}

/// True: the window is over all rows in their order.
fn is_over_all(window: &Expr) -> bool {
    match window {
        Expr::Alias(alias) => is_over_all(&alias.expr),
        Expr::WindowFunction(call) => call.params.partition_by.is_empty() && call.params.order_by.is_empty(),
        _ => false,
    }
}

/// True: the planner turns a subquery in the expression into a join. One that does not depend on the row is evaluated
/// before.
fn becomes_join(expr: &Expr) -> bool {
    let joined = |expr: &Expr| match expr {
        Expr::ScalarSubquery(subquery) => !subquery.outer_ref_columns.is_empty(),
        other => subquery_of(other).is_some(),
    };
    expr.exists(|expr| Ok(joined(expr))).unwrap_or(true)
}

/// A projection that depends on the order of rows, with the values of its subqueries taken from another one below it.
fn values_below(node: LogicalPlan) -> Result<LogicalPlan> {
    let LogicalPlan::Projection(projection) = node else { return Ok(node) };
    if !projection.expr.iter().any(becomes_join) {
        return Ok(LogicalPlan::Projection(projection));
    }
    let Projection { expr, input, .. } = projection;
    let mut below: Vec<Expr> = input.schema().columns().into_iter().map(Expr::Column).collect();
    let mut above = Vec::with_capacity(expr.len());
    let mut values = 0;
    for expr in expr {
        let name = expr.qualified_name();
        let replaced = expr.transform_down(|expr| {
            if !matches!(expr, Expr::ScalarSubquery(_)) {
                return Ok(Transformed::no(expr));
            }
            let column = format!("{VALUE}{values}");
            values += 1;
            below.push(expr.alias(&column));
            Ok(Transformed::yes(Expr::Column(Column::new_unqualified(column))))
        })?;
        let (relation, name) = name;
        above.push(if replaced.transformed { replaced.data.alias_qualified(relation, name) } else { replaced.data });
    }
    LogicalPlanBuilder::new(LogicalPlan::clone(&input)).project(below)?.project(above)?.build()
}

/// A plan that passes up the keys of an order further down.
struct Carried {
    plan: LogicalPlan,
    keys: Vec<Key>,
    /// A subquery stands between that the planner may turn into a join.
    joined: bool,
    /// A node that depends on the order stands between.
    looked_at: bool,
    /// Such a subquery stands above that node.
    joined_above: bool,
}

impl Carried {
    /// The same below another node.
    fn under(self, node: impl FnOnce(Arc<LogicalPlan>) -> Result<LogicalPlan>) -> Result<Self> {
        Ok(Self { plan: node(Arc::new(self.plan))?, ..self })
    }
}

/// The plan with the keys of its order among its columns. None: below order-preserving nodes there is no sort.
fn carried(plan: LogicalPlan) -> Result<Option<Carried>> {
    if let LogicalPlan::Sort(sort) = plan {
        return from_sort(sort).map(Some);
    }
    let keeps = match &plan {
        LogicalPlan::Window(window) => window.window_expr.iter().all(is_over_all),
        LogicalPlan::SubqueryAlias(_) | LogicalPlan::Filter(_) | LogicalPlan::Projection(_) | LogicalPlan::Limit(_) => {
            true
        }
        _ => false,
    };
    let Some(input) = plan.inputs().first().copied().filter(|_| keeps) else { return Ok(None) };
    let Some(mut found) = carried(input.clone())? else { return Ok(None) };
    let joins = plan.expressions().iter().any(becomes_join);
    found.joined |= joins;
    found.joined_above |= joins && found.looked_at;
    found.looked_at |= looks_at_order(&plan);
    let plan = match plan {
        LogicalPlan::SubqueryAlias(SubqueryAlias { alias, .. }) => {
            for key in &mut found.keys {
                if let Expr::Column(column) = &mut key.expr {
                    column.relation = Some(alias.clone());
                }
            }
            found.under(|input| SubqueryAlias::try_new(input, alias).map(LogicalPlan::SubqueryAlias))
        }
        LogicalPlan::Projection(Projection { mut expr, .. }) => {
            expr.extend(found.keys.iter().map(|key| key.expr.clone()));
            found.under(|input| Projection::try_new(expr, input).map(LogicalPlan::Projection))
        }
        other => found.under(|input| other.with_new_exprs(other.expressions(), vec![Arc::unwrap_or_clone(input)])),
    };
    plan.map(Some)
}

/// The rows of a sort, its keys among their columns.
fn from_sort(sort: Sort) -> Result<Carried> {
    let mut columns: Vec<Expr> = sort.input.schema().columns().into_iter().map(Expr::Column).collect();
    let mut keys = Vec::with_capacity(sort.expr.len());
    // Its rows may have keys carried up to it.
    let schema = sort.input.schema();
    let free = (0..).map(|at| format!("{KEY}{at}")).filter(|name| !schema.has_column_with_unqualified_name(name));
    for (key, name) in sort.expr.iter().zip(free) {
        columns.push(key.expr.clone().alias(&name));
        keys.push(Key::new(Expr::Column(Column::new_unqualified(name)), key.asc, key.nulls_first));
    }
    let plan = LogicalPlanBuilder::new(LogicalPlan::Sort(sort)).project(columns)?.build()?;
    Ok(Carried { plan, keys, joined: false, looked_at: false, joined_above: false })
}
