//! A table joined to one row, such as `USING (SELECT :a a FROM dual)` of a MERGE, is the table: the row's values stand
//! where its columns did.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::catalog::default_table_source::source_as_provider;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, Filter, Join, JoinType, LogicalPlan, LogicalPlanBuilder, Projection};

use crate::scan::rows::RowsTable;

/// The values of a relation of one row, by column.
pub(crate) type RowValues = HashMap<Column, Expr>;

/// The values of a plan that always has one row, the same however often they are evaluated. None for other plans.
pub(crate) fn row_values(plan: &LogicalPlan) -> Option<RowValues> {
    match plan {
        LogicalPlan::EmptyRelation(empty) => empty.produce_one_row.then(RowValues::new),
        // DUAL; a column of its own has no value here.
        LogicalPlan::TableScan(scan) => {
            let rows = source_as_provider(&scan.source).ok()?;
            let rows = (rows.as_ref() as &dyn std::any::Any).downcast_ref::<RowsTable>()?;
            (rows.is_constant() && scan.filters.is_empty() && scan.fetch.is_none()).then(RowValues::new)
        }
        LogicalPlan::SubqueryAlias(alias) => {
            let mut below = row_values(&alias.input)?;
            let inner = alias.input.schema().columns();
            let pairs = inner.iter().zip(alias.schema.columns());
            Some(pairs.filter_map(|(inner, outer)| Some((outer, below.remove(inner)?))).collect())
        }
        LogicalPlan::Projection(projection) => {
            let below = row_values(&projection.input)?;
            let mut values = RowValues::new();
            for (expr, column) in projection.expr.iter().zip(projection.schema.columns()) {
                let value = with_values(expr.clone().unalias(), &below).ok()?;
                if !value.column_refs().is_empty() || value.is_volatile() || holds_more(&value) {
                    return None;
                }
                values.insert(column, value);
            }
            Some(values)
        }
        _ => None,
    }
}

/// True: it is no value of one row alone.
fn holds_more(expr: &Expr) -> bool {
    let is = |expr: &Expr| {
        matches!(
            expr,
            Expr::AggregateFunction(_)
                | Expr::WindowFunction(_)
                | Expr::ScalarSubquery(_)
                | Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::OuterReferenceColumn(..)
        )
    };
    expr.exists(|expr| Ok(is(expr))).unwrap_or(true)
}

/// The expression with values in place of columns.
///
/// # Errors
/// None of its own.
pub(crate) fn with_values(expr: Expr, values: &RowValues) -> Result<Expr> {
    let replaced = expr.transform(|expr| {
        Ok(match &expr {
            Expr::Column(column) => match values.get(column) {
                Some(value) => Transformed::yes(value.clone()),
                None => Transformed::no(expr),
            },
            _ => Transformed::no(expr),
        })
    });
    replaced.map(|replaced| replaced.data)
}

/// The plan without its inner joins to one row, as far as projections and conditions alone stand above them. Its
/// columns stay the same.
///
/// # Errors
/// Errors of building the plan; no projection stands above a join, so its columns would not be the same.
pub(crate) fn without_one_row(plan: &LogicalPlan) -> Result<LogicalPlan> {
    let (plan, values) = inlined(plan)?;
    if values.is_empty() {
        return Ok(plan);
    }
    Err(datafusion::common::DataFusionError::Plan("a join to one row without a select list".to_owned()))
}

fn inlined(plan: &LogicalPlan) -> Result<(LogicalPlan, RowValues)> {
    match plan {
        LogicalPlan::Join(join) if join.join_type == JoinType::Inner => {
            if let Some(values) = row_values(&join.right) {
                return over(join, &join.left, values);
            }
            if let Some(values) = row_values(&join.left) {
                return over(join, &join.right, values);
            }
            Ok((plan.clone(), RowValues::new()))
        }
        LogicalPlan::Projection(projection) => {
            let (input, values) = inlined(&projection.input)?;
            let named = projection.expr.iter().zip(projection.schema.iter());
            let exprs = named.map(|(expr, (qualifier, field))| {
                let value = with_values(expr.clone(), &values)?;
                Ok(if value == *expr {
                    value
                } else {
                    value.unalias().alias_qualified(qualifier.cloned(), field.name())
                })
            });
            let projection = Projection::try_new(exprs.collect::<Result<_>>()?, Arc::new(input))?;
            Ok((LogicalPlan::Projection(projection), RowValues::new()))
        }
        LogicalPlan::Filter(filter) => {
            let (input, values) = inlined(&filter.input)?;
            let predicate = with_values(filter.predicate.clone(), &values)?;
            Ok((LogicalPlan::Filter(Filter::try_new(predicate, Arc::new(input))?), values))
        }
        _ => Ok((plan.clone(), RowValues::new())),
    }
}

/// The other side of a join to one row, under the join's conditions.
fn over(join: &Join, side: &LogicalPlan, values: RowValues) -> Result<(LogicalPlan, RowValues)> {
    let (side, mut all) = inlined(side)?;
    all.extend(values);
    let on = join.on.iter().map(|(left, right)| left.clone().eq(right.clone()));
    let mut builder = LogicalPlanBuilder::new(side);
    for condition in on.chain(join.filter.clone()) {
        builder = builder.filter(with_values(condition, &all)?)?;
    }
    Ok((builder.build()?, all))
}
