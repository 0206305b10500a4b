//! Conditions that follow from others: of `a.x = b.x and a.x = 5` follows `b.x = 5`.
//!
//! DataFusion infers them for inner joins, from conditions above the join. Here they are inferred for outer joins,
//! semi-joins and anti-joins too, which subqueries become, and from conditions that stand below the join already:
//! `update a set … = (select sum(…) from b where b.x = a.x) where a.x = 5` reads the rows of `b` that belong to 5, not
//! all groups of `b`.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, NullEquality, Result};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    BinaryExpr, Distinct, Expr, ExprSchemable, Filter, Join, JoinType, LogicalPlan, Operator, TableScan,
};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

/// Comes before conditions are pushed down.
#[derive(Debug, Default)]
pub(crate) struct Transitive;

impl OptimizerRule for Transitive {
    fn name(&self) -> &'static str {
        "transitive"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, _: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Join(join) = plan else { return Ok(Transformed::no(plan)) };
        if join.null_aware || join.null_equality != NullEquality::NullEqualsNothing {
            return Ok(Transformed::no(LogicalPlan::Join(join)));
        }
        let to_right =
            matches!(join.join_type, JoinType::Inner | JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti);
        let to_left = matches!(join.join_type, JoinType::Inner | JoinType::LeftSemi);
        let mut added = [Vec::new(), Vec::new()];
        for (left, right) in &join.on {
            let (Expr::Column(left), Expr::Column(right)) = (left, right) else { continue };
            let (of_left, of_right) = (values_of(&join.left, left), values_of(&join.right, right));
            let (Some(of_left), Some(of_right)) = (of_left, of_right) else { continue };
            let new = |values: &[Expr], known: &[Expr], column: &Column, side: &LogicalPlan| {
                let own = Expr::Column(column.clone());
                let kind = own.get_type(side.schema())?;
                let mut found = Vec::new();
                for value in values.iter().filter(|value| !known.contains(value)) {
                    if value.get_type(side.schema())? == kind {
                        found.push(own.clone().eq(value.clone()));
                    }
                }
                Ok::<_, datafusion::error::DataFusionError>(found)
            };
            if to_right {
                added[1].extend(new(&of_left, &of_right, right, &join.right)?);
            }
            if to_left {
                added[0].extend(new(&of_right, &of_left, left, &join.left)?);
            }
        }
        if added.iter().all(Vec::is_empty) {
            return Ok(Transformed::no(LogicalPlan::Join(join)));
        }
        let [to_left, to_right] = added;
        let Join { left, right, .. } = join.clone();
        let (left, right) = (filtered(left, to_left)?, filtered(right, to_right)?);
        Ok(Transformed::yes(LogicalPlan::Join(Join { left, right, ..join })))
    }
}

fn filtered(plan: Arc<LogicalPlan>, conditions: Vec<Expr>) -> Result<Arc<LogicalPlan>> {
    match datafusion::logical_expr::utils::conjunction(conditions) {
        Some(condition) => Ok(Arc::new(LogicalPlan::Filter(Filter::try_new(condition, plan)?))),
        None => Ok(plan),
    }
}

/// The values that a column has in all rows of the plan, as far as its conditions say so: literals and bind variables.
/// None where the column is not followed down to a table: a condition put there would not be found again.
fn values_of(plan: &LogicalPlan, column: &Column) -> Option<Vec<Expr>> {
    match plan {
        LogicalPlan::TableScan(TableScan { filters, projected_schema, .. }) => projected_schema
            .has_column(column)
            .then(|| filters.iter().flat_map(|filter| equal(filter, column)).collect()),
        LogicalPlan::Filter(filter) => {
            let mut values = values_of(&filter.input, column)?;
            values.extend(equal(&filter.predicate, column));
            Some(values)
        }
        LogicalPlan::SubqueryAlias(alias) => {
            let at = alias.schema.maybe_index_of_column(column)?;
            values_of(&alias.input, &Column::from(alias.input.schema().qualified_field(at)))
        }
        LogicalPlan::Projection(projection) => {
            let at = projection.schema.maybe_index_of_column(column)?;
            values_of(&projection.input, bare(projection.expr.get(at)?)?)
        }
        LogicalPlan::Aggregate(aggregate) => {
            let at = aggregate.schema.maybe_index_of_column(column)?;
            values_of(&aggregate.input, bare(aggregate.group_expr.get(at)?)?)
        }
        LogicalPlan::Distinct(Distinct::All(input)) => values_of(input, column),
        LogicalPlan::Join(join) => {
            let kept =
                matches!(join.join_type, JoinType::Inner | JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti);
            match kept && join.left.schema().has_column(column) {
                true => values_of(&join.left, column),
                false if join.join_type == JoinType::Inner => values_of(&join.right, column),
                false => None,
            }
        }
        _ => None,
    }
}

fn bare(expr: &Expr) -> Option<&Column> {
    match expr {
        Expr::Column(column) => Some(column),
        Expr::Alias(alias) => bare(&alias.expr),
        _ => None,
    }
}

/// The values that a condition wants the column to equal.
fn equal(condition: &Expr, column: &Column) -> Vec<Expr> {
    let value = |condition: &&Expr| {
        let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = condition else { return None };
        let is_column = |expr: &Expr| matches!(expr, Expr::Column(own) if own == column);
        let is_value = |expr: &Expr| matches!(expr, Expr::Literal(..) | Expr::Placeholder(_));
        match (&**left, &**right) {
            (one, other) if is_column(one) && is_value(other) => Some(other.clone()),
            (one, other) if is_column(other) && is_value(one) => Some(one.clone()),
            _ => None,
        }
    };
    split_conjunction(condition).iter().filter_map(value).collect()
}
