//! The columns of outer queries that a subquery refers to, over any number of levels.
//!
//! A reference carries the number of its column's scope, as the name of its field; a subquery carries the number of its
//! enclosing scope (`plan/scope.rs`). So a reference to the enclosing query differs from one to a query further out.

use datafusion::arrow::datatypes::Field;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Expr, LogicalPlan, Subquery};

/// The scope of a reference's column.
fn scope_of(field: &Field) -> u64 {
    field.name().parse().unwrap_or(0)
}

/// The field of a reference to a column of this scope. Its name is free for that: the planner takes names from the
/// column.
pub(crate) fn with_scope(field: Field, scope: u64) -> Field {
    field.with_name(scope.to_string())
}

/// The scope that encloses a subquery.
pub(super) fn scope_around(subquery: &Subquery) -> u64 {
    subquery.spans.first().map_or(0, |span| span.start.column)
}

/// The subquery that an expression is, if it is one.
pub(super) fn subquery_of(expr: &Expr) -> Option<&Subquery> {
    match expr {
        Expr::ScalarSubquery(subquery) => Some(subquery),
        Expr::Exists(exists) => Some(&exists.subquery),
        Expr::InSubquery(inside) => Some(&inside.subquery),
        Expr::SetComparison(comparison) => Some(&comparison.subquery),
        _ => None,
    }
}

/// The references of a plan to the outside, each once.
pub(super) fn free(plan: &LogicalPlan) -> Result<Vec<Expr>> {
    let mut found = Vec::new();
    plan.apply(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|expr| {
                if let Expr::OuterReferenceColumn(..) = expr {
                    add(&mut found, expr.clone());
                }
                if let Some(inner) = subquery_of(expr) {
                    let own = scope_around(inner);
                    for reference in free(&inner.subquery)? {
                        if scope_of_reference(&reference) != Some(own) {
                            add(&mut found, reference);
                        }
                    }
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(found)
}

/// True: a subquery within the plan refers to the outside of the plan.
pub(super) fn reaches_out(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|expr| {
                if let Some(inner) = subquery_of(expr) {
                    let own = Some(scope_around(inner));
                    found |= free(&inner.subquery)?.iter().any(|reference| scope_of_reference(reference) != own);
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(found)
}

/// The columns of the enclosing block to which a subquery refers. None where the expression is no subquery.
pub(crate) fn columns_of_block(expr: &Expr) -> Result<Vec<Column>> {
    let Some(subquery) = subquery_of(expr) else { return Ok(Vec::new()) };
    let own = Some(scope_around(subquery));
    let references = free(&subquery.subquery)?.into_iter();
    let columns = references.filter_map(|reference| match reference {
        Expr::OuterReferenceColumn(ref field, ref column) if Some(scope_of(field)) == own => Some(column.clone()),
        _ => None,
    });
    Ok(columns.collect())
}

fn add(found: &mut Vec<Expr>, reference: Expr) {
    if !found.contains(&reference) {
        found.push(reference);
    }
}

pub(super) fn scope_of_reference(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::OuterReferenceColumn(field, _) => Some(scope_of(field)),
        _ => None,
    }
}

/// The plan with values, or parameters, in place of references and of parameters.
pub(super) fn with_values(plan: LogicalPlan, values: &[(Expr, Expr)]) -> Result<LogicalPlan> {
    let value_of = |expr: &Expr| values.iter().find(|(reference, _)| reference == expr).map(|(_, value)| value.clone());
    plan.transform_up_with_subqueries(|node| {
        // Above these nodes their expressions are known by name, which must not change.
        let named = matches!(node, LogicalPlan::Projection(_) | LogicalPlan::Aggregate(_) | LogicalPlan::Window(_));
        let node = node.map_expressions(|expr| {
            expr.transform_down(|expr| {
                if let Some(value) = value_of(&expr) {
                    let value = if named { value.alias(expr.schema_name().to_string()) } else { value };
                    return Ok(Transformed::yes(value));
                }
                Ok(Transformed::no(expr))
            })
        })?;
        // The value's nullability is known now, which the reference's was not; the change propagates all the way up.
        Ok(Transformed::yes(node.data.recompute_schema()?))
    })
    .map(|transformed| transformed.data)
}

/// The parameters of a plan, each once.
pub(super) fn parameters(plan: &LogicalPlan) -> Result<Vec<Placeholder>> {
    let mut found: Vec<Placeholder> = Vec::new();
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|expr| {
                if let Expr::Placeholder(placeholder) = expr
                    && !found.contains(placeholder)
                {
                    found.push(placeholder.clone());
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(found)
}
