//! INSERT … VALUES and INSERT … SELECT.

use std::sync::Arc;

use common::{Error, Result};
use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder};
use datafusion::physical_plan::ExecutionPlan;
use engine::dictionary::{ObjectPrivilege, TableDef};
use scalar::Datum;
use sqlparser::ast::{self, SetExpr, Spanned, TableObject};

use super::assign::{Ready, Statement, Target, fits, kind};
use super::intake::Intake;
use super::target::reads;
use super::trigger::{self, Event, Triggers};
use super::{load, transfer};
use crate::cursor::arrays::to_rows;
use crate::cursor::connection::Connection;
use crate::cursor::kept_plan::ChangePlan;
use crate::cursor::open::{Cursor, RowSource};
use crate::cursor::run::Running;
use crate::error::from_datafusion;
use crate::explain::{plan, sources};
use crate::functions::evaluate;
use crate::plan::binder::{Binder, fold_name};
use crate::plan::bound::Bound;
use crate::plan::query::{BoundQuery, Output};
use crate::plan::scope::Scope;
use crate::plan::sequence::take_values;
use crate::scan::figures::{Figures, FiguresValue};
use crate::statement::merge::Returning;
use crate::statement::parse::parse_expression;
use crate::statement::position;

/// Source of a column of the new rows.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// A column of the query, or a value of the VALUES list.
    Source(usize),
    /// Its DEFAULT in stored form, or NULL.
    Constant(Option<Vec<u8>>),
    /// Its DEFAULT cannot be stored, or is NULL for a NOT NULL column: the first row fails with this error. A statement
    /// without rows does not.
    Refused(Error),
}

