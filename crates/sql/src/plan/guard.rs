//! Conditions beside calls of programs: a program is not called for rows that another condition of the WHERE clause
//! rejects.
//!
//! The planner evaluates the conditions of a filter batch by batch, and may evaluate one for rows that another has
//! rejected. For SQL functions this costs time; a program has effects, or fails.

use std::collections::HashSet;

use datafusion::common::TableReference;
use datafusion::logical_expr::{Expr, and};

use crate::functions::program::{called_where, calls_program};

/// The tables of an expression.
fn tables(expr: &Expr) -> HashSet<Option<TableReference>> {
    expr.column_refs().into_iter().map(|column| column.relation.clone()).collect()
}

/// Conditions that are evaluated for rows of one table alone, without a query.
fn is_simple(expr: &Expr) -> bool {
    use datafusion::common::tree_node::TreeNode;
    let is_query = |part: &Expr| {
        let found = matches!(
            part,
            Expr::ScalarSubquery(_)
                | Expr::InSubquery(_)
                | Expr::Exists(_)
                | Expr::SetComparison(_)
                | Expr::OuterReferenceColumn(..)
        );
        Ok(found)
    };
    tables(expr).len() <= 1 && !expr.exists(is_query).unwrap_or(true)
}

/// The conditions of a WHERE clause; programs are called for rows for which the other conditions of the same table,
/// without programs, are true.
pub(super) fn guarded(conditions: Vec<Expr>) -> Vec<Expr> {
    let (programs, plain): (Vec<Expr>, Vec<Expr>) = conditions.into_iter().partition(calls_program);
    let guard = |program: Expr| {
        let about = tables(&program);
        let before = plain.iter().filter(|condition| is_simple(condition) && tables(condition).is_subset(&about));
        match before.cloned().reduce(and).filter(|_| is_simple(&program)) {
            Some(before) => called_where(program, &before),
            None => program,
        }
    };
    let guarded: Vec<Expr> = programs.into_iter().map(guard).collect();
    plain.into_iter().chain(guarded).collect()
}
