//! UPDATE and DELETE of the rows of one table, and MERGE of one row into it, compiled once: the rows are found and
//! settled before the first changes, then changed in the order of their rowids, with the checks of the long way.

use std::ops::Range;
use std::sync::Arc;

use common::{Error, Result, Rowid};
use datafusion::common::Column;
use engine::dictionary::{ColumnDef, ObjectPrivilege, TableDef};
use engine::instance::Session;
use scalar::{Context, Datum, DatumType};
use sqlparser::ast;
use storage::table::Deleter;

use super::plan::{Compiled, DirectQuery};
use super::run::Read;
use super::value::{Inputs, Places, Test, Value, typed};
use crate::cursor::child::Work;
use crate::cursor::connection::Connection;
use crate::cursor::open::{Cursor, RowSource};
use crate::dml::assign::{Statement, Target};
use crate::dml::condition::row_scope;
use crate::dml::delete::check as check_delete;
use crate::dml::insert::holds_subquery;
use crate::dml::referential::{Consequences, NewRows};
use crate::dml::returning::{rowid_column, several_rows};
use crate::dml::trigger::{Event, Triggers};
use crate::dml::update::{assignments, check as check_update, rows_query, target_name};
use crate::explain::step::PlanStep;
use crate::plan::binder::BindValue;
use crate::plan::grouping::holds_aggregate;
use crate::plan::query::BoundQuery;
use crate::scan::figures::Figures;
use crate::scan::table::ROWID;
use crate::statement::merge::Returning;

/// Rows that are read at a time.
const READ_ROWS: usize = 8192;

/// A new value of a column.
#[derive(Debug)]
pub(super) enum New {
    /// The bytes that are read at this position.
    Same(usize),
    Value(Value, DatumType, Target),
}

/// The change of each row that is found.
#[derive(Debug)]
pub(super) enum Verb {
    /// One a column of the table; and the columns that are assigned.
    Update(Vec<New>, Vec<usize>),
    Delete,
    /// A MERGE that inserts alone.
    Keep,
}

/// The row of a MERGE, which is inserted where no row is found.
#[derive(Debug)]
pub(super) struct NewRow {
    pub(super) condition: Option<Test>,
    /// One a column of the table.
    pub(super) values: Vec<(Value, DatumType, Target)>,
}

/// What a MERGE does where no row is found.
#[derive(Debug)]
pub(super) struct Otherwise {
    pub(super) insert: Option<NewRow>,
}

/// A value of RETURNING, over the columns of a row.
#[derive(Debug)]
pub(super) struct Given {
    value: Value,
    kind: DatumType,
    into: String,
}

/// A compiled UPDATE, DELETE or MERGE.
#[derive(Debug)]
pub(crate) struct DirectChange {
    pub(super) table: Arc<TableDef>,
    /// Gives the rowid, and all columns where they are needed.
    pub(super) find: Arc<DirectQuery>,
    pub(super) verb: Verb,
    pub(super) given: Vec<Given>,
    /// Of a MERGE.
    pub(super) otherwise: Option<Otherwise>,
}

/// The columns of a whole row.
struct WholeRow<'t>(&'t [ColumnDef]);

impl Places for WholeRow<'_> {
    fn place(&self, column: &Column) -> Option<Value> {
        if let Some(at) = self.0.iter().position(|definition| definition.name == column.name) {
            return Some(Value::Column(at, self.0[at].data_type));
        }
        (column.name == ROWID).then_some(Value::Rowid(0))
    }
}

/// Rows with new columns, encoded.
#[derive(Default)]
struct Encoded {
    bytes: Vec<u8>,
    /// The columns of all rows, one row after the other.
    columns: Vec<Option<Range<usize>>>,
    /// Each row's rowid and number; by rowid.
    rows: Vec<(Rowid, usize)>,
}

impl Encoded {
    /// Puts the columns of a row into `row`.
    fn row<'e>(&'e self, number: usize, row: &mut Vec<Option<&'e [u8]>>) {
        row.clear();
        let width = self.columns.len().checked_div(self.rows.len()).unwrap_or(0);
        let columns = &self.columns[number * width..(number + 1) * width];
        row.extend(columns.iter().map(|place| place.clone().map(|place| &self.bytes[place])));
    }
}

