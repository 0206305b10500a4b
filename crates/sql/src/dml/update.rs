//! UPDATE: a query for the rowids and the whole new rows, settled before the first row changes; then the rows in rowid
//! order.

use std::sync::Arc;

use common::{Error, Result, Rowid};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::record_batch::RecordBatch;
use engine::dictionary::{ColumnDef, ObjectPrivilege, TableDef};
use sqlparser::ast::{self, AssignmentTarget, Ident, SelectItem, Spanned, TableFactor, TableWithJoins};

use super::assign::{Ready, Statement, Target};
use super::insert::{is_default, no_column};
use super::referential::NewRows;
use super::trigger::{self, Event, Triggers};
use crate::cursor::connection::Connection;
use crate::cursor::kept_plan::ChangePlan;
use crate::cursor::open::{Cursor, RowSource};
use crate::explain::sources;
use crate::explain::step::PlanStep;
use crate::plan::binder::{Binder, fold_name};
use crate::plan::bound::{Bound, null};
use crate::plan::query::BoundQuery;
use crate::plan::scope::Scope;
use crate::scan::figures::Figures;
use crate::statement::merge::Returning;
use crate::statement::parse::parse_expression;
use crate::statement::position;

/// The rows that a DML statement will change, and the batches with their new values.
#[derive(Debug)]
pub(crate) struct Victims {
    pub(crate) batches: Vec<RecordBatch>,
    /// Rowid, batch, row in the batch; ordered by rowid.
    pub(crate) rows: Vec<(Rowid, u32, u32)>,
    /// The query gave a rowid more than once.
    pub(crate) repeated: bool,
}

impl Connection {
    pub(crate) fn update(
        &mut self,
        update: &ast::Update,
        returning: Option<&Returning>,
        cursor: &mut Cursor,
    ) -> Result<u64> {
        let name = check(update)?;
        let target = self.target(name, ObjectPrivilege::Update)?;
        let (_lock, table) = self.hold_for_change(&target, cursor)?;
        let select = rows_query(&update.table, &update.optimizer_hints, update.selection.as_ref());
        let assignments = assignments(update, &table, &cursor.shared.text)?;
        let changed: Vec<usize> = assignments.iter().map(|(column, _)| *column).collect();
        if cursor.explaining {
            let bound = self.with_binder(&cursor.shared.text, &cursor.binds, |binder| {
                self.new_rows(binder, &select, &table, &assignments)
            })?;
            cursor.row_sources = dml_sources("UPDATE", &table, &self.plan(&bound.plan)?, &Figures::default());
            return Ok(0);
        }
        let triggers = Triggers::of(self, &table, Event::Update(&changed));
        let _seen = trigger::begin(triggers.as_ref())?;
        let statement = Statement::update(triggers.as_ref().is_some_and(Triggers::has_before_row));
        let query = self.change_plan(cursor, 0, |binder| self.new_rows(binder, &select, &table, &assignments))?;
        let declared: Vec<_> =
            query.outputs[1..].iter().map(|output| output.exact.then_some(output.declared)).collect();
        let work = Figures::default();
        let victims = work.measure(self.session.meter(), || self.victims(&query))?;
        let targets: Vec<Target> = declared
            .iter()
            .enumerate()
            .map(|(column, declared)| Target::new(&table, column, *declared, statement))
            .collect();
        let mut giving = match returning {
            Some(returning) => Some(self.giving(returning, &table, cursor)?),
            None => None,
        };
        let result = work.measure(self.session.meter(), || {
            let ready: Vec<Vec<Ready<'_>>> = victims
                .batches
                .iter()
                .map(|batch| {
                    targets.iter().zip(&batch.columns()[1..]).map(|(target, array)| target.prepare(array)).collect()
                })
                .collect::<Result<_>>()?;
            let rows: &NewRows<'_> = &|take| {
                let mut row: Vec<Option<&[u8]>> = vec![None; targets.len()];
                for (rowid, batch, at) in &victims.rows {
                    for (value, column) in row.iter_mut().zip(&ready[*batch as usize]) {
                        *value = column.value(*at as usize);
                    }
                    take(*rowid, &row)?;
                }
                Ok(())
            };
            if let Some(triggers) = triggers.as_ref().filter(|triggers| triggers.has_row()) {
                return self.replace_rows_firing(triggers, &table, &changed, rows, giving.as_mut());
            }
            if let Some(giving) = &mut giving {
                rows(&mut |rowid, row| {
                    giving.add(Some(rowid), row);
                    Ok(())
                })?;
            }
            self.replace_rows(&table, &changed, rows)
        });
        if cursor.wants_row_sources(&query) {
            cursor.row_sources = dml_sources("UPDATE", &table, &query.plan, &work);
        }
        let rows = result?;
        self.give(giving, cursor)?;
        trigger::end(triggers.as_ref())?;
        Ok(rows)
    }

    /// ROWID and every column of the new rows.
    pub(crate) fn new_rows(
        &self,
        binder: &Binder<'_>,
        select: &ast::Select,
        table: &TableDef,
        assignments: &[(usize, &ast::Expr)],
    ) -> Result<BoundQuery> {
        binder.rows_to_change(select, None, |scope| {
            let mut values = Vec::with_capacity(table.columns.len());
            for (column, definition) in table.columns.iter().enumerate() {
                let kind = super::assign::kind(table, column);
                let value = match assignments.iter().find(|(assigned, _)| *assigned == column) {
                    Some((_, e)) if is_default(e) => default_bound(binder, definition)?,
                    Some((_, e)) => binder.value(e, scope)?,
                    None => {
                        let own = scope.columns.iter().find(|c| c.name == definition.name && !c.pseudo);
                        own.ok_or_else(|| Error::bug(format!("column {} is not in scope", definition.name)))?.bound()
                    }
                };
                values.push((definition.name.clone(), binder.convert(value, kind)?));
            }
            Ok(values)
        })
    }

    /// Runs the query of a DML statement to its end.
    pub(crate) fn victims(&self, query: &ChangePlan) -> Result<Victims> {
        let mut running = self.start_change(query)?;
        let mut victims = Victims { batches: Vec::new(), rows: Vec::new(), repeated: false };
        while let Some(batch) = running.next_batch()? {
            let number = victims.batches.len() as u32;
            let rowids = batch.column(0).as_string::<i32>();
            for at in 0..batch.num_rows() {
                victims.rows.push((rowids.value(at).parse()?, number, at as u32));
            }
            victims.batches.push(batch);
        }
        victims.rows.sort_unstable();
        let given = victims.rows.len();
        victims.rows.dedup_by_key(|(rowid, ..)| *rowid);
        victims.repeated = victims.rows.len() < given;
        Ok(victims)
    }
}

