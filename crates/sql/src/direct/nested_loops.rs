//! Nested loops: the inner table is read by an index for each row of the outer ones.

use common::Result;
use datafusion::common::DFSchemaRef;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable};
use engine::instance::Session;
use scan::Comparison;

use super::plan::{LoopKind, RowTest, Stage};
use super::value::{Test, Value};
use crate::plan::hints::{Hints, is_for_access};
use crate::scan::access;
use crate::scan::index_way::IndexWay;
use crate::scan::predicate::{comparison, mirrored};
use crate::scan::read_plan::{Path, ReadPlan};
use crate::scan::template::{Operand, Template};
use crate::types::of_arrow;

/// What a lookup in the inner table of a loop finds, as estimated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookupEstimate {
    /// Blocks visited.
    pub(crate) blocks: f64,
    pub(crate) rows: f64,
}

/// `outer` with a lookup in the table of `inner` for each of its rows; None where no index leads there, or where a
/// condition cannot be evaluated row by row. `schema`: the columns of `outer`, and those of `inner` behind them; the
/// conditions may name all of them, whatever the kind of the join gives. `hints`: those of the inner table.
///
/// # Errors
/// Errors of reading a table's size.
pub(crate) fn looped(
    session: &Session,
    outer: &Stage,
    (inner, kind): (&Stage, LoopKind),
    (equalities, filters): (&[(Expr, Expr)], &[Expr]),
    schema: DFSchemaRef,
    hints: &Hints,
) -> Result<Option<(Stage, LookupEstimate)>> {
    if !access::leaves_lookups(hints) {
        return Ok(None);
    }
    // One table at a time comes in.
    if !inner.inner.is_empty() || matches!(inner.read.path, Path::Rowids(_)) {
        return Ok(None);
    }
    let width: usize = std::iter::once(&outer.read).chain(&outer.inner).map(|read| read.projection.len()).sum();
    let number = 1 + outer.inner.len();
    let own: Vec<Value> = inner.values.iter().map(|value| value.moved(width, number)).collect();
    // Of a row without a partner only columns are NULL by themselves; a value computed of them may be none.
    if kind == LoopKind::Outer && !own.iter().all(|value| matches!(value, Value::Column(..) | Value::Rowid(_))) {
        return Ok(None);
    }
    let mut read = inner.read.clone();
    let mut conditions: Vec<Template> = read.conditions.take().into_iter().collect();
    let mut tests = outer.tests.clone();
    let own_test = |test| RowTest { level: number, above: false, test };
    tests.extend(inner.tests.iter().map(|test| own_test(test.test.moved(width, number))));
    let combined = Stage {
        read: outer.read.clone(),
        inner: Vec::new(),
        kinds: Vec::new(),
        joined: outer.joined.clone(),
        tests: Vec::new(),
        totals: None,
        schema,
        values: outer.values.iter().chain(&own).cloned().collect(),
        skip: 0,
        fetch: None,
    };
    for (from, to) in equalities {
        match looked_up(Comparison::Equal, from, to, outer, inner) {
            Some(condition) => conditions.push(condition),
            None => {
                let (Some(one), Some(other)) = (Value::of(from, &combined), Value::of(to, &combined)) else {
                    return Ok(None);
                };
                tests.push(own_test(Test::Compare(Comparison::Equal, one, other)));
            }
        }
    }
    for part in filters {
        if let Expr::BinaryExpr(BinaryExpr { left, op, right }) = part
            && let Some(comparison) = comparison(*op)
        {
            // `column < value`: the inner column stands on the left.
            let looked = looked_up(comparison, right, left, outer, inner)
                .or_else(|| looked_up(mirrored(comparison), left, right, outer, inner));
            if let Some(condition) = looked {
                conditions.push(condition);
                continue;
            }
        }
        let Some(test) = Test::of(part, &combined) else { return Ok(None) };
        tests.push(own_test(test));
    }
    read.conditions = match conditions.len() {
        0 => return Ok(None),
        1 => conditions.pop(),
        _ => Some(Template::And(conditions)),
    };
    let Some(found) = best_index(session, &mut read, hints)? else { return Ok(None) };
    // The table by itself had other fates of them.
    read.hints.retain(|fate| !hints.list.iter().any(|hint| is_for_access(&hint.name) && fate.is_of(hint)));
    read.hints.extend(access::lookup_fates(hints, &read.table));
    let mut reads = outer.inner.clone();
    reads.push(read);
    let mut kinds = outer.kinds.clone();
    kinds.push(kind);
    Ok(Some((Stage { inner: reads, kinds, tests, ..combined }, found)))
}

/// `to comparison from` as a condition on a stored column of the inner table, with a value of the outer row.
fn looked_up(comparison: Comparison, from: &Expr, to: &Expr, outer: &Stage, inner: &Stage) -> Option<Template> {
    let Value::Column(at, _) = Value::of(to, inner)? else { return None };
    let column = *inner.read.projection.get(at)?;
    let data_type = inner.read.table.columns.get(usize::from(column))?.data_type;
    // CHAR is compared without its blanks, which only the whole value of a column has.
    if matches!(data_type, common::DataType::Char { .. }) {
        return None;
    }
    let value = Value::of(from, outer).filter(|value| !value.is_of_statement() && value.is_deterministic())?;
    let kind = of_arrow(&from.get_type(outer.schema.as_ref()).ok()?)?;
    if kind != scalar::DatumType::from(data_type) {
        return None;
    }
    let shown = outer.names().value(&value);
    Some(Template::Compare { column, comparison, operand: Operand::Later { value, data_type, shown } })
}

/// Chooses the index for the inner table.
fn best_index(session: &Session, read: &mut ReadPlan, hints: &Hints) -> Result<Option<LookupEstimate>> {
    let Some(conditions) = &read.conditions else { return Ok(None) };
    let shape = conditions.shape();
    let rows = access::estimated_rows(session, &read.table)?;
    let Some(found) = access::best_lookup(&read.table, &shape, &read.projection, rows, &hints.list) else {
        return Ok(None);
    };
    read.take(Path::Index(found.index, IndexWay::Range));
    Ok(Some(LookupEstimate { blocks: found.cost, rows: found.rows }))
}