impl Connection {
    /// Compiles an UPDATE. Else how it is worked off.
    ///
    /// # Errors
    /// Errors of the engine. What is wrong with the statement is told by the long way.
    pub(crate) fn direct_update(
        &self,
        update: &ast::Update,
        returning: Option<&Returning>,
        cursor: &Cursor,
        variables: &[BindValue],
        inputs: &Inputs<'_>,
    ) -> Result<Compiled<DirectChange>> {
        let Ok(name) = check_update(update) else { return Ok(Err(Work::Planned)) };
        let Ok(table) = self.target(name, ObjectPrivilege::Update) else { return Ok(Err(Work::Planned)) };
        let text = &cursor.shared.text;
        let Ok(assignments) = assignments(update, &table, text) else { return Ok(Err(Work::Planned)) };
        let changed: Vec<usize> = assignments.iter().map(|(column, _)| *column).collect();
        let select = rows_query(&update.table, &update.optimizer_hints, update.selection.as_ref());
        let bound = self
            .tables()?
            .with_variables(text, variables, |binder| self.new_rows(binder, &select, &table, &assignments));
        let Ok(bound) = bound else { return Ok(Err(Work::Planned)) };
        let find = match self.rows_found(&bound, &table, inputs)? {
            Ok(find) => find,
            Err(work) => return Ok(Err(work)),
        };
        let new = new_columns(&table, &find, &bound);
        let Some(given) = self.given(returning, &table, cursor, variables)? else { return Ok(Err(Work::Planned)) };
        Ok(Ok(DirectChange { table, find: Arc::new(find), verb: Verb::Update(new, changed), given, otherwise: None }))
    }

    /// Compiles a DELETE. Else how it is worked off.
    ///
    /// # Errors
    /// As [`Connection::direct_update`].
    pub(crate) fn direct_delete(
        &self,
        delete: &ast::Delete,
        returning: Option<&Returning>,
        cursor: &Cursor,
        variables: &[BindValue],
        inputs: &Inputs<'_>,
    ) -> Result<Compiled<DirectChange>> {
        let Ok(from) = check_delete(delete) else { return Ok(Err(Work::Planned)) };
        let Ok(name) = target_name(from) else { return Ok(Err(Work::Planned)) };
        if self.is_own_plan_table(name).unwrap_or(true) {
            return Ok(Err(Work::Planned));
        }
        let Ok(table) = self.target(name, ObjectPrivilege::Delete) else { return Ok(Err(Work::Planned)) };
        let text = &cursor.shared.text;
        let select = rows_query(from, &delete.optimizer_hints, delete.selection.as_ref());
        let whole = returning.is_some();
        let bound = self.tables()?.with_variables(text, variables, |binder| {
            if whole {
                return self.new_rows(binder, &select, &table, &[]);
            }
            binder.rows_to_change(&select, None, |_| Ok(Vec::new()))
        });
        let Ok(bound) = bound else { return Ok(Err(Work::Planned)) };
        let find = match self.rows_found(&bound, &table, inputs)? {
            Ok(find) => find,
            Err(work) => return Ok(Err(work)),
        };
        let Some(given) = self.given(returning, &table, cursor, variables)? else { return Ok(Err(Work::Planned)) };
        Ok(Ok(DirectChange { table, find: Arc::new(find), verb: Verb::Delete, given, otherwise: None }))
    }

    /// The query for the rows to change.
    pub(super) fn rows_found(
        &self,
        bound: &BoundQuery,
        table: &Arc<TableDef>,
        inputs: &Inputs<'_>,
    ) -> Result<Compiled<DirectQuery>> {
        let find = match self.direct_query(bound, inputs)? {
            Ok(find) => find,
            Err(work) => return Ok(Err(work)),
        };
        let fits = find.totals.is_none()
            && find.inner.is_empty()
            && matches!(find.outputs.first(), Some(Value::Rowid(_)))
            && Arc::ptr_eq(&find.read.table, table);
        Ok(if fits { Ok(find) } else { Err(Work::Planned) })
    }

    /// The values of RETURNING; None where the long way has to make them.
    fn given(
        &self,
        returning: Option<&Returning>,
        table: &TableDef,
        cursor: &Cursor,
        variables: &[BindValue],
    ) -> Result<Option<Vec<Given>>> {
        let Some(returning) = returning else { return Ok(Some(Vec::new())) };
        let mut scope = row_scope(&table.name, &table.columns);
        scope.columns.push(rowid_column(table));
        let tables = self.tables()?;
        let mut given = Vec::with_capacity(returning.values.len());
        for (value, into) in returning.values.iter().zip(&returning.into) {
            let bound = tables.with_variables(&cursor.shared.text, variables, |b| b.value_of_group(value, &scope));
            let Ok(bound) = bound else { return Ok(None) };
            if holds_subquery(&bound.expr) || holds_aggregate(&bound.expr) {
                return Ok(None);
            }
            let Some(value) = Value::of(&bound.expr, &WholeRow(&table.columns)) else { return Ok(None) };
            given.push(Given { value, kind: bound.kind, into: into.clone() });
        }
        Ok(Some(given))
    }
}

