//! MERGE of one row: `USING dual`, or `USING (SELECT :a a, :b b FROM dual)`. The source's values stand where its
//! columns did, so the rows that match are found as an UPDATE finds its rows; where there are none, the row is
//! inserted.
//!
//! A MERGE with WHERE or DELETE of matched rows goes the long way.

use std::ops::Range;
use std::sync::Arc;

use common::Result;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan};
use engine::dictionary::{ObjectPrivilege, TableDef};
use scan::Truth;

use super::change::{DirectChange, NewRow, Otherwise, Verb, new_columns};
use super::plan::Compiled;
use super::value::{Inputs, NoColumns, Test, Value, typed};
use crate::cursor::child::Work;
use crate::cursor::connection::Connection;
use crate::cursor::open::Cursor;
use crate::dml::assign::{Statement, Target, kind};
use crate::dml::intake::Intake;
use crate::dml::merge::{insert_columns, matched};
use crate::dml::update::{default_bound, rows_query, target_name};
use crate::plan::binder::{BindValue, Binder};
use crate::plan::one_row::{RowValues, row_values, with_values, without_one_row};
use crate::plan::query::BoundQuery;
use crate::statement::merge::{Merge, MergeInsert};

impl Connection {
    /// Compiles a MERGE. Else how it is worked off.
    ///
    /// # Errors
    /// Errors of the engine. What is wrong with the statement is told by the long way.
    pub(crate) fn direct_merge(
        &self,
        merge: &Merge,
        cursor: &Cursor,
        variables: &[BindValue],
        inputs: &Inputs<'_>,
    ) -> Result<Compiled<DirectChange>> {
        let planned = || Ok(Err(Work::Planned));
        if merge.update.as_ref().is_some_and(|update| update.condition.is_some() || update.delete.is_some()) {
            return planned();
        }
        let Ok(name) = target_name(&merge.target) else { return planned() };
        let mut table: Option<Arc<TableDef>> = None;
        let privileges = [
            merge.update.as_ref().map(|_| ObjectPrivilege::Update),
            merge.insert.as_ref().map(|_| ObjectPrivilege::Insert),
        ];
        for privilege in privileges.into_iter().flatten() {
            let Ok(target) = self.target(name, privilege) else { return planned() };
            table = Some(target);
        }
        let Some(table) = table else { return planned() };
        let text = &cursor.shared.text;
        let tables = self.tables()?;
        let found = tables.with_variables(text, variables, |binder| match &merge.update {
            Some(update) => matched(binder, merge, update, &table),
            None => {
                let mut select = rows_query(&merge.target, &[], Some(&merge.on));
                select.from.push(merge.source.clone());
                binder.rows_to_change(&select, None, |_| Ok(Vec::new()))
            }
        });
        let Ok(mut found) = found else { return planned() };
        let Ok(plan) = without_one_row(&found.plan) else { return planned() };
        found.plan = plan;
        let find = match self.rows_found(&found, &table, inputs)? {
            Ok(find) => find,
            Err(work) => return Ok(Err(work)),
        };
        let insert = match &merge.insert {
            None => None,
            Some(insert) => {
                let bound = tables.with_variables(text, variables, |binder| whole_row(binder, merge, insert, &table));
                let Ok(bound) = bound else { return planned() };
                let Some(row) = new_row(&bound, &table) else { return planned() };
                Some(row)
            }
        };
        let verb = match &merge.update {
            Some(update) => {
                let changed = update.assignments.iter().filter_map(|(name, ..)| table.column(name)).collect();
                Verb::Update(new_columns(&table, &find, &found), changed)
            }
            None => Verb::Keep,
        };
        let otherwise = Some(Otherwise { insert });
        Ok(Ok(DirectChange { table, find: Arc::new(find), verb, given: Vec::new(), otherwise }))
    }
}

/// The values of all columns of a row that no row matches; what is not listed has its default.
fn whole_row(binder: &Binder<'_>, merge: &Merge, insert: &MergeInsert, table: &TableDef) -> Result<BoundQuery> {
    let listed = insert_columns(insert, table)?;
    binder.rows_to_add(&merge.source, &merge.target, &merge.on, insert.condition.as_ref(), |scope| {
        let value = |(column, definition): (usize, &engine::dictionary::ColumnDef)| {
            let given = listed.iter().position(|listed| *listed == column).and_then(|at| insert.values[at].as_ref());
            let bound = match given {
                Some(e) => binder.value(e, scope)?,
                None => default_bound(binder, definition)?,
            };
            Ok((definition.name.clone(), binder.convert(bound, kind(table, column))?))
        };
        table.columns.iter().enumerate().map(value).collect()
    })
}

/// Compiles the row of [`whole_row`]; None where the source is not one row, or a value is not known here.
fn new_row(bound: &BoundQuery, table: &TableDef) -> Option<NewRow> {
    let LogicalPlan::Projection(list) = &bound.plan else { return None };
    let mut below = &*list.input;
    let mut conditions = Vec::new();
    while let LogicalPlan::Filter(filter) = below {
        conditions.push(&filter.predicate);
        below = &filter.input;
    }
    let LogicalPlan::Join(join) = below else { return None };
    let source = (join.join_type == JoinType::LeftAnti).then(|| row_values(&join.left))??;
    let of = |expr: &Expr, source: &RowValues| with_values(expr.clone(), source).ok();
    let mut condition = None;
    for part in conditions {
        let test = Test::of(&of(part, &source)?, &NoColumns)?;
        condition = Some(match condition {
            Some(before) => Test::And(Box::new(before), Box::new(test)),
            None => test,
        });
    }
    if list.expr.len() != table.columns.len() {
        return None;
    }
    let value = |(column, expr): (usize, &Expr)| {
        let output = bound.outputs.get(column)?;
        let target = Target::new(table, column, output.exact.then_some(output.declared), Statement::insert(false));
        Some((Value::of(&of(expr, &source)?, &NoColumns)?, output.kind, target))
    };
    let values = list.expr.iter().enumerate().map(value).collect::<Option<Vec<_>>>()?;
    Some(NewRow { condition, values })
}

impl NewRow {
    /// Inserts the row, unless its condition says no; returns the number of rows.
    ///
    /// # Errors
    /// Any error of the statement.
    pub(super) fn insert(&self, connection: &Connection, table: &Arc<TableDef>, inputs: &Inputs<'_>) -> Result<u64> {
        if let Some(condition) = &self.condition
            && condition.evaluate(inputs)? != Truth::True
        {
            return Ok(0);
        }
        let mut bytes = Vec::with_capacity(256);
        let mut places: Vec<Option<Range<usize>>> = Vec::with_capacity(self.values.len());
        for (value, kind, target) in &self.values {
            let value = typed(value.evaluate(inputs)?, *kind)?;
            let start = bytes.len();
            let stored = target.store(inputs.context, &value, &mut bytes)?;
            places.push(stored.then_some(start..bytes.len()));
        }
        let row: Vec<Option<&[u8]>> = places.iter().map(|place| place.clone().map(|place| &bytes[place])).collect();
        let mut intake = Intake::new(connection, table)?;
        intake.push(&row)?;
        intake.finish()
    }
}
