//! Nested loops: the inner table is read by an index for each row of the outer ones.
//!
//! They are taken where that costs less than reading the inner table once for a hash join: blocks visited, and a part
//! of a block for each row that a scan looks at, since the rows of a cached table are not free. (How much is our own
//! choice.) Rows are read in the order in which the text joins them, or the other way round where only that has an
//! index.

use std::sync::Arc;

use common::Result;
use datafusion::common::DFSchemaRef;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Join};
use engine::instance::Session;
use scan::Comparison;

use super::plan::Stage;
use super::value::{Inputs, Test, Value};
use crate::scan::access;
use crate::scan::predicate::{comparison, mirrored};
use crate::scan::read_plan::{Path, ReadPlan};
use crate::scan::template::{Operand, Template};
use crate::types::of_arrow;

/// What a row costs that a scan looks at, in blocks visited.
const ROW_COST: f64 = 0.02;
/// Blocks of a multiblock read.
const BLOCKS_A_READ: f64 = 8.0;

/// The join of two stages; None where a hash join does better, or where no index leads to the inner table.
pub(super) fn nested_loops(
    session: &Session,
    join: &Join,
    (mut left, mut right): (Stage, Stage),
    inputs: &Inputs<'_>,
) -> Result<Option<Stage>> {
    for stage in [&mut left, &mut right] {
        if stage.rows.is_none() {
            stage.rows = Some(stage.read.estimated_rows(session, inputs)?);
        }
    }
    let both = Arc::clone(&join.schema);
    let (left_values, right_values) = (left.values.len(), right.values.len());
    if left_values + right_values != both.fields().len() {
        return Ok(None);
    }
    let mut equalities: Vec<(&Expr, &Expr)> = join.on.iter().map(|(left, right)| (left, right)).collect();
    if let Some(joined) = joined(session, (&left, &join.left.schema().clone()), &right, &equalities, join, false)? {
        return Ok(Some(joined));
    }
    equalities.iter_mut().for_each(|(left, right)| std::mem::swap(left, right));
    joined(session, (&right, &join.right.schema().clone()), &left, &equalities, join, true)
}

/// `outer` with `inner` under it. `swapped`: in the plan's columns those of `inner` come first.
fn joined(
    session: &Session,
    (outer, outer_schema): (&Stage, &DFSchemaRef),
    inner: &Stage,
    equalities: &[(&Expr, &Expr)],
    join: &Join,
    swapped: bool,
) -> Result<Option<Stage>> {
    // One table at a time comes in; hints about tables are the planner's.
    if !inner.inner.is_empty() || !inner.read.hints.is_empty() || !outer.read.hints.is_empty() {
        return Ok(None);
    }
    let width: usize = std::iter::once(&outer.read).chain(&outer.inner).map(|read| read.projection.len()).sum();
    let number = 1 + outer.inner.len();
    let own: Vec<Value> = inner.values.iter().map(|value| value.moved(width, number)).collect();
    let mut read = inner.read.clone();
    let mut conditions: Vec<Template> = read.conditions.take().into_iter().collect();
    let mut tests = outer.tests.clone();
    tests.extend(inner.tests.iter().map(|test| test.moved(width, number)));
    let values = if swapped { own.iter().chain(&outer.values) } else { outer.values.iter().chain(&own) };
    let combined = Stage {
        read: outer.read.clone(),
        inner: Vec::new(),
        rows: outer.rows,
        tests: Vec::new(),
        totals: None,
        schema: Arc::clone(&join.schema),
        values: values.cloned().collect(),
        skip: 0,
        fetch: None,
    };
    for (from, to) in equalities {
        match looked_up(Comparison::Equal, from, to, (outer, outer_schema), inner) {
            Some(condition) => conditions.push(condition),
            None => {
                let (Some(one), Some(other)) = (Value::of(from, &combined), Value::of(to, &combined)) else {
                    return Ok(None);
                };
                tests.push(Test::Compare(Comparison::Equal, one, other));
            }
        }
    }
    let mut parts = Vec::new();
    join.filter.iter().for_each(|filter| split(filter, &mut parts));
    for part in parts {
        if let Expr::BinaryExpr(BinaryExpr { left, op, right }) = part
            && let Some(comparison) = comparison(*op)
        {
            let looked = looked_up(comparison, right, left, (outer, outer_schema), inner)
                .or_else(|| looked_up(mirrored(comparison), left, right, (outer, outer_schema), inner));
            // `column < value`: the inner column stands on the left.
            if let Some(condition) = looked {
                conditions.push(condition);
                continue;
            }
        }
        let Some(test) = Test::of(part, &combined) else { return Ok(None) };
        tests.push(test);
    }
    read.conditions = match conditions.len() {
        0 => return Ok(None),
        1 => conditions.pop(),
        _ => Some(Template::And(conditions)),
    };
    let Some((probe, found)) = best_index(session, &mut read)? else { return Ok(None) };
    let blocks = access::blocks(session, &read.table)? as f64;
    let rows = access::estimated_rows(session, &read.table)?;
    let outer_rows = outer.rows.unwrap_or(1.0);
    if outer_rows * probe > blocks / BLOCKS_A_READ + rows * ROW_COST {
        return Ok(None);
    }
    let mut reads = outer.inner.clone();
    reads.push(read);
    Ok(Some(Stage { inner: reads, rows: Some((outer_rows * found).max(1.0)), tests, ..combined }))
}

fn split<'e>(expr: &'e Expr, into: &mut Vec<&'e Expr>) {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: datafusion::logical_expr::Operator::And, right }) => {
            split(left, into);
            split(right, into);
        }
        other => into.push(other),
    }
}

/// `to comparison from` as a condition on a stored column of the inner table, with a value of the outer row.
fn looked_up(
    comparison: Comparison,
    from: &Expr,
    to: &Expr,
    (outer, outer_schema): (&Stage, &DFSchemaRef),
    inner: &Stage,
) -> Option<Template> {
    let Value::Column(at, _) = Value::of(to, inner)? else { return None };
    let column = *inner.read.projection.get(at)?;
    let data_type = inner.read.table.columns.get(usize::from(column))?.data_type;
    // CHAR is compared without its blanks, which only the whole value of a column has.
    if matches!(data_type, common::DataType::Char { .. }) {
        return None;
    }
    let value = Value::of(from, outer).filter(|value| !value.is_of_statement() && value.is_deterministic())?;
    let kind = of_arrow(&from.get_type(outer_schema.as_ref()).ok()?)?;
    if kind != scalar::DatumType::from(data_type) {
        return None;
    }
    let shown = outer.names().value(&value);
    Some(Template::Compare { column, comparison, operand: Operand::Later { value, data_type, shown } })
}

/// Chooses the index for the inner table. Returns the cost of a lookup and the rows that one finds.
fn best_index(session: &Session, read: &mut ReadPlan) -> Result<Option<(f64, f64)>> {
    let Some(conditions) = &read.conditions else { return Ok(None) };
    let shape = conditions.shape();
    let rows = access::estimated_rows(session, &read.table)?;
    let Some(found) = access::best_lookup(&read.table, &shape, rows) else { return Ok(None) };
    read.path = Path::Index(found.index);
    Ok(Some((found.cost, found.rows)))
}