impl DirectChange {
    /// Carries the statement out. None when it has to go the long way this time.
    ///
    /// # Errors
    /// Any error of the statement; the caller takes its changes back.
    pub(crate) fn carry_out(
        &self,
        connection: &Connection,
        cursor: &mut Cursor,
        context: &dyn Context,
        parameters: &[Datum],
    ) -> Result<Option<u64>> {
        let session = &connection.session;
        if !self.find.is_still_small() {
            return Ok(None);
        }
        let (_lock, table) = connection.lock_for_change(&self.table)?;
        // Checked under the lock: a trigger created now waits for the statement. DDL may have come between.
        let events = match &self.verb {
            Verb::Update(_, changed) => Some(Event::Update(changed)),
            Verb::Delete => Some(Event::Delete),
            Verb::Keep => None,
        };
        let new_row = self.otherwise.as_ref().and_then(|otherwise| otherwise.insert.as_ref());
        let mut events = events.into_iter().chain(new_row.map(|_| Event::Insert));
        if !Arc::ptr_eq(&table, &self.table) || events.any(|event| Triggers::of(connection, &table, event).is_some()) {
            return Ok(None);
        }
        let inputs = Inputs::of_statement(context, parameters);
        let Some(spec) = self.find.read.spec(&inputs) else { return Ok(None) };
        let mut read = Read::new(session, spec, cursor.measured);
        let work = Figures::default();
        let measured = cursor.measured;
        let result = work.measure_if(measured, session.meter(), || {
            let mut found = self.found(&mut read, &inputs)?;
            found.rows.sort_unstable();
            if let (Some(row), true) = (new_row, found.rows.is_empty()) {
                return row.insert(connection, &table, &inputs);
            }
            if matches!(self.verb, Verb::Delete) {
                self.note_given(&found, &inputs, cursor)?;
            }
            let rows = match &self.verb {
                Verb::Update(_, changed) => {
                    let rows: &NewRows<'_> = &|take| {
                        let mut row = Vec::with_capacity(table.columns.len());
                        for (rowid, number) in &found.rows {
                            found.row(*number, &mut row);
                            take(*rowid, &row)?;
                        }
                        Ok(())
                    };
                    connection.replace_rows(&table, changed, rows)?
                }
                Verb::Delete => delete(connection, &table, &found)?,
                Verb::Keep => 0,
            };
            if matches!(self.verb, Verb::Update(..)) {
                self.note_given(&found, &inputs, cursor)?;
            }
            Ok(rows)
        });
        if measured || !cursor.shared.has_plan() {
            cursor.row_sources = self.row_sources(&read, &work);
        }
        let rows = result?;
        if cursor.returned_rows.len() > 1 && !connection.shared.is_recursive() {
            return Err(several_rows());
        }
        Ok(Some(rows))
    }

    /// The rows to change, with their new columns, or those that RETURNING needs.
    fn found(&self, read: &mut Read, inputs: &Inputs<'_>) -> Result<Encoded> {
        let mut found = Encoded::default();
        let mut left = self.find.fetch.unwrap_or(usize::MAX);
        let mut to_skip = self.find.skip;
        while left > 0 && read.next(if self.find.tests.is_empty() { left.min(READ_ROWS) } else { READ_ROWS })? {
            let mut columns = Vec::with_capacity(self.table.columns.len());
            for row in 0..read.rows.len() {
                read.rows.columns(row, &mut columns);
                let rowid = read.rows.rowid(row).ok_or_else(|| Error::bug("a row to change without its rowid"))?;
                let inputs = Inputs { columns: &columns, rowids: &[rowid], ..*inputs };
                if !self.find.accepts(0, true, &inputs)? {
                    continue;
                }
                if to_skip > 0 {
                    to_skip -= 1;
                    continue;
                }
                if left == 0 {
                    break;
                }
                left -= 1;
                let number = found.rows.len();
                found.rows.push((rowid, number));
                self.encode(&inputs, &mut found)?;
            }
        }
        Ok(found)
    }

    fn encode(&self, inputs: &Inputs<'_>, into: &mut Encoded) -> Result<()> {
        let put = |bytes: Option<&[u8]>, into: &mut Encoded| {
            let start = into.bytes.len();
            into.bytes.extend_from_slice(bytes.unwrap_or_default());
            into.columns.push(bytes.map(|_| start..into.bytes.len()));
        };
        match &self.verb {
            Verb::Keep => {}
            Verb::Delete => {
                if !self.given.is_empty() {
                    for value in &self.find.outputs[1..] {
                        let Value::Column(at, _) = value else { return Err(Error::bug("a column that is computed")) };
                        put(inputs.columns.get(*at).copied().flatten(), into);
                    }
                }
            }
            Verb::Update(new, _) => {
                for value in new {
                    match value {
                        New::Same(at) => put(inputs.columns.get(*at).copied().flatten(), into),
                        New::Value(value, kind, target) => {
                            let value = typed(value.evaluate(inputs)?, *kind)?;
                            let start = into.bytes.len();
                            let stored = target.store(inputs.context, &value, &mut into.bytes)?;
                            into.columns.push(stored.then_some(start..into.bytes.len()));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Stores the values of RETURNING in the cursor.
    fn note_given(&self, found: &Encoded, inputs: &Inputs<'_>, cursor: &mut Cursor) -> Result<()> {
        if self.given.is_empty() {
            return Ok(());
        }
        let mut row = Vec::new();
        let mut given = Vec::with_capacity(found.rows.len());
        for (rowid, number) in &found.rows {
            found.row(*number, &mut row);
            let inputs = Inputs { columns: &row, rowids: &[*rowid], ..*inputs };
            let values = self.given.iter().map(|given| typed(given.value.evaluate(&inputs)?, given.kind));
            given.push(values.collect::<Result<Vec<_>>>()?);
        }
        let into = || self.given.iter().map(|given| given.into.clone());
        cursor.returned = given.first().map(|row| into().zip(row.iter().cloned()).collect()).unwrap_or_default();
        cursor.returned_rows = given;
        Ok(())
    }

    /// The row sources that an execution with these values would have. None when it would go the long way.
    pub(crate) fn explained(&self, session: &Arc<Session>, inputs: &Inputs<'_>) -> Option<Vec<RowSource>> {
        if !self.find.is_still_small() {
            return None;
        }
        let read = Read::new(session, self.find.read.spec(inputs)?, false);
        Some(self.row_sources(&read, &Figures::default()))
    }

    fn row_sources(&self, read: &Read, work: &Figures) -> Vec<RowSource> {
        let verb = match (&self.verb, &self.otherwise) {
            (_, Some(_)) | (Verb::Keep, _) => "MERGE",
            (Verb::Delete, _) => "DELETE",
            (Verb::Update(..), _) => "UPDATE",
        };
        let mut figures = work.value();
        figures.starts = 1;
        let step = PlanStep::change(verb, &self.table.owner, &self.table.name);
        let mut sources = vec![RowSource { depth: 0, object: 0, step, figures }];
        sources.extend(self.find.row_sources(read, 1));
        sources
    }
}

/// The new columns of a row that `find` gives, behind its rowid.
pub(super) fn new_columns(table: &TableDef, find: &DirectQuery, bound: &BoundQuery) -> Vec<New> {
    let new = |(column, value): (usize, &Value)| match value {
        Value::Column(at, _) if usize::from(find.read.projection[*at]) == column => New::Same(*at),
        value => {
            let output = &bound.outputs[column + 1];
            let declared = output.exact.then_some(output.declared);
            let target = Target::new(table, column, declared, Statement::update(false));
            New::Value(value.clone(), output.kind, target)
        }
    };
    find.outputs[1..].iter().enumerate().map(new).collect()
}

fn delete(connection: &Connection, table: &Arc<TableDef>, found: &Encoded) -> Result<u64> {
    let rows = || found.rows.iter().map(|(rowid, _)| *rowid);
    let consequences =
        if table.referencing.is_empty() { None } else { Some(Consequences::of_delete(connection, table, rows())?) };
    if let Some(consequences) = &consequences {
        consequences.carry_out()?;
    }
    let mut deleter = Deleter::new(connection.session.worker().clone(), table.heap().clone());
    rows().try_for_each(|rowid| deleter.push(rowid))?;
    let rows = deleter.finish()?;
    consequences.map_or(Ok(()), Consequences::settle)?;
    Ok(rows)
}
