//! Pushing conditions down.
//!
//! DataFusion's `push_down_filter`, without its faults. It moves a condition below an aggregate when all columns of the
//! condition are grouping columns. That always holds for a condition without columns, and below an aggregate without
//! GROUP BY the condition no longer decides about the one row: `select count(*) from t having exists (select …)`.
//! Conditions also lose columns on their way down, those that are constants below a projection. With ROLLUP and its
//! like the grouping columns above differ from those below: they are NULL in the totals.
//!
//! It moves a volatile condition to a place where it is evaluated for other rows: below a grouping or a DISTINCT for
//! each row of a group, below a window or ROWNUM before the rows are numbered, and, without columns, to one side of a
//! join. Here such a condition stays above them.
//!
//! And it takes `2 = a and a = 2` for two values, `5 < a and a >= 5` for `a >= 5`, and `a > NULL and a > 5` for `a >
//! 5`: it looks at conditions as written, before constants that have come into them are folded.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Aggregate, BinaryExpr, Expr, Filter, Join, LogicalPlan, Operator, lit};
use datafusion::optimizer::push_down_filter::PushDownFilter;
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::subquery::is_new_each_time;

#[derive(Debug, Default)]
pub(super) struct PushDown {
    rule: PushDownFilter,
}

impl OptimizerRule for PushDown {
    fn name(&self) -> &str {
        self.rule.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.rule.apply_order()
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let filter = match plan {
            LogicalPlan::Filter(filter) => merged(filter)?,
            LogicalPlan::Join(join) => return self.joined(None, join, config),
            other => return self.rule.rewrite(other, config),
        };
        if let LogicalPlan::Aggregate(aggregate) = &*filter.input
            && gives_rows_of_none(aggregate)
        {
            return Ok(Transformed::no(LogicalPlan::Filter(filter)));
        }
        let Filter { predicate, input, .. } = filter;
        let (held, moved): (Vec<Expr>, Vec<Expr>) =
            split_conjunction_owned(predicate).into_iter().partition(|condition| is_held(condition, &input));
        let below = match (conjunction(moved), LogicalPlan::clone(&input)) {
            (Some(moved), LogicalPlan::Join(join)) => self.joined(Some(moved), join, config)?,
            (Some(moved), _) => self.rule.rewrite(LogicalPlan::Filter(Filter::try_new(moved, input)?), config)?,
            (None, input) => Transformed::no(input),
        };
        match conjunction(held) {
            Some(held) => below.map_data(|below| Filter::try_new(held, Arc::new(below)).map(LogicalPlan::Filter)),
            None => Ok(below),
        }
    }
}

impl PushDown {
    /// A join with the conditions above it; its own conditions about pairs of rows stay with it.
    fn joined(
        &self,
        above: Option<Expr>,
        mut join: Join,
        config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let own = join.filter.take().map(split_conjunction_owned).unwrap_or_default();
        let (held, moved): (Vec<Expr>, Vec<Expr>) =
            own.into_iter().partition(|condition| is_about_pairs(condition, &join));
        join.filter = conjunction(moved);
        let join = LogicalPlan::Join(join);
        let below = self.rule.rewrite(
            match above {
                Some(above) => LogicalPlan::Filter(Filter::try_new(above, Arc::new(join))?),
                None => join,
            },
            config,
        )?;
        below.map_data(|below| with_own_conditions(below, held))
    }
}

/// The join, or the filter above it, with these conditions given back to the join.
fn with_own_conditions(plan: LogicalPlan, held: Vec<Expr>) -> Result<LogicalPlan> {
    match plan {
        _ if held.is_empty() => Ok(plan),
        LogicalPlan::Join(mut join) => {
            join.filter = conjunction(join.filter.take().into_iter().chain(held));
            Ok(LogicalPlan::Join(join))
        }
        LogicalPlan::Filter(Filter { predicate, input, .. }) => {
            let input = with_own_conditions(Arc::unwrap_or_clone(input), held)?;
            Filter::try_new(predicate, Arc::new(input)).map(LogicalPlan::Filter)
        }
        _ => internal_err!("conditions of a join that is there no more"),
    }
}

/// True: below the node the condition would be evaluated for other rows.
fn is_held(condition: &Expr, node: &LogicalPlan) -> bool {
    match node {
        LogicalPlan::Aggregate(_) | LogicalPlan::Distinct(_) | LogicalPlan::Window(_) => is_new_each_time(condition),
        LogicalPlan::Join(join) => is_about_pairs(condition, join),
        _ => false,
    }
}

/// True: the condition is volatile, and not about the rows of one side of a join.
fn is_about_pairs(condition: &Expr, join: &Join) -> bool {
    if !is_new_each_time(condition) {
        return false;
    }
    let columns = condition.column_refs();
    let of_one_side = |side: &LogicalPlan| columns.iter().all(|column| side.schema().has_column(column));
    columns.is_empty() || !of_one_side(&join.left) && !of_one_side(&join.right)
}

/// One filter in place of several, with comparisons with constants in one form.
fn merged(filter: Filter) -> Result<Filter> {
    let mut conditions = split_conjunction_owned(filter.predicate);
    let mut input = filter.input;
    while let LogicalPlan::Filter(below) = &*input {
        let mut first = split_conjunction_owned(below.predicate.clone());
        // Conditions of lower filters are evaluated first.
        first.append(&mut conditions);
        conditions = first;
        input = Arc::clone(&below.input);
    }
    let mut kept: Vec<Expr> = Vec::with_capacity(conditions.len());
    let mut known = HashSet::with_capacity(conditions.len());
    for condition in conditions.into_iter().map(in_one_form) {
        if condition.is_volatile() || known.insert(condition.clone()) {
            kept.push(condition);
        }
    }
    Filter::try_new(conjunction(kept).unwrap_or_else(|| lit(true)), input)
}

/// A comparison with its constant on the right; false where that is NULL.
fn in_one_form(condition: Expr) -> Expr {
    let Expr::BinaryExpr(comparison) = condition else { return condition };
    use Operator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    if !matches!(comparison.op, Eq | NotEq | Lt | LtEq | Gt | GtEq) {
        return Expr::BinaryExpr(comparison);
    }
    let BinaryExpr { left, op, right } = comparison;
    let constant = |expr: &Expr| matches!(expr, Expr::Literal(..));
    let null = |expr: &Expr| matches!(expr, Expr::Literal(value, _) if value.is_null());
    // In a filter an unknown condition rejects its row, as a false one does.
    if null(&left) || null(&right) {
        return lit(false);
    }
    match op.swap() {
        Some(swapped) if constant(&left) && !constant(&right) => {
            Expr::BinaryExpr(BinaryExpr { left: right, op: swapped, right: left })
        }
        _ => Expr::BinaryExpr(BinaryExpr { left, op, right }),
    }
}

/// True: an aggregate gives a row for no input, or groups by several sets of columns.
fn gives_rows_of_none(aggregate: &Aggregate) -> bool {
    let groups = &aggregate.group_expr;
    groups.is_empty() || groups.iter().any(|group| matches!(group, Expr::GroupingSet(_)))
}

#[cfg(test)]
mod tests {
    use datafusion::optimizer::optimizer::Optimizer;

    use super::*;

    #[test]
    fn the_rule_that_it_replaces_is_one_of_the_planners() {
        let name = PushDown::default().name().to_owned();
        assert_eq!(Optimizer::new().rules.iter().filter(|rule| rule.name() == name).count(), 1);
    }
}