impl Connection {
    pub(crate) fn insert(
        &mut self,
        insert: &ast::Insert,
        returning: Option<&Returning>,
        cursor: &mut Cursor,
    ) -> Result<u64> {
        if !cursor.explaining
            && let Some(rows) = self.insert_directly(insert, returning, cursor)?
        {
            return Ok(rows);
        }
        let (name, query) = check(insert)?;
        let target = self.target(name, ObjectPrivilege::Insert)?;
        let loads = load::asked(insert, query) && load::allowed(self, &target);
        if loads && !cursor.explaining {
            // Before the lock of a change: two sessions that hold that would wait for each other.
            self.lock_for_load(&target)?;
        }
        let (_lock, table) = self.hold_for_change(&target, cursor)?;
        let loads = loads && load::allowed(self, &table);
        let columns = listed_columns(insert, &table, &cursor.shared.text)?;
        match &*query.body {
            SetExpr::Values(_) if cursor.explaining => {
                cursor.row_sources = vec![plan::load(&table, false, FiguresValue::default())];
                Ok(0)
            }
            SetExpr::Values(values) if query.order_by.is_none() && query.with.is_none() => {
                let giving = match returning {
                    Some(returning) => Some(self.giving(returning, &table, cursor)?),
                    None => None,
                };
                let event = if values.rows.len() == 1 { Event::InsertOne } else { Event::Insert };
                let triggers = Triggers::of(self, &table, event);
                let _seen = trigger::begin(triggers.as_ref())?;
                let mut intake = Intake::new(self, &table)?.firing(triggers.as_ref()).giving(giving);
                let rows = self.with_binder(&cursor.shared.text, &cursor.binds, |binder| {
                    let firing = triggers.as_ref().is_some_and(Triggers::has_before_row);
                    self.insert_values(&table, &columns, &values.rows, binder, Statement::insert(firing), &mut intake)
                })?;
                self.give(intake.take_giving(), cursor)?;
                trigger::end(triggers.as_ref())?;
                Ok(rows)
            }
            _ if returning.is_some() => {
                Err(Error::user(933, "SQL command not properly ended: RETURNING is of INSERT … VALUES"))
            }
            _ => {
                let bind = |binder: &Binder<'_>| {
                    let bound = binder.statement_query(query, &[])?;
                    assigned(binder, bound, &table, &columns)
                };
                if cursor.explaining {
                    let bound = self.with_binder(&cursor.shared.text, &cursor.binds, bind)?;
                    cursor.row_sources = insert_sources(&table, &self.plan(&bound.plan)?, &Figures::default(), loads);
                    return Ok(0);
                }
                let triggers = Triggers::of(self, &table, Event::Insert);
                let _seen = trigger::begin(triggers.as_ref())?;
                let filling = if loads { Filling::Load } else { Filling::Insert(triggers.as_ref()) };
                let query = self.change_plan(cursor, 0, bind)?;
                let rows = self.insert_query(&table, &columns, &query, filling, cursor)?;
                trigger::end(triggers.as_ref())?;
                Ok(rows)
            }
        }
    }

    /// The source of each column of the table when the statement gives `columns`.
    pub(crate) fn origins(
        &self,
        table: &TableDef,
        columns: &[usize],
        statement: Statement,
        context: &dyn scalar::Context,
    ) -> Vec<Origin> {
        (0..table.columns.len())
            .map(|column| match columns.iter().position(|listed| *listed == column) {
                Some(at) => Origin::Source(at),
                None => {
                    self.default_value(table, column, statement, context).map_or_else(Origin::Refused, Origin::Constant)
                }
            })
            .collect()
    }

    /// The stored form of a column's DEFAULT.
    pub(crate) fn default_value(
        &self,
        table: &TableDef,
        column: usize,
        statement: Statement,
        context: &dyn scalar::Context,
    ) -> Result<Option<Vec<u8>>> {
        let value = match &table.columns[column].default {
            Some(text) => {
                let expr = parse_expression(text)?;
                self.with_binder(text, &[], |binder| {
                    evaluate::datum(&binder.without_programs().value(&expr, &Scope::default())?.expr)
                })?
            }
            None => Datum::Null,
        };
        let mut bytes = Vec::new();
        let stored = Target::new(table, column, None, statement).store(context, &value, &mut bytes)?;
        Ok(stored.then_some(bytes))
    }

    fn insert_values(
        &self,
        table: &Arc<TableDef>,
        columns: &[usize],
        rows: &[ast::Parens<Vec<ast::Expr>>],
        binder: &Binder<'_>,
        statement: Statement,
        intake: &mut Intake<'_>,
    ) -> Result<u64> {
        let context = Arc::clone(binder.context());
        let origins = self.origins(table, columns, statement, &*context);
        let targets: Vec<Target> =
            (0..table.columns.len()).map(|column| Target::new(table, column, None, statement)).collect();
        let mut bytes = Vec::new();
        for row in rows {
            let values = &row.content;
            if values.len() > columns.len() {
                return Err(Error::user(913, "too many values"));
            }
            if values.len() < columns.len() {
                return Err(Error::user(947, "not enough values"));
            }
            let mut bounds = row_values(values, binder)?;
            bytes.clear();
            let mut places: Vec<Option<(usize, usize)>> = Vec::with_capacity(table.columns.len());
            let pushed = (|| {
                for (column, origin) in origins.iter().enumerate() {
                    let start = bytes.len();
                    let stored = match origin {
                        Origin::Refused(error) => return Err(error.clone()),
                        Origin::Constant(None) => false,
                        Origin::Constant(Some(value)) => {
                            bytes.extend_from_slice(value);
                            true
                        }
                        Origin::Source(at) if is_default(&values[*at]) => {
                            match self.default_value(table, column, statement, &*context)? {
                                Some(value) => {
                                    bytes.extend_from_slice(&value);
                                    true
                                }
                                None => false,
                            }
                        }
                        Origin::Source(at) => {
                            let bound = bounds[*at].take().ok_or_else(|| Error::bug("a value is missing"))?;
                            let value = self.single_value(bound)?;
                            targets[column].store(&*context, &value, &mut bytes)?
                        }
                    };
                    places.push(stored.then_some((start, bytes.len())));
                }
                let row: Vec<Option<&[u8]>> =
                    places.iter().map(|place| place.map(|(start, end)| &bytes[start..end])).collect();
                intake.push(&row)
            })();
            pushed?;
        }
        intake.finish()
    }

    /// The value of an expression without columns; runs a subquery in it.
    fn single_value(&self, bound: Bound) -> Result<Datum> {
        if !holds_subquery(&bound.expr) {
            return evaluate::datum(&bound.expr);
        }
        let plan = LogicalPlanBuilder::empty(true)
            .project(vec![bound.expr.alias("VALUE")])
            .and_then(LogicalPlanBuilder::build)
            .map_err(from_datafusion)?;
        let physical = self.plan(&plan)?;
        let mut running =
            Running::start(&self.session, &self.runtime, &self.state, physical, Arc::clone(&self.demand))?;
        let rows = to_rows(&running.fetch(1)?)?;
        Ok(rows.into_iter().next().and_then(|mut row| row.pop()).unwrap_or_default())
    }

    pub(crate) fn insert_rows(&self, table: &Arc<TableDef>, bound: BoundQuery, cursor: &mut Cursor) -> Result<u64> {
        let columns: Vec<usize> = (0..table.columns.len()).collect();
        // A text literal is VARCHAR2 while the query runs, and CHAR as a column.
        let bound = self.with_binder(&cursor.shared.text, &[], |binder| assigned(binder, bound, table, &columns))?;
        let query = self.planned_once(bound)?;
        self.insert_query(table, &columns, &query, Filling::NewTable, cursor)
    }

    fn insert_query(
        &self,
        table: &Arc<TableDef>,
        columns: &[usize],
        query: &ChangePlan,
        filling: Filling<'_>,
        cursor: &mut Cursor,
    ) -> Result<u64> {
        let triggers = match filling {
            Filling::Insert(triggers) => triggers,
            Filling::Load | Filling::NewTable => None,
        };
        let context = self.statement_context()?;
        let statement = Statement::insert(triggers.is_some_and(Triggers::has_before_row));
        let origins = self.origins(table, columns, statement, &*context);
        let targets = targets(table, columns, statement, &query.outputs);
        // Unchanged rows of another table need not become arrays on their way.
        let same_bytes = columns
            .iter()
            .zip(&query.outputs[..])
            .all(|(column, output)| output.exact && fits(output.declared, table.columns[*column].data_type))
            && !triggers.is_some_and(Triggers::has_row);
        let not_null = columns
            .iter()
            .zip(&query.outputs[..])
            .any(|(column, output)| table.refuses_null(*column) && output.nullable);
        let plan = &query.plan;
        let own = reads(plan, table);
        let load = Figures::default();
        let mut inserter = match filling {
            Filling::Insert(_) => Intake::new(self, table)?.firing(triggers),
            Filling::Load => Intake::of_load(self, table)?,
            Filling::NewTable => Intake::of_new_table(self, table)?,
        };
        let result = load.measure(self.session.meter(), || -> Result<()> {
            if same_bytes
                && !not_null
                && !own
                && !origins.iter().any(|origin| matches!(origin, Origin::Refused(_)))
                && let Some(direct) = transfer::plan(plan)
            {
                let sources: Vec<transfer::Source> = origins
                    .iter()
                    .map(|origin| match origin {
                        Origin::Source(at) => Ok(transfer::Source::Column(direct.fields[*at])),
                        Origin::Constant(value) => Ok(transfer::Source::Constant(value.clone())),
                        Origin::Refused(error) => Err(error.clone()),
                    })
                    .collect::<Result<_>>()?;
                return transfer::run(&self.session, direct.read, &sources, &mut inserter);
            }
            let mut running = self.start_change(query)?;
            if own {
                // The query is settled before the statement changes anything.
                let mut batches = Vec::new();
                while let Some(batch) = running.next_batch()? {
                    batches.push(batch);
                }
                return batches.iter().try_for_each(|batch| push_batch(batch, &origins, &targets, &mut inserter));
            }
            while let Some(batch) = running.next_batch()? {
                push_batch(&batch, &origins, &targets, &mut inserter)?;
            }
            Ok(())
        });
        let result = result.and_then(|()| load.measure(self.session.meter(), || inserter.finish()));
        if cursor.wants_row_sources(query) {
            cursor.row_sources = insert_sources(table, plan, &load, inserter.is_direct());
        }
        result
    }
}

