//! How far down conditions go.
//!
//! DataFusion's `push_down_filter`, with what it gets wrong kept away from it. It moves a condition below an aggregate when all columns of the condition are
//! grouping columns. Of a condition without columns that is always so, and below an aggregate without GROUP BY it no longer decides about the one row:
//! `select count(*) from t having exists (select …)`. It need not have been written without columns: on its way down a condition loses those that are
//! constants below a projection. Of ROLLUP and its like the grouping columns are other columns above than below: NULL in the totals.
//!
//! And it takes `2 = a and a = 2` for two values, `5 < a and a >= 5` for `a >= 5`, and `a > NULL and a > 5` for `a > 5`: it looks at conditions as they are
//! written, and they have not been simplified since constants came into them.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Aggregate, BinaryExpr, Expr, Filter, LogicalPlan, Operator, lit};
use datafusion::optimizer::push_down_filter::PushDownFilter;
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

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
        let LogicalPlan::Filter(filter) = plan else { return self.rule.rewrite(plan, config) };
        let filter = merged(filter)?;
        match &*filter.input {
            LogicalPlan::Aggregate(aggregate) if gives_rows_of_none(aggregate) => {
                Ok(Transformed::no(LogicalPlan::Filter(filter)))
            }
            _ => self.rule.rewrite(LogicalPlan::Filter(filter), config),
        }
    }
}

/// One filter in the place of several, its comparisons with constants in one form.
fn merged(filter: Filter) -> Result<Filter> {
    let mut conditions = split_conjunction_owned(filter.predicate);
    let mut input = filter.input;
    while let LogicalPlan::Filter(below) = &*input {
        let mut first = split_conjunction_owned(below.predicate.clone());
        // Those below are evaluated first.
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
    // A condition of a filter that is unknown rules its row out, as one that is false does.
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

/// Whether an aggregate gives a row though it reads none, or groups by several sets of columns.
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