/// A column's DEFAULT.
pub(crate) fn default_bound(binder: &Binder<'_>, column: &ColumnDef) -> Result<Bound> {
    match &column.default {
        Some(text) => binder.value(&parse_expression(text)?, &Scope::default()),
        None => Ok(null()),
    }
}

/// The row sources of an UPDATE or DELETE: the change above the query's own.
pub(crate) fn dml_sources(
    verb: &str,
    table: &TableDef,
    plan: &Arc<dyn datafusion::physical_plan::ExecutionPlan>,
    work: &Figures,
) -> Vec<RowSource> {
    let mut figures = work.value();
    figures.starts = 1;
    let step = PlanStep::change(verb, &table.owner, &table.name);
    let mut found = vec![RowSource { depth: 0, object: 0, step, figures }];
    sources::row_sources(plan, 1, &mut found);
    found
}

/// `SELECT … FROM table WHERE condition`: the select list is filled in by the binder.
pub(crate) fn rows_query(
    table: &TableWithJoins,
    hints: &[ast::OptimizerHint],
    selection: Option<&ast::Expr>,
) -> ast::Select {
    ast::Select {
        select_token: ast::helpers::attached_token::AttachedToken::empty(),
        optimizer_hints: hints.to_vec(),
        distinct: None,
        select_modifiers: None,
        top: None,
        top_before_distinct: false,
        projection: vec![SelectItem::UnnamedExpr(ast::Expr::Identifier(Ident::new("ROWID")))],
        exclude: None,
        into: None,
        from: vec![table.clone()],
        lateral_views: Vec::new(),
        prewhere: None,
        selection: selection.cloned(),
        connect_by: Vec::new(),
        group_by: ast::GroupByExpr::Expressions(Vec::new(), Vec::new()),
        cluster_by: Vec::new(),
        distribute_by: Vec::new(),
        sort_by: Vec::new(),
        having: None,
        named_window: Vec::new(),
        qualify: None,
        window_before_qualify: false,
        value_table_mode: None,
        flavor: ast::SelectFlavor::Standard,
    }
}

pub(crate) fn check(update: &ast::Update) -> Result<&ast::ObjectName> {
    let ast::Update {
        update_token: _,
        optimizer_hints: _,
        table,
        assignments: _,
        from,
        selection: _,
        returning,
        output,
        or,
        order_by,
        limit,
    } = update;
    if returning.is_some() {
        return Err(Error::unsupported("RETURNING outside PL/SQL"));
    }
    if from.is_some() || output.is_some() || or.is_some() || !order_by.is_empty() || limit.is_some() {
        return Err(Error::unsupported(format!("a clause of {update}")));
    }
    target_name(table)
}

/// The name of the target table of UPDATE or DELETE.
pub(crate) fn target_name(table: &TableWithJoins) -> Result<&ast::ObjectName> {
    match table {
        TableWithJoins { relation: TableFactor::Table { name, .. }, joins } if joins.is_empty() => Ok(name),
        other => Err(Error::unsupported(format!("DML on {other}"))),
    }
}

/// The assigned columns, with their values.
pub(crate) fn assignments<'u>(
    update: &'u ast::Update,
    table: &TableDef,
    text: &str,
) -> Result<Vec<(usize, &'u ast::Expr)>> {
    let mut found: Vec<(usize, &ast::Expr)> = Vec::new();
    for assignment in &update.assignments {
        let AssignmentTarget::ColumnName(name) = &assignment.target else {
            return Err(Error::unsupported("SET (columns) = (subquery); assign each column"));
        };
        let last = fold_name(name)?.pop().unwrap_or_default();
        let column = table.column(&last).ok_or_else(|| no_column(&last, name, text))?;
        if found.iter().any(|(assigned, _)| *assigned == column) {
            return Err(position::at(Error::user(957, format!("duplicate column name: {last}")), text, name.span()));
        }
        found.push((column, &assignment.value));
    }
    Ok(found)
}