/// A query's rows, read to the end, to be inserted into a table.
#[derive(Debug)]
pub(crate) struct Settled {
    batches: Vec<RecordBatch>,
    origins: Vec<Origin>,
    targets: Vec<Target>,
}

impl Connection {
    /// Runs a query whose outputs are of the kinds of `columns`.
    pub(crate) fn settle(
        &self,
        table: &TableDef,
        columns: &[usize],
        statement: Statement,
        query: &ChangePlan,
    ) -> Result<Settled> {
        let context = self.statement_context()?;
        let origins = self.origins(table, columns, statement, &*context);
        let targets = targets(table, columns, statement, &query.outputs);
        let mut running = self.start_change(query)?;
        let mut batches = Vec::new();
        while let Some(batch) = running.next_batch()? {
            batches.push(batch);
        }
        Ok(Settled { batches, origins, targets })
    }

    /// Inserts the rows; returns their number.
    pub(crate) fn put_settled(
        &self,
        table: &Arc<TableDef>,
        settled: &Settled,
        triggers: Option<&Triggers<'_>>,
    ) -> Result<u64> {
        let mut intake = Intake::new(self, table)?.firing(triggers);
        settled
            .batches
            .iter()
            .try_for_each(|batch| push_batch(batch, &settled.origins, &settled.targets, &mut intake))?;
        intake.finish()
    }
}

/// The target columns of the query's outputs.
fn targets(table: &TableDef, columns: &[usize], statement: Statement, outputs: &[Output]) -> Vec<Target> {
    let declared = outputs.iter().map(|output| output.exact.then_some(output.declared));
    columns.iter().zip(declared).map(|(column, declared)| Target::new(table, *column, declared, statement)).collect()
}

/// The expressions of a row, None for DEFAULT. Values of sequences are taken here: one of each for the row.
fn row_values(values: &[ast::Expr], binder: &Binder<'_>) -> Result<Vec<Option<Bound>>> {
    let (mut row, sequences) = binder.naming_sequences(|| {
        values
            .iter()
            .map(|e| if is_default(e) { Ok(None) } else { binder.value(e, &Scope::default()).map(Some) })
            .collect::<Result<Vec<_>>>()
    })?;
    take_values(&sequences, &mut row)?;
    Ok(row)
}

/// The destination of a query's rows.
#[derive(Clone, Copy)]
enum Filling<'t> {
    /// An existing table, with the triggers to fire.
    Insert(Option<&'t Triggers<'t>>),
    /// An existing table, past the cache.
    Load,
    /// The table of a CREATE TABLE AS SELECT.
    NewTable,
}

/// The row sources of an INSERT: the load above the query's own.
fn insert_sources(table: &TableDef, plan: &Arc<dyn ExecutionPlan>, load: &Figures, direct: bool) -> Vec<RowSource> {
    let figures = FiguresValue { starts: 1, rows: 0, ..load.value() };
    let mut found = vec![plan::load(table, direct, figures)];
    sources::row_sources(plan, 1, &mut found);
    found
}

fn push_batch(batch: &RecordBatch, origins: &[Origin], targets: &[Target], inserter: &mut Intake<'_>) -> Result<()> {
    push_arrays(batch.columns(), batch.num_rows(), origins, targets, inserter)
}

/// Inserts rows: `arrays` holds the columns that [`Origin::Source`] counts, each with its target.
pub(crate) fn push_arrays(
    arrays: &[ArrayRef],
    rows: usize,
    origins: &[Origin],
    targets: &[Target],
    inserter: &mut Intake<'_>,
) -> Result<()> {
    if rows == 0 {
        return Ok(());
    }
    let ready: Vec<Ready<'_>> =
        targets.iter().zip(arrays).map(|(target, array)| target.prepare(array)).collect::<Result<_>>()?;
    let constants: Vec<Ready<'_>> = origins
        .iter()
        .filter_map(|origin| match origin {
            Origin::Constant(value) => Some(Ready::Constant(value.clone())),
            Origin::Source(_) | Origin::Refused(_) => None,
        })
        .collect();
    let mut constant = constants.iter();
    let columns: Vec<&Ready<'_>> = origins
        .iter()
        .map(|origin| match origin {
            Origin::Source(at) => Ok(&ready[*at]),
            Origin::Refused(error) => Err(error.clone()),
            Origin::Constant(_) => constant.next().ok_or_else(|| Error::bug("a constant column is missing")),
        })
        .collect::<Result<_>>()?;
    let mut row: Vec<Option<&[u8]>> = vec![None; columns.len()];
    for at in 0..rows {
        for (value, column) in row.iter_mut().zip(&columns) {
            *value = column.value(at);
        }
        inserter.push(&row)?;
    }
    Ok(())
}

/// Refuses every unsupported part of INSERT.
pub(crate) fn check(insert: &ast::Insert) -> Result<(&ast::ObjectName, &ast::Query)> {
    let ast::Insert {
        insert_token: _,
        // Hints change the access path, not the rows.
        optimizer_hints: _,
        or,
        ignore,
        overwrite,
        into,
        table,
        table_alias: _,
        columns: _,
        source,
        assignments,
        partitioned,
        after_columns,
        has_table_keyword,
        on,
        returning,
        output,
        replace_into,
        priority,
        insert_alias,
        settings,
        format_clause,
        multi_table_insert_type,
        multi_table_into_clauses,
        multi_table_when_clauses,
        multi_table_else_clause,
    } = insert;
    if !into {
        return Err(Error::user(925, "missing INTO keyword"));
    }
    if returning.is_some() {
        return Err(Error::unsupported("RETURNING outside PL/SQL"));
    }
    if multi_table_insert_type.is_some()
        || !multi_table_into_clauses.is_empty()
        || !multi_table_when_clauses.is_empty()
        || multi_table_else_clause.is_some()
    {
        return Err(Error::unsupported("INSERT into several tables"));
    }
    if or.is_some()
        || *ignore
        || *overwrite
        || !assignments.is_empty()
        || partitioned.is_some()
        || !after_columns.is_empty()
        || *has_table_keyword
        || on.is_some()
        || output.is_some()
        || *replace_into
        || priority.is_some()
        || insert_alias.is_some()
        || settings.is_some()
        || format_clause.is_some()
    {
        return Err(Error::unsupported(format!("a clause of {insert}")));
    }
    let TableObject::TableName(name) = table else {
        return Err(Error::unsupported("INSERT into a subquery"));
    };
    let query = source.as_deref().ok_or_else(|| Error::user(926, "missing VALUES keyword"))?;
    Ok((name, query))
}

/// ORA-00904 at a column's name.
pub(crate) fn no_column(column: &str, name: &ast::ObjectName, text: &str) -> Error {
    position::at(Error::user(904, format!("\"{column}\": invalid identifier")), text, name.span())
}

/// Positions of the listed columns, or of all.
pub(super) fn listed_columns(insert: &ast::Insert, table: &TableDef, text: &str) -> Result<Vec<usize>> {
    if insert.columns.is_empty() {
        return Ok((0..table.columns.len()).collect());
    }
    let mut columns = Vec::new();
    for name in &insert.columns {
        let parts = fold_name(name)?;
        let last = parts.last().cloned().unwrap_or_default();
        let column = table.column(&last).ok_or_else(|| no_column(&last, name, text))?;
        if columns.contains(&column) {
            return Err(position::at(Error::user(957, format!("duplicate column name: {last}")), text, name.span()));
        }
        columns.push(column);
    }
    Ok(columns)
}

/// The query with each output converted to its column's kind.
fn assigned(binder: &Binder<'_>, bound: BoundQuery, table: &TableDef, columns: &[usize]) -> Result<BoundQuery> {
    if bound.outputs.len() > columns.len() {
        return Err(Error::user(913, "too many values"));
    }
    if bound.outputs.len() < columns.len() {
        return Err(Error::user(947, "not enough values"));
    }
    let mut outputs = bound.outputs;
    let mut expressions = Vec::new();
    let mut changed = false;
    for (output, column) in outputs.iter_mut().zip(columns) {
        let wanted = kind(table, *column);
        let value = output.bound();
        if value.kind != wanted {
            changed = true;
            let converted = binder.convert(value, wanted)?;
            output.kind = wanted;
            output.declared = converted.data_type();
            output.exact = false;
            expressions.push(converted.expr.alias(&output.field));
        } else {
            expressions.push(value.expr);
        }
    }
    if !changed {
        return Ok(BoundQuery { plan: bound.plan, outputs });
    }
    let plan = LogicalPlanBuilder::new(bound.plan)
        .project(expressions)
        .and_then(LogicalPlanBuilder::build)
        .map_err(from_datafusion)?;
    Ok(BoundQuery { plan, outputs })
}

/// True: the keyword DEFAULT in place of a value.
pub(crate) fn is_default(e: &ast::Expr) -> bool {
    matches!(e, ast::Expr::Identifier(ident) if ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("DEFAULT"))
}

pub(crate) fn holds_subquery(expr: &Expr) -> bool {
    use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
    let mut found = false;
    let _ = expr.apply(|node| {
        found |=
            matches!(node, Expr::ScalarSubquery(_) | Expr::InSubquery(_) | Expr::Exists(_) | Expr::SetComparison(_));
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    found
}
